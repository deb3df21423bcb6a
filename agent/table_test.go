package agent

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// A sample is one call of a tool and the row of the table that it falls under.
type sample struct {
	row  string // read, free, create, change, exec, git, danger
	args map[string]any
	did  func(*rig) bool // whether its effect is there; nil for reads
}

// samples has one call for every registered tool: a tool without one fails the
// test, so that none can be added without a place in the table.
func samples() map[string]sample {
	holds := func(name, text string) func(*rig) bool {
		return func(r *rig) bool { return strings.Contains(r.read(name), text) }
	}
	return map[string]sample{
		"read_file":   {"read", map[string]any{"path": "a.txt"}, nil},
		"list_files":  {"read", map[string]any{"directory": "."}, nil},
		"glob":        {"read", map[string]any{"pattern": "*.txt"}, nil},
		"grep":        {"read", map[string]any{"pattern": "one"}, nil},
		"file_info":   {"read", map[string]any{"path": "a.txt"}, nil},
		"git_status":  {"read", map[string]any{}, nil},
		"git_diff":    {"read", map[string]any{}, nil},
		"git_log":     {"read", map[string]any{}, nil},
		"todo":        {"free", map[string]any{"items": []map[string]string{{"text": "x", "status": "pending"}}}, nil},
		"job":         {"free", map[string]any{"action": "list"}, nil},
		"ask_user":    {"free", map[string]any{"question": "which?"}, nil},
		"write_file":  {"create", map[string]any{"path": "new.txt", "content": "new"}, holds("new.txt", "new")},
		"mkdir":       {"create", map[string]any{"path": "newdir"}, func(r *rig) bool { return exists(r, "newdir") }},
		"str_replace": {"change", map[string]any{"path": "b.txt", "old_str": "one", "new_str": "two"}, holds("b.txt", "two")},
		"apply_diff":  {"change", map[string]any{"path": "c.txt", "diff": "--- a/c.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-one\n+three\n"}, holds("c.txt", "three")},
		"multi_edit":  {"change", map[string]any{"path": "g.txt", "edits": []map[string]string{{"old_str": "one", "new_str": "two"}, {"old_str": "two", "new_str": "six"}}}, holds("g.txt", "six")},
		"rename_file": {"change", map[string]any{"old_path": "d.txt", "new_path": "moved.txt"}, holds("moved.txt", "one")},
		"delete_file": {"change", map[string]any{"path": "e.txt"}, func(r *rig) bool { return !exists(r, "e.txt") }},
		"execute_command": {
			"exec", map[string]any{"command": "echo four > f.txt"}, holds("f.txt", "four"),
		},
		"run_code":        {"exec", map[string]any{"code": "echo five > h.txt", "language": "bash"}, holds("h.txt", "five")},
		"web_fetch":       {"net", map[string]any{"url": "http://docs.example.org/"}, nil},
		"web_search":      {"net", map[string]any{"query": "words"}, nil},
		"mcp__near__echo": {"mcp", map[string]any{"text": "words"}, func(r *rig) bool { return exists(r, "near.log") }},
		"spawn_subagent":  {"spawn", map[string]any{"goal": "say nothing", "max_iterations": 1}, nil},
		"self_verify":     {"exec", map[string]any{}, holds("tested.txt", "yes")},
		"git_stage":       {"exec", map[string]any{"paths": []string{"a.txt"}}, func(r *rig) bool { return strings.Contains(gitOut(r, "ls-files"), "a.txt") }},
		"git_commit":      {"exec", map[string]any{"message": "from the test"}, func(r *rig) bool { return strings.Contains(gitOut(r, "log", "--format=%s"), "from the test") }},
	}
}

func exists(r *rig, name string) bool {
	out, err := exec.Command("ls", "-d", r.root+"/"+name).Output()
	return err == nil && len(out) > 0
}

