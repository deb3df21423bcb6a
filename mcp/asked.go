package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// What a person asks of an approved server besides its tools, in the protocol's
// words. No tool has such a name, since theirs have no slash; so rules and the
// log tell them apart.
const (
	ListResources = "resources/list"
	ReadResource  = "resources/read"
	ListPrompts   = "prompts/list"
	GetPrompt     = "prompts/get"
	answerForm    = "elicitation/create" // what a form's answer is called in the log
)

// AnswerForm is what the answer to a form is called where tools are named.
const AnswerForm = answerForm

// asked says that a name is one of those that a person asks for.
func asked(name string) bool {
	return slices.Contains([]string{ListResources, ReadResource, ListPrompts, GetPrompt}, name)
}

// askPin stands in the place of a tool's pin.
func askPin(name string) string { return digest([]byte("asked by a person: " + name)) }

// A Wanted are the arguments of what a person asks for.
type Wanted struct {
	URI       string            `json:"uri,omitempty"`       // ReadResource
	Name      string            `json:"name,omitempty"`      // GetPrompt
	Arguments map[string]string `json:"arguments,omitempty"` // GetPrompt
}

// A Prompt is one that a server has ready.
type Prompt struct {
	Server, Name, Does string
	Args               []PromptArg
}

// PromptArg is one argument of a prompt.
type PromptArg struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
}

// Slash is the word that calls the prompt, "" where its name is none for one.
func (p Prompt) Slash() string {
	if nameFault(p.Name) != "" {
		return ""
	}
	return "mcp__" + p.Server + "__" + p.Name
}

// Ask sends what a person asks for. The text is the server's.
func (s *Server) Ask(ctx context.Context, name string, w Wanted) (r Result, prompts []Prompt, err error) {
	any := func(*conn) error { return nil }
	var raw json.RawMessage
	switch name {
	case ListResources:
		r.Text, err = s.resources(ctx)
	case ListPrompts:
		prompts, err = s.prompts(ctx)
		r.Text = listed(prompts)
	case ReadResource:
		raw, err = s.request(ctx, "the reading of a resource", any, func(ctx context.Context, c *conn) error {
			_, err := c.client.ReadResource(ctx, protocol.ReadResourceRequest{Params: protocol.ReadResourceParams{URI: w.URI}})
			return err
		})
		if err == nil {
			r.Text, err = contents(raw)
		}
	case GetPrompt:
		raw, err = s.request(ctx, "the prompt", any, func(ctx context.Context, c *conn) error {
			_, err := c.client.GetPrompt(ctx, protocol.GetPromptRequest{Params: protocol.GetPromptParams{Name: w.Name, Arguments: w.Arguments}})
			return err
		})
		if err == nil {
			r.Text, err = messages(raw)
		}
	default:
		err = fmt.Errorf("nothing is asked of a server by the name %q", name)
	}
	r.Text = cutText(r.Text)
	return r, prompts, err
}

// list reads all pages of one of a server's lists, within a call's time.
func (s *Server) list(ctx context.Context, member string, page func(context.Context, *conn, protocol.Cursor) error) ([]json.RawMessage, error) {
	ctx, done := s.during(ctx)
	defer done()
	ctx, call := s.attend(ctx)
	defer call.end()
	var c *conn
	err := s.inTurn(ctx, func(now *conn) error { c = now; return nil })
	if err != nil {
		return nil, call.why(err)
	}
	out, err := s.pages(ctx, c, member, func(ctx context.Context, at protocol.Cursor) error { return page(ctx, c, at) })
	return out, call.why(err)
}

