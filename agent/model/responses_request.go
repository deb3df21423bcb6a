package model

import (
	"encoding/json"
	"net/http"
)

type responsesBodyOut struct {
	Model        string              `json:"model"`
	Stream       bool                `json:"stream"`
	Store        bool                `json:"store"`
	Include      []string            `json:"include"`
	MaxTokens    int                 `json:"max_output_tokens,omitempty"`
	Temperature  *float64            `json:"temperature,omitempty"`
	Reasoning    *responsesReasoning `json:"reasoning,omitempty"`
	Tools        []responsesTool     `json:"tools,omitempty"`
	Instructions string              `json:"instructions,omitempty"`
	Input        []responsesSent     `json:"input"`
}

type responsesReasoning struct {
	Effort  Effort `json:"effort"`
	Summary string `json:"summary"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// responsesSent is one item; its type says which members count.
type responsesSent struct {
	Type      string              `json:"type"`
	ID        string              `json:"id,omitempty"`
	Role      string              `json:"role,omitempty"`
	Content   []responsesSentPart `json:"content,omitempty"`
	Summary   *[]struct{}         `json:"summary,omitempty"`
	Encrypted string              `json:"encrypted_content,omitempty"`
	CallID    string              `json:"call_id,omitempty"`
	Name      string              `json:"name,omitempty"`
	Arguments *string             `json:"arguments,omitempty"`
	Output    *string             `json:"output,omitempty"`
}

type responsesSentPart struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	Image string `json:"image_url,omitempty"`
}

// request asks the server to store nothing: encrypted reasoning comes back with
// the reply, and goes with the next request.
func (responses) request(req Request, set settings) (string, http.Header, []byte, error) {
	body := responsesBodyOut{
		Model: req.Model, Stream: true, Include: []string{"reasoning.encrypted_content"},
		MaxTokens: req.MaxTokens, Temperature: req.Temperature, Instructions: req.System,
		Input: []responsesSent{},
	}
	if effort := spoken(req.Effort, set.info); effort != "" {
		body.Reasoning = &responsesReasoning{effort, "auto"}
	}
	for _, t := range req.Tools {
		body.Tools = append(body.Tools, responsesTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: compact(t.Schema)})
	}
	for _, m := range req.Messages {
		body.Input = append(body.Input, responsesItems(m)...)
	}
	raw, err := encode(body)
	return "/responses", bearer(set.key), raw, err
}

// responsesItems writes the parts of a message as items, in order.
func responsesItems(m Message) (out []responsesSent) {
	role, textType := "user", "input_text"
	if m.Role == RoleAssistant {
		role, textType = "assistant", "output_text"
	}
	add := func(part responsesSentPart) {
		if n := len(out); n > 0 && out[n-1].Type == "message" {
			out[n-1].Content = append(out[n-1].Content, part)
			return
		}
		out = append(out, responsesSent{Type: "message", Role: role, Content: []responsesSentPart{part}})
	}
	for _, p := range m.Parts {
		switch p.Kind {
		case PartText:
			add(responsesSentPart{Type: textType, Text: p.Text})
		case PartImage:
			if p.Image != nil {
				add(responsesSentPart{Type: "input_image", Image: dataURL(p.Image)})
			}
		case PartCall:
			args := string(argsOrEmpty(p.Args))
			out = append(out, responsesSent{Type: "function_call", CallID: safeID(p.CallID), Name: p.Name, Arguments: &args})
		case PartResult:
			text := p.Text
			out = append(out, responsesSent{Type: "function_call_output", CallID: safeID(p.CallID), Output: &text})
		case PartOpaque:
			if value, ok := opaqueOf(p, opaqueReasoning); ok {
				out = append(out, responsesSent{Type: "reasoning", ID: p.Opaque.ID, Summary: &[]struct{}{}, Encrypted: value})
			}
		}
	}
	return out
}
