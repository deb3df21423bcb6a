package app

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/room/start"
	"github.com/tera-pilot/tera-pilot/tui/room/transcript"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/tty"
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
	Late    bool                                  // another screen was to come: what was typed for it is not taken
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
)

type (
	tick      struct{ at time.Time }
	fenceOver struct{ n uint64 }
)

// A Model is the front end's state: what changes together is one of its parts,
// and stands beside what changes it. It is used by one goroutine.
type Model struct {
	o     Options
	ctx   context.Context // of the program: what goes on apart ends with it
	state snap.State      // the session, as its events tell it

	screen  // what is known of the terminal
	person  person
	asks    questions
	banners banners

	start      *start.Room // what is shown before there is a session; nil from then on
	transcript transcript.Room
	composer   composer.Room
	completion completion    // of the word at the caret
	find       find          // in the conversation
	panel      panel         // what lies above the conversation; nil for nothing
	note       *event.Notice // of our own, until the next key
	quitting   time.Time     // of the first ctrl+c

	inline inline
	memory memory

	frame  frame
	wakeAt time.Time // of the tick that is under way
	end    ending
}

// A frame is what was drawn, and whether it still holds.
type frame struct {
	n     uint64 // of the last one that a question has to know again
	dirty bool   // something changed since
	last  tea.View
}

func (f *frame) next() uint64 {
	f.n++
	return f.n
}

// An ending is what the program learns when the terminal ends.
type ending struct {
	chosen  start.Choice // the action of the start screen
	request snap.Request
	lost    error
	panic   *PanicError
}

// New makes a model. What it has done apart, off its loop, ends with ctx where it
// would take long.
func New(ctx context.Context, o Options) *Model {
	if len(o.Keys.Bindings()) == 0 {
		o.Keys = keys.Default()
	}
	m := &Model{o: o, ctx: ctx, screen: newScreen(o.Profile, o.Theme), frame: frame{dirty: true}}
	m.state.Expect(o.First)
	m.person.did(o.Now())
	m.person.late = o.Late
	if o.Says != "" {
		m.warn(o.Says, "")
	}
	if o.Start != nil {
		m.start = &start.Room{}
		m.look(*o.Start)
	}
	return m
}

// Chosen is the action that ended the start screen, with what was typed for it.
func (m *Model) Chosen() start.Choice { return m.end.chosen }

// Request is what the person wants next.
func (m *Model) Request() snap.Request { return m.end.request }

// Err is why the model ended when nobody wanted it to.
func (m *Model) Err() error {
	if m.end.panic != nil {
		return m.end.panic // errors as a nil pointer are not nil
	}
	return m.end.lost
}

// Init asks for the background colour and for a first look around.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.refresh(), m.lookAtBranch()}
	if m.o.Desk.Said != nil {
		cmds = append(cmds, query("earlier messages", m.o.Desk.Said, func(m *Model, said []string, _ error) tea.Cmd {
			m.composer.Before(said)
			return nil
		}))
	}
	if m.wanted == "" && m.profile > colorprofile.ANSI {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// Update handles one message. A panic ends the program in order, with the
// terminal as it was before.
func (m *Model) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer func() {
		if v := recover(); v != nil {
			m.end.panic = panicked(v)
			model, cmd = m, tea.Quit
		}
	}()
	now := m.o.Now()
	cmd = m.handle(msg, now)
	wake := m.settle(now)
	printed := m.print(now)
	return m, tea.Batch(cmd, printed, m.remember(), wake)
}

func (m *Model) handle(msg tea.Msg, now time.Time) tea.Cmd {
	switch msg := msg.(type) {
	case Written: // a frame is there; nothing changed
		n := msg.N
		return tea.Tick(arm.Fence, func(time.Time) tea.Msg { return fenceOver{n} })
	case fenceOver:
		m.confirm(msg.n, now, false)
		return nil
	case Lost:
		m.end.lost = msg.Err
		return tea.Quit
	}
	cmd, changed := m.changed(msg, now)
	m.frame.dirty = m.frame.dirty || changed
	return cmd
}

// changed handles what can change the screen; false for what is none of ours.
func (m *Model) changed(msg tea.Msg, now time.Time) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tty.Input:
		return m.fromTerminal(msg, now), true
	case Events:
		return tea.Batch(m.apply(msg), m.logGrew(msg)), true
	case answer:
		return msg(m), true
	case tick:
		if msg.at.Equal(m.wakeAt) {
			m.wakeAt = time.Time{}
		}
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.inline.at = now.Add(drawn)
		m.disturb(now)
	case tea.BackgroundColorMsg:
		m.background(msg.IsDark())
	case Themed:
		m.setTheme(string(msg))
	case tea.ModeReportMsg:
		return nil, m.reported(msg)
	case tea.KeyboardEnhancementsMsg:
		m.enhanced = msg.Flags != 0
	default:
		return nil, false
	}
	return nil, true
}

// fromTerminal handles what was read.
func (m *Model) fromTerminal(in tty.Input, now time.Time) tea.Cmd {
	m.person.heard = in.At
	switch ev := in.Event.(type) {
	case uv.KeyPressEvent:
		if uv.Key(ev).Keystroke() != "ctrl+c" && m.person.ahead(in.At) {
			return nil
		}
		m.person.did(in.At)
		m.note, m.memory.failed = nil, false
		return m.key(in, uv.Key(ev), now)
	case uv.PasteEvent:
		if m.person.ahead(in.At) {
			return nil
		}
		m.person.did(in.At)
		return m.paste(in, ev.Content)
	case uv.PrimaryDeviceAttributesEvent:
		m.confirm(m.o.Fence(), in.At, true)
	case tty.Ended:
		return tea.Quit
	case nil, uv.ModeReportEvent, uv.KeyboardEnhancementsEvent, uv.BackgroundColorEvent, uv.KeyReleaseEvent:
		// The terminal speaks, not the person.
	case uv.BlurEvent:
		m.person.looks(in.At, false)
		m.disturb(in.At)
	case uv.FocusEvent:
		m.person.looks(in.At, true)
		m.disturb(in.At)
	default: // mouse, and what we do not know
		m.person.did(in.At)
		m.disturb(in.At)
	}
	return nil
}

// disturb tells the open questions that something came or changed.
func (m *Model) disturb(at time.Time) {
	for _, r := range m.asks.rooms() {
		m.typed(r, r.Disturb(at))
	}
	m.composer.Insert(m.banners.disturb(at))
}

// confirm says that the terminal has a frame.
func (m *Model) confirm(n uint64, at time.Time, fenced bool) {
	if m.banners.arm != nil {
		m.banners.arm.Confirm(n, at, fenced)
	}
	for _, r := range m.asks.rooms() {
		if n != 0 {
			r.Confirm(n, at, fenced)
			m.frame.dirty = true
		}
	}
}
