package ask

import (
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// formRows are the fields: as many as fit into most rows, the chosen one among
// them. What is not there as a whole counts as not read.
func (r *Room) formRows(width, most int, w view.Widths) []view.Line {
	f := r.form
	says := safe.Lit("never a password, a key or a token: what you fill in goes to ")
	if width < 72 {
		says = safe.Lit("no password, key or token: it goes to ")
	}
	out := w.Wrap(view.Join(view.Lit(theme.Warn, safe.Lit(" ! ")), view.Lit(theme.Plain, safe.Join(says, r.asker()))), width, 3)
	if most > 8 {
		out = append([]view.Line{nil}, out...)
	}
	most -= len(out)
	type block struct{ from, must, to int } // must: the end of the value
	var rows []view.Line
	var blocks []block
	for i := range f.Fields {
		b, must := r.field(i, width, w)
		blocks = append(blocks, block{len(rows), len(rows) + must, len(rows) + len(b)})
		rows = append(rows, b...)
	}
	first := 0
	if c := blocks[f.at]; c.to > most {
		first = min(c.from, c.to-max(1, most))
	}
	last := min(len(rows), first+max(1, most))
	f.shown = f.shown[:0]
	for i, b := range blocks {
		if b.from >= first && b.must <= last {
			f.shown = append(f.shown, i)
		}
	}
	return append(out, rows[first:last]...)
}

// asker is who asks, for reading.
func (r *Room) asker() safe.Text {
	if r.q.From == "" {
		return safe.Lit("the server that asks")
	}
	return safe.Shown(r.q.From)
}

// Bounds of what one field takes on the screen, in rows.
const (
	maxValueRows = 4
	maxPickRows  = 7
)

// field is one field: its title, its value, what it wants; of the chosen one
// also what it is about, and its options while one is taken. The first must rows
// are title and value.
func (r *Room) field(i, width int, w view.Widths) (out []view.Line, must int) {
	f, x := r.form, r.form.Fields[i]
	chosen := i == f.at
	mark, style := safe.Lit("   "), theme.Plain
	if chosen {
		mark, style = safe.Lit(" > "), theme.Strong
	}
	col := max(12, min(28, width/3))
	title := w.Pad(w.Cut(view.Join(view.Lit(theme.Key, mark), view.Text(style, FieldTitle(x))), col-2), col)
	value := view.Text(theme.Plain, f.Shows(i))
	if f.Shows(i).Empty() {
		value = view.Lit(theme.Dim, safe.Lit("-"))
	}
	out = w.Wrap(view.Join(title, value), width, col)
	if len(out) > maxValueRows { // the person's own words, or a choice of many
		cut := view.Join(view.Spaces(col), view.Lit(theme.Dim, safe.Join(safe.Lit("... "), safe.Int(len(f.Values[i])), safe.Lit(" bytes"))))
		out = append(append(out[:maxValueRows-2:maxValueRows-2], cut), out[len(out)-1])
	}
	must = len(out)
	note := func(style theme.Style, t safe.Text) {
		if !t.Empty() {
			out = append(out, w.Wrap(view.Join(view.Spaces(col), view.Lit(style, t)), width, col)...)
		}
	}
	switch err := f.Wrong(i); {
	case chosen && f.said != "" && r.mode == texting:
		note(theme.Warn, safe.Join(safe.Lit("! "), safe.Strict(f.said)))
	case err != nil && f.Values[i] != "":
		note(theme.Warn, safe.Join(safe.Lit("! "), safe.Strict(why(err))))
	case chosen || err != nil:
		note(theme.Dim, safe.Strict(x.Wants()))
	}
	if !chosen {
		return out, must
	}
	if r.mode == picking {
		return append(out[:must:must], r.options(i, col, width, w)...), must
	}
	note(theme.Dim, safe.Shown(x.About))
	return out, must
}

// options are those of a field, around the cursor.
func (r *Room) options(i, col, width int, w view.Widths) (out []view.Line) {
	f, x := r.form, r.form.Fields[i]
	first := max(0, min(f.pick-maxPickRows/2, len(x.Options)-maxPickRows))
	for n := first; n < min(len(x.Options), first+maxPickRows); n++ {
		cursor, box, style := safe.Lit("  "), safe.Lit("[ ] "), theme.Plain
		if f.Has(i, n) {
			box = safe.Lit("[x] ")
		}
		if n == f.pick {
			cursor, style = safe.Lit("> "), theme.Strong
		}
		l := view.Join(view.Spaces(col), view.Lit(theme.Key, cursor), view.Lit(theme.Plain, box), view.Text(style, Option(x, n)))
		out = append(out, w.Cut(l, width))
	}
	return out
}

// formHelp says which keys fill in.
func (r *Room) formHelp() safe.Text {
	switch r.form.Fields[r.form.at].Kind {
	case event.FieldBoolean:
		return safe.Lit("up down field   space yes, no")
	case event.FieldChoice:
		return safe.Lit("up down field   left right, enter choose")
	case event.FieldChoices:
		return safe.Lit("up down field   enter choose")
	case event.FieldString, event.FieldNumber, event.FieldInteger:
	}
	return safe.Lit("up down field   enter fill in")
}

// formState is what is missing before the form can be sent; empty when nothing.
func (r *Room) formState() safe.Text {
	switch n := r.form.Faults(); {
	case n == 1:
		return safe.Lit("1 FIELD TO FILL IN")
	case n > 1:
		return safe.Join(safe.Int(n), safe.Lit(" FIELDS TO FILL IN"))
	case !r.form.read():
		return safe.Lit("LOOK AT ALL FIELDS to send")
	default:
		return safe.Text{}
	}
}
