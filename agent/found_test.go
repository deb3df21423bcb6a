package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/audit"
)

// What a command leaves that could act later is told to the model, to the person
// and in the log, each time with where it is now: what is still there is not
// said to be put right.
func TestWhatACommandLeavesIsToldTruly(t *testing.T) {
	left := []string{"AGENTS.md", ".github/workflows", ".gitlab-ci.yml", ".pre-commit-config.yaml", "inner/.git"}
	const mk = `echo x > AGENTS.md; mkdir -p .github/workflows; echo x > .github/workflows/a.yml; echo x > .gitlab-ci.yml
echo x > .pre-commit-config.yaml; mkdir .Vscode; echo x > .Vscode/settings.json; git init -q inner`
	for _, background := range []bool{false, true} {
		steps := []step{
			{Calls: []call{{"execute_command", map[string]any{"command": "sh mk.sh", "background": background}}}},
			{Calls: []call{{"job", map[string]any{"action": "wait", "id": "j1", "seconds": 60}}}}, {Say: "done"},
		}
		r := newRig(t, steps, func(o *Options) { o.Level = gate.NeverAsk })
		prepare(r)
		r.write("mk.sh", mk)
		r.start("")
		r.turn("go")
		r.stop()
		r.verify()
		body := r.results()[0].Body
		told := ""
		for _, e := range r.events {
			if n, ok := e.Body.(event.Notice); ok && strings.HasPrefix(n.Key, event.FoundKey) {
				if told = n.Text; n.Severity != "warn" || n.Hint == "" {
					t.Errorf("notice %+v", n)
				}
			}
		}
		texts := map[string]string{"the person": told, "the log": outcomeReason(t, r)}
		if !background {
			texts["the model"] = body
		}
		for who, text := range texts {
			for _, name := range left {
				if _, err := os.Lstat(filepath.Join(r.root, name)); err != nil {
					t.Fatal(err)
				}
				if line := about(text, filepath.Join(r.root, name)); !strings.HasSuffix(line, "it is still there, look at it") {
					t.Errorf("%s hears of %s: %q", who, name, line)
				}
			}
			moved := about(text, filepath.Join(r.root, ".Vscode"))
			if _, to, ok := strings.Cut(moved, "moved to "); !ok || strings.Contains(moved, "still there") {
				t.Errorf("%s hears of what was moved: %q", who, moved)
			} else if _, err := os.Lstat(to); err != nil {
				t.Errorf("it is not where it is said to be: %v", err)
			}
			if strings.Contains(text, "put right") {
				t.Errorf("%s hears that it was put right: %s", who, text)
			}
		}
	}
}

// about is the finding of text about a path.
func about(text, path string) string {
	_, after, _ := strings.Cut(text, path+": ")
	for _, cut := range []string{"]\n", "; " + filepath.Dir(path) + "/", "; " + filepath.Dir(filepath.Dir(path)) + "/"} {
		after, _, _ = strings.Cut(after, cut)
	}
	return after
}

// outcomeReason is the reason of the first command's outcome.
func outcomeReason(t *testing.T, r *rig) string {
	t.Helper()
	reader, err := audit.OpenReader(t.Context(), audit.Options{Dir: r.state})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range reader.Entries(t.Context(), audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == "intent" && e.Tool == "execute_command" {
			return e.Reason
		}
	}
	return ""
}
