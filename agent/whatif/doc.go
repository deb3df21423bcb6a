// Package whatif replays the decisions of the log from their disclosed inputs,
// and says what another rule would have made of them.
// It also says what would come of a command that nobody runs (Scene): from the
// very effect that the session's world plans for its text, be that a command or
// one call of git. What the world refuses to plan has no effect, and no decision.
//
// A decision is a pure function of its inputs, so a replay gives the recorded
// answer again, or the record and this program do not fit, which is told. Where
// the inputs were redacted, or the rules that were in force are gone, the
// decision is not replayable, and is counted as such: nothing is guessed.
package whatif
