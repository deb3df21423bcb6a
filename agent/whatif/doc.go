// Package whatif replays the decisions of the log from their disclosed inputs,
// and says what another rule would have made of them.
//
// A decision is a pure function of its inputs, so a replay gives the recorded
// answer again, or the record and this program do not fit, which is told. Where
// the inputs were redacted, or the rules that were in force are gone, the
// decision is not replayable, and is counted as such: nothing is guessed.
package whatif
