package guardian

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// A Reviewer sends a prompt to a model and returns its whole answer.
type Reviewer func(context.Context, Prompt) (string, error)

// Timeout is how long a review may take.
const Timeout = 60 * time.Second

// maxAnswer is the longest answer that is read.
const maxAnswer = 64 << 10

// Review asks the model, and makes a Verdict of whatever comes: an error, a
// time-out and an answer that Parse refuses are all a Failed one. The nonce is
// fresh and random.
func Review(ctx context.Context, ask Reviewer, r Request, nonce string) Verdict {
	prompt, err := Frame(r, nonce)
	if err != nil {
		return failed(err)
	}
	if ask == nil {
		return failed(fmt.Errorf("no model is set up for reviews"))
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	answer, err := ask(ctx, prompt)
	if err == nil {
		err = ctx.Err() // an answer that came too late is none
	}
	if err != nil {
		return failed(err)
	}
	v, err := Parse(answer, r.IDs())
	if err != nil {
		return failed(err)
	}
	return v
}

func failed(err error) Verdict { return Verdict{Word: Failed, Rationale: err.Error()} }

// Parse reads an answer: exactly one JSON object with the members verdict,
// rationale, suggested_args and effects, each once, and nothing around it.
// effects has to name every id, and nothing else. The Verdict beside an error
// rejects.
func Parse(answer string, ids []string) (Verdict, error) {
	if len(answer) > maxAnswer {
		return Verdict{}, fmt.Errorf("the review has %d bytes: at most %d are read", len(answer), maxAnswer)
	}
	raw, err := members(strings.TrimSpace(answer))
	if err != nil {
		return Verdict{}, fmt.Errorf("the review is not of the wanted form: it %w", err)
	}
	var word, rationale string
	var cited []string
	for name, into := range map[string]any{"verdict": &word, "rationale": &rationale, "effects": &cited} {
		if err := json.Unmarshal(raw[name], into); err != nil || string(raw[name]) == "null" {
			return Verdict{}, fmt.Errorf("the review's %s is not of the wanted form", name)
		}
	}
	if strings.TrimSpace(rationale) == "" {
		return Verdict{}, fmt.Errorf("the review gives no reason")
	}
	if !sameIDs(cited, ids) {
		return Verdict{}, fmt.Errorf("the review cites other effects than the ones it was shown")
	}
	return verdictOf(word, rationale, raw["suggested_args"])
}

func verdictOf(word, rationale string, suggested json.RawMessage) (Verdict, error) {
	v := Verdict{Rationale: rationale}
	none := string(suggested) == "null"
	switch {
	case word == "APPROVE" && none:
		v.Word = Approve
	case word == "REJECT" && none:
		v.Word = Reject
	case word == "MODIFY" && suggested[0] == '{':
		v.Word, v.Suggested = Modify, suggested
	default:
		return Verdict{}, fmt.Errorf("the review's verdict and suggested_args do not fit: %.20q", word)
	}
	return v, nil
}

// members are the members of a review: all of them, each once.
func members(text string) (map[string]json.RawMessage, error) {
	out, err := strictjson.Members([]byte(text), wantedMembers...)
	if err == nil && len(out) != len(wantedMembers) {
		return nil, fmt.Errorf("lacks members: it needs %s", strings.Join(wantedMembers, ", "))
	}
	return out, err
}

var wantedMembers = []string{"verdict", "rationale", "suggested_args", "effects"}

func sameIDs(cited, ids []string) bool {
	a, b := slices.Clone(cited), slices.Clone(ids)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}
