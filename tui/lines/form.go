package lines

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/safe"
)

// form prints the fields of a form with their numbers, and what is in them.
func (p *printer) form(q event.Question, f ask.Form) {
	from := safe.Lit("the server that asks")
	if q.From != "" {
		from = safe.Shown(q.From)
	}
	p.put("held", safe.Join(safe.Lit("! never a password, a key or a token: what you fill in goes to "), from))
	for i, x := range f.Fields {
		p.field(f, i)
		if x.About != "" {
			p.put("held", safe.Join(safe.Lit("      "), safe.Shown(x.About)))
		}
		for n := range x.Options {
			p.put("held", safe.Join(safe.Lit("      "), safe.Int(n+1), safe.Lit(" "), ask.Option(x, n)))
		}
	}
}

// field prints one field as it stands.
func (p *printer) field(f ask.Form, i int) {
	value := f.Shows(i)
	if value.Empty() {
		value = safe.Lit("-")
	}
	says := safe.Strict(f.Fields[i].Wants())
	if err := f.Wrong(i); err != nil && f.Values[i] != "" {
		says = safe.Join(safe.Lit("! "), safe.Strict(err.Error()))
	}
	p.put("held", safe.Join(safe.Lit("  "), safe.Int(i+1), safe.Lit(" "), ask.FieldTitle(f.Fields[i]), safe.Lit(" = "), value, safe.Lit("   "), says))
}

// fill carries out what was typed behind the code of a form; nil for nothing
// that answers it.
func (f *front) fill(q event.Question, word, rest string) (c event.Command, understood bool) {
	switch word {
	case "decline", "deny":
		return f.answer(q, event.Answer{Choice: event.Deny}), true
	case "away":
		return f.answer(q, event.Answer{Choice: event.Deny, Cancelled: true}), true
	case "send":
		if !sound(q) {
			return nil, false
		}
		if n := f.form.Faults(); n > 0 {
			f.p.line("held", fmt.Sprintf("not sent: %d of %d fields do not fit", n, len(f.form.Fields)))
			f.p.form(q, f.form)
			return nil, true
		}
		return f.answer(q, event.Answer{Choice: event.Say, Form: f.form.Answers()}), true
	}
	i, err := strconv.Atoi(word)
	if err != nil || i < 1 || i > len(f.form.Fields) {
		return nil, false
	}
	i--
	was := f.form.Values[i]
	f.value(i, rest)
	if err := f.form.Wrong(i); err != nil && f.form.Values[i] != "" {
		f.p.line("held", "not filled in: "+err.Error())
		f.form.Values[i] = was
	}
	f.p.field(f.form, i)
	return nil, true
}

// value writes what was typed into a field: options by their numbers.
func (f *front) value(i int, text string) {
	x := f.form.Fields[i]
	f.form.Values[i] = ""
	switch x.Kind {
	case event.FieldBoolean:
		f.form.Values[i] = map[string]string{"yes": "true", "no": "false"}[text]
		if f.form.Values[i] == "" {
			f.form.Values[i] = text
		}
	case event.FieldChoice, event.FieldChoices:
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 || n > len(x.Options) {
				f.form.Values[i] = text
				return // which fits nothing, and is told so
			}
			if !f.form.Has(i, n-1) {
				f.form.Toggle(i, n-1)
			}
		}
	case event.FieldString, event.FieldNumber, event.FieldInteger:
		f.form.Values[i] = text
	}
}
