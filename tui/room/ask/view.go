package ask

import (
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// Ruler is the height from which on separators are drawn.
const ruler = 10

// View draws the room. next numbers a frame: it is called when this one differs
// from the one before in what a person reads.
func (r *Room) View(width, height int, w view.Widths, now time.Time, next func() uint64) (lines []view.Line, caret *view.Cell) {
	keys, at := r.keyRows(width, w, now)
	extra, fits := r.extra(width, max(3, height/2), w)
	rules := height >= ruler
	body := height - 2 - len(keys)
	if rules {
		body -= 2
	}
	if r.form != nil {
		extra = r.formRows(width, body-max(1, r.sheet.Rows(width, body/3, w)), w)
	}
	r.fits = fits
	body -= len(extra)
	sheetLines, places := r.sheet.View(width, max(1, body), w)
	if r.rev != nil {
		if (width != r.look.width || height != r.look.height) && r.rev.cursor >= 0 {
			r.sheet.Reveal(r.rev.cursor) // where the person is stays on the screen
			sheetLines, places = r.sheet.View(width, max(1, body), w)
		}
		was := r.rev.cursor
		if r.rev.place(places); r.rev.cursor != was {
			sheetLines, places = r.sheet.View(width, max(1, body), w)
		}
	}
	lines = append(lines, r.title(width, w, now))
	if rules {
		lines = append(lines, view.Rule(width))
	}
	// What can be chosen stands right beneath what it is about.
	content := append(sheetLines[:min(len(places), len(sheetLines)):len(places)], extra...)
	lines = append(lines, view.Fill(content, len(sheetLines)+len(extra))...)
	lines = append(lines, r.progress(width, w))
	if rules {
		lines = append(lines, view.Rule(width))
	}
	first := len(lines)
	lines = append(lines, keys...)
	f := shown{width: width, widths: w, places: places}
	if r.form != nil {
		f.fields, f.values = slices.Clone(r.form.shown), slices.Clone(r.form.Values)
	}
	r.number(width, height, w, f, next)
	if at != nil {
		caret = &view.Cell{X: at.X, Y: first + at.Y}
	}
	return lines, caret
}

// number gives the frame a number if its look is a new one.
func (r *Room) number(width, height int, w view.Widths, f shown, next func() uint64) {
	if r.arm == nil {
		return
	}
	f.broken, f.left = r.sheet.Broken()
	now := look{broken: f.broken, left: f.left, find: r.sheet.Find, width: width, height: height, widths: w, mode: r.mode, chosen: r.chosen, complete: r.mayAllow(), filled: r.form.number()}
	if r.rev != nil {
		now.cursor, now.anchor, now.picked = r.rev.cursor, r.rev.anchor, r.rev.picked()
	}
	if len(f.places) > 0 {
		now.top, now.row = f.places[0].Line, f.places[0].Row
	}
	if now == r.look {
		return
	}
	r.look = now
	n := next()
	r.frames[n] = f
	r.arm.Frame(n)
}

// title says what is asked, and by which numbers it is known.
func (r *Room) title(width int, w view.Widths, now time.Time) view.Line {
	left := view.Line(nil)
	if r.q.Danger {
		left = view.Join(view.Lit(theme.Alarm, safe.Lit(" DANGER ")), view.Spaces(2))
	}
	left = view.Join(left, view.Lit(theme.Title, r.heading()), view.Spaces(2), view.Text(theme.Title, safe.Shown(r.q.Title)))
	short := view.Line(nil) // what stays when there is no room for all
	if rest := r.q.Deadline.Sub(now); !r.q.Deadline.IsZero() {
		style := theme.Dim
		if rest < time.Minute {
			style = theme.Warn
		}
		short = append(short, view.Span{Text: safe.Join(safe.Lit("  "), timeLeft(rest)), Style: style})
	}
	if r.q.Waiting > 0 {
		short = append(short, view.Span{Text: safe.Join(safe.Lit("  +"), safe.Int(r.q.Waiting), safe.Lit(" behind")), Style: theme.Dim})
	}
	if all := view.Join(view.Lit(theme.Dim, r.identity()), short); w.Line(left)+2+w.Line(all) <= width {
		return w.Ends(left, all, width, 0)
	}
	return w.Ends(left, short, width, min(20, width/3))
}

func (r *Room) heading() safe.Text {
	switch r.q.Kind {
	case event.AskEdit:
		return safe.Lit("review")
	case event.AskUser:
		if r.form != nil {
			return safe.Lit("form")
		}
		return safe.Lit("question")
	case event.AskUnknown:
		return safe.Lit("unknown")
	default:
		return safe.Lit("confirm")
	}
}

func (r *Room) identity() safe.Text {
	switch {
	case r.q.Kind == AskLevel:
		return safe.Lit("your own question")
	case r.q.Digest == "":
		return safe.Join(safe.Lit("prompt "), head(r.q.ID, 4))
	}
	return safe.Join(safe.Lit("prompt "), head(r.q.ID, 4), safe.Lit("  effect "), head(r.q.Digest, 8))
}

func head(s string, n int) safe.Text { return safe.Strict(s[:min(len(s), n)]) }

// timeLeft is whole minutes until the last one, so that the screen stays calm.
func timeLeft(d time.Duration) safe.Text {
	switch {
	case d <= 0:
		return safe.Lit("no time left")
	case d <= time.Minute:
		return safe.Join(safe.Int(int((d+time.Second-1)/time.Second)), safe.Lit(" s left"))
	default:
		return safe.Join(safe.Int(int((d+time.Minute-1)/time.Minute)), safe.Lit(" min left"))
	}
}

// NextTick is when the title changes by itself.
func (r *Room) NextTick(now time.Time) time.Duration {
	left := r.q.Deadline.Sub(now)
	switch {
	case r.q.Deadline.IsZero() || left <= 0:
		return 0
	case left <= time.Minute:
		return left - (left - 1).Truncate(time.Second)
	default:
		return left - (left - 1).Truncate(time.Minute)
	}
}

// progress says how much was on the screen, and where more is.
func (r *Room) progress(width int, w view.Widths) view.Line {
	seen, all := r.sheet.Seen()
	style := theme.Dim
	if seen < all {
		style = theme.Warn
	}
	lines := safe.Lit(" lines")
	if all == 1 {
		lines = safe.Lit(" line")
	}
	left := view.Lit(style, safe.Join(safe.Lit(" seen "), safe.Int(seen), safe.Lit(" of "), safe.Int(all), lines))
	_, above, below := r.sheet.Top()
	var more view.Line
	add := func(t safe.Text) {
		more = append(more, view.Span{Text: safe.Join(t, safe.Lit("   ")), Style: theme.Key})
	}
	switch narrow, list := width < 72, r.list() > 0 || r.form != nil; {
	case list && below && seen < all: // the arrows choose there
		add(safe.Lit("more: pgdown"))
	case r.list() > 1:
		add(safe.Lit("up down choose"))
	case list:
	case narrow && below:
		add(safe.Lit("more: down"))
	case narrow && above:
		add(safe.Lit("more: up"))
	default:
		if below {
			add(safe.Lit("more below: down, pgdown"))
		}
		if above {
			add(safe.Lit("more above: up, pgup"))
		}
	}
	if hunk, hunks, file, files := r.sheet.Hunk(r.rev.line()); hunks > 1 || files > 1 {
		t := safe.Join(safe.Lit("hunk "), safe.Int(max(1, hunk)), safe.Lit(" of "), safe.Int(hunks), safe.Lit("  [ ]"))
		if files > 1 {
			t = safe.Join(t, safe.Lit("   file "), safe.Int(file), safe.Lit(" of "), safe.Int(files), safe.Lit("  { }"))
		}
		more = append(more, view.Span{Text: t, Style: theme.Dim})
	}
	return w.Cut(view.Join(w.Pad(left, 24), more), width)
}

// extra are the options of a question of the model, or the scopes: as many as
// fit into most rows, the chosen one among them. fits says that all of the
// chosen one is there.
func (r *Room) extra(width, most int, w view.Widths) (out []view.Line, fits bool) {
	var blocks [][]view.Line
	switch {
	case r.mode == scoping:
		for i, s := range r.q.Scopes {
			blocks = append(blocks, r.scope(s, i == r.chosen, width, w))
		}
	case r.q.Kind == event.AskUser:
		for i, o := range r.q.Options {
			blocks = append(blocks, option(safe.Shown(o), i == r.chosen, width, w))
		}
	}
	if len(blocks) == 0 {
		return nil, true
	}
	start, end := 0, 0
	for i, b := range blocks {
		if i == r.chosen {
			start, end = len(out), len(out)+len(b)
		}
		out = append(out, b...)
	}
	first := 0
	if end > most-1 {
		first = min(start, end-(most-1))
	}
	out = out[first:min(len(out), first+max(0, most-1))]
	return append([]view.Line{nil}, out...), end-start <= most-1
}

func option(t safe.Text, chosen bool, width int, w view.Widths) []view.Line {
	mark, style := safe.Lit("   "), theme.Plain
	if chosen {
		mark, style = safe.Lit(" > "), theme.Strong
	}
	return w.Wrap(view.Join(view.Lit(theme.Key, mark), view.Text(style, t)), width, 3)
}

// scope is one row, and for the chosen one, which an answer would take, all
// that it says.
func (r *Room) scope(s event.Scope, chosen bool, width int, w view.Widths) []view.Line {
	out := option(safe.Shown(s.Title), chosen, width, w)
	if !chosen {
		return out
	}
	for _, d := range []struct{ name, text safe.Text }{
		{safe.Lit("     match  "), safe.Shown(s.Match)}, {safe.Lit("     not    "), safe.Shown(s.NoMatch)}, {safe.Lit("     rule   "), safe.Shown(snap.OneRow(s.Rule))},
		{safe.Lit("     ends   "), ends(s)}, {safe.Lit("     seen   "), safe.Shown(s.Seen)},
	} {
		if !d.text.Empty() {
			out = append(out, w.Wrap(view.Join(view.Lit(theme.Dim, d.name), view.Text(theme.Dim, d.text)), width, 12)...)
		}
	}
	return out
}

// ends is when a scope ends, in the person's own time.
func ends(s event.Scope) safe.Text {
	if s.Ends != "" {
		return safe.Shown(s.Ends)
	}
	if s.Until.IsZero() {
		return safe.Lit("with this session")
	}
	return safe.Strict(s.Until.Local().Format("2006-01-02 15:04"))
}

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
