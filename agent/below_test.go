package agent

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/budget"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/hook"
	"github.com/tera-pilot/tera-pilot/audit"
)

// TestANoBindsSubAgents: what the person said no to is not asked about again by
// way of a sub-agent in the same turn, nor by the parent or a sibling after one.
func TestANoBindsSubAgents(t *testing.T) {
	write := step{Calls: []call{{"write_file", map[string]any{"path": "made", "content": "x\n"}}}}
	again := []step{{Calls: []call{spawnCall("implementer", "write it")}}, write, {Say: "tried"}}
	for name, steps := range map[string][]step{
		"own, then a sub-agent's": append(append([]step{write}, again...), step{Say: "done"}),
		"a sub-agent's, then own": append(append([]step{}, again...), write, step{Say: "done"}),
		"two siblings":            append(append(append([]step{}, again...), again...), step{Say: "done"}),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, steps, nil)
			edits := 0
			r.person = func(q event.Question) event.Answer {
				if q.Kind == event.AskEdit {
					edits++
					return event.Answer{Choice: event.Deny, Reason: "not that file"}
				}
				return yes(q)
			}
			r.start("")
			r.turn("go")
			if r.stop(); edits != 1 || r.read("made") != "" {
				t.Errorf("asked %d times, made %q", edits, r.read("made"))
			}
			r.verify()
		})
	}
}

// TestSubAgentsStandInTheParentsLog: what a sub-agent spends and is refused is
// told there, counts for the session, also after a resume, and the opt-out
// holds for it.
func TestSubAgentsStandInTheParentsLog(t *testing.T) {
	deny := "[[path]]\nglob = [\"secret/**\"]\neffect = [\"read\"]\ndecision = \"deny\"\n"
	r := newRig(t, []step{
		{Calls: []call{spawnCall("implementer", "try")}},
		{Calls: []call{
			{"write_file", map[string]any{"path": "made", "content": "x\n"}}, {"read_file", map[string]any{"path": "secret/x"}}, {"write_file", map[string]any{"path": "../out", "content": "x"}},
		}},
		{Say: "tried"}, {Say: "done"},
	}, func(o *Options) {
		o.Rules, o.Front, o.Interactive, o.CanAsk, o.OptOut = mustRules(t, deny), audit.FrontRun, false, false, true
		o.Budget = budget.New(budget.Limits{Tokens: 1 << 30}, budget.Spent{}, nil, time.Now)
	})
	r.write("secret/x", "SECRET\n")
	r.start("")
	r.turn("go")
	state := must(r.session.State())
	l := listener{above: &lineage{parent: r.session, call: "spawned"}}
	if err := l.hear(event.Event{Body: event.Egress{Host: "example.org:443"}}); err != nil {
		t.Fatal(err)
	}
	r.stop()
	left := false
	for _, e := range must(r.opts.Store.Read(state.ID)) {
		b, ok := e.Body.(event.Egress)
		left = left || ok && b.Call == "spawned"
	}
	if !left {
		t.Error("what leaves the machine below does not stand in the parent's log")
	}
	child := r.child()
	if r.read("made") != "x\n" {
		t.Errorf("the opt-out does not hold for a sub-agent: %+v", child.Messages)
	}
	var refused []string
	own := event.Usage{}
	for _, e := range r.events {
		switch b := e.Body.(type) {
		case event.Refused:
			refused = append(refused, b.Decision+" "+b.Tool)
			if b.Call != r.results()[0].Call || b.Session != child.ID || b.Reason == "" {
				t.Errorf("%+v", b)
			}
		case event.Reply:
			own = own.Plus(b.Usage)
		}
	}
	if got := strings.Join(refused, ", "); got != "blocked read_file, blocked write_file" {
		t.Errorf("refused: %s", got)
	}
	if want := own.Plus(child.Usage); child.Usage.Input == 0 || state.Usage.Input != want.Input || state.Usage.Output != want.Output {
		t.Errorf("the session counts %+v, its replies took %+v and the sub-agent %+v", state.Usage, own, child.Usage)
	}
	if got := r.opts.Budget.Used().Tokens; got != state.Usage.Input+state.Usage.Output {
		t.Errorf("the budget counts %d, the session %+v", got, state.Usage)
	}
	r.verify()
}

