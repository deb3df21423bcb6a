package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
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

// offered says that a word stands for a message that the person has ready.
func (m *Model) offered(word string) bool {
	return slices.ContainsFunc(m.state.Offered, func(c event.SlashCommand) bool { return "/"+c.Name == word })
}

// command carries out one of keys.Commands.
func (m *Model) command(word, rest string, now time.Time) (cmd tea.Cmd, known bool) {
	switch word {
	case "/help":
		m.open(&help{})
	case "/level":
		m.setLevel(rest, now)
	case "/model":
		return m.setModel(rest), true
	case "/plan":
		m.o.Send(event.SetLevel{Level: "always_ask", Plan: true})
	case "/think":
		m.o.Send(event.SetThought{Level: rest})
	case "/compact":
		m.o.Send(event.Compact{Back: rest == "back"})
	case "/theme":
		m.namedTheme(rest)
	case "/sessions":
		return m.do(keys.Sessions, now), true
	case "/undo":
		if rest != "" {
			m.undo(rest)
			return nil, true
		}
		return m.do(keys.Undo, now), true
	case "/jobs":
		m.openJobs()
	case "/find":
		return m.goTo(rest), true
	case "/copy":
		return m.copyText(m.state.Talk.Last), true
	case "/doctor":
		return m.openChecks(), true
	case "/rename":
		m.o.Send(event.Rename{Title: rest})
	case "/trust", "/unsafe", "/strict":
		m.window(word, rest)
	case "/mcp":
		m.o.Send(event.Servers{Words: rest})
	case "/policy":
		return m.openRules(), true
	case "/forget":
		m.o.Send(event.Forget{Rule: rest})
	case "/reload":
		m.o.Send(event.Reload{})
	case "/cancel":
		m.o.Send(event.Cancel{})
	case "/audit":
		return m.openActivity(), true
	case "/audit-signed":
		return m.export(nil), true
	case "/quit":
		return tea.Quit, true
	default:
		return nil, false
	}
	return nil, true
}

// setModel changes the model, or shows those there are.
func (m *Model) setModel(rest string) tea.Cmd {
	if rest == "" {
		return m.openModels()
	}
	provider, name, two := strings.Cut(rest, " ")
	if !two {
		provider, name = "", rest
	}
	m.o.Send(event.SetModel{Provider: provider, Model: strings.TrimSpace(name)})
	return nil
}
