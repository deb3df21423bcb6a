package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/room/sheet"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// conflicts are the paths of a plan that somebody else changed since, one on the
// screen. What the person wants of it goes to the session, which asks about what
// would be written.
type conflicts struct {
	all   []event.UndoConflict
	of    event.Undo // what is in conflict
	at    int
	sheet *sheet.Sheet
}

func newConflicts(plan *event.UndoPlan, of event.Undo) *conflicts {
	c := &conflicts{all: plan.Conflicts, of: of}
	c.step(0)
	return c
}

func (c *conflicts) step(n int) {
	c.at = (c.at + n + len(c.all)) % len(c.all)
	c.sheet = sheet.New(c.all[c.at].Lines)
}

func (c *conflicts) now() event.UndoConflict { return c.all[c.at] }

func (c *conflicts) can(how string) bool { return slices.Contains(c.now().Can, how) }

// view shows the three sides of the conflict, and what can be done.
func (c *conflicts) view(m *Model, w, h int) []view.Line {
	x := c.now()
	title := safe.Join(safe.Lit("undo  a conflict in "), safe.Strict(x.Path))
	if len(c.all) > 1 {
		title = safe.Join(title, safe.Lit("  "), safe.Int(c.at+1), safe.Lit(" of "), safe.Int(len(c.all)))
	}
	out := []view.Line{m.widths.Cut(view.Lit(theme.Title, title), w), view.Rule(w)}
	out = append(out, m.widths.Wrap(view.Join(view.Lit(theme.Warn, safe.Lit(" ! ")), view.Text(theme.Plain, safe.Join(safe.Lit("it "), safe.Strict(x.Why)))), w, 3)...)
	out = append(out[:min(len(out), max(2, h/3))], nil)
	rows, _ := c.sheet.View(w, max(0, h-len(out)-2), m.widths)
	return append(view.Fill(append(out, rows...), max(0, h-2)), view.Rule(w), m.hintRow(w, c.keys()...))
}

// keys are those that do something here.
func (c *conflicts) keys() (out []picker.Hint) {
	for _, k := range []struct {
		how  string
		hint picker.Hint
	}{
		{event.ResolveKeep, hint(safe.Lit("k"), safe.Lit("keep what is there"))},
		{event.ResolveOld, hint(safe.Lit("o"), safe.Lit("take the old one"))},
		{event.ResolveText, hint(safe.Lit("e"), safe.Lit("merge in $EDITOR"))},
	} {
		if c.can(k.how) {
			out = append(out, k.hint)
		}
	}
	if len(c.all) > 1 {
		out = append(out, hint(safe.Lit("n"), safe.Lit("next conflict")))
	}
	return append(out, hint(safe.Lit("up down"), safe.Lit("scroll")), hint(safe.Lit("esc"), safe.Lit("back")))
}

// key handles a key; leave is true when the person goes back.
func (c *conflicts) key(m *Model, name string) (cmd tea.Cmd, leave, ok bool) {
	switch name {
	case "esc":
		return nil, true, true
	case "k":
		m.resolve(c, event.ResolveKeep, nil)
	case "o":
		m.resolve(c, event.ResolveOld, nil)
	case "e":
		return c.edit(m), false, true
	case "n":
		c.step(1)
	default:
		return nil, false, scrolled(c.sheet, name)
	}
	return nil, false, true
}

// edit opens all three sides in the person's editor, in one text.
func (c *conflicts) edit(m *Model) tea.Cmd {
	if !c.can(event.ResolveText) {
		m.warn("there is no text here that could be merged", "")
		return nil
	}
	x := c.now()
	return m.toEditor(x.Path[strings.LastIndexByte(x.Path, '/')+1:], string(x.Merged), func(m *Model, text string, _ time.Time) tea.Cmd {
		m.merged(c, string(x.Merged), text)
		return nil
	})
}

// merged takes the text that the editor left. It is the person's wish, and no
// yes: the session asks about it.
func (m *Model) merged(c *conflicts, was, text string) {
	u, ok := m.panel.(*undo)
	switch {
	case !ok || u.conflicts != c:
		m.warn("the conflict was left meanwhile", "what was edited is dropped")
	case text == was && strings.Contains("\n"+was, "\n<<<<<<< "):
		m.warn("nothing was changed in the editor, and the conflict marks are still in it", "nothing was done")
	default:
		m.resolve(c, event.ResolveText, []byte(text))
	}
}

// resolve tells the session what the person wants of the conflict.
func (m *Model) resolve(c *conflicts, how string, text []byte) {
	x := c.now()
	switch {
	case !c.can(how):
		m.warn("that cannot be done here", "")
		return
	case m.state.Busy:
		m.warn("a turn runs: what it changes next is not known", "esc in the conversation stops it")
		return
	}
	u := c.of
	u.Dry, u.Path = false, x.Path
	u.Resolve = []event.Resolution{{Path: x.Path, How: how, Text: text, Now: x.Now}}
	m.asks.wanted = m.o.Now()
	m.o.Send(u)
	m.o.Send(event.ListUndo{})
	if p, ok := m.panel.(*undo); ok {
		p.close(m)
	}
}

// scrolled moves in a sheet; false for a key that does not.
func scrolled(s *sheet.Sheet, name string) bool {
	switch name {
	case "up":
		s.Scroll(-1)
	case "down":
		s.Scroll(1)
	case "pgup":
		s.Page(-1)
	case "pgdown", "space":
		s.Page(1)
	case "home":
		s.Home()
	case "end":
		s.End()
	default:
		return false
	}
	return true
}
