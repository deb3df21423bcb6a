package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
)

// A deed is one entry of the palette.
type deed struct {
	title safe.Text
	right safe.Text
	note  safe.Text // why it cannot be done now
	more  string    // other words for it
	do    func(*Model, time.Time) tea.Cmd
}

// palette is everything that can be done, by name.
type palette struct {
	list
	deeds []deed
}

func newPalette(m *Model) *palette {
	p := &palette{deeds: m.deeds()}
	p.room = picker.Room{
		Title: safe.Lit("what to do"), Facts: safe.Lit("type to search"), Typed: true,
		Foot: []picker.Hint{hint(safe.Lit("enter"), safe.Lit("do it")), hint(safe.Lit("esc"), safe.Lit("back"))},
	}
	rows := make([]picker.Row, len(p.deeds))
	for i, d := range p.deeds {
		rows[i] = picker.Row{ID: safe.Int(i).String(), Title: d.title, Right: d.right, Note: d.note, More: d.more}
	}
	p.room.Set(rows)
	for c := p.room.Chosen(); c != nil && !c.Note.Empty(); c = p.room.Chosen() {
		p.room.Key("down", uv.Key{}) // to the first that can be done; leaving is always one
	}
	return p
}

func (p *palette) key(m *Model, name string, k uv.Key, now time.Time) (tea.Cmd, bool) {
	if name != "enter" {
		return nil, p.room.Key(name, k)
	}
	row := p.room.Chosen()
	if row == nil {
		return nil, true
	}
	if !row.Note.Empty() {
		m.warn(row.Title.String()+": "+row.Note.String(), "")
		return nil, true
	}
	for i, d := range p.deeds {
		if safe.Int(i).String() == row.ID {
			m.open(nil)
			return d.do(m, now), true
		}
	}
	return nil, true
}

// deeds are what can be done, most wanted first. What cannot be done now stays
// with its reason.
func (m *Model) deeds() []deed {
	lit := safe.Lit
	out := []deed{
		m.byKey(keys.Prompt, lit("Look at the open question"), "", m.noQuestion()),
		m.byKey(keys.Undo, lit("Take back changes"), "undo revert checkpoint", m.noChanges()),
		{lit("Take back everything in this session"), lit("asks"), m.noChanges(), "undo all revert", func(m *Model, now time.Time) tea.Cmd { m.undoAll(now); return nil }},
		m.byKey(keys.Sessions, lit("Sessions: open, fork, name, archive, delete"), "resume history switch", missing(m.o.Desk.Sessions == nil)),
		{lit("New session"), lit(""), missing(m.o.Desk.Sessions == nil), "start fresh clear", func(m *Model, _ time.Time) tea.Cmd { return m.leave(requestNew()) }},
		m.byKey(keys.Models, lit("Choose another model"), "provider switch", missing(m.o.Desk.Models == nil)),
		m.byKey(keys.Activity, lit("Activity: what was done and decided"), "audit log evidence", safe.Text{}),
		{lit("Stop the turn"), lit("esc"), unless(m.state.Busy, lit("nothing runs")), "cancel interrupt", func(m *Model, _ time.Time) tea.Cmd { m.o.Send(event.Cancel{}); return nil }},
		{lit("Background jobs"), lit("/jobs"), unless(len(m.state.Jobs) > 0, lit("none runs")), "process stop kill", func(m *Model, _ time.Time) tea.Cmd { m.openJobs(); return nil }},
		{lit("Find in the conversation"), m.o.Keys.Key(keys.Find), unless(len(m.state.Talk.Items) > 0, lit("nothing was said yet")), "search", func(m *Model, _ time.Time) tea.Cmd { m.startFind(); return nil }},
		{lit("Copy the last answer"), m.o.Keys.Key(keys.Copy), unless(m.state.Talk.Last != "", lit("there is no answer yet")), "clipboard yank", func(m *Model, _ time.Time) tea.Cmd { return m.copyText(m.state.Talk.Last) }},
		m.byKey(keys.Select, lit("Plain text of the conversation, to select from"), "mouse", unless(len(m.state.Talk.Items) > 0, lit("nothing was said yet"))),
		{lit("Write the message in $EDITOR"), m.o.Keys.Key(keys.Editor), missing(m.o.Desk.Edit == nil), "vim nano compose", func(m *Model, _ time.Time) tea.Cmd { return m.edit() }},
		{lit("Show what a rule would have done"), lit("policy what-if"), missing(m.o.Desk.WhatIf == nil || m.o.Desk.Edit == nil), "policy try dry replay allow deny", func(m *Model, _ time.Time) tea.Cmd { return m.whatIf() }},
		{lit("Self test: what works on this machine"), lit("/doctor"), missing(m.o.Desk.Checks == nil), "doctor sandbox check", func(m *Model, _ time.Time) tea.Cmd { return m.openChecks() }},
	}
	out = append(out, m.levelDeeds()...)
	out = append(out, m.themeDeeds()...)
	out = append(out, m.byKey(keys.Help, lit("Keys and commands"), "help", safe.Text{}))
	for _, c := range keys.Commands() {
		word := c.Name.String()
		if c.Args.Empty() || slices.Contains([]string{"/level", "/theme", "/model", "/find"}, word) {
			continue // it stands above, or in a key of its own
		}
		out = append(out, deed{sentence(c.Does), safe.Join(c.Name, lit(" "), c.Args), safe.Text{}, word, func(m *Model, _ time.Time) tea.Cmd {
			m.composer.Set(word + " ")
			return nil
		}})
	}
	return append(out, deed{lit("Leave; the session can be continued"), lit("ctrl+d"), safe.Text{}, "quit exit", func(*Model, time.Time) tea.Cmd { return tea.Quit }})
}

