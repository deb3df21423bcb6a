package agent

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// How many questions do everyday tasks cost? docs/quietness.md holds the table;
// `go test ./agent -run TestQuietness -v` prints it.

// quietTable is the page that holds the table.
const quietTable = "../docs/quietness.md"

// writeQuietness writes the table into the page.
var writeQuietness = flag.Bool("quietness", false, "write the table of docs/quietness.md anew")

// quietRepos are the repositories of the tasks.
func quietRepos() map[string]map[string]string {
	return map[string]map[string]string{
		"go": {
			// The version makes the go command end at once: what it is asked is what counts.
			"go.mod": "module example.org/x\n\ngo 9.99\n", "main.go": "package main\n\nfunc main() { println(calc.Sum(nil)) }\n",
			"calc/sum.go":      "package calc\n\nfunc Sum(xs []int) int {\n\tn := 0\n\tfor i := 0; i <= len(xs); i++ {\n\t\tn += xs[i]\n\t}\n\treturn n\n}\n\n// end\n",
			"calc/sum_test.go": "package calc\n",
		},
		"npm": {
			"package.json": "{\"scripts\":{\"test\":\"node --test\",\"lint\":\"eslint .\"}}\n", "tsconfig.json": "{}\n", "src/index.js": "require('./util')\n", "src/util.js": "\n",
			"src/cart.js": "exports.total = (a, b) => a - b\n// end\n", "test/cart.test.js": "// end\n", "node_modules/lodash/index.js": "\n",
		},
		"python": {
			"pyproject.toml": "[project]\nname = \"x\"\n", "app/text.py": "def fold(s):\n    # unused\n    return s.lower()\n", "tests/test_text.py": "def test(): pass\n", "build.log": "ERROR x\n",
		},
		"rust": {
			"Cargo.toml": "[package]\nname = \"x\"\n", "src/lib.rs": "fn f() { let x: u32 = -1; }\n// tests\n", "src/main.rs": "fn main() { old_name() }\n",
		},
		"make": {
			"Makefile": "test:\n\t@echo ok\n", "src/main.c": "int x;\nint main(void) { return helper(); }\n", "scripts/check.sh": "#!/bin/sh\necho ok\n", "README.md": "# X\n\nUsage\n", "build/main.o": "\n",
		},
	}
}

// A quietTask is a task and its calls.
type quietTask struct {
	repo, name string
	calls      []call
}

func quietTasks(t *testing.T) []quietTask {
	t.Helper()
	b, err := os.ReadFile("../testdata/quietness/tasks.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []quietTask
	repo := ""
	for n, line := range strings.Split(string(b), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || word == "#":
		case word == "repo":
			repo = rest
		case word == "task":
			out = append(out, quietTask{repo: repo, name: rest})
		default:
			c, ok := quietCall(word, rest)
			if !ok {
				t.Fatalf("line %d: %q is no call", n+1, line)
			}
			out[len(out)-1].calls = append(out[len(out)-1].calls, c)
		}
	}
	return out
}

func quietCall(word, rest string) (call, bool) {
	parts := strings.Split(strings.ReplaceAll(strings.ReplaceAll(rest, `\n`, "\n"), `\t`, "\t"), " | ")
	args := func(kv ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			out[kv[i].(string)] = kv[i+1]
		}
		return out
	}
	switch word {
	case "read":
		return call{"read_file", args("path", rest)}, true
	case "grep":
		return call{"grep", args("pattern", rest)}, true
	case "glob":
		return call{"glob", args("pattern", rest)}, true
	case "list":
		return call{"list_files", args("directory", rest)}, true
	case "run":
		return call{"execute_command", args("command", rest)}, true
	case "edit":
		if len(parts) != 3 {
			return call{}, false
		}
		return call{"str_replace", args("path", parts[0], "old_str", parts[1], "new_str", parts[2])}, true
	case "write":
		if len(parts) != 2 {
			return call{}, false
		}
		return call{"write_file", args("path", parts[0], "content", parts[1])}, true
	case "stage":
		return call{"git_stage", args("paths", strings.Fields(rest))}, true
	case "commit":
		return call{"git_commit", args("message", rest)}, true
	case "status":
		return call{"git_status", args()}, true
	case "diff":
		return call{"git_diff", args()}, true
	case "log":
		return call{"git_log", args("limit", 5)}, true
	}
	return call{}, false
}

// quietCount is what a task asked.
type quietCount struct{ edits, commands, commits, reads int }

func (c quietCount) sum() int { return c.edits + c.commands + c.commits + c.reads }

