package acp

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/tera-pilot/tera-pilot/agent/acp/wire"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/strictjson"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Names of the members in which a question of the model is answered.
const (
	fieldChoice = "choice"
	fieldAnswer = "answer"
)

// maxAnswer is the longest text that a person types into a form, in bytes.
const maxAnswer = 64 << 10

// formOf is the form of a question that text answers; ok is false for one that
// wants a yes. No yes is ever asked for by a form.
func formOf(q event.Question) (f formSchema, ok bool) {
	f = formSchema{Type: "object", Properties: map[string]formField{}}
	switch {
	case q.Kind != event.AskUser:
		return f, false
	case len(q.Form) > 0:
		for _, x := range q.Form {
			f.Properties[x.Name] = fieldOf(x)
			if x.Required {
				f.Required = append(f.Required, x.Name)
			}
		}
	case len(q.Options) > 0:
		f.Properties[fieldChoice] = formField{Type: "string", Title: "One of these", Enum: q.Options}
		f.Properties[fieldAnswer] = formField{Type: "string", Title: "Or in your words"}
	default:
		f.Properties[fieldAnswer] = formField{Type: "string", Title: "Your answer"}
		f.Required = []string{fieldAnswer}
	}
	return f, true
}

// fieldOf is a field as the protocol writes it.
func fieldOf(x event.Field) formField {
	field := formField{Type: string(x.Kind), Title: visible.Once(x.Title), About: visible.Once(x.About)}
	switch x.Kind {
	case event.FieldString:
		field.Format, field.MinLength, field.MaxLength = x.Format, x.Min, x.Max
	case event.FieldChoice:
		field.Type, field.Enum = "string", x.Options
	case event.FieldChoices:
		field.Type, field.MinItems, field.MaxItems = "array", x.Min, x.Max
		field.Items = &formField{Type: "string", Enum: x.Options}
	case event.FieldNumber, event.FieldInteger:
		field.Minimum, field.Maximum = x.Min, x.Max
	case event.FieldBoolean:
	}
	if x.Default != "" && field.Type == "string" {
		field.Default = &x.Default
	}
	return field
}

// filled is what a client's answer to a form means. Whatever is not an accepted
// form with the members that were asked for, each of its type, is no answer.
func filled(result json.RawMessage, failed *wire.Error, q event.Question, f formSchema) event.Answer {
	no := func(why string) event.Answer { return event.Answer{Choice: event.Deny, Reason: why} }
	if failed != nil {
		return no("the editor did not answer the question")
	}
	reply, err := strictjson.Object(result)
	if err != nil {
		return no("the editor's answer could not be understood")
	}
	switch action, _ := stringOf(reply["action"]); action {
	case "accept":
	case "decline":
		return no("the person declined to answer")
	case "cancel":
		return event.Answer{Choice: event.Deny, Cancelled: true, Reason: "the person dismissed the question"}
	default:
		return no("the editor's answer could not be understood")
	}
	content, err := strictjson.Object(reply["content"])
	if err != nil {
		return no("the editor's answer has no content")
	}
	values := map[string]string{}
	for name, raw := range content {
		field, known := f.Properties[name]
		text, ok := field.value(raw)
		if !known || !ok {
			return no("the editor's answer holds what was not asked for")
		}
		values[name] = text
	}
	for _, name := range f.Required {
		if _, ok := values[name]; !ok {
			return no("the editor's answer lacks a part")
		}
	}
	if len(q.Form) > 0 {
		if err := event.CheckForm(q.Form, values); err != nil {
			return no("the editor's answer does not fit: " + visible.Strict(err.Error()))
		}
		return event.Answer{Choice: event.Say, Form: values}
	}
	text := values[fieldAnswer]
	if text == "" {
		text = values[fieldChoice]
	}
	if text == "" {
		return no("the person gave no answer")
	}
	return event.Answer{Choice: event.Say, Text: text}
}

// value is a member of a form as text; ok is false for another type, a choice
// that was not offered and a text that is too long.
func (f formField) value(raw json.RawMessage) (text string, ok bool) {
	switch f.Type {
	case "string":
		text, ok = stringOf(raw)
		return text, ok && len(text) <= maxAnswer && (len(f.Enum) == 0 || slices.Contains(f.Enum, text))
	case "boolean":
		return string(raw), string(raw) == "true" || string(raw) == "false"
	case "integer":
		_, err := strconv.ParseInt(string(raw), 10, 64)
		return string(raw), err == nil
	case "number":
		_, err := strconv.ParseFloat(string(raw), 64)
		return string(raw), err == nil && json.Valid(raw)
	case "array":
		some := event.Chosen(string(raw))
		b, err := json.Marshal(some)
		return string(b), err == nil && some != nil
	default:
		return "", false
	}
}

// askForm puts a question to the person as a form. ok is false where there is
// no form for it, or the client has none.
func (s *session) askForm(q event.Question, answer func(event.Answer)) (ok bool) {
	f, ok := formOf(q)
	if !ok || !s.server.forms {
		return false
	}
	request := elicitation{Mode: "form", SessionID: s.id, ToolCallID: q.Call, Message: visible.Once(q.Title) + "\n" + linesText(q), Schema: f}
	cancel := s.server.conn.Start("elicitation/create", request, func(result json.RawMessage, failed *wire.Error) {
		answer(filled(result, failed, q, f))
	})
	s.asked = asked{q.ID, cancel}
	return true
}
