package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type askUser struct{}

type askArgs struct {
	Question string   `json:"question"`
	Options  []string `json:"options,omitempty"`
}

// Spec implements Tool.
func (askUser) Spec() Spec {
	return Spec{
		Name: "ask_user", Aliases: []string{"ask", "ask_question", "question"}, Category: "plan", Free: true,
		Description: "Ask the user one question when you cannot decide from the task and the code. Never ask for permission: that is asked by itself.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["question"],"properties":{
			"question":{"type":"string","minLength":1},
			"options":{"type":"array","maxItems":6,"description":"suggested answers","items":{"type":"string","minLength":1}}}}`),
	}
}

// Plan implements Tool.
func (t askUser) Plan(_ context.Context, _ View, args json.RawMessage) (effect.Set, error) {
	var a askArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if strings.TrimSpace(a.Question) == "" {
		return effect.Set{}, &ArgumentError{"question is empty"}
	}
	return set(t.Spec(), "ask: "+firstLine(a.Question), a), nil
}

// Run implements Tool.
func (askUser) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var a askArgs
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	answer, err := e.Ask(ctx, a.Question, a.Options)
	if errors.Is(err, ErrNobody) {
		return Result{Status: Error, Body: err.Error()}, nil
	}
	if err != nil {
		return failed("ask", err)
	}
	return Result{Status: OK, Body: "the user answered: " + answer + "\n"}, nil
}
