package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/keys"
)

// readKey handles a key while an entry of the transcript is chosen. A key that
// is none of its own goes back to the composer.
func (m *Model) readKey(name string, k uv.Key, now time.Time) (cmd tea.Cmd, ok bool) {
	switch a := m.o.Keys.Of(keys.Reading, name); a {
	case keys.None:
	case keys.Find:
		m.startFind()
		return nil, true
	case keys.Copy:
		return m.copyEntry(), true
	case keys.Pager:
		return m.openText(), true
	case keys.Fork:
		return m.forkHere(), true
	default:
		return m.do(a, now), true
	}
	if m.transcript.Finding() && (name == "n" || name == "N" || name == "shift+n") {
		step := 1
		if name == "n" {
			step = -1 // the search goes upwards
		}
		return m.seek(step), true
	}
	return nil, m.moveKey(name, k)
}

// moveKey moves the choice, or opens what is chosen.
func (m *Model) moveKey(name string, k uv.Key) bool {
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

// read goes to the entries of the conversation, which take the whole screen in
// inline mode too; false where there are none.
func (m *Model) read() bool {
	if m.o.Inline && !m.transcript.Reading() {
		m.body(m.width, max(1, m.height-8), m.o.Now()) // which was not on the screen so far
	}
	return m.transcript.Read()
}
