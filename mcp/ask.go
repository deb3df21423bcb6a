package mcp

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// A Form is what a server asks the person for.
type Form struct {
	Server  string
	Message string // the server's words
	Fields  []Field
}

// A Field is one value of a form.
type Field struct {
	Name, Title string
	Kind        string // string, number, integer, boolean, choice
	Options     []string
	Required    bool
}

// Elicit puts a form to the person. ok false declines.
type Elicit func(ctx context.Context, f Form) (values map[string]any, ok bool)

// secretive are names of what nobody types into a stranger's form.
var secretive = regexp.MustCompile(`(?i)pass(word|phrase|code)?|secret|token|api[ _-]?key|private[ _-]?key|credential|\bpin\b|cvv|otp|ssn`)

// forms adapts an Elicit to the library.
type forms struct {
	server string
	ask    Elicit
}

// Elicit implements client.ElicitationHandler. All but a form of flat, harmless
// fields is declined.
func (f forms) Elicit(ctx context.Context, q protocol.ElicitationRequest) (*protocol.ElicitationResult, error) {
	decline := &protocol.ElicitationResult{ElicitationResponse: protocol.ElicitationResponse{Action: protocol.ElicitationResponseActionDecline}}
	form, ok := readForm(f.server, q.Params)
	if !ok {
		return decline, nil
	}
	values, ok := f.ask(ctx, form)
	if !ok {
		return decline, nil
	}
	return &protocol.ElicitationResult{ElicitationResponse: protocol.ElicitationResponse{Action: protocol.ElicitationResponseActionAccept, Content: values}}, nil
}

func readForm(server string, p protocol.ElicitationParams) (Form, bool) {
	form := Form{Server: server, Message: p.Message}
	raw, err := json.Marshal(p.RequestedSchema)
	if err != nil || secretive.MatchString(p.Message) {
		return form, false
	}
	var schema struct {
		Properties map[string]struct {
			Type, Title, Description string
			Enum                     []string
		}
		Required []string
	}
	if json.Unmarshal(raw, &schema) != nil || len(schema.Properties) == 0 || len(schema.Properties) > 20 {
		return form, false
	}
	for name, s := range schema.Properties {
		if secretive.MatchString(name + " " + s.Title + " " + s.Description) {
			return form, false
		}
		kind := s.Type
		if len(s.Enum) > 0 {
			kind = "choice"
		}
		if !slices.Contains([]string{"string", "number", "integer", "boolean", "choice"}, kind) {
			return form, false
		}
		title := s.Title
		if title == "" {
			title = name
		}
		form.Fields = append(form.Fields, Field{name, title, kind, s.Enum, slices.Contains(schema.Required, name)})
	}
	slices.SortFunc(form.Fields, func(a, b Field) int { return compare(a.Name, b.Name) })
	return form, true
}
