package app

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// key routes one key: to what lies on top, else to the composer.
func (m *Model) key(in tty.Input, k uv.Key, now time.Time) tea.Cmd {
	name := k.Keystroke()
	if name == "ctrl+c" {
		return m.interrupt(in.At)
	}
	m.quitting = time.Time{}
	if r := m.asking(); r != nil {
		if name == "ctrl+p" {
			r.Disturb(in.At)
			m.outcome(r, ask.Outcome{Later: true}, now)
			return nil
		}
		m.outcome(r, r.Key(in, k), now)
		return nil
	}
	m.disturb(in.At)
	switch {
	case m.help:
		m.helpKey(name)
		return nil
	case m.start != nil:
		return m.startKey(name)
	case m.activity != nil:
		return m.activityKey(name, k.Text)
	}
	if m.transcript.Reading() && m.readKey(name, k) {
		return nil
	}
	return m.composerKey(in, k, now)
}

// interrupt is ctrl+c: stop, then clear, then, twice within two seconds, quit.
func (m *Model) interrupt(at time.Time) tea.Cmd {
	m.disturb(at)
	switch {
	case m.own != nil:
		m.own = nil
	case m.state.Busy:
		m.o.Send(event.Cancel{})
	case !m.composer.Empty():
		m.composer.Clear()
	case !m.quitting.IsZero() && at.Sub(m.quitting) <= quitWindow:
		return tea.Quit
	default:
		m.quitting = at
		m.note = &event.Notice{Severity: "info", Text: "ctrl+c once more quits"}
	}
	return nil
}

// quitWindow is the time for the second ctrl+c.
const quitWindow = 2 * time.Second

func (m *Model) helpKey(name string) {
	switch name {
	case "down", "pgdown":
		m.helpTop++
	case "up", "pgup":
		m.helpTop = max(0, m.helpTop-1)
	default:
		m.help, m.helpTop = false, 0
	}
}

func (m *Model) startKey(name string) tea.Cmd {
	switch name {
	case "ctrl+d":
		return tea.Quit
	case "?":
		m.help = true
		return nil
	}
	switch id := m.start.Key(name); id {
	case "":
		return nil
	case "refresh":
		if cmd := m.refresh(); cmd != nil {
			return cmd
		}
		fallthrough
	default:
		m.chosen = id
		return tea.Quit
	}
}

// readKey handles a key while an entry of the transcript is chosen. A key that
// is none of its own goes back to the composer.
func (m *Model) readKey(name string, k uv.Key) bool {
	switch name {
	case "up", "shift+up":
		m.transcript.Choose(-1)
	case "down", "shift+down":
		m.transcript.Choose(1)
	case "home":
		m.transcript.Home()
		m.transcript.Choose(-1 << 30)
	case "end":
		m.transcript.End()
		m.transcript.Choose(1 << 30)
	case "enter", "space":
		m.transcript.Toggle()
	case "pgup":
		m.transcript.Page(-1)
	case "pgdown":
		m.transcript.Page(1)
	case "esc":
		m.transcript.Leave()
	default:
		if k.Text != "" {
			m.transcript.Leave()
		}
		return false
	}
	return true
}

// composerKey handles a key of the message that is being written.
func (m *Model) composerKey(in tty.Input, k uv.Key, now time.Time) tea.Cmd {
	switch k.Keystroke() {
	case "enter":
		if in.Followed {
			m.composer.Insert("\n") // inside of a burst: a paste without brackets
			return nil
		}
		return m.submit(now)
	case "shift+enter", "alt+enter", "ctrl+j":
		m.composer.Insert("\n")
	case "esc":
		if m.state.Busy {
			m.o.Send(event.Cancel{})
		}
	case "ctrl+d":
		if m.composer.Empty() {
			return tea.Quit
		}
		m.composer.Delete()
	case "ctrl+p":
		m.focus(now)
	case "ctrl+g":
		return m.openActivity()
	case "ctrl+k":
		m.composer.DeleteToEnd()
	case "pgup":
		m.transcript.Page(-1)
		m.transcript.Read()
	case "shift+up":
		m.transcript.Read()
	case "pgdown":
		m.transcript.Page(1)
	case "up":
		m.up()
	case "down":
		if !m.composer.Down(m.width, m.widths) {
			m.composer.Newer()
		}
	default:
		if k.Text == "?" && m.composer.Empty() {
			m.help = true
			return nil
		}
		ask.Edit(&m.composer, k)
	}
	return nil
}

// up moves a row up, takes back what is queued, or goes to an older message.
func (m *Model) up() {
	switch n := len(m.state.Queued); {
	case m.composer.Up(m.width, m.widths):
	case n > 0 && m.composer.Empty():
		m.composer.Set(m.state.Queued[n-1])
		m.o.Send(event.Withdraw{})
	default:
		m.composer.Older()
	}
}

// paste goes where text is being written. It never does anything by itself.
func (m *Model) paste(in tty.Input, text string) {
	if r := m.asking(); r != nil {
		m.outcome(r, r.Paste(in.At, text), m.o.Now())
		return
	}
	m.disturb(in.At)
	switch {
	case m.start != nil || m.help:
		return
	case m.activity != nil:
		m.activity.Paste(text)
		return
	}
	m.transcript.Leave()
	m.composer.Paste(text)
	if in.Cut {
		m.note = &event.Notice{Severity: "warn", Text: "the end of the paste was lost or left out: look before you send it"}
	}
}

// submit sends the message, or carries out a command.
func (m *Model) submit(now time.Time) tea.Cmd {
	text := m.composer.Text()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if word, rest, ok := command(text); ok {
		return m.slash(word, rest, now)
	}
	m.composer.Clear()
	m.transcript.Leave()
	m.o.Send(event.Submit{Text: text})
	return nil
}

// command is the command that a message is: one line whose first word begins
// with a slash and is no path.
func command(text string) (word, rest string, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "/") || strings.Contains(text, "\n") {
		return "", "", false
	}
	word, rest, _ = strings.Cut(text, " ")
	if strings.Contains(word[1:], "/") {
		return "", "", false
	}
	return word, strings.TrimSpace(rest), true
}

// slash carries out a command. One that is unknown stays to be corrected.
func (m *Model) slash(word, rest string, now time.Time) tea.Cmd {
	switch word {
	case "/help":
		m.help = true
	case "/level":
		m.setLevel(rest, now)
	case "/model":
		provider, name, two := strings.Cut(rest, " ")
		if !two {
			provider, name = "", rest
		}
		if name == "" {
			m.note = &event.Notice{Severity: "warn", Text: "which model?", Hint: "/model [PROVIDER] NAME"}
			return nil
		}
		m.o.Send(event.SetModel{Provider: provider, Model: strings.TrimSpace(name)})
	case "/rename":
		m.o.Send(event.Rename{Title: rest})
	case "/cancel":
		m.o.Send(event.Cancel{})
	case "/audit":
		m.composer.Clear()
		return m.openActivity()
	case "/audit-signed":
		m.composer.Clear()
		return m.export(nil)
	case "/quit":
		return tea.Quit
	default:
		var names []string
		for _, c := range keys.Commands() {
			names = append(names, c.Name.String())
		}
		m.note = &event.Notice{Severity: "warn", Text: "no such command: " + word, Hint: strings.Join(names, " ")}
		return nil
	}
	m.composer.Clear()
	return nil
}
