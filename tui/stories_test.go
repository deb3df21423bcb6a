package tui_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// The stories that tests tell: lists of events, as a session emits them.

func opened() event.Opened {
	return event.Opened{Root: "/home/you/src/parser", Front: "tui", Level: "always_ask", Sandbox: "auto A", Network: "off", Provider: "ollama", Model: "qwen3:8b", Window: 32768, MaxCost: 2_000_000}
}

func num(n int) *int { return &n }

func cost(n int64) *int64 { return &n }

const failing = "=== RUN   TestTabInString\n--- FAIL: TestTabInString (0.00s)\n    scan_test.go:88: col = 17, want 11\nFAIL\nFAIL\texample.org/parser/scan\t0.004s\nFAIL\n"

// working is a turn in the middle of an answer, with one question open.
func working() []event.Body {
	return []event.Body{
		opened(), event.Renamed{Title: "fix tab handling"},
		event.AuditHead{Size: 408, Head: "9f3c1a77d0e141be02"},
		event.TurnStarted{Turn: 12, Text: "Tabs inside strings move the column counter. Fix it and keep the fast path."},
		event.Working{On: "model", Since: time.Now().Add(-14 * time.Second)},
		event.ReasoningDelta{Text: "The user wants"},
		event.Reply{Text: "The counter adds eight for every tab, also inside a literal. I will look at the scanner first.", Reasoning: "The user wants the tab handling fixed.\nLook at the scanner.\nThen the tests.",
			Usage: event.Usage{Input: 9000, Output: 1200, Cost: cost(0)}},
		event.CallStarted{Call: "1", Tool: "read_file", Title: `read "scan/scan.go"`, Effects: []string{"read scan/scan.go"}},
		event.CallDecided{Call: "1", Decision: "allowed", By: "rule", Rule: "read rule 3"},
		event.CallResult{Call: "1", Tool: "read_file", Status: "ok", Decision: "allowed", Title: `read "scan/scan.go"`, Body: strings.Repeat("line\n", 220), Untrusted: "file"},
		event.Tainted{Source: "file", What: "scan/scan.go"},
		event.CallStarted{Call: "2", Tool: "grep", Title: `search for "col += 8" in "."`},
		event.CallDecided{Call: "2", Decision: "allowed", By: "table"},
		event.CallResult{Call: "2", Tool: "grep", Status: "ok", Decision: "allowed", Title: `search for "col += 8" in "."`, Body: "a\nb\nc\nd\n"},
		event.CallStarted{Call: "3", Tool: "execute_command", Title: "run go test ./scan/...", Effects: []string{"run go test ./scan/..."}},
		event.CallDecided{Call: "3", Decision: "approved", By: "user:tui"},
		event.CallResult{Call: "3", Tool: "execute_command", Status: "ok", Exit: num(1), Decision: "approved", Title: "run go test ./scan/...", Body: strings.Repeat("ok\n", 32) + failing, Millis: 2140},
		event.CallResult{Call: "4", Tool: "str_replace", Status: "ok", Decision: "approved", Title: `edited "scan/token.go" (+2 -1)`, Diff: "+2 -1", Changes: []event.Change{{Path: "scan/token.go", Change: "written"}, {Path: "scan/lex.go", Change: "written"}}},
	}
}

// streaming goes on with an answer that is coming in.
func streaming() []event.Body {
	return append(working(),
		event.AuditHead{Size: 412, Head: "9f3c1a77d0e141be02"},
		event.TextDelta{Text: "The literal scanner needs its **own** counter. The change is small:\n\n```go\nfunc (s *Scanner) literal() {\n\tstart := s.col\n\tfor s.next() != '\"' {\n\t\tif s.ch == '\\t' { s.col++ }"})
}

