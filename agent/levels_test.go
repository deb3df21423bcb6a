package agent

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
)

// TestAnotherModel: the next request goes to the other provider, without what
// only the first one reads; a price that is not known refuses under a budget.
func TestAnotherModel(t *testing.T) {
	second := &talker{id: "second", answer: func(int, model.Request) (model.Reply, error) { return answers("me"), nil }}
	r, first := talking(t, func(int, model.Request) (model.Reply, error) { return answers("first"), nil }, func(o *Options) {
		o.Switch = func(provider, name string) (Mind, error) {
			if provider != "second" {
				return Mind{}, errors.New("no such provider")
			}
			return Mind{Provider: second, Model: name, Window: 8000}, nil
		}
	})
	defer r.stop()
	r.turn("one")
	notice := func(e event.Event) bool { n, ok := e.Body.(event.Notice); return ok && n.Severity == "warn" }
	r.do(event.SetModel{Provider: "third", Model: "x"}, notice)
	r.turn("two")
	if len(first.asked) != 2 {
		t.Fatal("a switch that failed was one")
	}
	r.do(event.SetModel{Provider: "second", Model: "big"}, func(e event.Event) bool { _, ok := e.Body.(event.ModelChanged); return ok })
	r.do(event.SetThought{Level: "high"}, func(e event.Event) bool { _, ok := e.Body.(event.ThoughtChanged); return ok })
	r.turn("three")
	if len(first.asked) != 2 || len(second.asked) != 1 {
		t.Fatalf("%d and %d requests", len(first.asked), len(second.asked))
	}
	q := second.asked[0]
	if q.Model != "big" || q.Effort != model.EffortHigh || len(q.Messages) != 5 || !strings.HasPrefix(q.System, smallPrompt) {
		t.Errorf("%q %q, %d messages; a window of 8000 gets the small prompt", q.Model, q.Effort, len(q.Messages))
	}
	r.folds()
}

// TestLevelsArePartOfTheConversation: what plan mode does is enforced, and the
// model is told.
func TestLevelsArePartOfTheConversation(t *testing.T) {
	r, m := talking(t, func(n int, _ model.Request) (model.Reply, error) {
		switch n {
		case 1:
			return calls(n, "write_file", `{"path":"a","content":"x"}`), nil
		case 2:
			return calls(n, "execute_command", `{"command":"touch b"}`), nil
		}
		return answers("planned"), nil
	}, nil)
	defer r.stop()
	r.do(event.SetLevel{Level: "never_ask", Plan: true}, func(e event.Event) bool { _, ok := e.Body.(event.LevelChanged); return ok })
	r.turn("plan it")
	for _, res := range r.results() {
		if res.Status != "blocked" {
			t.Errorf("%s: %+v", res.Tool, res)
		}
	}
	if r.read("a") != "" || len(r.results()) != 2 {
		t.Error("plan mode wrote")
	}
	text, err := json.Marshal(m.asked[0].Messages)
	if err != nil || !strings.Contains(string(text), "Plan mode is on") {
		t.Errorf("the model was not told: %s", text)
	}
}
