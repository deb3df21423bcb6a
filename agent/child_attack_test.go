package agent

import (
	"encoding/json"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// TestPlanModeInTheMiddle: plan mode that the person sets while a question is
// open, or while a sub-agent works, counts for what was asked before, and for
// what a yes answers.
func TestPlanModeInTheMiddle(t *testing.T) {
	write := step{Calls: []call{{"write_file", map[string]any{"path": "made", "content": "x\n"}}, {"execute_command", map[string]any{"command": "touch made2"}}}}
	for name, steps := range map[string][]step{
		"own":         {write, {Say: "done"}},
		"sub-agent's": {{Calls: []call{spawnCall("implementer", "write it")}}, write, {Say: "tried"}, {Say: "done"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, steps, nil)
			r.person = func(q event.Question) event.Answer {
				if q.Kind == event.AskEdit {
					if err := r.session.Send(event.SetLevel{Level: "always_ask", Plan: true}); err != nil {
						t.Error(err)
					}
				}
				return yes(q)
			}
			r.start("")
			r.turn("go")
			r.stop()
			if r.read("made") != "" || exists(r, "made2") {
				t.Error("it was done in plan mode")
			}
			r.verify()
		})
	}
}

// TestRolesThatAreNone: a role is one of those that there are, spelt exactly
// and once, and its steps lie within the bounds.
func TestRolesThatAreNone(t *testing.T) {
	registry := tool.New(tool.Options{})
	spawn, err := registry.Lookup("spawn_subagent")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		`{"goal":"x","role":"Implementer"}`, `{"goal":"x","role":"implementer "}`, `{"goal":"x","role":"explore\u0000implementer"}`, `{"goal":"x","role":["implementer"]}`, `{"goal":"x","role":"explore,implementer"}`,
		`{"goal":"x","role":"explore","role":"implementer"}`, `{"goal":"x","Role":"implementer"}`, `{"goal":"x","role":"explore","tools":["write_file"]}`, `{"goal":"x","role":"explore","writes":true}`, `{"goal":"x","role":"\u200bimplementer"}`,
		`{"goal":"x","max_iterations":-1}`, `{"goal":"x","max_iterations":51}`, `{"goal":"x","max_iterations":1e9}`, `{"goal":"x","max_iterations":4294967297}`, `{"goal":"x","max_iterations":"9"}`, `{"goal":" \n"}`, `{"goal":["x"]}`, `{}`,
	} {
		if set, err := spawn.Plan(t.Context(), nil, json.RawMessage(args)); err == nil {
			t.Errorf("%s: %+v", args, set.Effects[0].Child)
		}
	}
}
