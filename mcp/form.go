package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"golang.org/x/text/unicode/norm"
)

// A Form is what a server asks the person for. All its texts are the server's.
type Form struct {
	Server  string
	Message string
	Fields  []Field // the required ones first, then by name
}

// A Field is one value of a form.
type Field struct {
	Name, Title, About string
	Kind               FieldKind
	Options, Labels    []string // of choices; Labels are nil, or one for each option
	Default            string   // written as a value; "" for none
	Required           bool
	Format             string   // email, uri, date, date-time or ""
	Min, Max           *float64 // of the number, the characters, the choices; nil: no bound
}

// A FieldKind is what a field takes.
type FieldKind string

// Kinds of fields, and how a value is written.
const (
	FieldString  FieldKind = "string"
	FieldNumber  FieldKind = "number"  // as in JSON
	FieldInteger FieldKind = "integer" // as in JSON
	FieldBoolean FieldKind = "boolean" // true or false
	FieldChoice  FieldKind = "choice"  // one of Options
	FieldChoices FieldKind = "choices" // a JSON list of Options
)

// An Action is what the person made of a form. The zero value puts it away.
type Action string

// Actions.
const (
	PutAway Action = ""
	Decline Action = "decline"
	Accept  Action = "accept"
)

// Filled is a form that came back. Values are written as their kinds say.
type Filled struct {
	Action Action
	Values map[string]string
}

// secretive are names of what nobody types into a stranger's form.
var secretive = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)pass(word|phrase|code|wort)?|kennwort|contrase|\bsenha|\bpwd\b|secret|token|bearer|credential|cookie|session[ _-]?id` +
		`|(api|private|access|ssh|gpg|signing|encryption|licen[cs]e|recovery)[ _-]?key|card[ _-]?number|\bpin\b|cv[vc]\b|\botp|[a-z]OTP|one[- ]time|\bssn\b` +
		`|(seed|recovery|backup)[ _-]?(phrase|code|words)|(verif\w+|auth\w*|security|log[ -]?in|sign[ -]?in|sms|digit)[ _-]?code|mnemonic|\b[2m]fa\b|\bPAT\b`)
})

// wantsSecret says that a text seems to ask for a secret: by its words, as they
// are read and not as they are spelt, or by a word of letters of two scripts,
// which is there to look like another.
func wantsSecret(text string) bool {
	read := strings.Map(func(r rune) rune {
		if visible.Hidden(r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
	for _, word := range strings.FieldsFunc(read, func(r rune) bool { return !unicode.IsLetter(r) }) {
		is := func(tables ...*unicode.RangeTable) bool {
			return strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, tables...) })
		}
		if is(unicode.Latin) && is(unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee) {
			return true
		}
	}
	return secretive().MatchString(read)
}

// forms adapts a server's calls under way to the library.
type forms struct{ server *Server }

// Elicit implements client.ElicitationHandler. Only a form of flat, harmless
// fields that comes while a call is under way is put to the person.
func (f forms) Elicit(_ context.Context, q protocol.ElicitationRequest) (*protocol.ElicitationResult, error) {
	out := &protocol.ElicitationResult{}
	out.Action = protocol.ElicitationResponseActionDecline
	form, err := readForm(f.server.Name(), q.Params)
	call := f.server.attending()
	switch {
	case err != nil:
		call.refused(err.Error())
		return out, nil
	case call == nil || call.Fill == nil:
		call.refused("nobody can be asked")
		out.Action = protocol.ElicitationResponseActionCancel
		return out, nil
	}
	filled, err := call.fill(form)
	if err != nil {
		return nil, err
	}
	switch filled.Action {
	case Accept:
		if out.Content, err = form.content(filled.Values); err != nil {
			return nil, err
		}
		out.Action = protocol.ElicitationResponseActionAccept
	case Decline:
	default:
		out.Action = protocol.ElicitationResponseActionCancel
	}
	return out, nil
}

// Bounds of a form.
const (
	maxFields      = 20
	maxFormText    = 4 << 10
	maxFieldWords  = 500
	maxFormOptions = 100
)

// readForm reads a form of the flat kinds that the protocol has; whatever else
// stands in it makes it none.
func readForm(server string, p protocol.ElicitationParams) (Form, error) {
	form := Form{Server: server, Message: p.Message}
	switch {
	case p.Mode != "" && p.Mode != protocol.ElicitationModeForm:
		return form, errors.New("it wanted an address to be opened, which is not done for a server")
	case len(p.Message) > maxFormText:
		return form, errors.New("its form is too long")
	case wantsSecret(p.Message):
		return form, errors.New("its form seems to ask for a secret")
	}
	raw, err := json.Marshal(p.RequestedSchema)
	if err != nil {
		return form, err
	}
	var schema struct {
		Schema     string                     `json:"$schema"`
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if dec.Decode(&schema) != nil || schema.Type != "object" || len(schema.Properties) == 0 || len(schema.Properties) > maxFields {
		return form, fmt.Errorf("its form is not a flat object of 1 to %d fields", maxFields)
	}
	for _, name := range schema.Required {
		if schema.Properties[name] == nil {
			return form, errors.New("its form requires a field that it does not have")
		}
	}
	for name, raw := range schema.Properties {
		field, err := readField(name, raw)
		if err != nil {
			return form, err
		}
		field.Required = slices.Contains(schema.Required, name)
		form.Fields = append(form.Fields, field)
	}
	slices.SortFunc(form.Fields, func(a, b Field) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return compare(a.Name, b.Name)
	})
	return form, nil
}

// option is a titled choice.
type option struct{ Const, Title string }

// fieldSchema has all members that a primitive schema may have.
type fieldSchema struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Format      string          `json:"format"`
	MinLength   *float64        `json:"minLength"`
	MaxLength   *float64        `json:"maxLength"`
	Minimum     *float64        `json:"minimum"`
	Maximum     *float64        `json:"maximum"`
	MinItems    *float64        `json:"minItems"`
	MaxItems    *float64        `json:"maxItems"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []option        `json:"oneOf"`
	Items       *struct {
		Type  string   `json:"type"`
		Enum  []string `json:"enum"`
		AnyOf []option `json:"anyOf"`
	} `json:"items"`
}

