package app

import (
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/room/start"
	"github.com/tera-pilot/tera-pilot/tui/room/transcript"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/tty"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// Options are what a Model is made of.
type Options struct {
	Send    func(event.Command)                   // hands a command on; must not block
	Recall  func([]uint64) ([]event.Event, error) // reads stored events again; nil: all is kept
	Start   *snap.Start                           // shown until there is a session; nil for none
	First   event.Opened                          // what is known before the session tells of itself
	Refresh func() snap.Start                     // looks again; nil when nothing can change
	Log     activity.Source                       // the audit log, for the activity view; nil for none
	Says    string                                // what the person has to know at the start
	Now     func() time.Time
	Read    func() time.Time // when bytes were read last
	Fence   func() uint64    // the frame that an answer of the terminal is for; see tty.Gate.Answered
	Code    func() string    // a new random code of four letters
	By      string           // who answers, "user:tui"
	Profile colorprofile.Profile
	Theme   string // a theme's name; "" for automatic
	Inline  bool   // below the shell's lines instead of the alternate screen
	Desk    Desk
	Keys    keys.Map
	Copy    func(string) error     // sends a text to the terminal's clipboard; nil where there is none
	Notify  func(tty.Notice) error // tells of what happened while the person looks elsewhere; nil for never
	Still   bool                   // nothing moves by itself but what the session tells

	Composed func() // a frame is ready to be written; may be nil
}

// maxCopied is how much of a text goes to the clipboard.
const maxCopied = tty.MaxCopy

// Messages that the program around the model sends.
type (
	// Events are events of the session, in order.
	Events []event.Event
	// Written says that frame N was written with its query.
	Written struct {
		N  uint64
		At time.Time
	}
	// Lost says that the session is gone, and why.
	Lost struct{ Err error }
	// Themed is the name of another theme.
	Themed string
	// Refreshed is what a new look at the surroundings found.
	Refreshed snap.Start
)

type (
	tick      struct{ at time.Time }
	fenceOver struct{ n uint64 }
)

// A Model is the front end's state. It is used by one goroutine.
type Model struct {
	o     Options
	state snap.State

	transcript transcript.Room
	composer   composer.Room
	start      *start.Room
	ask        *ask.Room      // of the session's open question
	own        *ask.Room      // a question of our own: whether to raise the level
	later      bool           // the person does not want to see the open question now
	answered   time.Time      // when the open question was answered; zero when it was not
	activity   *activity.Room // the view of the log, when it is open
	ownYes     func() tea.Cmd // what a yes to it does
	after      tea.Cmd        // of an answer, to be run with this message's
	panel      panel          // what lies above the conversation; nil for nothing
	finding    bool           // the line below is a search in the conversation
	find       composer.Room
	completion *completion // of the word at the caret; nil for none
	refused    string      // the word whose completion is not wanted
	files      files
	request    snap.Request // what the person wants after this
	focusTold  bool         // the terminal tells when it gets and loses the focus
	away       bool         // the terminal said that the person looks elsewhere
	keys       keys.Map
	note       *event.Notice // of our own, until the next key
	quitting   time.Time     // of the first ctrl+c

	width, height int
	widths        view.Widths
	dark          bool
	theme         *theme.Theme
	enhanced      bool // the terminal tells shift+enter from enter

	frame  uint64
	input  time.Time // of the last thing a person did
	heard  time.Time // of the last bytes that we were told of
	wakeAt time.Time // of the tick that is under way

	inline inline
	memory memory

	dirty  bool
	last   tea.View
	chosen start.Choice // the action of the start screen
	lost   error
	failed *PanicError
}

// A PanicError is a bug of ours: what Update or View panicked with.
type PanicError struct {
	Value string // made visible
	Stack string
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("the terminal front end failed: %s; this is a bug, please report it", e.Value)
}

// New makes a model.
func New(o Options) *Model {
	m := &Model{o: o, dark: true, dirty: true}
	m.state.Expect(o.First)
	m.input = o.Now()
	if o.Says != "" {
		m.warn(o.Says, "")
	}
	m.pickTheme()
	if len(o.Keys.Bindings()) == 0 {
		m.o.Keys = keys.Default()
	}
	m.keys = m.o.Keys
	if o.Start != nil {
		m.start = &start.Room{}
		m.look(*o.Start)
	}
	return m
}

// look shows what was found before there is a session.
func (m *Model) look(s snap.Start) {
	if m.start != nil {
		m.start.Set(s)
		m.state.Terms.Level, m.state.Terms.Sandbox, m.state.Session.Root = s.Level, s.Sandbox, s.Root
	}
}

// Chosen is the action that ended the start screen, with what was typed for it.
func (m *Model) Chosen() start.Choice { return m.chosen }

// Request is what the person wants next.
func (m *Model) Request() snap.Request { return m.request }

// State is the session as the screens know it.
func (m *Model) State() *snap.State { return &m.state }

// Err is why the model ended when nobody wanted it to.
func (m *Model) Err() error {
	if m.failed != nil {
		return m.failed // errors as a nil pointer are not nil
	}
	return m.lost
}

// Init asks for the background colour and for a first look around.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.refresh()}
	cmds = append(cmds, m.lookAtBranch())
	if m.o.Desk.Said != nil {
		cmds = append(cmds, query(wantSaid, m.o.Desk.Said))
	}
	if m.o.Theme == "" && m.o.Profile > colorprofile.ANSI {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

func (m *Model) refresh() tea.Cmd {
	if m.o.Refresh == nil || m.start == nil {
		return nil
	}
	look := m.o.Refresh
	return func() (msg tea.Msg) {
		defer Recover(func(err error) { msg = Lost{err} })
		return Refreshed(look())
	}
}

// Recover is to be deferred: it hands a panic on as an error, so that the
// program can end in order, with the terminal as it was before.
func Recover(told func(error)) {
	if v := recover(); v != nil {
		told(panicked(v))
	}
}

func panicked(v any) *PanicError {
	return &PanicError{Value: visible.Strict(fmt.Sprint(v)), Stack: string(debug.Stack())}
}

func (m *Model) pickTheme() { m.theme = theme.For(m.o.Theme, m.o.Profile, m.dark) }

// Update handles one message. A panic ends the program in order, with the
// terminal as it was before.
func (m *Model) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer func() {
		if v := recover(); v != nil {
			m.fail(v)
			model, cmd = m, tea.Quit
		}
	}()
	now := m.o.Now()
	cmd = m.handle(msg, now)
	wake := m.settle(now)
	after := m.after
	m.after = nil
	printed := m.print(now)
	return m, tea.Batch(cmd, after, printed, m.remember(), wake)
}

func (m *Model) fail(v any) { m.failed = panicked(v) }

func (m *Model) handle(msg tea.Msg, now time.Time) tea.Cmd {
	switch msg := msg.(type) {
	case tty.Input:
		m.dirty = true
		return m.fromTerminal(msg, now)
	case Events:
		m.dirty = true
		return tea.Batch(m.apply(msg), m.logGrew(msg))
	case Written:
		n := msg.N
		return tea.Tick(arm.Fence, func(time.Time) tea.Msg { return fenceOver{n} })
	case fenceOver:
		m.confirm(msg.n, now, false)
	case tick:
		m.dirty = true
		if msg.at.Equal(m.wakeAt) {
			m.wakeAt = time.Time{}
		}
	case tea.WindowSizeMsg:
		m.dirty = true
		m.width, m.height = msg.Width, msg.Height
		m.inline.at = now.Add(drawn)
		m.disturb(now)
	case tea.BackgroundColorMsg:
		m.dark, m.dirty = msg.IsDark(), true
		m.pickTheme()
	case Themed:
		m.dirty = true
		m.setTheme(string(msg))
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet) {
			m.widths, m.dirty = view.Graphemes, true
		}
	case tea.KeyboardEnhancementsMsg:
		m.enhanced, m.dirty = msg.Flags != 0, true
	case Refreshed:
		m.dirty = true
		m.look(snap.Start(msg))
	case Lost:
		m.lost = msg.Err
		return tea.Quit
	case recalled, sought, found, did, editing, edited, searchDue:
		m.dirty = true
		return m.returned(msg, now)
	default:
		cmd, _ := m.logAnswered(msg)
		return cmd
	}
	return nil
}

