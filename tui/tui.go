package tui

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/lines"
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/tty"
	"github.com/tera-pilot/tera-pilot/tui/view"
	"golang.org/x/sys/unix"
)

// Session is what the front end needs of a session.
type Session interface {
	// Send hands a command on, in order. An error says that the session is
	// gone.
	Send(event.Command) error
	// Subscribe returns the stored events after seq and a channel with those
	// that follow. The channel is closed when the session ends, and when the
	// reader fell behind: then it subscribes again.
	Subscribe(seq uint64) (backlog []event.Event, live <-chan event.Event, cancel func(), err error)
	// Recall returns stored events again, by their numbers: the front end does
	// not keep what the session's log has.
	Recall(seqs []uint64) ([]event.Event, error)
}

// Mode is how the terminal is used.
type Mode uint8

// Modes.
const (
	Auto   Mode = iota // Full, or Lines where there is no terminal or TERM is dumb
	Full               // the alternate screen
	Inline             // below the shell's lines
	Lines              // one line per event
)

// Options are what Run needs. In, Out and Env must be set.
type Options struct {
	Session Session
	First   event.Opened // what is known before the session tells of itself; zero for nothing
	In      io.Reader    // an *os.File for a terminal
	Out     io.Writer    // an *os.File for a terminal
	Env     []string
	Mode    Mode
	Theme   string // a name of theme.Names; "" for automatic
	By      string // who answers; "" for "user:tui"

	Desk   app.Desk          // what the terminal may ask of the program around it
	Keys   map[string]string // other keys for actions, see keys.Map.With
	Notify Notify
	Still  bool // no seconds that count, no countdown: for those whom motion disturbs

	Start   *snap.Start       // shown when there is no session
	Refresh func() snap.Start // looks again; nil when nothing can change

	Log activity.Source // the audit log, for the activity view; nil for none

	Says string // what the person has to know at the start, "" for nothing
	Late bool   // another screen was to come: what was typed for it is not taken

	// Drawn is called when the first frame is written, or when none will be
	// (lines mode). It does not block, and may be called again. nil: nobody asks.
	Drawn func()

	Width, Height int           // when Out is no terminal
	Sizes         <-chan Size   // later sizes, when Out is no terminal; may be nil
	Themes        <-chan string // the names of other themes, later; may be nil
	FPS           int           // frames a second; 0 for 30
	Code          func() string // makes the random codes; nil for four letters of crypto/rand
}

// Notify is how the terminal tells that a turn ended or a question is open
// while the person looks elsewhere.
type Notify uint8

// Ways to notify.
const (
	Never   Notify = iota
	Bell           // rings
	Desktop        // OSC 9, where the terminal knows it
)

// Size is a size of a terminal, in cells.
type Size struct{ Width, Height int }

// Outcome is how the front end ended.
type Outcome struct {
	Chosen string       // the action of the start screen, "" when the person left
	Text   string       // what was typed for it
	Next   snap.Request // what the person wants next; zero when nothing
}

// Run shows the session until the person leaves, the session ends or ctx does.
// The terminal is then as it was before.
func Run(ctx context.Context, o Options) (Outcome, error) {
	// Bubble Tea writes what it reads and draws into files that these name.
	for _, name := range []string{"TEA_TRACE", "TEA_DEBUG"} {
		if err := os.Unsetenv(name); err != nil {
			return Outcome{}, fmt.Errorf("terminal: clear %s: %w", name, err)
		}
	}
	if o.Session == nil && o.Start == nil {
		return Outcome{}, errors.New("terminal: there is neither a session nor a start screen to show")
	}
	if o.Theme == "auto" {
		o.Theme = ""
	}
	if o.By == "" {
		o.By = "user:tui"
	}
	if o.Code == nil {
		o.Code = newCode
	}
	if o.Drawn == nil {
		o.Drawn = func() {}
	}
	if AsLines(o) {
		return runLines(ctx, o)
	}
	return runScreen(ctx, o)
}

// AsLines says that Run would print lines: the person wants them, or the terminal
// shows no screens.
func AsLines(o Options) bool { return o.Mode == Lines || o.Mode == Auto && !fullScreen(o) }

// fullScreen says that the terminal can show screens.
func fullScreen(o Options) bool {
	in, okIn := o.In.(*os.File)
	out, okOut := o.Out.(*os.File)
	if !okIn || !okOut || !term.IsTerminal(in.Fd()) || !term.IsTerminal(out.Fd()) {
		return false
	}
	t := lookup(o.Env, "TERM")
	return t != "" && t != "dumb"
}

func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

func runLines(ctx context.Context, o Options) (Outcome, error) {
	o.Drawn()
	if o.Session == nil {
		c, err := lines.Start(ctx, lines.StartOptions{Start: *o.Start, Refresh: o.Refresh, Sessions: o.Desk.Sessions, In: o.In, Out: o.Out})
		return Outcome{Chosen: c.ID, Text: c.Text, Next: c.Next}, err
	}
	return Outcome{}, lines.Run(ctx, lines.Options{Session: o.Session, Log: o.Log, Says: o.Says, In: o.In, Out: o.Out, By: o.By, Code: o.Code, Rules: o.Desk.Rules})
}

