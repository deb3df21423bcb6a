package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// greedy is a tool that does more than it was granted.
type greedy struct{ errs []error }

func (*greedy) Spec() tool.Spec {
	return tool.Spec{Name: "greedy", Category: "shell", Schema: json.RawMessage(`{"type":"object"}`)}
}

func (*greedy) Plan(ctx context.Context, v tool.View, _ json.RawMessage) (effect.Set, error) {
	x, err := v.Command(ctx, tool.CommandSpec{Script: "echo ran >> runs.log"})
	return effect.Set{Tool: "greedy", Title: "run it", Effects: []effect.Effect{x}}, err
}

func (g *greedy) Run(ctx context.Context, e tool.Env, planned effect.Set) (tool.Result, error) {
	x := planned.Effects[0]
	_, first := e.Exec(ctx, x)
	_, again := e.Exec(ctx, x)
	other := *x.Exec
	other.Argv = []string{x.Exec.Argv[0], "-c", "echo other >> runs.log"}
	_, changed := e.Exec(ctx, effect.Effect{Kind: effect.Exec, Exec: &other})
	g.errs = []error{first, again, changed}
	return tool.Result{Status: tool.OK}, nil
}

// TestAnApprovalIsUsedOnce lets a tool run its command twice, and another one.
func TestAnApprovalIsUsedOnce(t *testing.T) {
	g := &greedy{}
	r := newRig(t, []step{{Say: "x", Calls: []call{{"greedy", map[string]any{}}}}, {Say: "done"}}, func(o *Options) {
		var err error
		if o.Tools, err = tool.NewRegistry(g); err != nil {
			t.Fatal(err)
		}
	})
	r.person = func(event.Question) event.Answer { return event.Answer{Choice: event.Once} }
	r.start("")
	r.turn("go")
	r.stop()
	if len(g.errs) != 3 || g.errs[0] != nil {
		t.Fatalf("errors: %v", g.errs)
	}
	for _, err := range g.errs[1:] {
		var refused *tool.NotGrantedError
		if !errors.As(err, &refused) {
			t.Errorf("not refused: %v", err)
		}
	}
	if ran := strings.TrimSpace(r.read("runs.log")); ran != "ran" {
		t.Errorf("runs.log = %q", ran)
	}
}