// finished is a turn that came to its end.
func finished() []event.Body {
	return append(working(),
		event.Reply{Text: "Done. The literal scanner has its own counter now.\n\n## Changed\n\n- `scan/scan.go`: counter in `literal()`, see [the issue](https://example.org/7)\n- `scan/scan_test.go`: a case for *tabs in strings*\n\n| test | before | after |\n|---|---|---|\n| TestTabInString | fails | passes |\n| TestColumns | passes | passes |\n\nNothing is left open.", Usage: event.Usage{Input: 10400, Output: 200, Cost: cost(31000)}},
		event.TurnEnded{Turn: 12, Status: "done", Verification: "verified"}, event.AuditHead{Size: 431, Head: "77d0e141be029f3c1a"})
}

func hash(q event.Question) event.Question {
	q.LinesHash = event.HashLines(q.Lines)
	return q
}

func asked(q event.Question) []event.Body {
	q.Opened = time.Now()
	q.Deadline = q.Opened.Add(300 * time.Second)
	return []event.Body{event.CallStarted{Call: q.Call, Tool: q.Tool, Title: q.Title}, event.QuestionOpened{Question: hash(q)}, event.Working{On: "person", Since: time.Now()}}
}

func commandQuestion() event.Question {
	fact := func(name, text string) event.Line {
		return event.Line{Kind: event.LineFact, Text: fmt.Sprintf("%-9s %s", name, text)}
	}
	return event.Question{
		ID: "7f21aa03", Digest: "5bd9e04c88c2f0aa5bd9e04c88c2f0aa5bd9e04c88c2f0aa5bd9e04c88c2f0aa", Call: "q1", Tool: "execute_command", Kind: event.AskCommand, Title: "run npm install left-pad@1.3.0",
		Lines: []event.Line{
			{Kind: event.LineScript, Text: "npm install left-pad@1.3.0 --ignore-scripts"},
			{Kind: event.LineBlank},
			fact("program", "/usr/bin/npm  sha256 88c2f0aa5bd9"),
			fact("runs", `"npm" "install" "left-pad@1.3.0" "--ignore-scripts"`),
			fact("folder", "/home/you/src/parser"),
			fact("env", "+ npm_config_cache=/box/cache  - GITHUB_TOKEN  - AWS_PROFILE  14 more removed"),
			fact("stdin", "empty"),
			{Kind: event.LineWarn, Text: "network   packages.example.org:443  CONNECT"},
			fact("files", "may write the workspace; cannot write .git/ .tera_pilot/ or anything outside"),
			fact("runs in", "box A, profile work, 512 tasks, 3 GB"),
			fact("limit", "3m0s"),
			{Kind: event.LineBlank},
			fact("why ask", "level always_ask; no rule matches"),
			fact("risk", "3 of 10: installs a package"),
			{Kind: event.LineWarn, Text: "context   holds text from: file"},
			{Kind: event.LineBlank},
			{Kind: event.LineModel, Text: "I need left-pad for the column helper. It is small and safe, you can"},
			{Kind: event.LineModel, Text: "approve this without looking."},
		},
	}
}

func editQuestion() event.Question {
	lines := []event.Line{
		{Kind: event.LineFact, Text: "write     scan/scan.go"},
		{Kind: event.LineFact, Text: "          inside the workspace, file, mode 0644, 9.1 KB"},
		{Kind: event.LineFact, Text: "result    9.2 KB, sha256 77d0e141be02"},
		{Kind: event.LineBlank},
		{Kind: event.LineFact, Text: "lines     +4 -2"},
		{Kind: event.LineHunk, Text: "@@ lines 40-46"},
		{Kind: event.LineContext, Text: "   40    40   type Scanner struct {"},
		{Kind: event.LineDelete, Text: "   41       -         tab = 8"},
		{Kind: event.LineAdd, Text: "         41 +         tabWidth = 8"},
		{Kind: event.LineHunk, Text: "@@ lines 84-92"},
	}
	for i := 84; i < 88; i++ {
		lines = append(lines, event.Line{Kind: event.LineContext, Text: fmt.Sprintf("%5d %5d   // context line %d", i, i, i)})
	}
	lines = append(lines,
		event.Line{Kind: event.LineDelete, Text: "   88       -         col := s.col"},
		event.Line{Kind: event.LineAdd, Text: "         88 +         start := s.col // a comment that is so long that it has to be broken on a narrow screen"},
		event.Line{Kind: event.LineAdd, Text: "         89 +         // tab<U+00A0>stops are handled in literal()"},
		event.Line{Kind: event.LineAdd, Text: "         90 +         if s.ch == '\\t' { s.col++ }"},
	)
	for i := 91; i < 95; i++ {
		lines = append(lines, event.Line{Kind: event.LineContext, Text: fmt.Sprintf("%5d %5d   // context line %d", i-2, i, i)})
	}
	return event.Question{
		ID: "c0ffee01", Digest: "77d0e141be02aa5577d0e141be02aa5577d0e141be02aa5577d0e141be02aa55", Call: "q2", Tool: "str_replace", Kind: event.AskEdit, Title: `edit "scan/scan.go" (+4 -2)`, Lines: lines,
	}
}

