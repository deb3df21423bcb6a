package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/session"
)

func spawnCall(role, goal string) call {
	args := map[string]any{"goal": goal}
	if role != "" {
		args["role"] = role
	}
	return call{"spawn_subagent", args}
}

// child is the state of the one sub-agent's session.
func (r *rig) child() session.State {
	r.t.Helper()
	for _, s := range must(r.opts.Store.List()) {
		if s.Parent != "" {
			return session.Fold(must(r.opts.Store.Read(s.ID)))
		}
	}
	r.t.Fatal("no sub-agent has a session")
	return session.State{}
}

// A sub-agent reads, reports, taints its parent, and leaves a log that says
// whose child it is, in both logs.
func TestSubAgent(t *testing.T) {
	var long strings.Builder
	for i := range 800 {
		fmt.Fprintf(&long, "%d ", i*i)
	}
	r := newRig(t, []step{
		{Calls: []call{spawnCall("", "find the port that @a.txt names, /undo nothing")}},
		{Calls: []call{{"read_file", map[string]any{"path": "a.txt"}}, {"write_file", map[string]any{"path": "evil", "content": "x"}}, {"spawn_subagent", map[string]any{"goal": "deeper"}}}},
		{Say: "a.txt names port 80. " + long.String()},
		{Say: "It is 80."},
	}, nil)
	r.write("a.txt", "port 80\n")
	r.person = yes
	r.start("")
	end := r.turn("which port?")
	state := must(r.session.State())
	r.stop()
	res := r.results()
	if len(res) != 1 || res[0].Status != "ok" || !strings.Contains(res[0].Body, "a.txt names port 80.") || len(res[0].Body) > maxChildBody {
		t.Fatalf("%+v", res)
	}
	if res[0].Untrusted != "file" || fmt.Sprint(state.Taint) != "[file]" || end.Status != "done" {
		t.Errorf("untrusted %q, taint %v, %+v", res[0].Untrusted, state.Taint, end)
	}
	child := r.child()
	if child.Parent != state.ID || r.read("evil") != "" || strings.Contains(child.Messages[0].User, "port 80") {
		t.Errorf("parent %q, evil %q, first message %q", child.Parent, r.read("evil"), child.Messages[0].User)
	}
	if id, err := r.opts.Store.Latest(r.root); err != nil || id != state.ID {
		t.Errorf("--continue would go on with %s: %v", id, err)
	}
	if !linked(t, r, child.ID) || linked(t, r, state.ID) {
		t.Error("the audit log does not say who started the sub-agent")
	}
	r.verify()
}

// maxChildBody bounds what a parent reads of a report, with our words about it.
const maxChildBody = 3 << 10

// linked says that the audit log's opening record of a session names a parent.
func linked(t *testing.T, r *rig, id string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.state, "audit", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // a folder
		}
		for line := range strings.SplitSeq(string(b), "\n") {
			if strings.Contains(line, id) && strings.Contains(line, `"parent":{`) {
				return true
			}
		}
	}
	return false
}

// A sub-agent gets nothing that its parent lacks, at any level, by any role.
func TestSubAgentHasNoMoreThanItsParent(t *testing.T) {
	deny := "[[path]]\nglob = [\"secret/**\"]\neffect = [\"read\"]\ndecision = \"deny\"\n[[rule]]\ncmd = [\"touch\"]\ndecision = \"deny\"\n"
	tries := []call{
		{"read_file", map[string]any{"path": "secret/x"}},
		{"execute_command", map[string]any{"command": "touch made"}},
		{"write_file", map[string]any{"path": "made", "content": "x"}},
		{"ask_user", map[string]any{"question": "may I?"}},
	}
	for _, role := range []string{"explore", "researcher", "implementer", "generalist"} {
		for _, level := range []gate.Level{gate.AlwaysAsk, gate.NewFilesOnly, gate.NeverAsk} {
			t.Run(role+"/"+level.String(), func(t *testing.T) {
				r := newRig(t, []step{{Calls: []call{spawnCall(role, "try")}}, {Calls: tries}, {Say: "tried"}, {Say: "done"}}, func(o *Options) {
					o.Level, o.Rules = level, mustRules(t, deny)
				})
				r.write("secret/x", "SECRET\n")
				asked := 0
				r.person = func(q event.Question) event.Answer {
					if asked++; asked == 1 && level != gate.NeverAsk {
						return yes(q) // the spawn itself
					}
					return event.Answer{Choice: event.Deny, Reason: "no"}
				}
				r.start("")
				r.turn("go")
				r.stop()
				child := r.child()
				for _, m := range child.Messages {
					if m.Call == nil {
						continue
					}
					ok := m.Call.Status == "ok"
					mayWrite := (role == "implementer" || role == "generalist") && level != gate.AlwaysAsk
					if ok && !(m.Call.Tool == "write_file" && mayWrite) || strings.Contains(m.Call.Body, "SECRET") {
						t.Errorf("%s: %s %s", m.Call.Tool, m.Call.Status, m.Call.Body)
					}
				}
				if (role == "explore" || role == "researcher") && r.read("made") != "" {
					t.Error("a sub-agent that only reads wrote")
				}
				r.verify()
			})
		}
	}
}

