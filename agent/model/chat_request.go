package model

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

type chatBody struct {
	Model       string          `json:"model"`
	Stream      bool            `json:"stream"`
	Options     *chatOptions    `json:"stream_options,omitempty"`
	MaxTokens   int             `json:"max_tokens,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	Seed        *int64          `json:"seed,omitempty"`
	Effort      Effort          `json:"reasoning_effort,omitempty"`
	Tools       []chatTool      `json:"tools,omitempty"`
	Messages    []chatRequested `json:"messages"`
}

type chatOptions struct {
	Usage bool `json:"include_usage"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatToolSpec `json:"function"`
}

type chatToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// chatRequested is one message. Content is text, a list of parts, or null.
type chatRequested struct {
	Role      string          `json:"role"`
	Content   any             `json:"content"`
	Reasoning string          `json:"reasoning_content,omitempty"`
	Details   json.RawMessage `json:"reasoning_details,omitempty"`
	Calls     []chatSentCall  `json:"tool_calls,omitempty"`
	CallID    string          `json:"tool_call_id,omitempty"`
}

type chatSentCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatSentFunc `json:"function"`
}

type chatSentFunc struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatContentPart struct {
	Type  string        `json:"type"`
	Text  string        `json:"text,omitempty"`
	Image *chatImageURL `json:"image_url,omitempty"`
}

type chatImageURL struct {
	URL string `json:"url"`
}

func (chat) request(req Request, set settings) (string, http.Header, []byte, error) {
	body := chatBody{
		Model: req.Model, Stream: true, MaxTokens: req.MaxTokens,
		Temperature: req.Temperature, Seed: req.Seed, Effort: spoken(req.Effort, set.info),
	}
	if !set.preset.quirks.noUsage {
		body.Options = &chatOptions{Usage: true}
	}
	for _, t := range req.Tools {
		body.Tools = append(body.Tools, chatTool{"function", chatToolSpec{t.Name, t.Description, compact(t.Schema)}})
	}
	if req.System != "" {
		body.Messages = append(body.Messages, chatRequested{Role: "system", Content: req.System})
	}
	for _, m := range req.Messages {
		body.Messages = append(body.Messages, chatMessages(m, set.preset.quirks)...)
	}
	if set.folded {
		body.Messages = foldMessages(body.Messages)
	}
	raw, err := encode(body)
	return "/chat/completions", bearer(set.key), raw, err
}

// spoken is an effort for servers that know low, medium and high. The least
// that those of a reasoning model take everywhere is low; to others, which
// refuse the member, nothing is said.
func spoken(e Effort, info Info) Effort {
	switch {
	case e != EffortOff:
		return e
	case info.Reasoning:
		return EffortLow
	}
	return ""
}

// chatMessages writes one message; results of calls are a message each.
func chatMessages(m Message, q quirks) []chatRequested {
	id := func(s string) string {
		if q.shortIDs {
			return shortID(s)
		}
		return s
	}
	switch m.Role {
	case RoleTool:
		var out []chatRequested
		var images []Part
		for _, p := range m.Parts {
			switch p.Kind {
			case PartResult:
				out = append(out, chatRequested{Role: "tool", Content: p.Text, CallID: id(p.CallID)})
			case PartImage:
				images = append(images, p)
			}
		}
		if images != nil { // a tool message holds text only
			out = append(out, chatRequested{Role: "user", Content: chatContent(images)})
		}
		return out
	case RoleAssistant:
		out := chatRequested{Role: "assistant"}
		if text := joinText(m.Parts, PartText); text != "" {
			out.Content = text
		}
		if q.reasoningBack {
			out.Reasoning = joinText(m.Parts, PartReasoning)
		}
		for _, p := range m.Parts {
			if p.Kind == PartCall {
				out.Calls = append(out.Calls, chatSentCall{id(p.CallID), "function", chatSentFunc{p.Name, string(argsOrEmpty(p.Args))}})
			}
			if value, ok := opaqueOf(p, opaqueDetails); ok {
				out.Details = json.RawMessage(value)
			}
		}
		if out.Content == nil && out.Calls == nil {
			out.Content = "" // null is for messages that only call
		}
		return []chatRequested{out}
	default:
		return []chatRequested{{Role: "user", Content: chatContent(m.Parts)}}
	}
}

// chatContent is plain text where there are no images: some servers take
// nothing else.
func chatContent(parts []Part) any {
	if !slices.ContainsFunc(parts, func(p Part) bool { return p.Kind == PartImage && p.Image != nil }) {
		return joinText(parts, PartText)
	}
	var out []chatContentPart
	for _, p := range parts {
		switch {
		case p.Kind == PartText:
			out = append(out, chatContentPart{Type: "text", Text: p.Text})
		case p.Kind == PartImage && p.Image != nil:
			out = append(out, chatContentPart{Type: "image_url", Image: &chatImageURL{dataURL(p.Image)}})
		}
	}
	return out
}

// foldMessages puts the system prompt into the first user message, and joins
// neighbours of one role, as some templates want it. Only text is joined.
func foldMessages(in []chatRequested) []chatRequested {
	var out []chatRequested
	for _, m := range in {
		if m.Role == "system" {
			m.Role = "user"
		}
		text, isText := m.Content.(string)
		if n := len(out); n > 0 && isText && out[n-1].Role == m.Role && m.Role != "tool" && out[n-1].Calls == nil {
			if before, ok := out[n-1].Content.(string); ok {
				out[n-1].Content = strings.TrimSpace(before + "\n\n" + text)
				out[n-1].Calls = m.Calls
				continue
			}
		}
		out = append(out, m)
	}
	return out
}
