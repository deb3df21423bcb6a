package snap

import "time"

// Kind is what an item of the transcript is.
type Kind uint8

// Kinds of items.
const (
	You     Kind = iota + 1 // what the person said
	Pilot                   // what the model answered
	Thought                 // the model's reasoning
	Tool                    // a call
	Change                  // something about the session changed
	Ended                   // a turn that did not end as it should
)

// An Item is one entry of the transcript: where it stands in the session's log,
// and what it says. What it says is in memory near the end and where the person
// reads; elsewhere the log alone has it, and the item is at rest (see Talk.Rest).
type Item struct {
	ID    int // one of its own, also when another item takes its place
	Kind  Kind
	Open  bool // still coming in
	Turn  int
	Rev   int      // grows with every change
	Seqs  []uint64 // the stored events that told it, in order
	Lines int      // about how many it has on a screen; set at rest
	*Told          // nil at rest
}

// Told is what an item says.
type Told struct {
	Text string // of others
	Word string // Change: what changed; Ended: the status
	By   string // Change: who did
	Body string // Change: what it says when it is opened
	Full bool   // Change: it is open until the person folds it
	At   time.Time
	Call Call // Tool
}

// maxStream is how much of one stream is kept, in bytes. The whole comes with
// the event that closes it.
const maxStream = 1 << 20

func (it *Item) append(text string) {
	it.Rev++
	if room := maxStream - len(it.Text); len(text) > room {
		text = text[:room]
	}
	it.Text += text
}

func (it *Item) close() {
	it.Open = false
	it.Rev++
}