// readField reads one field, or says why it is none.
func readField(name string, raw json.RawMessage) (Field, error) {
	var s fieldSchema
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if dec.Decode(&s) != nil {
		return Field{}, errors.New("a field of its form is none of the kinds that a form may have")
	}
	f := Field{Name: name, Title: s.Title, About: s.Description, Format: s.Format}
	if f.Title == "" {
		f.Title = name
	}
	switch kind := s.Type; {
	case kind == "string" && (s.Enum != nil || s.OneOf != nil):
		f.Kind, f.Options, f.Labels = FieldChoice, s.Enum, s.EnumNames
		f.titled(s.OneOf)
	case kind == "array" && s.Items != nil:
		f.Kind, f.Options, f.Min, f.Max = FieldChoices, s.Items.Enum, s.MinItems, s.MaxItems
		f.titled(s.Items.AnyOf)
	case kind == "string":
		f.Kind, f.Min, f.Max = FieldString, s.MinLength, s.MaxLength
	case kind == "number", kind == "integer":
		f.Kind, f.Min, f.Max = FieldKind(kind), s.Minimum, s.Maximum
	case kind == "boolean":
		f.Kind = FieldBoolean
	}
	f.Default = written(f.Kind, s.Default)
	return f, f.fault()
}

func (f *Field) titled(options []option) {
	for _, o := range options {
		f.Options, f.Labels = append(f.Options, o.Const), append(f.Labels, o.Title)
	}
}

// fault says why nobody is asked for the field.
func (f Field) fault() error {
	chooses := f.Kind == FieldChoice || f.Kind == FieldChoices
	words := f.Name + " " + f.Title + " " + f.About
	for _, text := range slices.Concat(f.Options, f.Labels) {
		if len(text) > maxFieldWords {
			return errors.New("a choice of its form is too long")
		}
	}
	switch {
	case f.Kind == "":
		return errors.New("a field of its form is none of the kinds that a form may have")
	case f.Name == "" || !visible.Harmless(f.Name) || len(words) > maxFieldWords*3:
		return errors.New("a field of its form has a name that is hidden, or too long")
	case wantsSecret(words):
		return errors.New("a field of its form seems to ask for a secret")
	case chooses && (len(f.Options) == 0 || len(f.Options) > maxFormOptions):
		return fmt.Errorf("a choice of its form has not 1 to %d options", maxFormOptions)
	case len(f.Labels) > 0 && len(f.Labels) != len(f.Options):
		return errors.New("a choice of its form has not one label for each option")
	case !slices.Contains([]string{"", "email", "uri", "date", "date-time"}, f.Format) || f.Format != "" && f.Kind != FieldString:
		return errors.New("a field of its form has a format that is not known")
	}
	return nil
}

// written is a default as a value is written; one that is of another kind is none.
func written(kind FieldKind, raw json.RawMessage) string {
	var text string
	switch kind {
	case FieldString, FieldChoice:
		if json.Unmarshal(raw, &text) == nil {
			return text
		}
		return ""
	default:
		if string(raw) == "null" {
			return ""
		}
		return string(raw)
	}
}

// content is what the server is answered: the values that were given, each of
// its type. Values that the form did not ask for are an error.
func (f Form) content(values map[string]string) (map[string]any, error) {
	out := map[string]any{}
	for name, value := range values {
		i := slices.IndexFunc(f.Fields, func(x Field) bool { return x.Name == name })
		if i < 0 {
			return nil, errors.New("the answer to its form holds what was not asked for")
		}
		switch kind := f.Fields[i].Kind; {
		case kind == FieldString, kind == FieldChoice && slices.Contains(f.Fields[i].Options, value):
			out[name] = value
		case value == "":
		case kind == FieldChoice || !json.Valid([]byte(value)):
			return nil, errors.New("the answer to its form is not of the form's types")
		default:
			out[name] = json.RawMessage(value)
		}
	}
	return out, nil
}