// frameRate is how often a second a frame may be drawn. Events come at half of
// it; the rest is for keys, whose echo would wait twice as long at 30.
const frameRate = 60

func runScreen(ctx context.Context, o Options) (Outcome, error) {
	// The default for QUIT would leave the terminal raw, with a dump across the screen.
	ctx, cancel := signal.NotifyContext(ctx, unix.SIGQUIT)
	defer cancel()
	bindings, err := keys.Default().With(o.Keys)
	if err != nil {
		return Outcome{}, err
	}
	box, commands := newMailbox[tea.Msg](), newMailbox[event.Command]()
	source := tty.NewSource(o.In, time.Now)
	gate := tty.NewGate(o.Out, func(n uint64) { box.add(app.Written{N: n, At: time.Now()}) })
	var composed atomic.Bool // set by the loop, read by who draws
	gate.Watch(func() {
		if composed.Load() {
			o.Drawn()
		}
	})
	var recall func([]uint64) ([]event.Event, error)
	if o.Session != nil {
		recall = o.Session.Recall
	}
	model := app.New(ctx, app.Options{
		Send: commands.add, Recall: recall, Log: o.Log, Desk: o.Desk,
		Start: o.Start, Refresh: o.Refresh, First: o.First, Says: o.Says, Late: o.Late,
		Now: time.Now, Read: source.Last, Fence: gate.Answered, Composed: func() { composed.Store(true) }, Code: o.Code, By: o.By,
		Profile: theme.Profile(o.Env), Theme: o.Theme, Inline: o.Mode == Inline, Keys: bindings, Still: o.Still,
		Notify: notifier(o.Notify, gate), Copy: func(text string) error { return gate.Copy(text, lookup(o.Env, "TMUX") != "") },
	})
	if o.FPS == 0 {
		o.FPS = frameRate
	}
	program := tea.NewProgram(model,
		tea.WithContext(ctx), tea.WithInput(source.Terminal()), tea.WithOutput(gate), tea.WithEnvironment(o.Env), tea.WithFPS(o.FPS),
		tea.WithColorProfile(theme.Profile(o.Env)), tea.WithWindowSize(o.Width, o.Height), tea.WithoutCatchPanics(),
	)
	var workers sync.WaitGroup
	worker := func(f func()) {
		workers.Go(func() {
			defer app.Recover(func(err error) { box.add(app.Lost{Err: err}) })
			f()
		})
	}
	worker(func() { source.Run(ctx.Done(), func(in tty.Input) { post(box, in) }) })
	worker(func() { later(ctx, o.Sizes, o.Themes, box) })
	if o.Session != nil {
		worker(func() { commands.deliver(ctx, send(o.Session, box)) })
		worker(func() { follow(ctx, o.Session, box) })
	}
	workers.Go(func() { box.deliver(ctx, program.Send) })
	_, err = program.Run()
	cancel()
	workers.Wait()
	return Outcome{Chosen: model.Chosen().ID, Text: model.Chosen().Text, Next: model.Request()}, errors.Join(ended(err), model.Err(), goodbye(gate, model, o))
}

// notifier is how a notice reaches the person, nil for not at all.
func notifier(n Notify, gate *tty.Gate) func(tty.Notice) error {
	switch n {
	case Bell:
		return func(tty.Notice) error { return gate.Bell() }
	case Desktop:
		return gate.Notify
	default:
		return nil
	}
}

// later hands on what whoever started the front end changes while it runs.
func later(ctx context.Context, sizes <-chan Size, themes <-chan string, box *mailbox[tea.Msg]) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-sizes:
			box.add(tea.WindowSizeMsg{Width: s.Width, Height: s.Height})
		case name := <-themes:
			box.add(app.Themed(name))
		}
	}
}

// post hands on what was read. What Bubble Tea waits for goes to it as well.
func post(box *mailbox[tea.Msg], in tty.Input) {
	box.add(in)
	switch in.Event.(type) {
	case uv.ModeReportEvent, uv.BackgroundColorEvent, uv.KeyboardEnhancementsEvent:
		box.add(in.Event)
	}
}

// ended is the error of a program that did not end because it was to.
func ended(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, tea.ErrInterrupted) {
		return nil
	}
	return fmt.Errorf("terminal: %w", err)
}

// goodbye gives the cursor its own form back, and leaves the last answer on
// the normal screen.
func goodbye(gate *tty.Gate, model *app.Model, o Options) error {
	var b strings.Builder
	b.WriteString("\x1b[0 q")
	if o.Mode != Inline {
		t, w := theme.For(o.Theme, theme.Profile(o.Env), true), view.Widths(false)
		for _, l := range model.Goodbye() {
			b.WriteString(w.Draw(t, l, 1<<16) + "\r\n")
		}
	}
	_, err := gate.Write([]byte(b.String()))
	if n := gate.Faults(); n > 0 {
		err = errors.Join(err, fmt.Errorf("terminal: %d sequences that were to be written were refused; this is a bug, please report it", n))
	}
	return err
}

// newCode is four letters that answer no other question.
func newCode() string {
	const letters = "bcdfghjkmnpqtvwz"
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: see crypto/rand
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b[:])
}
