package event

import "time"

// A Command is what a front end sends to the session. Nothing else reaches it.
type Command interface{ isCommand() }

// Submit is a message of the person. While a turn runs it waits in the queue.
type Submit struct {
	Text   string
	Images []Image // shown to the model beside the text
}

// Image is a picture that the person attached.
type Image struct {
	Name      string // as the person knows it
	MediaType string // image/png, image/jpeg, image/gif or image/webp
	Data      []byte
}

// Interject gives the running turn a message: the model reads it after the
// call that runs now. Without a running turn it is a Submit.
type Interject struct{ Text string }

// Withdraw takes the newest queued message back.
type Withdraw struct{}

// Cancel stops the running turn.
type Cancel struct{}

// SetLevel changes the autonomy level. Plan is plan mode on top of it: reads,
// and nothing else.
type SetLevel struct {
	Level string
	Plan  bool
}

// Attached says that the next message holds text that the person did not write
// himself, a file for example: from now on untrusted text is in the context.
type Attached struct{ Source, What string }

// Unattended says that the front end found out that it cannot ask: whatever
// would be asked from now on is denied.
type Unattended struct{}

// Revise asks for another version of the proposal of an open question: the core
// makes a new plan, a new digest and a new question, and closes this one.
type Revise struct {
	Question string
	Digest   string
	Files    []Revision
}

// Revision is what the person wants of a proposal: a choice of its lines, or
// another text for one of its files.
type Revision struct {
	Path string  // whose text it is: a file of the question's Proposals, "" for the command
	Drop []int   // indexes into the question's Lines: all added and deleted lines that are left out, of every file
	Text *string // the whole new text; nil where Drop counts
}

// Window opens a timed window ("trust", "unsafe") or, with "strict", ends it.
// Only the interactive terminal may.
type Window struct {
	Mode string
	For  time.Duration
}

// Undo takes back what calls of this session changed: those of one call, of
// one turn, of one path, or, with all members zero, of the last turn that
// changed anything. Sent by a person it is its own yes: only the floor is asked
// (docs/undo.md). An undo is a call itself, whose Call undoes it: a redo.
type Undo struct {
	Call string
	Turn int
	Path string // also together with one of the others
	All  bool   // of the whole session
	Down bool   // with Call: that call and all after it
	Dry  bool   // do nothing, answer with an UndoPlan

	// Resolve is the person's word on paths in conflict. In the interactive
	// terminal it is asked about, with exactly what would be written; front
	// ends that edit other people's text have none to say.
	Resolve []Resolution
}

// A Resolution says what becomes of a path that an undo leaves in conflict.
type Resolution struct {
	Path string
	How  string // ResolveKeep, ResolveOld or ResolveText
	Text []byte // with ResolveText: the whole file
	Now  string // UndoConflict.Now, of what the person looked at; "" for whatever is there
}

// What a Resolution can be.
const (
	ResolveKeep = "keep" // what is there stays; what the calls did to it counts as taken back
	ResolveOld  = "old"  // what stood there before the calls
	ResolveText = "text" // a text of the person's, made of all three
)

// Servers is what the person wants of the MCP servers: the words behind /mcp
// (docs/mcp.md). What comes of it is a Notice with the key "mcp".
type Servers struct{ Words string }

// ListUndo asks for the UndoPoints.
type ListUndo struct{}

// Compact replaces the older part of the model's context by a summary. Back
// takes the last compaction back.
type Compact struct{ Back bool }

// SetThought sets how much the model may think: off, low, medium or high.
type SetThought struct{ Level string }

// StopJob ends a command that runs in the background.
type StopJob struct{ Job string }

// Forget withdraws a remembered rule, by its id.
type Forget struct{ Rule string }

// Reload reads the policy files again. What was approved and not yet run dies.
type Reload struct{}

// Seen says that the person looked at, exported or cleared what the log or the
// screen holds: "audit.viewed", "audit.exported", "view.cleared".
type Seen struct{ What, Detail string }

// SetModel changes the model from the next request on.
type SetModel struct{ Provider, Model string }

// Rename gives the session a title.
type Rename struct{ Title string }

// Settle is the person's word on a call that a crash left open: "done",
// "again" (a new decision) or "look".
type Settle struct{ Call, How string }

func (Submit) isCommand()     {}
func (Withdraw) isCommand()   {}
func (Cancel) isCommand()     {}
func (SetLevel) isCommand()   {}
func (SetModel) isCommand()   {}
func (Attached) isCommand()   {}
func (Unattended) isCommand() {}
func (Rename) isCommand()     {}
func (Settle) isCommand()     {}
func (Answer) isCommand()     {}
func (Interject) isCommand()  {}
func (Revise) isCommand()     {}
func (Window) isCommand()     {}
func (Undo) isCommand()       {}
func (ListUndo) isCommand()   {}
func (Servers) isCommand()    {}
func (Compact) isCommand()    {}
func (SetThought) isCommand() {}
func (StopJob) isCommand()    {}
func (Forget) isCommand()     {}
func (Reload) isCommand()     {}
func (Seen) isCommand()       {}
