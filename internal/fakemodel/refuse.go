package fakemodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// What vendors refuse of a conversation, as far as their documents say: calls
// without results, results without calls, empty texts. A request that none of
// them would take is no proof of a client.

// pairs holds calls against results. Each set of calls is answered before
// anything else is said.
type pairs struct {
	open []string // calls without a result
	seen []string // all calls
}

func (p *pairs) call(id string) error {
	if id == "" || slices.Contains(p.seen, id) {
		return fmt.Errorf("a call has the id %q, which is empty or taken", id)
	}
	p.open, p.seen = append(p.open, id), append(p.seen, id)
	return nil
}

func (p *pairs) result(id string) error {
	i := slices.Index(p.open, id)
	if i < 0 {
		return fmt.Errorf("a result is for %q, which no open call has", id)
	}
	p.open = slices.Delete(p.open, i, i+1)
	return nil
}

// settled says that something else follows, or the end.
func (p *pairs) settled() error {
	if len(p.open) > 0 {
		return fmt.Errorf("the calls %v have no result", p.open)
	}
	return nil
}

func (chat) refuse(body []byte) error {
	var req struct {
		Model    string
		Tools    []struct{ Function struct{ Name string } }
		Messages []struct {
			Role      string
			ToolCalls []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			ToolCallID string `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	var p pairs
	for _, m := range req.Messages {
		if m.Role == "tool" {
			if err := p.result(m.ToolCallID); err != nil {
				return err
			}
			continue
		}
		if err := p.settled(); err != nil {
			return err
		}
		for _, c := range m.ToolCalls {
			if !json.Valid([]byte(c.Function.Arguments)) {
				return fmt.Errorf("the arguments of %s are no JSON", c.Function.Name)
			}
			if err := p.call(c.ID); err != nil {
				return err
			}
		}
	}
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Function.Name)
	}
	return firstOf(p.settled(), needs(req.Model, names))
}

// Ollama takes what it is given: results have no ids there.
func (ollama) refuse(body []byte) error {
	var req struct{ Model string }
	return firstOf(json.Unmarshal(body, &req), needs(req.Model, nil))
}

func (responses) refuse(body []byte) error {
	var req struct {
		Model string
		Tools []struct{ Name string }
		Input []struct {
			Type, Role, Arguments string
			CallID                string `json:"call_id"`
		}
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	var p pairs
	for _, item := range req.Input {
		var err error
		switch item.Type {
		case "function_call":
			err = p.call(item.CallID)
		case "function_call_output":
			err = p.result(item.CallID)
		case "message", "":
			err = p.settled()
		}
		if err != nil {
			return err
		}
	}
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	return firstOf(p.settled(), needs(req.Model, names))
}

func (anthropic) refuse(body []byte) error {
	var req struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
		Tools     []struct{ Name string }
		Messages  []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	if req.MaxTokens <= 0 {
		return fmt.Errorf("max_tokens is %d", req.MaxTokens)
	}
	var p pairs
	for i, m := range req.Messages {
		if i == 0 && m.Role != "user" {
			return fmt.Errorf("the first message is of the %s", m.Role)
		}
		if err := p.blocks(m.Role, m.Content); err != nil {
			return err
		}
	}
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	return firstOf(p.settled(), needs(req.Model, names))
}

// blocks are those of one message: results come first in it.
func (p *pairs) blocks(role string, content json.RawMessage) error {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return p.settled()
	}
	var blocks []struct {
		Type, ID, Text string
		ToolUseID      string `json:"tool_use_id"`
	}
	if err := json.Unmarshal(content, &blocks); err != nil {
		return err
	}
	for _, b := range blocks {
		var err error
		switch {
		case b.Type == "tool_result" && role == "user":
			err = p.result(b.ToolUseID)
		case b.Type == "tool_use" && role == "assistant":
			err = p.call(b.ID)
		case b.Type == "text" && b.Text == "":
			err = fmt.Errorf("a text of the %s is empty", role)
		case role == "user":
			err = p.settled()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Gemini's calls have no ids: those of a turn are answered by as many results
// of the same names in the next.
func (gemini) refuse(body []byte) error {
	type named struct{ Name string }
	var req struct {
		Contents []struct {
			Role  string
			Parts []struct {
				FunctionCall     *named `json:"functionCall"`
				FunctionResponse *named `json:"functionResponse"`
			}
		}
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	var open []string
	for i, c := range req.Contents {
		var calls, results []string
		for _, part := range c.Parts {
			if part.FunctionCall != nil {
				calls = append(calls, part.FunctionCall.Name)
			}
			if part.FunctionResponse != nil {
				results = append(results, part.FunctionResponse.Name)
			}
		}
		slices.Sort(results)
		switch {
		case i == 0 && c.Role != "user", c.Role != "user" && c.Role != "model", len(c.Parts) == 0:
			return fmt.Errorf("content %d is of %q, with %d parts", i, c.Role, len(c.Parts))
		case !slices.Equal(open, results):
			return fmt.Errorf("the calls %v are answered by %v", open, results)
		}
		open = calls
		slices.Sort(open)
	}
	if len(open) > 0 {
		return fmt.Errorf("the calls %v have no result", open)
	}
	return nil
}

// needs are what every protocol asks for.
func needs(model string, tools []string) error {
	if model == "" {
		return fmt.Errorf("no model is named")
	}
	good := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	for i, name := range tools {
		if !good.MatchString(name) || slices.Contains(tools[:i], name) {
			return fmt.Errorf("a tool is called %q, which is no name or taken", name)
		}
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
