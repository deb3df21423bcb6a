package gate

import (
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/guardian"
)

// Input is all that a decision depends on (docs/contracts.md, section 2). The
// zero Input is denied.
type Input struct {
	Set   effect.Set
	Marks []Mark // by index of Set.Effects; missing ones are the zero Mark

	// Who acts, and who could answer.
	Front        Front
	CanAsk       bool   // somebody can be asked now; counts in tui, acp, cli and demo only
	Interactive  bool   // the front end is the interactive terminal (tui, demo)
	OptOut       bool   // --no-confirm, or its variable; counts in run and acp only
	Typed        bool   // a person typed this as a command: its own yes
	Origin       Origin // how the model made the call
	TextAsNative bool   // the user's agent_text_calls is as_native

	// What holds for the whole process.
	Sandbox      Setting
	Grade        Grade
	ConfirmReads bool   // a read-only proof allows nothing by itself
	Workspace    string // absolute, links resolved
	Roots        []string
	Home, State  string // absolute; State is our own folder, which nobody touches
	Now          time.Time

	// What holds for the agent that acts, and for those above it.
	Limits

	// What was heard about this very call.
	Hooks  []HookAnswer
	Review *guardian.Verdict // nil: no model was asked
}

// Limits are what one agent may do. A child acts within its own and within
// those of each agent above it: it gets the strictest answer of all of them.
type Limits struct {
	Level      Level // as set; Effective says what it comes to
	Plan       bool  // plan mode: reads only
	Rules      Rules
	HostGrants []string // hosts granted for this session: GET, exactly these
	Window     Window
	Taint      []string // the untrusted sources in the context; empty is untainted
	Parent     *Limits
}

// A Mark is what the dispatcher knows about an effect and the effect does not
// say. The zero Mark is the strictest.
type Mark struct {
	Undo      bool // what it deletes or replaces can be put back
	Approved  bool // Start: approved by its exact argv and hash
	Leaves    bool // it runs outside the sandbox
	Redirect  bool // Fetch: another host's redirect led here
	SecretHit bool // the secret scan found something in what would leave the machine
}

// A HookAnswer is what one hook said about the call.
type HookAnswer struct {
	Name   string
	Word   HookWord
	Reason string // the hook's words: untrusted text
}

// WindowKind is the kind of a timed window. The zero value is none.
type WindowKind uint8

// The windows.
const (
	NoWindow WindowKind = iota
	TrustWindow
	UnsafeWindow
)

// A Window is a stretch of time in which the person is not asked about the
// everyday acts. It exists in the interactive terminal only.
type Window struct {
	Kind  WindowKind
	Grade Grade         // when it was opened: it ends when the grade falls
	Left  time.Duration // by the monotonic clock; under a second it has ended
}

// Effective is the level in force: what the configured one comes to in a front
// end (docs/decisions.md, Headless). never_ask is reached by the opt-out in run
// and acp, by the setting in the interactive terminal, and nowhere else.
func Effective(front Front, interactive bool, level Level, optOut bool) Level {
	switch {
	case optOut && (front == FrontRun || front == FrontACP):
		return NeverAsk
	case interactive && (front == FrontTUI || front == FrontDemo):
		return level.known()
	case level == NewFilesOnly:
		return NewFilesOnly
	}
	return AlwaysAsk
}

// known maps a level that does not exist to the strictest one.
func (l Level) known() Level {
	if int(l) < len(levelNames) {
		return l
	}
	return AlwaysAsk
}

// A link is one agent of the chain at one level in force. A decision is the
// strictest that comes of its links.
type link struct {
	*Limits
	level Level
	when  commandpolicy.When // what lookups of its rules depend on
}

// chain lists the agent that acts and those above it. The opt-out is the level
// of the session, whose own agent is the last; one below it that has a stricter
// level of its own acts within both.
func (in *Input) chain() []link {
	var out []link
	for l := &in.Limits; l != nil; l = l.Parent {
		when := commandpolicy.When{Now: in.Now, Tainted: len(l.Taint) > 0, Workspace: in.Workspace, Home: in.Home}
		if in.Grade != NoGrade {
			when.Grade = in.Grade.String()
		}
		level := Effective(in.Front, in.Interactive, l.Level, in.OptOut)
		if own := Effective(in.Front, in.Interactive, l.Level, false); l.Parent != nil && level != own && l.Level != NeverAsk {
			out = append(out, link{l, own, when})
		}
		out = append(out, link{l, level, when})
	}
	return out
}

// terminal says that a person sits at the interactive terminal.
func (in Input) terminal() bool {
	return in.Interactive && (in.Front == FrontTUI || in.Front == FrontDemo)
}

// canAsk says that a question would reach somebody.
func (in Input) canAsk() bool {
	switch in.Front {
	case FrontTUI, FrontACP, FrontCLI, FrontDemo:
		return in.CanAsk
	case FrontRun, FrontMCP:
		return false
	}
	return false
}

func (in Input) mark(i int) Mark {
	if i < len(in.Marks) {
		return in.Marks[i]
	}
	return Mark{}
}