// sentence is a text of ours with a capital letter.
func sentence(t safe.Text) safe.Text {
	s := t.String()
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return t
	}
	return safe.Join(safe.Strict(strings.ToUpper(s[:1])), t.Slice(1, len(s)))
}

func (m *Model) byKey(a keys.Action, title safe.Text, more string, note safe.Text) deed {
	return deed{title, m.o.Keys.Key(a), note, more, func(m *Model, now time.Time) tea.Cmd { return m.do(a, now) }}
}

// missing is the reason of what this front end was not given.
func missing(is bool) safe.Text { return unless(!is, safe.Lit("not in this session")) }

func unless(can bool, why safe.Text) safe.Text {
	if can {
		return safe.Text{}
	}
	return why
}

func (m *Model) noQuestion() safe.Text {
	return unless(m.asks.open != nil, safe.Lit("no question is open"))
}

func (m *Model) noChanges() safe.Text {
	return unless(len(m.state.Changed) > 0, safe.Lit("nothing was changed in this session"))
}

// levelDeeds change the level. Raising asks.
func (m *Model) levelDeeds() []deed {
	var out []deed
	for _, to := range []string{"always_ask", "new_files_only", "never_ask"} {
		right := safe.Text{}
		if snap.Rank(to) > snap.Rank(m.state.Terms.Level) {
			right = safe.Lit("raising asks")
		}
		note := unless(to != m.state.Terms.Level, safe.Lit("is in force"))
		out = append(out, deed{safe.Join(safe.Lit("Level: "), safe.Strict(to)), right, note, "autonomy", func(m *Model, now time.Time) tea.Cmd {
			m.setLevel(to, now)
			return nil
		}})
	}
	return out
}

func (m *Model) themeDeeds() []deed {
	var out []deed
	for _, name := range append([]string{"auto"}, theme.Names()...) {
		note := unless(m.theme.Name != name || m.wanted == "", safe.Lit("is in force"))
		out = append(out, deed{safe.Join(safe.Lit("Theme: "), safe.Strict(name)), safe.Text{}, note, "colour color", func(m *Model, _ time.Time) tea.Cmd {
			m.setTheme(name)
			return nil
		}})
	}
	return out
}
