package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/jsonschema"
)

// doctorReport runs doctor and holds what it prints against its schema.
func doctorReport(t *testing.T, h *hurt, args ...string) (code int, checks map[string]string, text string) {
	t.Helper()
	raw, err := os.ReadFile("../../docs/doctor.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(built(t), append([]string{"doctor", "--json"}, args...)...)
	cmd.Dir, cmd.Env = h.repo, h.env
	out, _ := cmd.Output() // its exit code is looked at
	if err := schema.Check(out); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var r struct {
		Ready  bool
		Checks []struct{ Name, Status, Detail, Hint string }
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	checks = map[string]string{}
	for _, c := range r.Checks {
		checks[c.Name] = c.Status + " " + c.Detail
	}
	code = cmd.ProcessState.ExitCode()
	if r.Ready != (code == exitOK) {
		t.Errorf("ready %v, exit %d", r.Ready, code)
	}
	return code, checks, string(out)
}

// TestDoctorChangesAndStartsNothing: a hostile project and a home that was
// never used are looked at; nothing of the first runs, and nothing is made in
// the second.
func TestDoctorChangesAndStartsNothing(t *testing.T) {
	h := newHurt(t)
	if err := os.Remove(h.state); err != nil {
		t.Fatal(err)
	}
	h.put(h.repo, ".tera_pilot/hooks.toml", "[[hook]]\nname = \"t\"\nevents = [\"turn_start\"]\nrun = \"touch made.txt\"\n")
	h.put(h.repo, ".mcp.json", `{"mcpServers": {"s": {"command": "/usr/bin/touch", "args": ["`+filepath.Join(h.repo, "made.txt")+`"]}}}`)
	for _, args := range [][]string{{"init", "-q"}, {"config", "core.fsmonitor", "touch made.txt"}, {"config", "core.hooksPath", "."}} {
		if out, err := exec.Command("git", append([]string{"-C", h.repo}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	_, checks, _ := doctorReport(t, h)
	if !strings.HasPrefix(checks["trust"], "warn not let in: ") || !strings.Contains(checks["trust"], "hooks.toml") || !strings.Contains(checks["trust"], ".mcp.json") {
		t.Errorf("trust: %s", checks["trust"])
	}
	if checks["hooks"] != "ok none" {
		t.Errorf("hooks: %s", checks["hooks"])
	}
	if _, err := os.Lstat(h.state); err == nil {
		t.Error("a state folder was made")
	}
	h.untouched()
}

// TestDoctorSaysWhatIsWrong: each fault has its line, its hint, and no secret
// in it.
func TestDoctorSaysWhatIsWrong(t *testing.T) {
	h := newHurt(t)
	h.past()
	h.put(h.state, "config.json", `{"budget_usd": 2, "agent_autonomy": "never_ask"}`)
	h.put(h.state, "hooks.toml", "[[hook]]\nname = \"mine\"\nevents = [\"turn_start\"]\nrun = \"touch made.txt\"\n")
	if err := os.Chmod(h.put(h.state, "mcp.json", `{"mcpServers": {"notes": {"command": "/usr/bin/true", "env": {"TOKEN": "sk-test-111111111111111111111111"}}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	_, checks, text := doctorReport(t, h)
	for name, want := range map[string]string{
		"hooks": "ok mine", "budgets": "ok 2.00 dollars a session", "level": "warn never_ask", "files": "warn mcp.json has mode 0644", "audit log": "ok ", "terminal": "ok none here",
	} {
		if !strings.HasPrefix(checks[name], want) {
			t.Errorf("%s: %q, not %q", name, checks[name], want)
		}
	}
	if !strings.Contains(text, `"hint": "chmod 600 `) || strings.Contains(text, "sk-test") {
		t.Errorf("%s", text)
	}
	h.untouched()
	h.put(h.state, "hooks.toml", "[[hook]]\n")
	if code, checks, _ := doctorReport(t, h); code != exitFailed || !strings.HasPrefix(checks["hooks"], "fail ") {
		t.Errorf("exit %d, %s", code, checks["hooks"])
	}
	if _, checks, _ := doctorReport(t, h, "--sandbox"); len(checks) < 5 {
		t.Errorf("%v", checks)
	}
}
