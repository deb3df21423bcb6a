package tuitest

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
)

// A Program is the front end in an emulator. It lives in a synctest bubble:
// time passes when everything waits.
type Program struct {
	Screen  *termtest.Screen
	t       *testing.T
	keys    *io.PipeWriter
	sizes   chan tui.Size
	themes  chan string
	done    chan struct{}
	outcome tui.Outcome
	err     error
	Mute    atomic.Bool // the terminal answers no query
}

// Play runs f with the front end on a screen of a size, inside of a bubble,
// and waits until it has ended.
func Play(t *testing.T, width, height int, o tui.Options, f func(*Program)) {
	t.Helper()
	Bubble(t, func(t *testing.T) {
		p := Open(t, width, height, o)
		f(p)
		p.Quit()
	})
}

// Bubble is synctest.Test for programs that listen for signals.
func Bubble(t *testing.T, f func(*testing.T)) {
	t.Helper()
	// The first use starts the runtime's own goroutine for signals. In a bubble
	// it would belong to the bubble, and outlive it.
	listen.Do(func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGWINCH)
		signal.Stop(c)
	})
	synctest.Test(t, func(t *testing.T) {
		f(t)
		time.Sleep(time.Hour) // ticks that are under way cannot be called back
	})
}

// listen is the first use of signals of a process, which has one.
var listen sync.Once

// Open starts the front end. The caller is in a bubble, and calls Quit.
func Open(t *testing.T, width, height int, o tui.Options) *Program {
	t.Helper()
	r, w := io.Pipe()
	p := &Program{Screen: termtest.NewScreen(width, height), t: t, keys: w, sizes: make(chan tui.Size), themes: make(chan string), done: make(chan struct{})}
	if o.Env == nil {
		o.Env = []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	}
	if o.Code == nil {
		o.Code = func() string { return "dfgh" }
	}
	if o.Mode == tui.Auto {
		o.Mode = tui.Full
	}
	o.In, o.Out, o.Width, o.Height, o.Sizes = r, cooked{p.Screen}, width, height, p.sizes
	o.Themes = p.themes
	go func() {
		buf := make([]byte, 1024)
		for {
			n, err := p.Screen.Answers().Read(buf)
			if err != nil {
				return
			}
			if !p.Mute.Load() {
				_, _ = w.Write(buf[:n]) // after the end nobody reads
			}
		}
	}()
	go func() {
		defer close(p.done)
		p.outcome, p.err = tui.Run(t.Context(), o)
		_ = r.Close()
	}()
	p.Wait(300 * time.Millisecond)
	return p
}

// cooked is what a terminal driver does to output where nobody switched it
// off: the renderer counts on it, since its input is no terminal here.
type cooked struct{ w io.Writer }

func (c cooked) Write(b []byte) (int, error) {
	if _, err := c.w.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Wait lets time pass, and then everything come to rest.
func (p *Program) Wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// Send writes bytes as the terminal would.
func (p *Program) Send(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.keys, s); err != nil {
		p.t.Fatalf("keys: %v", err)
	}
	synctest.Wait()
}

// Keys presses keys by their names, each one alone and 100 ms apart.
func (p *Program) Keys(names ...string) {
	p.t.Helper()
	for _, n := range names {
		p.Send(termtest.Key(n))
		p.Wait(100 * time.Millisecond)
	}
}

// Type types a text, a key after the other.
func (p *Program) Type(text string) {
	p.t.Helper()
	for _, r := range text {
		p.Send(string(r))
		p.Wait(20 * time.Millisecond)
	}
	p.Wait(100 * time.Millisecond)
}

// Resize changes the size of the terminal.
func (p *Program) Resize(width, height int) {
	p.Screen.Resize(width, height)
	p.sizes <- tui.Size{Width: width, Height: height}
	p.Wait(50 * time.Millisecond)
}

// Theme changes the theme.
func (p *Program) Theme(name string) {
	p.themes <- name
	p.Wait(20 * time.Millisecond)
}

// Ended says that the program has ended by itself.
func (p *Program) Ended() bool {
	synctest.Wait()
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Quit ends the program, by losing the terminal where it has not ended yet.
func (p *Program) Quit() {
	p.t.Helper()
	_ = p.keys.Close()
	<-p.done
	_ = p.Screen.Close()
	if p.err != nil {
		p.t.Errorf("the program ended with: %v", p.err)
	}
	synctest.Wait()
}

// Outcome is how the program ended.
func (p *Program) Outcome() tui.Outcome { return p.outcome }

// Err waits until the program has ended by itself, and is why it did.
func (p *Program) Err() error {
	<-p.done
	_ = p.keys.Close()
	_ = p.Screen.Close()
	return p.err
}

// An Editor is a person's editor that leaves a text and closes at once.
type Editor struct{ Leaves string }

// Run implements tea.ExecCommand.
func (*Editor) Run() error { return nil }

// SetStdin implements tea.ExecCommand.
func (*Editor) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (*Editor) SetStdout(io.Writer) {}

// SetStderr implements tea.ExecCommand.
func (*Editor) SetStderr(io.Writer) {}

// Text implements app.Editing.
func (e *Editor) Text() (string, error) { return e.Leaves, nil }
