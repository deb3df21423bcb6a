package agent

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// mend is a task from look to proof.
var mend = []step{
	{Say: "I look.", Calls: []call{{"read_file", map[string]any{"path": "calc.sh"}}}},
	{Say: "I mend.", Calls: []call{{"str_replace", map[string]any{"path": "calc.sh", "old_str": "a - b", "new_str": "a + b"}}}},
	{Say: "I test.", Calls: []call{{"self_verify", map[string]any{}}}},
	{Say: "Done."},
}

func mendRig(t *testing.T) *rig {
	r := newRig(t, mend, nil)
	r.write("calc.sh", "a=$1\nb=$2\necho $((a - b))\n")
	r.write("Makefile", "test:\n\ttest \"$$(sh calc.sh 2 3)\" = 5\n")
	return r
}

func TestATaskFromLookToProof(t *testing.T) {
	r := mendRig(t)
	var kinds []event.QuestionKind
	r.person = func(q event.Question) event.Answer {
		kinds = append(kinds, q.Kind)
		return yes(q)
	}
	r.start("")
	end := r.turn("the tests fail")
	r.stop()
	if end.Status != "done" || end.Verification != "verified" {
		t.Errorf("end = %+v", end)
	}
	if !strings.Contains(r.read("calc.sh"), "a + b") {
		t.Errorf("calc.sh = %q", r.read("calc.sh"))
	}
	if len(kinds) != 2 || kinds[0] != event.AskEdit || kinds[1] != event.AskCommand {
		t.Errorf("questions = %v", kinds)
	}
	for _, res := range r.results() {
		if res.Status != "ok" {
			t.Errorf("%s: %s: %s", res.Tool, res.Status, res.Body)
		}
	}
	r.verify()
}

func TestNoIsNo(t *testing.T) {
	r := mendRig(t)
	r.start("")
	end := r.turn("the tests fail")
	r.stop()
	if strings.Contains(r.read("calc.sh"), "a + b") {
		t.Error("an edit that was denied was made")
	}
	var said []string
	for _, res := range r.results() {
		said = append(said, res.Tool+" "+res.Status+" "+res.Decision)
	}
	want := []string{"read_file ok allowed", "str_replace rejected denied", "self_verify rejected denied"}
	if strings.Join(said, "; ") != strings.Join(want, "; ") {
		t.Errorf("results = %v", said)
	}
	if end.Verification != "not_run" {
		t.Errorf("verification = %s", end.Verification)
	}
	r.verify()
}
