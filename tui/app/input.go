package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/theme"
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
	if a := m.keys.Of(keys.Anywhere, name); (a == keys.Prompt || a == keys.Review) && m.ask != nil {
		m.focus(now) // whatever is open stays beneath it
		return nil
	}
	switch {
	case m.panel != nil:
		return m.panelKey(name, k, now)
	case m.start != nil:
		return m.startKey(in, name, k, now)
	case m.activity != nil:
		return m.activityKey(name, k.Text)
	case m.finding:
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

func (m *Model) startKey(in tty.Input, name string, k uv.Key, now time.Time) tea.Cmd {
	switch {
	case m.start.Leaves(name):
		return tea.Quit
	case (name == "?" || name == "f1") && !m.start.Typing():
		m.open(&help{})
		return nil
	}
	choice := m.start.Key(name, k, in.Followed)
	switch id := choice.ID; {
	case id == "":
		return nil
	case id == "sessions" && m.o.Desk.Sessions != nil:
		return m.do(keys.Sessions, now)
	case id == "doctor" && m.o.Desk.Checks != nil:
		return m.openChecks()
	case id == "refresh" && m.o.Refresh != nil:
		return m.refresh()
	default:
		m.chosen = choice
		return tea.Quit
	}
}

// readKey handles a key while an entry of the transcript is chosen. A key that
// is none of its own goes back to the composer.
func (m *Model) readKey(name string, k uv.Key, now time.Time) (cmd tea.Cmd, ok bool) {
	switch a := m.keys.Of(keys.Reading, name); a {
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

// composerKey handles a key of the message that is being written, and looks
// for completions of what it became.
func (m *Model) composerKey(in tty.Input, k uv.Key, now time.Time) tea.Cmd {
	name := k.Keystroke()
	if (name != "enter" || !in.Followed) && m.completionKey(name) {
		return nil
	}
	cmd := m.messageKey(in, name, k, now)
	if m.panel != nil || m.transcript.Reading() {
		m.completion = nil
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
	switch a := m.keys.Of(keys.Message, name); a {
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
	editLine(&m.composer, k)
	return nil
}

// editLine applies a key of an editor.
func editLine(c *composer.Room, k uv.Key) { ask.Edit(c, k) }

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
	case m.activity != nil:
		m.activity.Paste(text)
		return
	case m.panel != nil:
		m.panel.paste(text)
		if p, ok := m.panel.(*sessions); ok {
			m.after = p.search(m)
		}
		return
	case m.finding:
		m.find.Paste(text)
		return
	case m.start != nil:
		m.start.Paste(text)
		return
	}
	m.transcript.Leave()
	m.composer.Paste(text)
	m.keyed(text)
	if in.Cut {
		m.note = &event.Notice{Severity: "warn", Text: "the end of the paste was lost or left out: look before you send it"}
	}
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

// namedTheme changes the theme, or says which there are.
func (m *Model) namedTheme(name string) {
	if name != "auto" && !slices.Contains(theme.Names(), name) {
		m.warn("the theme is "+m.theme.Name, "/theme auto "+strings.Join(theme.Names(), " "))
		return
	}
	m.setTheme(name)
}
