// Package status is the room of what is always true: title, banners, and the
// status line with level, sandbox, network, model, context, cost and log.
package status

import (
	"cmp"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// Wide is the width from which on the status line is one row.
const Wide = 80

// Line is the status line. Level, sandbox and network never go; the others go
// from the end where there is no room.
func Line(s *snap.State, width int, w view.Widths) []view.Line {
	fixed := []view.Line{level(s.Terms.Level), sandbox(s.Terms.Sandbox), network(&s.Net)}
	rest := rest(s)
	if width >= Wide {
		return []view.Line{w.Cut(parts(fixed, rest, width, w), width)}
	}
	return []view.Line{w.Cut(parts(fixed, nil, width, w), width), w.Cut(parts(nil, rest, width, w), width)}
}

// parts joins what must stay, and as many of the others as fit.
func parts(fixed, rest []view.Line, width int, w view.Widths) view.Line {
	var out view.Line
	for i, p := range append(fixed, rest...) {
		joined := p
		if i > 0 {
			joined = view.Join(out, view.Spaces(3), p)
		}
		if i >= len(fixed) && w.Line(joined) > width {
			break
		}
		out = joined
	}
	return out
}

// level shows the autonomy level by its mark and its name.
func level(l string) view.Line {
	switch l {
	case "always_ask":
		return view.Lit(theme.Strong, safe.Lit("[=] always_ask"))
	case "new_files_only":
		return view.Lit(theme.Warn, safe.Lit("[+] new_files_only"))
	case "never_ask":
		return view.Lit(theme.Alarm, safe.Lit("[!] never_ask"))
	case "":
		return view.Lit(theme.Dim, safe.Lit("[ ] no session"))
	default:
		return view.Join(view.Lit(theme.Alarm, safe.Lit("[?] ")), view.Text(theme.Alarm, safe.Strict(l)))
	}
}

// sandbox shows the grade, and the setting where it is not the usual one.
func sandbox(s string) view.Line {
	setting, grade, _ := strings.Cut(s, " ")
	switch {
	case s == "":
		return view.Lit(theme.Warn, safe.Lit("box unknown"))
	case setting == "off":
		return view.Lit(theme.Alarm, safe.Lit("box OFF"))
	case grade == "?":
		return view.Lit(theme.Dim, safe.Lit("box ..."))
	case grade == "" || strings.HasPrefix(grade, "none"):
		return view.Lit(theme.Alarm, safe.Lit("box NONE: commands are refused"))
	case grade == "A":
		return view.Lit(theme.Good, safe.Lit("box A"))
	default:
		return view.Join(view.Lit(theme.Warn, safe.Lit("box ")), view.Text(theme.Warn, safe.Strict(grade)))
	}
}

// network says what commands reach, and how often something left the machine.
func network(net *snap.Net) view.Line {
	n := net.Now()
	if n == "" {
		n = "off"
	}
	style := theme.Plain
	if n != "off" {
		style = theme.Warn
	}
	out := view.Join(view.Lit(style, safe.Lit("net ")), view.Text(style, safe.Strict(n)))
	if l := net.Left; l.Times > 0 && !net.Talking() {
		t := safe.Join(safe.Lit(" "), safe.Int(l.Times), safe.Lit(" out"))
		if l.Blocked > 0 {
			t = safe.Join(t, safe.Lit(", "), safe.Int(l.Blocked), safe.Lit(" blocked"))
		}
		out = view.Join(out, view.Lit(theme.Warn, t))
	}
	return out
}

func rest(s *snap.State) []view.Line {
	switch {
	case s.Session.Opened:
	case s.Session.Root != "": // on its way: what it spent and where its log stands is not known yet
		return []view.Line{model(s.Model)}
	default:
		return []view.Line{model(s.Model), logHead(s.Head)}
	}
	out := []view.Line{model(s.Model), view.Lit(theme.Plain, context(s.Model, s.Spent.Used)), view.Lit(theme.Plain, cost(s.Spent))}
	if n := len(s.Jobs); n > 0 {
		jobs := safe.Join(safe.Int(n), safe.Lit(" jobs"))
		if n == 1 {
			jobs = safe.Lit("1 job")
		}
		out = append([]view.Line{view.Lit(theme.Warn, jobs)}, out...)
	}
	if s.Model.Thought != "" {
		out = append(out, view.Join(view.Lit(theme.Dim, safe.Lit("think ")), view.Text(theme.Plain, safe.Strict(s.Model.Thought))))
	}
	log := logHead(s.Head)
	if s.Head.Broken != "" {
		return append([]view.Line{log}, out...) // nothing is more important
	}
	return append(out, log)
}

func model(m snap.Model) view.Line {
	switch {
	case m.Name == "" && m.Provider == "":
		return view.Lit(theme.Warn, safe.Lit("no model"))
	case m.Name == "":
		return view.Text(theme.Plain, safe.Strict(m.Provider))
	default: // where the words go says more than whose kind the server is
		return view.Join(view.Text(theme.Plain, safe.Strict(m.Name)), view.Spaces(1), view.Text(theme.Dim, safe.Strict(cmp.Or(m.Host, m.Provider))))
	}
}

// context is how much of the model's window the last request took.
func context(m snap.Model, used int64) safe.Text {
	switch {
	case m.Window > 0:
		return safe.Join(safe.Lit("ctx "), safe.Int(used*100/m.Window), safe.Lit("%"))
	case used >= 1000:
		return safe.Join(safe.Lit("ctx "), safe.Int(used/1000), safe.Lit("k"))
	default:
		return safe.Join(safe.Lit("ctx "), safe.Int(used))
	}
}

// cost is what the session cost so far. What has no price is not called free.
func cost(s snap.Spent) safe.Text {
	t := money(s.Cost)
	if s.Guessed && s.Cost > 0 {
		t = safe.Join(safe.Lit("~"), t)
	}
	if s.Unpriced && s.Cost == 0 {
		t = safe.Lit("cost unknown")
	} else if s.Unpriced {
		t = safe.Join(t, safe.Lit(" + unknown"))
	}
	if s.MaxCost > 0 {
		t = safe.Join(t, safe.Lit(" of "), money(s.MaxCost))
	}
	return t
}

func money(millionths int64) safe.Text {
	cents := (millionths + 5000) / 10000
	pad := safe.Lit("$")
	dot := safe.Lit(".")
	if cents%100 < 10 {
		dot = safe.Lit(".0")
	}
	return safe.Join(pad, safe.Int(cents/100), dot, safe.Int(cents%100))
}

func logHead(h event.AuditHead) view.Line {
	switch {
	case h.Broken != "":
		return view.Lit(theme.Alarm, safe.Lit("LOG BROKEN"))
	case h.Head == "":
		return view.Lit(theme.Dim, safe.Lit("log new"))
	}
	return view.Lit(theme.Dim, safe.Join(safe.Lit("log "), safe.Strict(h.Head[:min(6, len(h.Head))]), safe.Lit(" #"), safe.Int(h.Size)))
}

// Title is the first row.
func Title(s *snap.State, width int, w view.Widths) view.Line {
	left := view.Text(theme.Title, safe.Strict(s.Session.Name()))
	if s.Session.Branch != "" {
		left = view.Join(left, view.Spaces(2), view.Text(theme.Dim, safe.Strict(s.Session.Branch)))
	}
	if s.Session.Front == "demo" {
		left = view.Join(left, view.Spaces(2), view.Lit(theme.Alarm, safe.Lit("DEMO")), view.Lit(theme.Dim, safe.Lit(" scripted, no model")))
	}
	if s.Session.Title != "" {
		left = view.Join(left, view.Spaces(2), view.Lit(theme.Dim, safe.Lit(`"`)), view.Text(theme.Plain, safe.Strict(s.Session.Title)), view.Lit(theme.Dim, safe.Lit(`"`)))
	}
	right := safe.Lit("")
	if s.Talk.Turn > 0 {
		right = safe.Join(safe.Lit("turn "), safe.Int(s.Talk.Turn))
	}
	switch n := len(s.Changed); {
	case n == 0 || width < 50:
	case n == 1:
		right = safe.Join(right, safe.Lit("  1 file changed"))
	default:
		right = safe.Join(right, safe.Lit("  "), safe.Int(n), safe.Lit(" files changed"))
	}
	return w.Ends(left, view.Lit(theme.Dim, right), width, 12)
}
