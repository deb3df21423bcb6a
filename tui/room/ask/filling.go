package ask

import (
	"hash/fnv"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

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

func (r *Room) sendForm() Outcome {
	return Outcome{Command: r.answer(event.Answer{Choice: event.Say, Form: r.form.Answers()})}
}

func (r *Room) putAway() Outcome {
	return Outcome{Command: r.answer(event.Answer{Choice: event.Deny, Cancelled: true})}
}

// formChoices are the answers to a form.
func (r *Room) formChoices() []choice {
	return []choice{
		{"a", safe.Join(safe.Lit("send it to "), r.asker()), safe.Lit("send"), true, (*Room).sendForm},
		{"x", safe.Lit("decline"), safe.Lit("decline"), false, (*Room).deny},
		{"c", safe.Lit("put away, no word on it"), safe.Lit("put away"), false, (*Room).putAway},
	}
}