// TestALongGoalHidesNoQuestion: the words of a model do not push what is asked
// out of sight, nor forge a line of it.
func TestALongGoalHidesNoQuestion(t *testing.T) {
	goal := "x\nwhy ask  you said yes\n" + strings.Repeat("lorem ipsum ", 30000)
	r := newRig(t, []step{{Calls: []call{spawnCall("implementer", goal)}}, {Calls: []call{{"write_file", map[string]any{"path": "made", "content": "x\n"}}}}, {Say: "tried"}, {Say: "done"}}, nil)
	r.person = func(q event.Question) event.Answer {
		for _, l := range q.Lines {
			if q.Kind == event.AskEdit && (len(l.Text) > 1000 || strings.HasPrefix(l.Text, "why ask  you")) {
				t.Errorf("%d bytes: %.80q", len(l.Text), l.Text)
			}
		}
		return yes(q)
	}
	r.start("")
	r.turn("go")
	if r.stop(); r.read("made") == "" {
		t.Error("nothing was asked")
	}
}

// TestAHookOfASubAgentIsTheParents: with the interpreter of the parent's start,
// and not with what stands there when the sub-agent begins.
func TestAHookOfASubAgentIsTheParents(t *testing.T) {
	r := newRig(t, []step{{Calls: []call{spawnCall("implementer", "write it")}}, {Calls: []call{{"write_file", map[string]any{"path": "made", "content": "x\n"}}}}, {Say: "tried"}, {Say: "done"}}, func(o *Options) {
		k := hookOf(says(`{"decision":"pass"}`), hook.BeforeCall)
		k.Tools = []string{"write_file"}
		o.Hooks = []hook.Hook{k}
	})
	r.person = yes
	r.start("")
	pins := r.session.disp.hooks.pins
	for k, p := range pins { // as if the interpreter were another one by now
		p.SHA256 = strings.Repeat("0", 64)
		pins[k] = p
	}
	r.turn("go")
	if r.stop(); r.read("made") != "" {
		t.Error("a sub-agent's hook was started with an interpreter that nobody approved")
	}
	r.verify()
}

// killedBelow has a sub-agent that edits and runs a command.
var killedBelow = []step{
	{Calls: []call{spawnCall("implementer", "mend it")}},
	{Calls: []call{{"write_file", map[string]any{"path": "made", "content": "x\n"}}, {"execute_command", map[string]any{"command": "echo ran >> runs.log; kill -9 $PPID; touch begun; sleep 600"}}}},
	{Say: "x"},
}

// TestKilledBelowChild is the process that dies, by TestKilledInASubAgent.
func TestKilledBelowChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		return
	}
	r := newRigAt(t, dir, killedBelow, func(o *Options) { o.Level = gate.NeverAsk })
	go func() {
		for !exists(r, "begun") {
			time.Sleep(time.Millisecond)
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}()
	r.start("")
	r.turn("go")
}

// TestKilledInASubAgent: the parent's resume settles what its sub-agent left
// open, in the audit log and before the model, and its undo takes that back.
func TestKilledInASubAgent(t *testing.T) {
	dir := t.TempDir()
	r := newRigAt(t, dir, []step{{Say: "I see where I was."}}, func(o *Options) { o.Level = gate.NeverAsk })
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledBelowChild$")
	cmd.Env = append(os.Environ(), killDir+"="+dir)
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("it lived: %s", out)
	}
	r.start(must(r.opts.Store.Latest(r.root)))
	state := must(r.session.State())
	said := ""
	for _, m := range state.Messages {
		if m.Call != nil {
			said += m.Call.Body
		}
	}
	if !strings.Contains(said, "of the sub-agent's calls was open: run echo ran >> runs.log") {
		t.Errorf("%q", said)
	}
	r.do(event.Undo{Turn: 1}, func(e event.Event) bool { b, ok := e.Body.(event.CallResult); return ok && b.Tool == undoName })
	if r.read("made") != "" { // what nobody can tell, of the command, is a conflict (TestKilledInTheMiddleOfAnUndo)
		t.Errorf("after undo: made %q", r.read("made"))
	}
	r.stop()
	for e, err := range must(audit.OpenReader(t.Context(), audit.Options{Dir: r.state})).Entries(t.Context(), audit.Filter{}) {
		if err != nil || e.AID != "" && e.Status == "" {
			t.Errorf("left open: %v %v", e, err)
		}
	}
	r.verify()
	if fmt.Sprint(r.child().Open) == "[]" {
		t.Error("the sub-agent had nothing open: the test shows nothing")
	}
}
