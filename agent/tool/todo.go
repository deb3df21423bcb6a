package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type todo struct{}

type todoArgs struct {
	Items []TodoItem `json:"items"`
}

// Spec implements Tool.
func (todo) Spec() Spec {
	return Spec{
		Name: "todo", Aliases: []string{"todo_write", "todowrite", "update_plan"}, Category: "plan", Free: true,
		Description: "Keep the list of tasks that the user sees. Give the whole list each time; one task is active. Use it for work of more than three steps.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["items"],"properties":{
			"items":{"type":"array","maxItems":50,"description":"all tasks, in order","items":{
				"type":"object","additionalProperties":false,"required":["text","status"],"properties":{
					"text":{"type":"string","minLength":1},
					"status":{"type":"string","enum":["pending","active","done"]}}}}}}`),
	}
}

// Plan implements Tool.
func (t todo) Plan(_ context.Context, _ View, args json.RawMessage) (effect.Set, error) {
	var a todoArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	done := 0
	for _, item := range a.Items {
		if item.Status == "done" {
			done++
		}
	}
	return set(t.Spec(), fmt.Sprintf("tasks: %d of %d done", done, len(a.Items)), a), nil
}

// Run implements Tool.
func (todo) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var a todoArgs
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	if err := e.Todo(ctx, a.Items); err != nil {
		return failed("keep the tasks", err)
	}
	var b strings.Builder
	for _, item := range a.Items {
		mark := map[string]string{"done": "x", "active": ">", "pending": " "}[item.Status]
		fmt.Fprintf(&b, "[%s] %s\n", mark, item.Text)
	}
	if b.Len() == 0 {
		b.WriteString("the list is empty\n")
	}
	return Result{Status: OK, Body: b.String()}, nil
}