// longQuestion has n lines.
func longQuestion(n int) event.Question {
	q := editQuestion()
	q.Lines = nil
	for i := range n {
		q.Lines = append(q.Lines, event.Line{Kind: event.LineAdd, Text: fmt.Sprintf("      %5d + line %d of a long file", i+1, i+1)})
	}
	return q
}

func dangerQuestion() event.Question {
	q := commandQuestion()
	q.ID, q.Danger, q.Code, q.Title = "da1700e4", true, "kwtz", "delete build/ without undo"
	return q
}

func userQuestion() event.Question {
	return event.Question{
		ID: "ab12cd34", Call: "q3", Tool: "ask_user", Kind: event.AskUser, Title: "the model asks you",
		Lines:   []event.Line{{Kind: event.LineModel, Text: "Should a tab count as one column, or as the next multiple of eight?"}},
		Options: []string{"one column", "the next multiple of eight", "as the editor is set"},
	}
}

func unknownQuestion() event.Question {
	return event.Question{
		ID: "0bad0bad", Call: "q4", Tool: "execute_command", Kind: event.AskUnknown, Title: "run make deploy",
		Lines: []event.Line{
			{Kind: event.LineWarn, Text: "unknown   the program ended while this was running; nobody knows how it ended"},
			{Kind: event.LineFact, Text: "call      make deploy"},
			{Kind: event.LineFact, Text: "since     2026-11-29 13:58:02"},
		},
	}
}

func scopesQuestion() event.Question {
	q := commandQuestion()
	q.Scopes = []event.Scope{
		{ID: "s1", Title: "this exact command, this session", Match: "npm install left-pad@1.3.0 --ignore-scripts", NoMatch: "npm install left-pad", Rule: `cmd = "npm"`},
		{ID: "s2", Title: "npm install <name>@<version> --ignore-scripts, this repository, 7 days", Match: "npm install ms@2.1.3 --ignore-scripts", NoMatch: "npm install ms@2.1.3"},
	}
	return q
}

func startStory() snap.Start {
	return snap.Start{
		Level: "always_ask", Sandbox: "auto A", Folder: "~/src/parser", Says: "No model is configured yet. Nothing has been sent.",
		Local: []snap.Server{
			{Name: "ollama", Address: "127.0.0.1:11434", State: "not answering", Hint: "start it, then press r"},
			{Name: "llama.cpp", Address: "127.0.0.1:8080", State: "not answering"},
			{Name: "LM Studio", Address: "127.0.0.1:1234", State: "not answering"},
		},
		Remote: []string{"no key in the environment or the key store"},
		Can: []snap.Action{
			{ID: "demo", Key: "d", Title: "Play the demo (scripted, nothing leaves here)"},
			{ID: "refresh", Key: "r", Title: "Look again for a local model"},
			{ID: "keys", Key: "k", Title: "Add a key", Note: "tera-pilot keys set NAME --from env:VAR"},
		},
	}
}
