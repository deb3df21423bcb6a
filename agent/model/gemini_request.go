package model

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

type geminiBody struct {
	Tools    []geminiTools   `json:"tools,omitempty"`
	System   *geminiContent  `json:"systemInstruction,omitempty"`
	Config   geminiConfig    `json:"generationConfig"`
	Contents []geminiContent `json:"contents"`
}

type geminiTools struct {
	Functions []geminiFunction `json:"functionDeclarations"`
}

type geminiFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
}

type geminiConfig struct {
	MaxTokens   int             `json:"maxOutputTokens,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	Seed        *int64          `json:"seed,omitempty"`
	Thinking    *geminiThinking `json:"thinkingConfig,omitempty"`
}

// geminiThinking is a level; the models before 3 know a budget of tokens.
type geminiThinking struct {
	Include bool   `json:"includeThoughts"`
	Budget  *int   `json:"thinkingBudget,omitempty"`
	Level   Effort `json:"thinkingLevel,omitempty"`
}

type geminiContent struct {
	Role  string       `json:"role,omitempty"`
	Parts []geminiSent `json:"parts"`
}

type geminiSent struct {
	Text      string          `json:"text,omitempty"`
	Inline    *geminiInline   `json:"inlineData,omitempty"`
	Call      *geminiSentCall `json:"functionCall,omitempty"`
	Response  *geminiResponse `json:"functionResponse,omitempty"`
	Signature string          `json:"thoughtSignature,omitempty"`
}

type geminiInline struct {
	MimeType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

type geminiSentCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiResponse struct {
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

func (gemini) request(req Request, set settings) (string, http.Header, []byte, error) {
	body := geminiBody{
		Config:   geminiConfig{MaxTokens: req.MaxTokens, Temperature: req.Temperature, Seed: req.Seed},
		Contents: []geminiContent{},
	}
	body.Config.Thinking = geminiThoughts(req)
	var functions []geminiFunction
	for _, t := range req.Tools {
		functions = append(functions, geminiFunction{t.Name, t.Description, compact(t.Schema)})
	}
	if functions != nil {
		body.Tools = []geminiTools{{functions}}
	}
	if req.System != "" {
		body.System = &geminiContent{Parts: []geminiSent{{Text: req.System}}}
	}
	for _, m := range req.Messages {
		body.add(m)
	}
	raw, err := encode(body)
	h := http.Header{}
	if !set.key.IsZero() {
		h.Set("X-Goog-Api-Key", set.key.secret)
	}
	name := strings.TrimPrefix(req.Model, "models/")
	return "/models/" + url.PathEscape(name) + ":streamGenerateContent?alt=sse", h, raw, err
}

// geminiThoughts asks for thoughts: models up to 2.5 know a budget, 0 for none;
// later ones know a level, and cannot be kept from thinking.
func geminiThoughts(req Request) *geminiThinking {
	budget, old := thinkingBudgets[req.Effort], strings.Contains(req.Model, "gemini-2")
	switch {
	case req.Effort == EffortOff && old:
		return &geminiThinking{Budget: new(int)}
	case req.Effort == EffortOff:
		return &geminiThinking{Level: EffortLow}
	case budget > 0 && old:
		return &geminiThinking{Include: true, Budget: &budget}
	case budget > 0:
		return &geminiThinking{Include: true, Level: req.Effort}
	}
	return nil
}

// add writes a message; neighbours of one role are one content.
func (b *geminiBody) add(m Message) {
	role := "user"
	if m.Role == RoleAssistant {
		role = "model"
	}
	parts := geminiParts(m.Parts)
	if len(parts) == 0 {
		return
	}
	if n := len(b.Contents); n > 0 && b.Contents[n-1].Role == role {
		b.Contents[n-1].Parts = append(b.Contents[n-1].Parts, parts...)
		return
	}
	b.Contents = append(b.Contents, geminiContent{role, parts})
}

// geminiParts writes parts. A signature belongs to the part before it, or is a
// part by itself where there is none.
func geminiParts(parts []Part) (out []geminiSent) {
	for _, p := range parts {
		switch p.Kind {
		case PartText:
			if p.Text != "" {
				out = append(out, geminiSent{Text: p.Text})
			}
		case PartImage:
			if p.Image != nil {
				out = append(out, geminiSent{Inline: &geminiInline{p.Image.MediaType, p.Image.Data}})
			}
		case PartCall:
			out = append(out, geminiSent{Call: &geminiSentCall{p.Name, argsOrEmpty(p.Args)}})
		case PartResult:
			member := "result"
			if p.Failed {
				member = "error"
			}
			out = append(out, geminiSent{Response: &geminiResponse{p.Name, map[string]string{member: p.Text}}})
		case PartOpaque:
			value, ok := opaqueOf(p, opaqueThought)
			if !ok {
				continue
			}
			if n := len(out); n > 0 && out[n-1].Signature == "" {
				out[n-1].Signature = value
			} else {
				out = append(out, geminiSent{Signature: value})
			}
		}
	}
	return out
}