// A question of a sub-agent is the parent's question, says who asks, and its
// answer counts; the parent hears of what was changed.
func TestSubAgentAsksThroughItsParent(t *testing.T) {
	r := newRig(t, []step{
		{Calls: []call{spawnCall("implementer", "write it")}},
		{Calls: []call{{"write_file", map[string]any{"path": "made", "content": "by the child\n"}}}},
		{Say: "written"}, {Say: "done"},
	}, nil)
	var questions []event.Question
	r.person = func(q event.Question) event.Answer { questions = append(questions, q); return yes(q) }
	r.start("")
	r.turn("go")
	state := must(r.session.State())
	r.stop()
	if r.read("made") != "by the child\n" || len(questions) != 2 {
		t.Fatalf("%q, %d questions", r.read("made"), len(questions))
	}
	text := ""
	for _, l := range questions[1].Lines {
		text += l.Text + "\n"
	}
	if !strings.Contains(text, "asked by  a sub-agent, whose goal is: write it") || questions[1].Call != r.results()[0].Call {
		t.Errorf("%s\n%s", questions[1].Call, text)
	}
	if len(state.Changed) != 1 || state.Changed[0].Path != "made" {
		t.Errorf("%+v", state.Changed)
	}
	r.verify()
}

// Its steps are the parent's, and it stops with the parent.
func TestSubAgentSpendsAndStopsWithItsParent(t *testing.T) {
	look := step{Calls: []call{{"execute_command", map[string]any{"command": "ls"}}}}
	steps := []step{{Calls: []call{spawnCall("generalist", "look around")}}}
	for i := range 20 {
		s := look
		s.Calls = []call{{"glob", map[string]any{"pattern": fmt.Sprintf("*%d", i)}}}
		steps = append(steps, s)
	}
	r := newRig(t, steps, func(o *Options) { o.MaxSteps, o.Level = 6, gate.NeverAsk })
	r.start("")
	end := r.turn("go")
	r.stop()
	replies := 0
	for _, m := range append(must(r.opts.Store.Read(must(r.opts.Store.Latest(r.root)))), childEvents(r)...) {
		if _, ok := m.Body.(event.Reply); ok {
			replies++
		}
	}
	if replies > 6 || end.Status != "incomplete" {
		t.Errorf("%d model calls of 6, %+v", replies, end)
	}

	r = newRig(t, []step{{Calls: []call{spawnCall("generalist", "sleep")}}, {Calls: []call{{"execute_command", map[string]any{"command": "touch begun; sleep 600"}}}}, {Say: "x"}}, func(o *Options) { o.Level = gate.NeverAsk })
	r.start("")
	go func() {
		for !exists(r, "begun") {
		}
		_ = r.session.Send(event.Cancel{}) // the test waits for what comes of it
	}()
	if end := r.turn("go"); end.Status != "cancelled" {
		t.Errorf("%+v", end)
	}
	r.stop()
	r.verify()
}

func childEvents(r *rig) []event.Event { return must(r.opts.Store.Read(r.child().ID)) }

// A sub-agent's session that ends in the middle of its turn is an error of the
// call, and not the end of the program.
func TestASubAgentsSessionEnds(t *testing.T) {
	hold, asked := make(chan struct{}), make(chan struct{})
	r, _ := talking(t, func(int, model.Request) (model.Reply, error) {
		close(asked)
		<-hold
		return answers("late"), nil
	}, nil)
	failed := make(chan error, 1)
	go func() {
		_, err := r.session.errand(t.Context(), &effect.Child{Role: "reader", Goal: "read"}, func(string, []byte) {})
		failed <- err
	}()
	<-asked
	if err := r.session.owner.post(func(o *owned) { o.quit = true }); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.Is(err, errEnded) {
		t.Errorf("the errand ended with %v", err)
	}
	close(hold)
	if err := r.session.Close("error"); !errors.Is(err, errEnded) {
		t.Errorf("closed with %v", err)
	}
}
