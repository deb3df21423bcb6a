package ask

import (
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// keyRows are the answer keys, and where the arming stands.
func (r *Room) keyRows(width int, w view.Widths, now time.Time) (rows []view.Line, caret *view.Cell) {
	switch r.mode {
	case reasoning, texting, seeking:
		return r.writeRows(width, w)
	case picking:
		help := safe.Lit("up down choose   enter take it   esc back")
		if r.form.Fields[r.form.at].Kind == event.FieldChoices {
			help = safe.Lit("up down choose   space take, leave   enter done   esc back")
		}
		return []view.Line{w.Cut(view.Lit(theme.Dim, help), width)}, nil
	}
	state := r.stateWord(now)
	var parts []view.Line
	narrow := width < 72
	if r.q.Danger && r.mode == choosing && r.mayAllow() {
		parts = append(parts, r.codePart())
	}
	for _, c := range r.choices() {
		if c.allows && !r.mayAllow() {
			continue
		}
		name := c.name
		if narrow {
			name = c.short
		}
		parts = append(parts, view.Join(view.Lit(theme.Key, safe.Strict(c.key)), view.Spaces(1), view.Lit(theme.Plain, name)))
	}
	if r.form != nil && !narrow {
		parts = append([]view.Line{view.Lit(theme.Dim, r.formHelp())}, parts...)
	}
	later := safe.Lit("later")
	if r.mode == scoping {
		later = safe.Lit("back")
	}
	if r.rev != nil && r.mode == choosing {
		help := safe.Lit("space line  h hunk  V range  f file")
		if r.q.Danger {
			help = safe.Lit("space line  V range")
		}
		parts = append([]view.Line{view.Lit(theme.Dim, help)}, parts...)
	}
	if r.looks() && (width >= 60 || r.sheet.Find != "") {
		parts = slices.Insert(parts, min(len(parts), r.before()), r.lensPart(narrow))
	}
	parts = append(parts, view.Join(view.Lit(theme.Key, safe.Lit("esc")), view.Spaces(1), view.Lit(theme.Plain, later)))
	return flowParts(parts, state, width, w), nil
}

// before is how many parts go before the keys of the lens.
func (r *Room) before() int {
	if r.rev != nil {
		return 1
	}
	return 0
}

func (r *Room) codePart() view.Line {
	missing := safe.Repeat(safe.Lit("_"), len(r.q.Code)-len(r.code))
	return view.Join(
		view.Lit(theme.Plain, safe.Lit("type ")), view.Lit(theme.Key, safe.Strict(r.q.Code)), view.Lit(theme.Plain, safe.Lit(" to allow ")),
		view.Lit(theme.Good, safe.Join(safe.Strict(r.code), missing)))
}

// stateWord says what a key would do now.
func (r *Room) stateWord(now time.Time) view.Line {
	switch {
	case !r.sound:
		return view.Lit(theme.Alarm, safe.Lit("LINES DO NOT FIT THEIR DIGEST: only no"))
	case r.Revising() || r.rev.changed():
		return view.Lit(theme.Dim, safe.Lit("asking anew ..."))
	case r.form != nil && r.sheet.Complete() && !r.formState().Empty():
		return view.Lit(theme.Warn, r.formState())
	case r.rev != nil && !r.rev.any():
		return view.Lit(theme.Warn, safe.Lit("NOTHING IS LEFT to apply"))
	case r.hint == readOn || !r.mayAllow():
		return view.Lit(theme.Warn, safe.Lit("READ ON to allow"))
	}
	switch r.arm.State(now) {
	case arm.Armed:
		return view.Lit(theme.Good, safe.Lit("ARMED"))
	case arm.Pending:
		return view.Lit(theme.Good, safe.Lit("..."))
	default:
		if r.hint == tooEarly {
			return view.Lit(theme.Warn, safe.Lit("too early, press again"))
		}
		return view.Lit(theme.Dim, safe.Lit("wait"))
	}
}

// flowParts fills rows with parts, and puts end at the end of the last one.
func flowParts(parts []view.Line, end view.Line, width int, w view.Widths) []view.Line {
	var rows []view.Line
	var row view.Line
	for _, p := range parts {
		if len(row) > 0 && w.Line(row)+2+w.Line(p) > width {
			rows, row = append(rows, row), nil
		}
		if len(row) > 0 {
			row = append(row, view.Spaces(2)...)
		}
		row = append(row, p...)
	}
	if w.Line(row)+2+w.Line(end) > width {
		rows, row = append(rows, row), nil
	}
	return append(rows, view.Join(w.Pad(row, width-w.Line(end)), end))
}

// writeRows are the line that is being written.
func (r *Room) writeRows(width int, w view.Widths) ([]view.Line, *view.Cell) {
	label, help := safe.Lit("reason "), safe.Lit("enter rejects, with or without a reason   esc back")
	if r.mode == texting {
		label, help = safe.Lit("answer "), safe.Lit("enter answers   esc back")
	}
	if r.mode == texting && r.form != nil {
		label, help = safe.Lit("value  "), safe.Lit("enter fills it in, sends nothing   up down field   esc back")
	}
	if r.mode == seeking {
		label, help = safe.Lit("find "), safe.Lit("enter finds it, downwards   esc back")
	}
	lines, at := r.edit.View(width-len(label.String()), 1, 3, w)
	for i := range lines {
		lead := view.Spaces(len(label.String()))
		if i == 0 {
			lead = view.Lit(theme.Title, label)
		}
		lines[i] = view.Join(lead, lines[i])
	}
	at.X += len(label.String())
	return append(lines, w.Cut(view.Lit(theme.Dim, help), width)), &at
}
