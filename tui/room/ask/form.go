package ask

import (
	"hash/fnv"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/tty"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A Form is what the person fills in: the fields of a question and a value for
// each, as event.Answer holds them. Filling in answers nothing.
type Form struct {
	Fields []event.Field
	Values []string
}

// maxDefault is the longest value that is filled in beforehand, in bytes: what
// the person did not write has to be read at a glance.
const maxDefault = 256

// NewForm is a form with what the asker fills in beforehand, where that fits.
func NewForm(fields []event.Field) Form {
	f := Form{Fields: fields, Values: make([]string, len(fields))}
	for i, x := range fields {
		if len(x.Default) <= maxDefault && x.Check(x.Default) == nil {
			f.Values[i] = x.Default
		}
	}
	return f
}

// Wrong says what is wrong with the value of field i; nil when nothing is.
func (f Form) Wrong(i int) error {
	if kind := composer.Key(f.Values[i]); kind != "" {
		return &event.FieldError{Name: f.Fields[i].Name, Why: "that looks like a key (" + kind + "): a form is no place for it"}
	}
	if err := f.Fields[i].Check(f.Values[i]); err != nil {
		return &event.FieldError{Name: f.Fields[i].Name, Why: err.Error()}
	}
	return nil
}

// Faults counts the fields that do not fit.
func (f Form) Faults() (n int) {
	for i := range f.Fields {
		if f.Wrong(i) != nil {
			n++
		}
	}
	return n
}

// Answers are the values that were given, by the names of their fields.
func (f Form) Answers() map[string]string {
	out := map[string]string{}
	for i, x := range f.Fields {
		if f.Values[i] != "" {
			out[x.Name] = f.Values[i]
		}
	}
	return out
}

// Toggle takes option n of field i, or of a field of many takes it back.
func (f Form) Toggle(i, n int) {
	x := f.Fields[i]
	if n < 0 || n >= len(x.Options) {
		return
	}
	switch x.Kind {
	case event.FieldChoice:
		f.Values[i] = x.Options[n]
	case event.FieldChoices:
		some := event.Chosen(f.Values[i])
		if at := slices.Index(some, x.Options[n]); at >= 0 {
			some = slices.Delete(some, at, at+1)
		} else {
			some = append(some, x.Options[n])
		}
		f.Values[i] = event.Choices(some)
	case event.FieldString, event.FieldNumber, event.FieldInteger, event.FieldBoolean:
	}
}

// Has says that option n of field i is taken.
func (f Form) Has(i, n int) bool {
	x := f.Fields[i]
	if x.Kind == event.FieldChoices {
		return slices.Contains(event.Chosen(f.Values[i]), x.Options[n])
	}
	return f.Values[i] == x.Options[n]
}

// Option is what people read for option n of a field.
func Option(x event.Field, n int) safe.Text {
	if n < len(x.Labels) && x.Labels[n] != "" {
		return safe.Shown(x.Labels[n])
	}
	return safe.Strict(x.Options[n])
}

// FieldTitle is what people read for a field.
func FieldTitle(x event.Field) safe.Text {
	if x.Title != "" {
		return safe.Shown(x.Title)
	}
	return safe.Strict(x.Name)
}

// Shows is the value of field i for reading; empty for none.
func (f Form) Shows(i int) safe.Text {
	x, v := f.Fields[i], f.Values[i]
	switch x.Kind {
	case event.FieldBoolean:
		switch v {
		case "true":
			return safe.Lit("yes")
		case "false":
			return safe.Lit("no")
		}
	case event.FieldChoice, event.FieldChoices:
		var out safe.Text
		for n := range x.Options {
			if !f.Has(i, n) {
				continue
			}
			if !out.Empty() {
				out = safe.Join(out, safe.Lit(", "))
			}
			out = safe.Join(out, Option(x, n))
		}
		return out
	case event.FieldString, event.FieldNumber, event.FieldInteger:
	}
	return safe.Strict(v)
}

// filling is the form on the screen.
type filling struct {
	Form
	at    int    // the chosen field
	pick  int    // the option under the cursor, in mode picking
	said  string // why the text that is being written does not fit
	seen  []bool // the value as it stands was on the screen
	shown []int  // fields that the last frame holds as a whole
}

// newFilling is nil for a question without a form.
func newFilling(q event.Question) *filling {
	if q.Kind != event.AskUser || len(q.Form) == 0 {
		return nil
	}
	return &filling{Form: NewForm(q.Form), seen: make([]bool, len(q.Form))}
}

// set changes the value of the chosen field: it has to be looked at again.
func (f *filling) set(v string) {
	if f.Values[f.at] != v {
		f.Values[f.at], f.seen[f.at] = v, false
	}
}

// toggle takes an option of the chosen field, or takes it back.
func (f *filling) toggle(n int) {
	f.Toggle(f.at, n)
	f.seen[f.at] = false
}

// read says that every value was on the screen, as it stands.
func (f *filling) read() bool { return !slices.Contains(f.seen, false) }

// ready says that the form can be sent.
func (f *filling) ready() bool { return f == nil || f.read() && f.Faults() == 0 }

// mark says that a frame that held these values was on the screen.
func (f *filling) mark(fields []int, values []string) {
	for _, i := range fields {
		f.seen[i] = f.seen[i] || f.Values[i] == values[i]
	}
}

// number stands for all that is filled in, and where the cursor is.
func (f *filling) number() uint64 {
	if f == nil {
		return 0
	}
	h := fnv.New64a()
	for _, v := range f.Values {
		_, _ = h.Write([]byte(v + "\x00")) // a hash takes every write
	}
	_, _ = h.Write([]byte{byte(f.at), byte(f.pick)})
	return h.Sum64()
}

// step moves the choice of fields.
func (f *filling) step(n int) { f.at = max(0, min(f.at+n, len(f.Fields)-1)) }

// turn changes a value that has few: yes and no, and one of a choice.
func (f *filling) turn(step int) {
	x := f.Fields[f.at]
	switch x.Kind {
	case event.FieldBoolean:
		if f.Values[f.at] == "true" {
			f.set("false")
		} else {
			f.set("true")
		}
	case event.FieldChoice:
		n := slices.Index(x.Options, f.Values[f.at])
		if n < 0 && step < 0 {
			n = 0
		}
		f.toggle((n + step + len(x.Options)) % max(1, len(x.Options)))
	case event.FieldString, event.FieldNumber, event.FieldInteger, event.FieldChoices:
	}
}

// formKey handles a key of the filling in, before the person writes; false
// when it is none. None of them is a letter, and none answers.
func (r *Room) formKey(in tty.Input, name string) bool {
	f := r.form
	if f == nil || r.mode != choosing {
		return false
	}
	switch name {
	case "up", "shift+tab":
		f.step(-1)
	case "down", "tab":
		f.step(1)
	case "left":
		f.turn(-1)
	case "right":
		f.turn(1)
	case "space":
		if f.Fields[f.at].Kind == event.FieldBoolean {
			f.turn(1)
		}
	case "backspace", "delete":
		f.set("")
	case "enter":
		if !in.Followed {
			r.fill()
		}
	default:
		return false
	}
	return true
}

// fill opens the chosen field.
func (r *Room) fill() {
	f := r.form
	x := f.Fields[f.at]
	f.said = ""
	switch x.Kind {
	case event.FieldBoolean:
		f.turn(1)
	case event.FieldChoice, event.FieldChoices:
		if len(x.Options) > 0 {
			r.mode, f.pick = picking, max(0, slices.Index(x.Options, f.Values[f.at]))
		}
	case event.FieldString, event.FieldNumber, event.FieldInteger:
		r.mode = texting
		r.edit.Set(f.Values[f.at])
		r.edit.End()
	}
}

// pickKey handles a key in the list of a field's options.
func (r *Room) pickKey(in tty.Input, k uv.Key) Outcome {
	r.arm.Disturb(in.At)
	f := r.form
	n := len(f.Fields[f.at].Options)
	switch name := k.Keystroke(); {
	case name == "up":
		f.pick = max(0, f.pick-1)
	case name == "down":
		f.pick = min(n-1, f.pick+1)
	case name == "home":
		f.pick = 0
	case name == "end":
		f.pick = n - 1
	case name == "esc":
		r.mode = choosing
	case in.Followed:
	case name == "space":
		f.toggle(f.pick)
	case name == "enter":
		if f.Fields[f.at].Kind == event.FieldChoice {
			f.toggle(f.pick)
		}
		r.mode = choosing
	}
	return Outcome{}
}

// written takes what was written into the chosen field, and goes on to the next
// one: straight into it where it is to be written too. step is where to.
func (r *Room) written(step int) {
	f := r.form
	was := f.Values[f.at]
	f.Values[f.at] = strings.TrimSpace(r.edit.Text())
	if err := f.Wrong(f.at); err != nil && f.Values[f.at] != "" {
		f.said = why(err)
		f.Values[f.at] = was
		return
	}
	if f.Values[f.at] != was {
		f.seen[f.at] = false
	}
	r.mode, f.said = choosing, ""
	last := f.at
	f.step(step)
	switch f.Fields[f.at].Kind {
	case event.FieldString, event.FieldNumber, event.FieldInteger:
		if f.at != last && f.Values[f.at] == "" {
			r.fill()
		}
	case event.FieldBoolean, event.FieldChoice, event.FieldChoices:
	}
}

func why(err error) string {
	if e, ok := err.(*event.FieldError); ok {
		return e.Why
	}
	return err.Error()
}

// formWriteKey handles a key while a field is written; false when it is text.
func (r *Room) formWriteKey(in tty.Input, name string) bool {
	if r.form == nil || r.mode != texting {
		return false
	}
	switch name {
	case "enter", "tab", "down":
		if !in.Followed {
			r.written(1)
		}
	case "up", "shift+tab":
		if !in.Followed {
			r.written(-1)
		}
	default:
		return false
	}
	return true
}

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

// formChoices are the answers to a form.
func (r *Room) formChoices() []choice {
	return []choice{
		{"a", safe.Join(safe.Lit("send it to "), r.asker()), safe.Lit("send"), true, (*Room).sendForm},
		{"x", safe.Lit("decline"), safe.Lit("decline"), false, (*Room).deny},
		{"c", safe.Lit("put away, no word on it"), safe.Lit("put away"), false, (*Room).putAway},
	}
}

func (r *Room) sendForm() Outcome {
	return Outcome{Command: r.answer(event.Answer{Choice: event.Say, Form: r.form.Answers()})}
}

func (r *Room) putAway() Outcome {
	return Outcome{Command: r.answer(event.Answer{Choice: event.Deny, Cancelled: true})}
}
