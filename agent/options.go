package agent

import (
	"time"

	"github.com/tera-pilot/tera-pilot/agent/budget"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/fit"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/guide"
	"github.com/tera-pilot/tera-pilot/agent/hook"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/guardian"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// Options are what a session is made of. All members are needed but for those
// that say what their zero value means.
type Options struct {
	Person
	Allowed
	Place
	Thinking
	Keeping
	Guides

	Step  func(string) // tests: crash points; nil: none
	above *lineage     // of a sub-agent
}

// Person is the front end, and who sits at it.
type Person struct {
	Front       audit.Front
	CanAsk      bool // somebody can answer questions, until an Unattended says otherwise
	Interactive bool // at the interactive terminal
	OptOut      bool // --no-confirm at the launch
	Preview     bool // it is told of the files of a call (event.CallPreview)
}

// Allowed is what decides about effects.
type Allowed struct {
	Level        gate.Level
	Sandbox      gate.Setting
	Rules        gate.Rules
	Book         *rulebook.Book // the files behind Rules, and what is remembered; nil: for this session only
	ConfirmReads bool
	TextAsNative bool
	Hooks        []hook.Hook // approved: the user's own, and those of a trusted project
	Guard        Guard
}

// Place is where the session works, and with what.
type Place struct {
	Home, State string
	World       *world.World
	Tools       *tool.Registry
	Retool      func() []tool.MCPTool // the tools of MCP servers as they are approved now; nil: they do not change
	Facts       Facts
	Redactor    *secret.Redactor
	Now         func() time.Time
}

// Thinking is the model, and what it may take.
type Thinking struct {
	Mind                                               // at the start; without a Provider a turn ends with what to do about that
	Switch   func(provider, name string) (Mind, error) // opens another one; nil: there is none but Mind
	Budget   *budget.Budget                            // nil: no limits
	MaxSteps int                                       // model calls a turn
	Learnt   fit.Store                                 // the zero Store keeps nothing
	KeepAll  bool                                      // agent_compaction is off: nothing is masked or summed up unasked
}

// Keeping is where the session writes what happened, and what can be taken back.
type Keeping struct {
	Log         *session.Log
	Past        []event.Event // what Log holds already
	Store       *session.Store
	Evidence    *audit.Log
	Info        audit.SessionInfo // front, level, workspace and the like are filled in here
	Witness     Witness           // nil: commits bear no line about the log
	Undo        *undo.Store       // nil: nothing is kept, and nothing can be undone
	UndoProblem string            // why Undo is nil, for the person
}

// Guides are what others wrote for the model, as the person let it in.
type Guides struct {
	Commands []guide.Command  // what the person can call by a slash
	Notes    event.Instructed // of the project
	Problems []string         // what of all that was left out, and why
	Skills   string           // the list of skills for the model; "" for none
	Overlay  string           // what the person adds to the system prompt; it is in no log
}

// Guard is the guardian of a session.
type Guard struct {
	Level guardian.Level
	Mind  Mind // the reviewing model; without a provider: the rules' score alone
	Own   bool // the model that answers in the session reviews, whichever that is by then
}
