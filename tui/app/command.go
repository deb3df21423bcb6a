package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// slashed is the command that a message is: one line whose first word begins
// with a slash and is no path.
func slashed(text string) (word, rest string, ok bool) {
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
	cmd, known := m.command(word, rest, now)
	if !known && m.offered(word) {
		return m.send(m.composer.Text()) // the session knows what it stands for
	}
	if f, ok := former(word); !known && ok && f.Now == "" {
		m.warn("no such command: "+word, f.Where.String())
		return nil
	} else if !known && ok {
		if !f.Words {
			rest = "" // it meant something else there
		}
		cmd, known = m.command(f.Now, rest, now)
	}
	if !known {
		var names []string
		for _, c := range keys.Commands() {
			names = append(names, c.Name.String())
		}
		for _, c := range m.state.Offered {
			names = append(names, "/"+c.Name)
		}
		m.warn("no such command: "+word, strings.Join(names, " "))
		return nil
	}
	m.composer.Clear()
	return cmd
}

// former finds a command of the Python original.
func former(word string) (keys.Former, bool) {
	all := keys.Formers()
	i := slices.IndexFunc(all, func(f keys.Former) bool { return f.Name == word })
	if i < 0 {
		return keys.Former{}, false
	}
	return all[i], true
}

// offered says that a word stands for a message that the person has ready.
func (m *Model) offered(word string) bool {
	return slices.ContainsFunc(m.state.Offered, func(c event.SlashCommand) bool { return "/"+c.Name == word })
}

// command carries out one of keys.Commands.
func (m *Model) command(word, rest string, now time.Time) (cmd tea.Cmd, known bool) {
	if c, ok := snap.Command(word, rest); ok {
		m.o.Send(c)
		return nil, true
	}
	switch word {
	case "/help":
		m.open(&help{})
	case "/level":
		m.setLevel(rest, now)
	case "/model":
		cmd = m.openModels()
	case "/theme":
		m.namedTheme(rest)
	case "/sessions":
		cmd = m.do(keys.Sessions, now)
	case "/undo":
		cmd = m.undo(rest, now)
	case "/jobs":
		m.openJobs()
	case "/find":
		cmd = m.goTo(rest)
	case "/copy":
		cmd = m.copyText(m.state.Talk.Last)
	case "/doctor":
		cmd = m.openChecks()
	case "/trust", "/unsafe", "/strict":
		m.window(word, rest)
	case "/policy":
		cmd = m.openRules()
	case "/audit":
		cmd = m.openActivity()
	case "/audit-signed":
		cmd = m.export(nil)
	case "/quit":
		cmd = tea.Quit
	default:
		return nil, false
	}
	return cmd, true
}