func gitOut(r *rig, args ...string) string {
	out, err := exec.Command("git", append([]string{"-C", r.root}, args...)...).Output()
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// who stands at the other end.
type who struct {
	name   string
	front  audit.Front
	asks   bool // somebody can be asked
	yes    bool
	optOut bool
	denied bool // a policy that denies everything it can name
}

// runs is the table of docs/architecture.md, section 2, once more and by hand.
func runs(row string, level gate.Level, w who) bool {
	answered := w.asks && w.yes
	switch row {
	case "read":
		return !w.denied
	case "free":
		return true
	case "create":
		return !w.denied && (answered || level != gate.AlwaysAsk)
	case "change", "exec":
		return !w.denied && (answered || level == gate.NeverAsk)
	case "net", "mcp":
		return !w.denied && answered && level != gate.NeverAsk
	case "spawn": // no rule speaks of it; what it does is judged by itself
		return answered || level == gate.NeverAsk
	case "danger":
		return !w.denied && answered
	}
	return false
}

// denyAll is a policy against everything that the samples do.
const denyAll = `
[[path]]
glob = ["**"]
effect = ["read", "create", "write", "delete", "rename", "chmod"]
decision = "deny"

[[host]]
host = ["*"]
decision = "deny"

[[mcp]]
server = "*"
decision = "deny"

[[rule]]
cmd = ["git", "echo", "make", "test", "run_code:bash"]
decision = "deny"
`

func TestEveryToolAtEveryLevel(t *testing.T) {
	for _, w := range []who{
		{name: "terminal yes", front: audit.FrontTUI, asks: true, yes: true},
		{name: "terminal no", front: audit.FrontTUI, asks: true},
		{name: "nobody", front: audit.FrontRun},
		{name: "nobody, opt-out", front: audit.FrontRun, optOut: true},
		{name: "policy deny", front: audit.FrontTUI, asks: true, yes: true, denied: true},
	} {
		for _, level := range []gate.Level{gate.AlwaysAsk, gate.NewFilesOnly, gate.NeverAsk} {
			t.Run(fmt.Sprintf("%s/%s", w.name, level), func(t *testing.T) { tryEveryTool(t, w, level) })
		}
	}
}

func tryEveryTool(t *testing.T, w who, level gate.Level) {
	all, registry := samples(), tool.New(tool.Options{Fetch: true, Search: true, MCP: nearTool})
	var calls []call
	for _, x := range registry.All() {
		name := x.Spec().Name
		s, ok := all[name]
		if !ok {
			t.Fatalf("the tool %s has no sample: give it a row of the table", name)
		}
		calls = append(calls, call{name, s.args})
	}
	r := newRig(t, []step{{Say: "all of it", Calls: calls}, {Say: "done"}, {Say: "done"}}, func(o *Options) {
		o.Front, o.CanAsk, o.Interactive, o.OptOut = w.front, w.asks, w.front == audit.FrontTUI, w.optOut
		o.Level = level
		if w.denied {
			o.Rules = mustRules(t, denyAll)
		}
	})
	r.opts.Tools, r.internet = registry, &internet{answer: searchAnswer}
	prepare(r)
	r.near("", "")
	if w.yes {
		r.person = yes
	}
	r.start("")
	r.turn("go")
	r.stop()
	effective := gate.Effective(gate.Front(w.front), r.opts.Interactive, level, w.optOut)
	results := r.results()
	if len(results) != len(calls) {
		t.Fatalf("%d results of %d calls", len(results), len(calls))
	}
	for i, res := range results {
		checkTried(t, r, all[calls[i].Tool], res, runs(all[calls[i].Tool].row, effective, who{asks: w.asks, yes: w.yes, denied: w.denied}))
	}
	r.verify()
}

// checkTried compares what a result says, and what the world shows, with what
// the table wants.
func checkTried(t *testing.T, r *rig, s sample, res event.CallResult, want bool) {
	t.Helper()
	ran := res.Decision == "allowed" || res.Decision == "approved"
	if ran != want {
		t.Errorf("%s (%s): decision %s, want it to run: %v\n%s", res.Tool, s.row, res.Decision, want, res.Body)
		return
	}
	if ran && res.Status != "ok" && res.Tool != "ask_user" {
		t.Errorf("%s: %s: %s", res.Tool, res.Status, res.Body)
	}
	if s.did != nil && s.did(r) != want {
		t.Errorf("%s: its effect is there: %v, and should be: %v", res.Tool, !want, want)
	}
}

// prepare makes a repository in which every sample can do its work.
func prepare(r *rig) {
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "g.txt"} {
		r.write(name, "one\n")
	}
	r.write("Makefile", "test:\n\techo yes > tested.txt\n")
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "Makefile", "b.txt", "c.txt", "d.txt", "e.txt"},
		{"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first"},
		{"config", "user.name", "t"},
		{"config", "user.email", "t@example.org"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", r.root}, args...)...).CombinedOutput(); err != nil {
			r.t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
}

func mustRules(t *testing.T, text string) gate.Rules {
	t.Helper()
	f, err := commandpolicy.Load(strings.NewReader(text), "policy.toml", commandpolicy.LayerUser)
	if err != nil {
		t.Fatal(err)
	}
	return gate.NewRules(f)
}
