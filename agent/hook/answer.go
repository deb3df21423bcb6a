package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// A Message is what a hook reads on its standard input: one JSON object.
type Message struct {
	V         int    `json:"v"` // 1
	Event     Event  `json:"event"`
	Hook      string `json:"hook"`
	Session   string `json:"session"`
	Turn      int    `json:"turn"`
	Workspace string `json:"workspace"`
	Prompt    string `json:"prompt,omitempty"` // turn_start: what the person said
	Status    string `json:"status,omitempty"` // turn_end: done, incomplete, error or cancelled
	Call      *Call  `json:"call,omitempty"`   // before_call and after_call
}

// A Call is the call that a hook is told of.
type Call struct {
	ID      string          `json:"id"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Effects json.RawMessage `json:"effects"` // the canonical effect set, as the log commits to it
	Digest  string          `json:"digest"`
	Status  string          `json:"status,omitempty"` // after_call: of the result
	Exit    *int            `json:"exit,omitempty"`   // after_call: of a command
	Output  string          `json:"output,omitempty"` // after_call: what the model reads of the result
}

// Encode writes the message.
func (m Message) Encode() ([]byte, error) {
	m.V = 1
	return json.Marshal(m)
}

// Word is what a hook decides. The zero Word vetoes.
type Word uint8

// The words. None of them admits anything.
const (
	Veto  Word = iota // the call is blocked, the turn does not begin
	Raise             // a person is asked
	Pass              // nothing to say
)

// An Answer is what a hook said. The zero Answer vetoes.
type Answer struct {
	Word    Word
	Reason  string // of a veto or a raise: the hook's words
	Context string // text for the model: the hook's words
}

// Bounds of an answer.
const (
	MaxAnswer  = 64 << 10 // bytes of output that are read
	maxReason  = 2 << 10
	maxContext = 16 << 10
)

// Parse reads what a hook wrote: exactly one JSON object, of at most the
// members decision, reason and context, each once. At before_call and
// turn_start the decision is required: silence there is no consent. The Answer
// beside an error vetoes.
func Parse(e Event, out []byte) (Answer, error) {
	if len(out) > MaxAnswer {
		return Answer{}, fmt.Errorf("it wrote %d bytes, and %d are the most", len(out), MaxAnswer)
	}
	decides := e == BeforeCall || e == TurnStart
	if out = bytes.TrimSpace(out); len(out) == 0 && !decides {
		return Answer{Word: Pass}, nil
	}
	if !utf8.Valid(out) {
		return Answer{}, errors.New("its answer is not UTF-8")
	}
	raw, err := strictjson.Members(out, "decision", "reason", "context")
	if err != nil {
		return Answer{}, fmt.Errorf("its answer %w; one JSON object with decision, reason and context is needed", err)
	}
	a := Answer{}
	word, err := text(raw, "decision")
	if err == nil {
		a.Reason, err = text(raw, "reason")
	}
	if err == nil {
		a.Context, err = text(raw, "context")
	}
	switch {
	case err != nil:
		return Answer{}, err
	case len(a.Reason) > maxReason || len(a.Context) > maxContext:
		return Answer{}, fmt.Errorf("its reason or its context is too long: %d and %d bytes are the most", maxReason, maxContext)
	case word == "pass", word == "" && !decides:
		a.Word = Pass
	case word == "raise" && e == BeforeCall:
		a.Word = Raise
	case word == "veto" && decides:
		a.Word = Veto
	case word == "":
		return Answer{}, errors.New("its answer has no decision: pass, veto or (before a call) raise")
	default:
		return Answer{}, fmt.Errorf("its decision %.40q is no word at %s", word, e)
	}
	return a, nil
}

// text is a member that is a string, "" where it is missing.
func text(raw map[string]json.RawMessage, name string) (string, error) {
	value, ok := raw[name]
	if !ok {
		return "", nil
	}
	var s *string
	if err := json.Unmarshal(value, &s); err != nil || s == nil {
		return "", fmt.Errorf("%s of its answer is no string", name)
	}
	return strings.TrimSpace(*s), nil
}
