package app

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// key routes one key: to what lies on top, else to the composer.
func (m *Model) key(in tty.Input, k uv.Key, now time.Time) tea.Cmd {
	name := k.Keystroke()
	if name == "ctrl+c" {
		return m.interrupt(in.At)
	}
	m.quitting = time.Time{}
	if r := m.asks.focused(); r != nil {
		if name == "ctrl+p" {
			r.Disturb(in.At)
			return m.outcome(r, ask.Outcome{Later: true}, now)
		}
		return m.outcome(r, r.Key(in, k), now)
	}
	if m.typedOn(in, k) || m.bannerKey(in, k) {
		return nil
	}
	m.disturb(in.At)
	if a := m.o.Keys.Of(keys.Anywhere, name); (a == keys.Prompt || a == keys.Review) && m.asks.open != nil {
		m.focus(now) // whatever is open stays beneath it
		return nil
	}
	switch {
	case m.panel != nil:
		return m.panelKey(name, k, now)
	case m.start != nil:
		return m.startKey(in, name, k, now)
	case m.find.on():
		return m.findKey(name, k)
	}
	if m.transcript.Reading() {
		if cmd, ok := m.readKey(name, k, now); ok {
			return cmd
		}
	}
	return m.composerKey(in, k, now)
}

// interrupt is ctrl+c: stop, then clear, then, twice within two seconds, quit.
func (m *Model) interrupt(at time.Time) tea.Cmd {
	m.disturb(at)
	switch {
	case m.asks.own != nil:
		m.asks.own = nil
	case m.state.Busy:
		m.o.Send(event.Cancel{})
	case !m.composer.Empty():
		m.composer.Clear()
	case !m.quitting.IsZero() && at.Sub(m.quitting) <= quitWindow:
		return tea.Quit
	default:
		m.quitting = at
		m.say("ctrl+c once more quits")
	}
	return nil
}

// quitWindow is the time for the second ctrl+c.
const quitWindow = 2 * time.Second

// composerKey handles a key of the message that is being written, and looks
// for completions of what it became.
func (m *Model) composerKey(in tty.Input, k uv.Key, now time.Time) tea.Cmd {
	name := k.Keystroke()
	if (name != "enter" || !in.Followed) && m.completionKey(name) {
		return nil
	}
	cmd := m.messageKey(in, name, k, now)
	if m.panel != nil || m.transcript.Reading() {
		m.completion.hide()
		return cmd
	}
	return tea.Batch(cmd, m.complete())
}

func (m *Model) messageKey(in tty.Input, name string, k uv.Key, now time.Time) tea.Cmd {
	switch name {
	case "enter":
		if in.Followed {
			m.composer.Insert("\n") // inside of a burst: a paste without brackets
			return nil
		}
		return m.submit(now)
	case "esc":
		if m.state.Busy {
			m.o.Send(event.Cancel{})
		}
	case "ctrl+d":
		if m.composer.Empty() {
			return tea.Quit
		}
		m.composer.Delete()
	case "pgup":
		m.transcript.Page(-1)
		m.read()
	case "pgdown":
		m.transcript.Page(1)
	case "up":
		m.up()
	case "down":
		if !m.composer.Down(m.width, m.widths) {
			m.composer.Newer()
		}
	default:
		return m.otherKey(name, k, now)
	}
	return nil
}

// otherKey is an action of the table, or text.
func (m *Model) otherKey(name string, k uv.Key, now time.Time) tea.Cmd {
	switch a := m.o.Keys.Of(keys.Message, name); a {
	case keys.None:
	case keys.Newline:
		m.composer.Insert("\n")
		return nil
	case keys.Queue:
		return m.queue(now)
	case keys.Editor:
		return m.edit()
	case keys.Read:
		m.read()
		return nil
	default:
		return m.do(a, now)
	}
	if k.Text == "?" && m.composer.Empty() {
		m.open(&help{})
		return nil
	}
	m.composer.Press(k)
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
func (m *Model) paste(in tty.Input, text string) tea.Cmd {
	if r := m.asks.focused(); r != nil {
		return m.outcome(r, r.Paste(in.At, text), m.o.Now())
	}
	m.disturb(in.At)
	switch {
	case m.panel != nil:
		return m.panel.paste(m, text)
	case m.find.on():
		m.find.line.Paste(text)
		return nil
	case m.start != nil:
		m.start.Paste(text)
		return nil
	}
	m.transcript.Leave()
	m.composer.Paste(text)
	m.keyed(text)
	if in.Cut {
		m.warn("the end of the paste was lost or left out: look before you send it", "")
	}
	return nil
}

// keyed warns of what has the looks of a key.
func (m *Model) keyed(text string) {
	if kind := composer.Key(text); kind != "" {
		m.warn("that holds what looks like a key ("+kind+"): it is masked before it is stored or sent", "a key is set with `tera-pilot keys set NAME --from stdin`; withdraw one that others could see")
	}
}

// submit sends the message, or carries out a command.
func (m *Model) submit(now time.Time) tea.Cmd {
	text := m.composer.Text()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if word, rest, ok := slashed(text); ok {
		return m.slash(word, rest, now)
	}
	return m.send(text)
}

// send gives the session a message: one that the running turn reads, or the
// next turn.
func (m *Model) send(text string) tea.Cmd {
	m.composer.Clear()
	m.transcript.Leave()
	m.keyed(text)
	if m.state.Busy {
		m.o.Send(event.Interject{Text: text})
	} else {
		m.o.Send(event.Submit{Text: text})
	}
	return nil
}

// queue sends the message after this turn.
func (m *Model) queue(now time.Time) tea.Cmd {
	text := m.composer.Text()
	if strings.TrimSpace(text) == "" || !m.state.Busy {
		return nil
	}
	if _, _, ok := slashed(text); ok {
		return m.submit(now)
	}
	m.composer.Clear()
	m.o.Send(event.Submit{Text: text})
	return nil
}
