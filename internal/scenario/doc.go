// Package scenario is a script of model turns: what a model would say and call,
// step by step, depending on what the calls before came to. The demo, the
// tests and the fake model server play it; everything around it is real.
//
// # Promised
//
// To the author of a script: nothing is skipped in silence. A member that the
// format does not know, a value of the wrong kind or a repeated member refuses
// the file, with its line. A script that has no step left, or none that fits,
// ends in an error that says what the results were.
//
// # The format
//
//	{"steps": [
//	  {"say": "I will look.", "calls": [{"tool": "read_file", "args": {"path": "{cwd}/calc.go"}}]},
//	  {"when": {"tool": "execute_command", "exit": 1}, "say": "It fails.", "calls": [ … ]},
//	  {"when": {"decision": "denied"}, "say": "Then I stop."},
//	  {"say": "Done."}
//	]}
//
// A step: say, think (reasoning), calls, when, and what shapes its stream:
// delay_ms before each delta, chunk (bytes a delta), fault (cut, stall, 429,
// 500, bad_utf8) with at (bytes of the stream before it strikes), times (how
// many attempts it spoils, 1 if absent) and retry_after_s.
//
// When: tool, exit, decision, contains. All that are given must hold for one
// and the same result of the turn before. The first step, in order, whose when
// holds is played, and those before it are passed over for good.
//
// # Not promised
//
// That a script is a good test: it knows only the first line and the text of a
// result, as a model would.
package scenario