// returned handles what came back from the program around us.
func (m *Model) returned(msg tea.Msg, now time.Time) tea.Cmd {
	switch msg := msg.(type) {
	case recalled:
		m.wake(msg)
	case sought:
		m.foundIn(msg)
	case found:
		return m.arrived(msg)
	case did:
		return m.finished(msg)
	case editing:
		return m.startEditor(msg)
	case edited:
		m.back(msg, now)
		return tea.ClearScreen // nobody knows what the editor left on it
	case searchDue:
		if p, ok := m.panel.(*sessions); ok {
			return p.rested(m, msg.text)
		}
	}
	return nil
}

// fromTerminal handles what was read.
func (m *Model) fromTerminal(in tty.Input, now time.Time) tea.Cmd {
	m.heard = in.At
	switch ev := in.Event.(type) {
	case uv.KeyPressEvent:
		m.input, m.note = in.At, nil
		m.memory.failed = false
		return m.key(in, uv.Key(ev), now)
	case uv.PasteEvent:
		m.input = in.At
		m.paste(in, ev.Content)
	case uv.PrimaryDeviceAttributesEvent:
		m.confirm(m.o.Fence(), in.At, true)
	case tty.Ended:
		return tea.Quit
	case nil, uv.ModeReportEvent, uv.KeyboardEnhancementsEvent, uv.BackgroundColorEvent, uv.KeyReleaseEvent:
		// The terminal speaks, not the person.
	case uv.BlurEvent:
		m.away, m.focusTold, m.input = true, true, in.At
		m.disturb(in.At)
	case uv.FocusEvent:
		m.away, m.focusTold, m.input = false, true, in.At
		m.disturb(in.At)
	default: // mouse, and what we do not know
		m.input = in.At
		m.disturb(in.At)
	}
	return nil
}

// disturb tells the open questions that something came or changed.
func (m *Model) disturb(at time.Time) {
	for _, r := range []*ask.Room{m.ask, m.own} {
		if r != nil {
			m.typed(r, r.Disturb(at))
		}
	}
}

// confirm says that the terminal has a frame.
func (m *Model) confirm(n uint64, at time.Time, fenced bool) {
	for _, r := range []*ask.Room{m.ask, m.own} {
		if r != nil && n != 0 {
			r.Confirm(n, at, fenced)
			m.dirty = true
		}
	}
}