// sensible is a person who reads every edit, and keeps the most general rule
// that is offered about a command or a git call for a week.
func sensible(c *quietCount) func(event.Question) event.Answer {
	return func(q event.Question) event.Answer {
		switch q.Kind {
		case event.AskEdit:
			c.edits++
			return event.Answer{Choice: event.Once}
		case event.AskGit:
			c.commits++
		case event.AskCommand:
			c.commands++
		default:
			c.reads++
		}
		for _, s := range slices.Backward(q.Scopes) {
			if s.Rule != "" {
				return event.Answer{Choice: event.Keep, Scope: s.ID}
			}
		}
		return event.Answer{Choice: event.Once}
	}
}

// playQuiet plays the tasks of a repository at a level, through the real loop.
func playQuiet(t *testing.T, repo string, level gate.Level, tasks []quietTask) []quietCount {
	t.Helper()
	var steps []step
	for _, task := range tasks {
		for _, c := range task.calls {
			steps = append(steps, step{Say: "next", Calls: []call{c}})
		}
		steps = append(steps, step{Say: "Done."})
	}
	r := newRig(t, steps, func(o *Options) {
		o.Level = level
		o.Witness = keptAnswers{statedir.OpenAnswers(o.State, "audit_trailer.json"), "/repo"} // nobody spoke about it yet
	})
	withBook(r)
	for name, text := range quietRepos()[repo] {
		r.write(name, text)
		if strings.HasSuffix(name, ".sh") {
			_ = os.Chmod(filepath.Join(r.root, name), 0o755)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "start"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = r.root
		cmd.Env = append(os.Environ(), "HOME="+r.home, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	r.start("")
	defer r.stop()
	var out []quietCount
	for _, task := range tasks {
		var c quietCount
		r.person = sensible(&c)
		if end := r.turn(task.name); end.Status != "done" {
			t.Fatalf("%s: %s: %+v", repo, task.name, end)
		}
		out = append(out, c)
	}
	for _, res := range r.results() {
		if res.Status == "error" && res.Tool != "execute_command" && res.Tool != "git_commit" && res.Tool != "git_stage" {
			t.Errorf("%s: the call %s could not be made: %s", repo, res.Title, res.Body)
		}
	}
	return out
}

// TestQuietness holds the everyday to at most three questions a task at the
// default level, and the page to the figures.
func TestQuietness(t *testing.T) {
	tasks := quietTasks(t)
	if len(tasks) < 30 {
		t.Fatalf("%d tasks", len(tasks))
	}
	levels := []gate.Level{gate.AlwaysAsk, gate.NewFilesOnly, gate.NeverAsk}
	byRepo := map[string][]quietTask{}
	var repos []string
	for _, task := range tasks {
		if byRepo[task.repo] == nil {
			repos = append(repos, task.repo)
		}
		byRepo[task.repo] = append(byRepo[task.repo], task)
	}
	var table strings.Builder
	table.WriteString("| repository | task | always_ask | of these edits | commands | git | new_files_only | never_ask |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	var sums, most [3]int
	for _, repo := range repos {
		var counts [3][]quietCount
		for i, level := range levels {
			counts[i] = playQuiet(t, repo, level, byRepo[repo])
		}
		for n, task := range byRepo[repo] {
			d := counts[0][n]
			fmt.Fprintf(&table, "| %s | %s | %d | %d | %d | %d | %d | %d |\n", repo, task.name, d.sum(), d.edits, d.commands, d.commits, counts[1][n].sum(), counts[2][n].sum())
			for i := range levels {
				sums[i] += counts[i][n].sum()
				most[i] = max(most[i], counts[i][n].sum())
			}
			if d.sum() > 3 {
				t.Logf("%s: %s: %+v", repo, task.name, d)
			}
		}
	}
	mean := func(i int) string { return fmt.Sprintf("%.1f", float64(sums[i])/float64(len(tasks))) }
	fmt.Fprintf(&table, "| all %d | mean | %s | | | | %s | %s |\n| | most | %d | | | | %d | %d |\n", len(tasks), mean(0), mean(1), mean(2), most[0], most[1], most[2])
	t.Log("\n" + table.String())
	if float64(sums[0]) > 3*float64(len(tasks)) {
		t.Errorf("%s questions a task at the default level; the goal is at most 3", mean(0))
	}
	if sums[2] != 0 {
		t.Errorf("never_ask asked %d times", sums[2])
	}
	holdQuietPage(t, table.String())
}

// holdQuietPage compares the page's table with what was counted.
func holdQuietPage(t *testing.T, table string) {
	t.Helper()
	page, err := os.ReadFile(quietTable)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), "<!-- table -->\n")
	_, after, closed := strings.Cut(rest, "<!-- end -->")
	if !ok || !closed {
		t.Fatal("the page has no place for the table")
	}
	if *writeQuietness {
		if err := os.WriteFile(quietTable, []byte(before+"<!-- table -->\n"+table+"<!-- end -->"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !strings.Contains(string(page), table) {
		t.Error("docs/quietness.md is not what was counted: go test ./agent -run TestQuietness -quietness writes it anew")
	}
}
