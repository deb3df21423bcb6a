package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
)

func TestGuards(t *testing.T) {
	same := func(n int) model.Reply { return calls(n, "list_files", `{"directory":"."}`) }
	for _, c := range []struct {
		name   string
		answer func(n int, q model.Request) model.Reply
		status string
		nudges []string
		calls  int
	}{
		{"the same three times, and again", func(n int, _ model.Request) model.Reply { return same(n) }, "incomplete", []string{"loop"}, 6},
		{"it listens", func(n int, _ model.Request) model.Reply {
			if n > 3 {
				return answers("I see")
			}
			return same(n)
		}, "done", []string{"loop"}, 3},
		{"to and fro", func(n int, _ model.Request) model.Reply {
			if n > 6 {
				return answers("I see")
			}
			if n%2 == 0 {
				return calls(n, "list_files", `{ "directory" : "." }`)
			}
			return calls(n, "glob", `{"pattern":"*"}`)
		}, "done", []string{"loop"}, 6},
		{"another result each time", func(n int, _ model.Request) model.Reply {
			if n > 5 {
				return answers("written")
			}
			return calls(n, "write_file", fmt.Sprintf(`{"path":"n%d","content":"x"}`, n))
		}, "done", nil, 5},
		{"empty once", func(n int, _ model.Request) model.Reply {
			if n == 1 {
				return model.Reply{Stop: model.StopEnd}
			}
			return answers("here")
		}, "done", []string{"empty"}, 0},
		{"empty twice", func(int, model.Request) model.Reply { return model.Reply{Stop: model.StopEnd} }, "error", []string{"empty"}, 0},
		{"something like a call, once", func(n int, _ model.Request) model.Reply {
			if n == 1 {
				return model.Reply{Text: `<tool_call>{"name":"reed"`, Stop: model.StopEnd, Warnings: []string{model.WarnTextCall}}
			}
			return answers("in words")
		}, "done", []string{"form"}, 0},
		{"something like a call, always", func(int, model.Request) model.Reply {
			return model.Reply{Text: `{"name":"reed"`, Stop: model.StopEnd, Warnings: []string{model.WarnTextCall}}
		}, "error", []string{"form"}, 0},
		{"it repeats itself", func(int, model.Request) model.Reply {
			return model.Reply{Text: "na na na", Stop: model.StopLength, Warnings: []string{model.WarnRepetition}}
		}, "error", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := talking(t, func(n int, q model.Request) (model.Reply, error) { return c.answer(n, q), nil }, nil)
			defer r.stop()
			end := r.turn("go")
			var kinds []string
			for _, n := range find[event.Nudged](t, r) {
				kinds = append(kinds, n.Kind)
			}
			if end.Status != c.status || !slices.Equal(kinds, c.nudges) || len(r.results()) != c.calls {
				t.Errorf("%+v, nudges %v, %d calls", end, kinds, len(r.results()))
			}
			r.folds()
		})
	}
}

// TestEditsWithoutEnd: the same file again and again, with failing checks
// between, is said.
func TestEditsWithoutEnd(t *testing.T) {
	g := &guard{}
	one := 1
	said := 0
	for i := range 12 {
		body := fmt.Sprint(i)
		if n, _ := g.saw(event.Call{Tool: "str_replace", Args: json.RawMessage(`{}`)}, event.CallResult{Status: "ok", Body: body, Changes: []event.Change{{Path: "a.go"}}}); n != "" {
			said++
			if i < 5 {
				t.Errorf("said after %d edits", i+1)
			}
		}
		if n, _ := g.saw(event.Call{Tool: "self_verify", Args: json.RawMessage(`{}`)}, event.CallResult{Status: "ok", Body: body, Exit: &one, Check: true}); n != "" {
			t.Errorf("a check is no edit: %s", n)
		}
	}
	if said != 2 {
		t.Errorf("said %d times in 12 edits", said)
	}
	calm := &guard{}
	for i := range 12 {
		if n, _ := calm.saw(event.Call{Tool: "write_file"}, event.CallResult{Status: "ok", Body: fmt.Sprint(i), Changes: []event.Change{{Path: "a.go"}}}); n != "" {
			t.Errorf("without a failing check: %s", n)
		}
	}
}

// TestVerify: changes that no check has run over are asked about once, and the
// word about them is the command's exit code.
func TestVerify(t *testing.T) {
	r, m := talking(t, func(n int, _ model.Request) (model.Reply, error) {
		if n == 1 {
			return calls(n, "write_file", `{"path":"a.txt","content":"x\n"}`), nil
		}
		return answers("all tests pass, I verified it"), nil
	}, func(o *Options) { o.Facts.Checks = []string{"make test"} })
	defer r.stop()
	end := r.turn("write")
	nudges := find[event.Nudged](t, r)
	if end.Status != "done" || end.Verification != "unverified" || len(nudges) != 1 || nudges[0].Kind != "verify" || !strings.Contains(nudges[0].Text, "make test") || !strings.Contains(nudges[0].Text, "a.txt") {
		t.Errorf("%+v, %+v", end, nudges)
	}
	if len(m.asked) != 3 {
		t.Errorf("%d requests", len(m.asked))
	}
	if end = r.turn("and now?"); len(find[event.Nudged](t, r)) != 1 {
		t.Error("a turn that changed nothing was asked to verify")
	}
}
