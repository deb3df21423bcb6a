package model

import (
	"encoding/json"
	"net/http"
	"strings"
)

type ollamaBody struct {
	Model    string       `json:"model"`
	Stream   bool         `json:"stream"`
	Think    *bool        `json:"think,omitempty"`
	Keep     string       `json:"keep_alive"`
	Options  ollamaOption `json:"options"`
	Tools    []chatTool   `json:"tools,omitempty"`
	Messages []ollamaSent `json:"messages"`
}

type ollamaOption struct {
	NumCtx      int64    `json:"num_ctx,omitempty"`
	NumPredict  int      `json:"num_predict,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
}

type ollamaSent struct {
	Role     string       `json:"role"`
	Content  string       `json:"content"`
	Thinking string       `json:"thinking,omitempty"`
	Images   [][]byte     `json:"images,omitempty"`
	Calls    []ollamaCall `json:"tool_calls,omitempty"`
	ToolName string       `json:"tool_name,omitempty"`
}

type ollamaCall struct {
	Function ollamaFunction `json:"function"`
}

type ollamaFunction struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"arguments"`
}

// request keeps num_ctx the same for a whole session: a change loads the model
// anew.
func (ollama) request(req Request, set settings) (string, http.Header, []byte, error) {
	body := ollamaBody{
		Model: req.Model, Stream: true, Keep: "30m",
		Options:  ollamaOption{NumCtx: set.profile.NumCtx, NumPredict: req.MaxTokens, Temperature: req.Temperature, Seed: req.Seed},
		Messages: []ollamaSent{},
	}
	if req.Effort != "" {
		think := req.Effort != EffortOff
		body.Think = &think
	}
	for _, t := range req.Tools {
		body.Tools = append(body.Tools, chatTool{"function", chatToolSpec{t.Name, t.Description, compact(t.Schema)}})
	}
	if req.System != "" {
		body.Messages = append(body.Messages, ollamaSent{Role: "system", Content: req.System})
	}
	for _, m := range req.Messages {
		body.Messages = append(body.Messages, ollamaMessages(m)...)
	}
	raw, err := encode(body)
	return "/api/chat", bearer(set.key), raw, err
}

// ollamaMessages writes one message; results of calls are a message each.
func ollamaMessages(m Message) (out []ollamaSent) {
	if m.Role == RoleTool {
		for _, p := range m.Parts {
			switch p.Kind {
			case PartResult:
				out = append(out, ollamaSent{Role: "tool", Content: p.Text, ToolName: p.Name})
			case PartImage:
				if p.Image != nil {
					out = append(out, ollamaSent{Role: "user", Images: [][]byte{p.Image.Data}})
				}
			}
		}
		return out
	}
	sent := ollamaSent{Role: string(m.Role), Content: joinText(m.Parts, PartText)}
	for _, p := range m.Parts {
		switch p.Kind {
		case PartCall:
			sent.Calls = append(sent.Calls, ollamaCall{ollamaFunction{p.Name, argsOrEmpty(p.Args)}})
		case PartImage:
			if p.Image != nil {
				sent.Images = append(sent.Images, p.Image.Data)
			}
		}
	}
	if sent.Calls != nil { // reasoning goes back only within a chain of calls
		sent.Thinking = strings.TrimSpace(joinText(m.Parts, PartReasoning))
	}
	return []ollamaSent{sent}
}
