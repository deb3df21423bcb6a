package ask

import (
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
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
		word := safe.Lit("more ")
		if seen == all {
			word = safe.Lit("") // it was read
		}
		if below {
			add(safe.Join(word, safe.Lit("below: down, pgdown")))
		}
		if above {
			add(safe.Join(word, safe.Lit("above: up, pgup")))
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
