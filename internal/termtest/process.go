package termtest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// A Process is a program on a pseudo terminal, with an emulator behind it.
type Process struct {
	*Screen
	t      testing.TB
	tty    *os.File
	cmd    *exec.Cmd
	exited chan struct{}
	err    error
	before term.State // the terminal's mode before the program started
}

// Start runs cmd on a terminal of a size. It is killed when the test ends.
func Start(t testing.TB, cmd *exec.Cmd, width, height int) *Process {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatalf("pseudo terminal: %v", err)
	}
	p := &Process{Screen: NewScreen(width, height), t: t, tty: master, cmd: cmd, exited: make(chan struct{})}
	if err := pty.Setsize(master, size(width, height)); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(slave.Fd())
	if err != nil {
		t.Fatal(err)
	}
	p.before = *before
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = ownTerminal()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		_, _ = io.Copy(p.Screen, master) // ends with the terminal
	}()
	go func() { _, _ = io.Copy(master, p.Answers()) }()
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // may have ended
		<-p.exited
		_ = slave.Close()
		_ = master.Close()
		_ = p.Close()
		<-shown
	})
	return p
}

func size(width, height int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}
}

// Resize changes the size of the terminal; the program is told.
func (p *Process) Resize(width, height int) {
	p.t.Helper()
	p.Screen.Resize(width, height)
	if err := pty.Setsize(p.tty, size(width, height)); err != nil {
		p.t.Fatal(err)
	}
}

// Type sends text.
func (p *Process) Type(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.tty, text); err != nil {
		p.t.Fatalf("keys: %v", err)
	}
}

// Key presses keys by their names, one after the other.
func (p *Process) Key(names ...string) {
	p.t.Helper()
	for _, n := range names {
		p.Type(Key(n))
		time.Sleep(60 * time.Millisecond)
	}
}

// Signal sends a signal to the program.
func (p *Process) Signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// patience is how long a test waits for something to appear.
const patience = 20 * time.Second

// WaitFor waits until the screen shows a text.
func (p *Process) WaitFor(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("%q", text), func() bool { return strings.Contains(p.Text(), text) })
}

// WaitGone waits until the screen does not show a text.
func (p *Process) WaitGone(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("%q to go", text), func() bool { return !strings.Contains(p.Text(), text) })
}

func (p *Process) wait(what string, ok func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
		select {
		case <-p.exited:
			time.Sleep(100 * time.Millisecond) // for its last words
			if ok() {
				return
			}
			p.t.Fatalf("waited for %s, and the program ended (%v):\n%s", what, p.err, p.Text())
		default:
		}
		if time.Now().After(end) {
			p.t.Fatalf("waited %v for %s:\n%s", patience, what, p.Text())
		}
	}
}

// WaitExit waits until the program has ended, and returns its exit code.
func (p *Process) WaitExit() int {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatalf("the program does not end:\n%s", p.Text())
	}
	time.Sleep(100 * time.Millisecond) // what it wrote is on its way
	if exit, ok := errors.AsType[*exec.ExitError](p.err); ok {
		return exit.ExitCode()
	}
	return 0
}

// Restored is what the program did not put back: nothing, when all is well.
func (p *Process) Restored() error {
	var errs []error
	now, err := term.GetState(p.tty.Fd())
	if err != nil {
		return err
	}
	if *now != p.before {
		errs = append(errs, errors.New("the terminal is left in another mode"))
	}
	for mode, set := range p.Seen().Modes {
		if set != (mode == "25" || mode == "7") {
			errs = append(errs, fmt.Errorf("mode %s is left at %v", mode, set))
		}
	}
	if p.AltScreen() {
		errs = append(errs, errors.New("the alternate screen is left on"))
	}
	if _, _, shown := p.Cursor(); !shown {
		errs = append(errs, errors.New("the cursor is left hidden"))
	}
	return errors.Join(errs...)
}
