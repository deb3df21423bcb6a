package model

import (
	"encoding/json"
	"net/http"
	"strings"
)

type anthropicBody struct {
	Model       string               `json:"model"`
	MaxTokens   int                  `json:"max_tokens"`
	Stream      bool                 `json:"stream"`
	Temperature *float64             `json:"temperature,omitempty"`
	Thinking    *anthropicThinking   `json:"thinking,omitempty"`
	Output      *anthropicOutput     `json:"output_config,omitempty"`
	Tools       []anthropicTool      `json:"tools,omitempty"`
	System      []*anthropicSent     `json:"system,omitempty"`
	Messages    []*anthropicSentTurn `json:"messages"`
}

// anthropicThinking is adaptive, with the effort said elsewhere; models up to
// 4.5 know a budget of tokens only, and those from 4.7 on refuse one.
type anthropicThinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens,omitempty"`
}

type anthropicOutput struct {
	Effort Effort `json:"effort"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *anthropicCache `json:"cache_control,omitempty"`
}

type anthropicCache struct {
	Type string `json:"type"`
}

type anthropicSentTurn struct {
	Role    string           `json:"role"`
	Content []*anthropicSent `json:"content"`
}

// anthropicSent is one block; its type says which members count.
type anthropicSent struct {
	Type      string           `json:"type"`
	Text      string           `json:"text,omitempty"`
	Thinking  *string          `json:"thinking,omitempty"`
	Signature string           `json:"signature,omitempty"`
	Data      string           `json:"data,omitempty"`
	ID        string           `json:"id,omitempty"`
	Name      string           `json:"name,omitempty"`
	Input     json.RawMessage  `json:"input,omitempty"`
	ToolUseID string           `json:"tool_use_id,omitempty"`
	Content   []*anthropicSent `json:"content,omitempty"`
	IsError   bool             `json:"is_error,omitempty"`
	Source    *anthropicSource `json:"source,omitempty"`
	Cache     *anthropicCache  `json:"cache_control,omitempty"`
}

type anthropicSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// thinkingBudgets are tokens of reasoning for each effort.
var thinkingBudgets = map[Effort]int{EffortLow: 2048, EffortMedium: 8192, EffortHigh: 24576}

func (anthropic) request(req Request, set settings) (string, http.Header, []byte, error) {
	body := anthropicBody{Model: req.Model, MaxTokens: req.MaxTokens, Stream: true, Temperature: req.Temperature}
	if body.MaxTokens == 0 {
		body.MaxTokens = 8192
		if known := set.info.MaxOutput; known > 0 {
			body.MaxTokens = int(min(known, 32<<10))
		}
	}
	body.think(req)
	for _, t := range req.Tools {
		body.Tools = append(body.Tools, anthropicTool{Name: t.Name, Description: t.Description, Schema: compact(t.Schema)})
	}
	if req.System != "" {
		body.System = []*anthropicSent{{Type: "text", Text: req.System}}
	}
	for _, m := range req.Messages {
		body.add(m)
	}
	body.mark()
	raw, err := encode(body)
	h := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if !set.key.IsZero() {
		h.Set("X-Api-Key", set.key.secret)
	}
	return "/v1/messages", h, raw, err
}

func (b *anthropicBody) think(req Request) {
	budget := thinkingBudgets[req.Effort]
	switch {
	case budget == 0:
		return
	case !takesBudget(req.Model):
		b.Thinking, b.Output = &anthropicThinking{Type: "adaptive"}, &anthropicOutput{req.Effort}
	case budget < b.MaxTokens:
		b.Thinking = &anthropicThinking{"enabled", budget}
	}
	b.Temperature = nil // reasoning takes none
}

// takesBudget knows the models that came before adaptive reasoning by name.
func takesBudget(model string) bool {
	for _, old := range []string{"claude-3", "-4-5", "-4-1", "-4-0", "-4-2025"} {
		if strings.Contains(model, old) {
			return true
		}
	}
	return false
}

// add writes a message as blocks, joined to those before it if they have the
// same role. Empty messages are refused by the server, and left out.
func (b *anthropicBody) add(m Message) {
	role := "user"
	if m.Role == RoleAssistant {
		role = "assistant"
	}
	blocks := anthropicBlocks(m.Parts)
	if len(blocks) == 0 {
		return
	}
	if n := len(b.Messages); n > 0 && b.Messages[n-1].Role == role {
		b.Messages[n-1].Content = append(b.Messages[n-1].Content, blocks...)
		return
	}
	b.Messages = append(b.Messages, &anthropicSentTurn{role, blocks})
}

// anthropicBlocks writes parts. Reasoning goes back only with its signature.
func anthropicBlocks(parts []Part) (out []*anthropicSent) {
	for i, p := range parts {
		switch p.Kind {
		case PartText:
			if strings.TrimSpace(p.Text) != "" {
				out = append(out, &anthropicSent{Type: "text", Text: p.Text})
			}
		case PartCall:
			out = append(out, &anthropicSent{Type: "tool_use", ID: safeID(p.CallID), Name: p.Name, Input: argsOrEmpty(p.Args)})
		case PartResult:
			block := &anthropicSent{Type: "tool_result", ToolUseID: safeID(p.CallID), IsError: p.Failed}
			if p.Text != "" {
				block.Content = []*anthropicSent{{Type: "text", Text: p.Text}}
			}
			out = append(out, block)
		case PartImage:
			if p.Image != nil {
				out = append(out, &anthropicSent{Type: "image", Source: &anthropicSource{"base64", p.Image.MediaType, p.Image.Data}})
			}
		case PartOpaque:
			if value, ok := opaqueOf(p, opaqueRedacted); ok {
				out = append(out, &anthropicSent{Type: "redacted_thinking", Data: value})
			}
			if value, ok := opaqueOf(p, opaqueSignature); ok {
				thought := ""
				if i > 0 && parts[i-1].Kind == PartReasoning {
					thought = parts[i-1].Text
				}
				out = append(out, &anthropicSent{Type: "thinking", Thinking: &thought, Signature: value})
			}
		}
	}
	return out
}

// mark sets the places up to which the server may cache: tools, system, and
// the last two messages of the user's side.
func (b *anthropicBody) mark() {
	cache := &anthropicCache{"ephemeral"}
	if n := len(b.Tools); n > 0 {
		b.Tools[n-1].Cache = cache
	}
	if n := len(b.System); n > 0 {
		b.System[n-1].Cache = cache
	}
	left := 2
	for i := len(b.Messages) - 1; i >= 0 && left > 0; i-- {
		if m := b.Messages[i]; m.Role == "user" {
			m.Content[len(m.Content)-1].Cache = cache
			left--
		}
	}
}
