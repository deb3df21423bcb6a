package termtest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A Tmux is a session of a tmux server of its own.
type Tmux struct {
	t      testing.TB
	socket string
}

// NewTmux starts a command in tmux, on a screen of a size. Without tmux the
// test is skipped, and says so.
func NewTmux(t testing.TB, width, height int, env []string, argv ...string) *Tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skipf("tmux is not installed: the smoke test in a real terminal multiplexer is left out (%v)", err)
	}
	m := &Tmux{t: t, socket: filepath.Join(t.TempDir(), "tmux")}
	args := []string{"-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height)}
	for _, e := range env {
		args = append(args, "-e", e)
	}
	m.run(append(append(args, "--"), argv...)...)
	t.Cleanup(func() { _ = m.command("kill-server").Run() }) // it may have ended with its program
	m.run("set-option", "-g", "focus-events", "on")
	return m
}

func (m *Tmux) command(args ...string) *exec.Cmd {
	return exec.Command("tmux", append([]string{"-S", m.socket, "-u"}, args...)...)
}

func (m *Tmux) run(args ...string) string {
	m.t.Helper()
	out, err := m.command(args...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Keys presses keys by tmux's names.
func (m *Tmux) Keys(names ...string) {
	m.t.Helper()
	m.run(append([]string{"send-keys"}, names...)...)
}

// Type types a text.
func (m *Tmux) Type(text string) {
	m.t.Helper()
	m.run("send-keys", "-l", text)
}

// Paste pastes a text, with brackets where the program asked for them.
func (m *Tmux) Paste(text string) {
	m.t.Helper()
	m.run("set-buffer", text)
	m.run("paste-buffer", "-p")
}

// Text is what the screen shows.
func (m *Tmux) Text() string {
	m.t.Helper()
	return m.run("capture-pane", "-p")
}

// Ask formats something about the pane: "#{cursor_x}".
func (m *Tmux) Ask(format string) string {
	m.t.Helper()
	return strings.TrimSpace(m.run("display-message", "-p", format))
}

// Clipboard has tmux take what programs send to it.
func (m *Tmux) Clipboard() {
	m.t.Helper()
	m.run("set-option", "-s", "set-clipboard", "on")
}

// Copied waits until a text was copied.
func (m *Tmux) Copied(text string) {
	m.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		out, err := m.command("show-buffer").CombinedOutput()
		if err == nil && string(out) == text {
			return
		}
		if time.Now().After(end) {
			m.t.Fatalf("waited %v until %q was copied: %q, %v", patience, text, out, err)
		}
	}
}

// Resize changes the size of the window.
func (m *Tmux) Resize(width, height int) {
	m.t.Helper()
	m.run("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
}

// WaitFor waits until the screen shows a text.
func (m *Tmux) WaitFor(text string) {
	m.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if strings.Contains(m.Text(), text) {
			return
		}
		if time.Now().After(end) {
			m.t.Fatalf("waited %v for %q:\n%s", patience, text, m.Text())
		}
	}
}
