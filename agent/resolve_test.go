package agent

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
)

// conflicting is a session whose call is in conflict with what the person did
// since in f.txt.
func conflicting(t *testing.T) *rig {
	r := newRig(t, []step{
		{Say: "edit", Calls: []call{bash("printf '1\\nagent\\n3\\n' > f.txt; printf new > other.txt")}}, {Say: "done"},
		{Say: "I undo", Calls: []call{{"undo", map[string]any{"all": true, "resolve": []any{map[string]any{"path": "f.txt", "how": "old"}}}}}}, {Say: "done"},
	}, nil)
	r.person = yes
	r.write("f.txt", "1\nold\n3\n")
	return r
}

// clash lets the person write in the call's place, and looks at the conflict.
func (r *rig) clash() event.UndoConflict {
	r.t.Helper()
	r.write("f.txt", "1\nmine\n3\n")
	plan := await[event.UndoPlan](r, event.Undo{Turn: 1, Dry: true})
	if len(plan.Conflicts) != 1 || plan.Conflicts[0].Path != "f.txt" {
		r.t.Fatalf("%+v", plan)
	}
	return plan.Conflicts[0]
}

// resolve sends an undo with a word on a conflict and answers the question,
// whose lines it returns.
func (r *rig) resolve(c event.Undo, answer func(event.Question) event.Answer) (asked string, res event.CallResult) {
	r.t.Helper()
	was := r.person
	r.person = answer
	defer func() { r.person = was }()
	r.do(c, func(e event.Event) bool {
		switch b := e.Body.(type) {
		case event.CallResult:
			res = b
			return true
		case event.Notice:
			r.t.Logf("notice: %+v", b)
			return b.Key == "undo" && b.Severity != "info"
		case event.QuestionOpened:
			for _, l := range b.Question.Lines {
				asked += l.Text + "\n"
			}
			r.answer(b.Question)
		}
		return false
	})
	return asked, res
}

// TestAConflictIsResolved goes the whole way for each word: the three sides, a
// question with just what is written, evidence, and back again.
func TestAConflictIsResolved(t *testing.T) {
	r := conflicting(t)
	r.start("")
	r.turn("go")
	x := r.clash()
	if got := strings.Join(x.Can, " "); got != "keep old text" {
		t.Errorf("can %q", got)
	}
	shown := ""
	for _, l := range x.Lines {
		shown += l.Text + "\n"
	}
	for _, want := range []string{"old", "agent", "mine", "before", "now"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not among the sides:\n%s", want, shown)
		}
	}
	if !strings.Contains(string(x.Merged), "<<<<<<< what is there now\nmine\n") {
		t.Errorf("merged: %q", x.Merged)
	}
	word := func(how, text string) event.Undo {
		return event.Undo{Turn: 1, Path: "f.txt", Resolve: []event.Resolution{{Path: "f.txt", How: how, Text: []byte(text), Now: x.Now}}}
	}
	no := func(event.Question) event.Answer { return event.Answer{Choice: event.Deny} }
	for _, c := range []struct{ how, text, want, asked string }{
		{event.ResolveOld, "", "1\nold\n3\n", "+ old"},
		{event.ResolveText, "1\nboth\n3\n", "1\nboth\n3\n", "+ both"},
		{event.ResolveKeep, "", "1\nmine\n3\n", "nothing is written"},
	} {
		asked, res := r.resolve(word(c.how, c.text), no)
		if res.Status != "rejected" || r.read("f.txt") != "1\nmine\n3\n" {
			t.Errorf("%s, denied: %+v, %q", c.how, res, r.read("f.txt"))
		}
		if !strings.Contains(asked, c.asked) || !strings.Contains(asked, "conflict") || strings.Contains(asked, "edit\n") {
			t.Errorf("%s: asked\n%s", c.how, asked)
		}
		_, res = r.resolve(word(c.how, c.text), yes)
		if res.Status != "ok" || r.read("f.txt") != c.want || res.Decision != "approved" || !strings.Contains(res.Title, "resolve a conflict in f.txt") {
			t.Errorf("%s: %+v, %q", c.how, res, r.read("f.txt"))
		}
		if r.read("other.txt") != "new" {
			t.Error("more was taken back than the path in conflict")
		}
		back := r.undo(event.Undo{Call: res.Call})
		if back.Status != "ok" || r.read("f.txt") != "1\nmine\n3\n" {
			t.Errorf("%s, taken back: %+v, %q", c.how, back, r.read("f.txt"))
		}
		if plan := await[event.UndoPlan](r, event.Undo{Turn: 1, Dry: true}); len(plan.Conflicts) != 1 {
			t.Errorf("%s, taken back: no conflict any more: %+v", c.how, plan)
		}
	}
	r.stop()
	r.verify()
	reader, err := audit.OpenReader(t.Context(), audit.Options{Dir: r.state})
	if err != nil {
		t.Fatal(err)
	}
	said := map[audit.Decision]int{}
	for e, err := range reader.Entries(t.Context(), audit.Filter{Text: "resolve a conflict in f.txt"}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.By == audit.ByTUI {
			said[e.Decision]++
		}
	}
	if said[audit.Denied] != 3 || said[audit.Approved] != 3 {
		t.Errorf("the log tells of %v", said)
	}
}

// TestNobodyElseResolves: not the model, not a front end in which nobody sees
// the three sides, and nobody on what is there by now.
func TestNobodyElseResolves(t *testing.T) {
	r := conflicting(t)
	r.start("")
	r.turn("go")
	x := r.clash()
	r.turn("undo it")
	if res := r.results(); r.read("f.txt") != "1\nmine\n3\n" || len(res[len(res)-1].Conflicts) != 1 {
		t.Errorf("the model resolved a conflict: %q, %+v", r.read("f.txt"), res[len(res)-1])
	}
	r.write("f.txt", "1\nmine again\n3\n")
	old := event.Undo{Turn: 1, Path: "f.txt", Resolve: []event.Resolution{{Path: "f.txt", How: event.ResolveOld, Now: x.Now}}}
	if asked, res := r.resolve(old, yes); asked != "" || res.Status == "ok" || r.read("f.txt") != "1\nmine again\n3\n" {
		t.Errorf("what was not looked at was replaced: %q, %+v", asked, res)
	}
	old.Resolve[0].Now = ""
	asked, res := r.resolve(old, func(q event.Question) event.Answer { // it changes while the question is open
		if r.read("f.txt") == "1\nmine again\n3\n" {
			r.write("f.txt", "1\nmine once more\n3\n")
		}
		return event.Answer{Choice: event.Once}
	})
	if r.read("f.txt") == "1\nold\n3\n" && !strings.Contains(asked, "mine once more") {
		t.Errorf("what was not shown was replaced: %+v\n%s", res, asked)
	}
	r.stop()
	for _, front := range []audit.Front{audit.FrontACP, audit.FrontRun, audit.FrontMCP} {
		r.person = yes
		id := r.session.ID()
		r.opts.Front = front
		r.start(id)
		r.write("f.txt", "1\nmine\n3\n")
		if asked, res := r.resolve(event.Undo{All: true, Resolve: []event.Resolution{{Path: "f.txt", How: event.ResolveOld}}}, yes); asked != "" || res.Call != "" || r.read("f.txt") != "1\nmine\n3\n" {
			t.Errorf("%s: %q, %+v", front, asked, res)
		}
		r.stop()
	}
	r.verify()
}