// resources lists a server's resources and the forms of those that it makes.
func (s *Server) resources(ctx context.Context) (string, error) {
	all, err := s.list(ctx, "resources", func(ctx context.Context, c *conn, at protocol.Cursor) error {
		var q protocol.ListResourcesRequest
		q.Params.Cursor = at
		_, err := c.client.ListResourcesByPage(ctx, q)
		return err
	})
	if err != nil {
		return "", err
	}
	forms, err := s.list(ctx, "resourceTemplates", func(ctx context.Context, c *conn, at protocol.Cursor) error {
		var q protocol.ListResourceTemplatesRequest
		q.Params.Cursor = at
		_, err := c.client.ListResourceTemplatesByPage(ctx, q)
		return err
	})
	var b strings.Builder
	switch {
	case err == nil, errors.Is(err, protocol.ErrMethodNotFound): // a server without templates has none
	case ctx.Err() != nil:
		return "", err
	default:
		b.WriteString("[the forms of its resources cannot be listed]\n")
	}
	for _, raw := range slices.Concat(all, forms) {
		var r struct{ URI, URITemplate, Name, MIMEType, Description string }
		if json.Unmarshal(raw, &r) != nil || r.URI+r.URITemplate == "" {
			b.WriteString("[an entry that is not understood was left out]\n")
			continue
		}
		line := oneLine(r.URI+r.URITemplate) + "  " + oneLine(r.Name)
		for _, more := range []string{r.MIMEType, r.Description} {
			if more != "" {
				line += "  " + oneLine(more)
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String(), nil
}

// prompts lists a server's prompts.
func (s *Server) prompts(ctx context.Context) ([]Prompt, error) {
	list, err := s.list(ctx, "prompts", func(ctx context.Context, c *conn, at protocol.Cursor) error {
		var q protocol.ListPromptsRequest
		q.Params.Cursor = at
		_, err := c.client.ListPromptsByPage(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	var out []Prompt
	for _, raw := range list {
		var p struct {
			Name        string      `json:"name"`
			Description string      `json:"description"`
			Arguments   []PromptArg `json:"arguments"`
		}
		odd := func(a PromptArg) bool { return nameFault(a.Name) != "" } // it would stand among the person's own words
		if len(out) < maxTools && json.Unmarshal(raw, &p) == nil && p.Name != "" && !slices.ContainsFunc(p.Arguments, odd) && !s.echoes(string(raw)) {
			out = append(out, Prompt{s.Name(), p.Name, oneLine(p.Description), p.Arguments})
		}
	}
	return out, nil
}

// listed is a list of prompts as text.
func listed(prompts []Prompt) string {
	var b strings.Builder
	for _, p := range prompts {
		b.WriteString(oneLine(p.Name))
		for _, a := range p.Args {
			if a.Required {
				fmt.Fprintf(&b, " %s=…", oneLine(a.Name))
			} else {
				fmt.Fprintf(&b, " [%s=…]", oneLine(a.Name))
			}
		}
		if p.Does != "" {
			b.WriteString("  " + p.Does)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// oneLine is a word or a sentence of a server in one bounded line, as it came.
func oneLine(s string) string { return cutWord(strings.Join(strings.Fields(s), " ")) }

// contents are the parts of a resource that was read.
func contents(raw json.RawMessage) (string, error) {
	var r struct {
		Contents []json.RawMessage `json:"contents"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return "", errors.New("its answer is no resource")
	}
	var b strings.Builder
	for _, c := range r.Contents {
		part, err := json.Marshal(map[string]any{"type": "resource", "resource": c})
		if err != nil {
			return "", err
		}
		b.WriteString(oneBlock(part) + "\n")
		if b.Len() > maxResult {
			break
		}
	}
	return b.String(), nil
}

// messages are those of a prompt.
func messages(raw json.RawMessage) (string, error) {
	var r struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return "", errors.New("its answer is no prompt")
	}
	var b strings.Builder
	for _, m := range r.Messages {
		if m.Role != "user" {
			fmt.Fprintf(&b, "[as %s]\n", oneLine(m.Role))
		}
		b.WriteString(oneBlock(m.Content) + "\n")
		if b.Len() > maxResult {
			break
		}
	}
	return b.String(), nil
}

// ask sends what a person asks for to a server that stands as it was approved.
func (s *Servers) ask(ctx context.Context, e Entry, p Plan, args json.RawMessage) (Result, error) {
	pin, err := s.o.Pins.Get(Key(e, s.o.Workspace))
	if err != nil {
		return Result{}, err
	}
	if !p.Pinned || pin.Tools == nil || pin.Identity.Hash() != p.Identity.Hash() || p.Pin != askPin(p.Tool) {
		return Result{}, &WithdrawnError{p.Server, p.Tool, "what was approved of it changed meanwhile"}
	}
	var w Wanted
	if err := json.Unmarshal(args, &w); err != nil {
		return Result{}, err
	}
	server, err := s.server(e, p)
	if err != nil {
		return Result{}, err
	}
	r, prompts, err := server.Ask(ctx, p.Tool, w)
	if err == nil && p.Tool == ListPrompts {
		s.mu.Lock()
		s.prompts[p.Server] = prompts
		s.mu.Unlock()
	}
	return r, err
}

// Prompts are those of the servers whose prompts were listed in this session.
func (s *Servers) Prompts() []Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Prompt
	for _, name := range slices.Sorted(maps.Keys(s.prompts)) {
		out = append(out, s.prompts[name]...)
	}
	return out
}

// PromptOf parts the word of a prompt into server and prompt, the longest name
// of a server first; ok is false for what is none.
func (s *Servers) PromptOf(slash string) (server, prompt string, ok bool) {
	rest, is := strings.CutPrefix(slash, "mcp__")
	server, prompt, parted := strings.Cut(rest, "__")
	if _, known := s.entry(server); !is || !parted || !known || nameFault(prompt) != "" {
		return "", "", false
	}
	return server, prompt, true
}
