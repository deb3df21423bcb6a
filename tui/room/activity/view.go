package activity

import (
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/room/transcript"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// View draws the room.
func (r *Room) View(width, height int, w view.Widths) []view.Line {
	head := []view.Line{w.Ends(r.title(), r.standing(), width, 8)}
	if width < single {
		head = []view.Line{w.Cut(r.title(), width), w.Cut(r.standing(), width)}
	}
	var foot []view.Line
	switch {
	case r.troubles != "":
		foot = append(foot, w.Cut(view.Text(theme.Bad, safe.Strict(r.troubles)), width))
	case r.note != "":
		foot = append(foot, w.Cut(view.Text(theme.Good, safe.Strict(r.note)), width))
	case r.check.done && !r.check.chain.OK:
		foot = append(foot, w.Cut(view.Join(view.Lit(theme.Alarm, safe.Lit("chain ")), view.Text(theme.Bad, safe.Strict(r.check.chain.Why+r.check.chain.Failed))), width))
	}
	foot = append(foot, picker.Hints(r.keys(), width, w))
	r.page = max(0, height-len(head)-len(foot)-1)
	var body []view.Line
	if r.open.lines != nil {
		body = r.details(width, w)
	} else {
		body = r.list(width, w)
	}
	out := append(head, view.Rule(width))
	out = append(out, view.Fill(body, r.page)...)
	return view.Fill(append(out, foot...), height)
}

// Columns.
const (
	wide   = 60 // from here on time and category have a column
	single = 72 // from here on title and chain share a row
	right  = 90 // from here on who decided has a column
)

func (r *Room) title() view.Line {
	if r.open.lines != nil {
		return view.Join(view.Lit(theme.Title, safe.Lit("activity")), view.Lit(theme.Plain, safe.Join(safe.Lit("  record #"), safe.Int(r.open.seq))))
	}
	scope := safe.Lit("  this session")
	if r.filter.everything {
		scope = safe.Lit("  all sessions")
		if r.log.first > 0 {
			scope = safe.Join(scope, safe.Lit(" from #"), safe.Int(r.log.first))
		}
	}
	out := view.Join(view.Lit(theme.Title, safe.Lit("activity")), view.Lit(theme.Dim, scope))
	filter := view.Lit(theme.Dim, safe.Lit("  filter: "))
	any := false
	for _, part := range []struct {
		name safe.Text
		is   string
	}{{safe.Lit(""), r.filter.category}, {safe.Lit(""), r.filter.status}} {
		if part.is != "" {
			filter, any = view.Join(filter, view.Text(theme.Strong, safe.Strict(part.is)), view.Spaces(1)), true
		}
	}
	if r.filter.find != "" || r.filter.finding {
		filter, any = view.Join(filter, view.Lit(theme.Dim, safe.Lit(`"`)), view.Text(theme.Strong, safe.Strict(r.filter.find)), view.Lit(theme.Dim, safe.Lit(`"`))), true
		if r.filter.finding {
			filter = view.Join(filter, view.Lit(theme.Key, safe.Lit("_")))
		}
	}
	if !any {
		filter = view.Join(filter, view.Lit(theme.Dim, safe.Lit("all")))
	}
	return view.Join(out, filter)
}

// standing is how the chain stands.
func (r *Room) standing() view.Line {
	c := r.check.chain
	switch {
	case r.check.running:
		return view.Lit(theme.Dim, safe.Lit("checking the chain .."))
	case !r.check.done:
		return view.Lit(theme.Warn, safe.Lit("chain not checked"))
	case c.Failed != "":
		return view.Lit(theme.Warn, safe.Lit("chain could not be checked"))
	case !c.OK:
		return view.Lit(theme.Alarm, safe.Lit("CHAIN BROKEN"))
	}
	out := view.Lit(theme.Good, safe.Join(safe.Lit("chain ok to #"), safe.Int(max(0, c.Size-1))))
	if n := r.log.next - c.Size; n > 0 {
		out = view.Join(out, view.Lit(theme.Dim, safe.Join(safe.Lit(" +"), safe.Int(n))))
	}
	if c.Full {
		out = view.Join(out, view.Lit(theme.Good, safe.Lit(" every signature")))
	}
	return view.Join(out, view.Spaces(2), view.Text(theme.Dim, safe.Strict(c.Head[:min(6, len(c.Head))])))
}

// keys are what can be pressed, most wanted first; the last one goes back.
func (r *Room) keys() []picker.Hint {
	lit := safe.Lit
	switch {
	case r.filter.finding:
		return []picker.Hint{{Press: lit("enter"), Does: lit("keep the filter")}, {Press: lit("esc"), Does: lit("drop it")}}
	case r.open.lines != nil && r.open.why:
		return []picker.Hint{{Press: lit("w"), Does: lit("all of it")}, {Press: lit("y"), Does: lit("copy id")}, {Press: lit("esc"), Does: lit("back")}}
	case r.open.lines != nil:
		return []picker.Hint{{Press: lit("up down"), Does: lit("scroll")}, {Press: lit("w"), Does: lit("why")}, {Press: lit("y"), Does: lit("copy id")}, {Press: lit("esc"), Does: lit("back")}}
	}
	return []picker.Hint{
		{Press: lit("enter"), Does: lit("details")}, {Press: lit("w"), Does: lit("why")}, {Press: lit("/"), Does: lit("find")}, {Press: lit("t"), Does: lit("all sessions")},
		{Press: lit("v"), Does: lit("verify")}, {Press: lit("x"), Does: lit("export")}, {Press: lit("c"), Does: lit("category")}, {Press: lit("s"), Does: lit("status")},
		{Press: lit("y"), Does: lit("id")}, {Press: lit("esc"), Does: lit("close")},
	}
}

// list is the newest entry first.
func (r *Room) list(width int, w view.Widths) []view.Line {
	all := r.shown()
	r.chosen = max(0, min(r.chosen, len(all)-1))
	if len(all) == 0 {
		says := safe.Lit("nothing fits the filter")
		switch {
		case r.log.loading:
			says = safe.Lit("reading the log ..")
		case len(r.log.entries) == 0:
			says = safe.Lit("nothing was recorded yet")
		}
		return []view.Line{view.Join(view.Spaces(1), view.Lit(theme.Dim, says))}
	}
	top := max(0, r.chosen-r.page+1)
	var out []view.Line
	for i := top; i < len(all) && len(out) < r.page; i++ {
		out = append(out, row(all[len(all)-1-i], i == r.chosen, width, w))
	}
	return out
}

func row(e Entry, chosen bool, width int, w view.Widths) view.Line {
	mark, style := safe.Lit(" "), theme.Plain
	if chosen {
		mark, style = safe.Lit(">"), theme.Strong
	}
	how, word := verdict(e)
	l := view.Join(view.Lit(theme.Key, mark), w.Pad(view.Lit(theme.Dim, safe.Join(safe.Lit("#"), safe.Int(e.Seq))), 6), view.Spaces(1))
	if width >= wide {
		l = view.Join(l, view.Text(theme.Dim, safe.Strict(e.At.Format("15:04:05"))), view.Spaces(1))
	}
	l = view.Join(l, w.Pad(view.Lit(how, word), 6))
	title := view.Text(style, safe.Strict(e.Title))
	if e.Diff != "" && !strings.Contains(e.Title, e.Diff) {
		title = view.Join(title, view.Spaces(1), view.Text(theme.Dim, safe.Strict(e.Diff)))
	}
	if width >= wide {
		l = view.Join(l, w.Pad(w.Cut(view.Text(theme.Dim, safe.Strict(e.Category)), 8), 9))
	}
	if width >= right {
		return w.Ends(w.Cut(view.Join(l, title), width-26), view.Text(theme.Dim, safe.Strict(rest(e))), width, width-26)
	}
	return w.Cut(view.Join(l, title), width)
}

// verdict is how it ended, in a word.
func verdict(e Entry) (theme.Style, safe.Text) {
	switch e.Status {
	case "ok":
		if e.Code != 0 {
			return theme.Warn, safe.Lit("done")
		}
		return theme.Good, safe.Lit("done")
	case "open":
		return theme.Warn, safe.Lit("runs")
	case "rejected":
		return theme.Bad, safe.Lit("deny")
	case "blocked":
		return theme.Bad, safe.Lit("block")
	case "error":
		return theme.Bad, safe.Lit("fail")
	case "cancelled":
		return theme.Warn, safe.Lit("stop")
	case "timeout":
		return theme.Bad, safe.Lit("late")
	case "not_run":
		return theme.Dim, safe.Lit("none")
	case "":
		return theme.Dim, safe.Lit("note")
	default: // unknown, and words of a later version
		return theme.Alarm, safe.Lit("????")
	}
}

// rest is what stands at the right end: who decided, or how it failed.
func rest(e Entry) string {
	if e.Code != 0 {
		return "exit " + safe.Int(e.Code).String()
	}
	if e.By == "" {
		return e.Decision
	}
	return strings.TrimPrefix(e.Decision+": ", ": ") + transcript.Who(e.By).String()
}

// reason says that a line of a record tells what was decided, by whom, by which
// rule and upon what; these are words of docs/audit-format.md.
func reason(line string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	name, _, _ = strings.Cut(strings.TrimRight(name, ":"), ".")
	return slices.Contains([]string{"type", "kind", "title", "cmd", "decision", "by", "rule", "reason", "asked", "taint", "level", "policy", "origin", "sandbox", "net", "status"}, name)
}

// details are the lines of one record.
func (r *Room) details(width int, w view.Widths) []view.Line {
	var all []view.Line
	for _, l := range r.open.lines {
		if r.open.why && !reason(l) {
			continue
		}
		name, value, _ := strings.Cut(l, " ")
		head := w.Pad(view.Text(theme.Dim, safe.Strict(name)), 11)
		all = append(all, w.Wrap(view.Join(view.Spaces(1), head, view.Text(theme.Plain, safe.Strict(strings.TrimLeft(value, " ")))), width, 12)...)
	}
	r.open.top = max(0, min(r.open.top, len(all)-r.page))
	return all[r.open.top:]
}
