package headless

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/tera-pilot/tera-pilot/internal/jsonschema"
)

// maxSchema is the size of the largest schema, in bytes: it is sent to the
// model.
const maxSchema = 256 << 10

// maxMisfit is how much of what is wrong is told, in bytes.
const maxMisfit = 4 << 10

// A Schema is what the last message of a run must be: one JSON value that fits.
type Schema struct {
	text   string // as the model is told
	schema *jsonschema.Schema
}

// ParseSchema reads a JSON Schema (internal/jsonschema says which part of it).
func ParseSchema(data []byte) (*Schema, error) {
	if len(data) > maxSchema {
		return nil, fmt.Errorf("the schema is longer than %d bytes", maxSchema)
	}
	s, err := jsonschema.Parse(data)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return nil, err
	}
	// A word with @ in a message names a file to be read.
	return &Schema{strings.ReplaceAll(b.String(), "@", `\u0040`), s}, nil
}

// asked is the prompt with what the answer must be.
func (s *Schema) asked(prompt string) string {
	if s == nil {
		return prompt
	}
	return prompt + "\n\nYour last message must be one JSON value that fits this JSON Schema, with nothing before or behind it:\n" + s.text
}

// again asks for another answer, once.
func (s *Schema) again(misfit string) string {
	return "Your last message does not fit the schema: " + strings.ReplaceAll(misfit, "@", "(at)") + "\nAnswer again with the JSON value alone. Change nothing else."
}

// hold gives the JSON value of a message as it is to be written, or what is
// wrong with it. A code fence around the whole is no part of the answer.
func (s *Schema) hold(message string) (answer, misfit string) {
	answer = unfenced(strings.TrimSpace(message))
	if err := s.schema.Check([]byte(answer)); err != nil {
		misfit = err.Error()
		if len(misfit) > maxMisfit {
			misfit = strings.ToValidUTF8(misfit[:maxMisfit], "") + " …"
		}
		return "", misfit
	}
	return spelt(answer), ""
}

// unfenced takes one code fence off.
func unfenced(s string) string {
	rest, ok := strings.CutPrefix(s, "```")
	if !ok {
		return s
	}
	first, rest, ok := strings.Cut(rest, "\n")
	body, closed := strings.CutSuffix(strings.TrimSpace(rest), "```")
	if !ok || !closed || strings.ContainsAny(first, "`{[\"") {
		return s
	}
	return strings.TrimSpace(body)
}

// spelt writes characters that a reader cannot see as JSON escapes. They can
// stand in strings alone, so the value stays what it is.
func spelt(value string) string {
	var b strings.Builder
	for _, r := range value {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || unicode.IsGraphic(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
