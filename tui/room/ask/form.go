package ask

import (
	"slices"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/safe"
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
