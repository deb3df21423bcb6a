package guardian

import "encoding/json"

// Word is what the reviewing model said. The zero value rejects.
type Word uint8

// The words. None of them admits anything: Approve leaves the decision as it
// stands.
const (
	Reject Word = iota
	Failed      // no answer, or none that could be read
	Modify      // it would rather see other arguments
	Approve
)

// String is the word in the log.
func (w Word) String() string {
	switch w {
	case Approve:
		return "approve"
	case Modify:
		return "modify"
	case Failed:
		return "failed"
	case Reject:
		return "reject"
	}
	return "reject"
}

// A Verdict is the outcome of a review.
type Verdict struct {
	Word      Word
	Rationale string          // the model's words: untrusted text; why it failed, for Failed
	Suggested json.RawMessage // Modify: the arguments it would rather see; a new call, planned and decided anew
}

// Pull is what a verdict does to a decision. The zero value denies.
type Pull uint8

// The pulls, strictest first. There is none that loosens.
const (
	Denies Pull = iota // a deny source
	Raises             // an ask source: a person is to say; with nobody there it is a deny
	Leaves             // the decision stands
)

// Pull maps the verdict to what it does. A review that failed, and one that
// wants other arguments, leave a question standing and make one where there
// was none, so that headless both come to a deny (TP-76, TP-77).
func (v Verdict) Pull() Pull {
	switch v.Word {
	case Approve:
		return Leaves
	case Modify, Failed:
		return Raises
	case Reject:
		return Denies
	}
	return Denies
}
