package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxResult bounds the text of one result, in bytes. What the model reads of it
// is bounded once more by the dispatcher.
const maxResult = 1 << 20

// A Result is what came of a call, as text. It is a stranger's.
type Result struct {
	Text   string
	Failed bool // the server says so
}

// block is one content block, of any kind.
type block struct {
	Type     string          `json:"type"`
	Text     *string         `json:"text"`
	Data     string          `json:"data"`
	MIMEType string          `json:"mimeType"`
	URI      string          `json:"uri"`
	Name     string          `json:"name"`
	Resource json.RawMessage `json:"resource"`
}

// decodeResult reads the result of tools/call tolerantly: what it does not
// understand is named, never passed on.
func decodeResult(raw json.RawMessage) (Result, error) {
	var r struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    json.RawMessage `json:"isError"`
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &r) != nil {
		return Result{}, errors.New("its answer is no result of a tool, but " + kindOf(raw))
	}
	out := Result{}
	switch string(bytes.TrimSpace(r.IsError)) {
	case "", "false", "null":
	default: // "true", and what is no word for it
		out.Failed = true
	}
	var blocks []json.RawMessage
	if len(r.Content) > 0 && json.Unmarshal(r.Content, &blocks) != nil {
		return Result{}, errors.New("its answer's content is no list")
	}
	var b strings.Builder
	for _, raw := range blocks {
		b.WriteString(oneBlock(raw))
		b.WriteByte('\n')
		if b.Len() > maxResult {
			break
		}
	}
	if b.Len() == 0 && len(r.Structured) > 0 {
		b.Write(r.Structured)
	}
	out.Text = cutText(strings.TrimRight(b.String(), "\n"))
	return out, nil
}

// kindOf names what a value of JSON is.
func kindOf(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object with members of other kinds"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 'n':
		return "null"
	}
	return "a single value"
}

// cutText bounds a text of a server.
func cutText(text string) string {
	if len(text) <= maxResult {
		return text
	}
	return strings.ToValidUTF8(text[:maxResult], "") + "\n[the rest was left out]"
}

func oneBlock(raw json.RawMessage) string {
	var c block
	if err := json.Unmarshal(raw, &c); err != nil {
		return "[a part that is not understood was left out]"
	}
	switch c.Type {
	case "text":
		if c.Text != nil {
			return *c.Text
		}
	case "image", "audio":
		return fmt.Sprintf("[%s of the type %q, %d bytes in base64: not shown]", c.Type, cutWord(c.MIMEType), len(c.Data))
	case "resource_link":
		return fmt.Sprintf("[link, not followed: %s]", cutWord(c.URI))
	case "resource":
		var r struct {
			URI  string  `json:"uri"`
			Text *string `json:"text"`
			Blob string  `json:"blob"`
		}
		if json.Unmarshal(c.Resource, &r) == nil && r.Text != nil {
			return fmt.Sprintf("[resource %s]\n%s", cutWord(r.URI), *r.Text)
		}
		return fmt.Sprintf("[resource %s, %d bytes in base64: not shown]", cutWord(r.URI), len(r.Blob))
	}
	return fmt.Sprintf("[a part of the type %q, which is not understood, was left out]", cutWord(c.Type))
}

func cutWord(s string) string {
	const most = 300
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
