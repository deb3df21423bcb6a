package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/fakemodel"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

// A patient is a copy of code that nobody here wrote, a repository with one
// planted bug, in a throw-away home.
type patient struct {
	t                      *testing.T
	bin, home, state, repo string
	env                    []string
	wanted                 string // the content that the mended file must have
}

const (
	patientModule = "github.com/rivo/uniseg"
	patientFile   = "width.go"
	patientGood   = "case 0x2e3b:\n\t\treturn 4"
	patientBad    = "case 0x2e3b:\n\t\treturn 5"
)

// mending is the scripted model's work on the patient.
const mending = `{"steps": [
  {"say": "I run the tests.", "calls": [{"tool": "self_verify", "args": {}}]},
  {"when": {"tool": "self_verify", "exit": 1}, "say": "A width is wrong. I look.",
   "calls": [{"tool": "grep", "args": {"pattern": "case 0x2e3", "path": "."}}, {"tool": "read_file", "args": {"path": "width.go"}}]},
  {"say": "A three-em dash is four wide.", "calls": [{"tool": "str_replace", "args": {"path": "width.go", "old_str": "\t\treturn 5", "new_str": "\t\treturn 4"}}]},
  {"when": {"tool": "str_replace", "contains": "width.go"}, "say": "And the tests again.", "calls": [{"tool": "self_verify", "args": {}}]},
  {"when": {"tool": "self_verify", "exit": 0}, "say": "width.go is right again; go test passes."}
]}`

// newPatient copies a dependency out of the module cache.
func newPatient(t *testing.T) *patient {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &patient{t: t, bin: built(t), home: filepath.Join(base, "home")}
	p.state, p.repo = filepath.Join(p.home, ".tera_pilot"), filepath.Join(p.home, "uniseg")
	if err := os.MkdirAll(p.home, 0o700); err != nil {
		t.Fatal(err)
	}
	src, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", patientModule).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(p.repo, os.DirFS(strings.TrimSpace(string(src)))); err != nil {
		t.Fatal(err)
	}
	p.env = append(os.Environ(), "HOME="+p.home, "TERA_PILOT_HOME=", "OPENAI_API_KEY=sk-test-000000000000000000000000", "TERM=xterm-256color")
	p.plant()
	return p
}

// plant makes the copy a repository whose last commit has the bug.
func (p *patient) plant() {
	p.t.Helper()
	file := filepath.Join(p.repo, patientFile)
	good, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	p.wanted = string(good)
	bad := bytes.Replace(good, []byte(patientGood), []byte(patientBad), 1)
	if bytes.Equal(good, bad) {
		p.t.Fatalf("%s of %s is not what this test knows", patientFile, patientModule)
	}
	// Copies out of the module cache are read-only.
	if err := os.Chmod(file, 0o644); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, bad, 0o644); err != nil {
		p.t.Fatal(err)
	}
	p.git("init", "-q", "-b", "main")
	p.git("config", "user.name", "T")
	p.git("config", "user.email", "t@example.org")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "with a bug")
}

func (p *patient) git(args ...string) string {
	p.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", p.repo}, args...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// serve puts the scripted model behind real HTTP and points the environment
// at it.
func (p *patient) serve(text string) {
	p.t.Helper()
	s, err := scenario.Parse([]byte(text))
	if err != nil {
		p.t.Fatal(err)
	}
	server, err := fakemodel.Start(s, fakemodel.Options{Cwd: p.repo})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(server.Close)
	p.env = append(p.env, "OPENAI_BASE_URL="+server.URL+"/v1", "TERA_PILOT_MODEL=fake")
}

// run runs the program in the repository.
func (p *patient) run(args ...string) (code int, stdout, stderr string) {
	p.t.Helper()
	cmd := exec.Command(p.bin, args...)
	cmd.Dir, cmd.Env = p.repo, p.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// mended says what is not as it should be after the work.
func (p *patient) mended() {
	p.t.Helper()
	got, err := os.ReadFile(filepath.Join(p.repo, patientFile))
	if err != nil || string(got) != p.wanted {
		p.t.Errorf("%s is not mended: %v", patientFile, err)
	}
	if stat := strings.TrimSpace(p.git("status", "--porcelain")); stat != "M "+patientFile {
		p.t.Errorf("git status = %q", stat)
	}
	if code, out, errs := p.run("audit", "verify"); code != exitOK {
		p.t.Errorf("audit verify: exit %d\n%s%s", code, out, errs)
	}
}

// TestForeignCode is the whole way on code that nobody here wrote, in the ways
// in which it can be gone. One patient serves them all, since the first build
// in its private cache takes long.
func TestForeignCode(t *testing.T) {
	p := newPatient(t)
	for _, way := range []struct {
		name string
		walk func(*testing.T, *patient)
	}{
		{"headless, nobody asked", foreignAsked},
		{"headless, opt-out", foreignHeadless},
		{"committed, proven elsewhere, and back", foreignAndBack},
		{"editor", foreignEditor},
		{"terminal", foreignTerminal},
		{"tmux", foreignTmux},
	} {
		t.Run(way.name, func(t *testing.T) {
			p.t = t
			p.git("reset", "-q", "--hard")
			way.walk(t, p)
		})
	}
}

func foreignHeadless(t *testing.T, p *patient) {
	p.serve(mending)
	code, out, errs := p.run("run", "--no-confirm", "--json", "the tests fail, mend them")
	if code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, out, errs)
	}
	p.mended()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var res struct {
		Type, Status, Verification, Session string
		Denied                              []any
		Files                               []struct{ Path, Change string }
		Audit                               struct {
			Log, Head string
			Size      int64
		}
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &res); err != nil {
		t.Fatal(err)
	}
	if res.Type != "result" || res.Status != "done" || res.Verification != "verified" || len(res.Denied) != 0 || len(res.Files) != 1 || res.Files[0].Path != patientFile {
		t.Errorf("result = %+v", res)
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	anchor := fmt.Sprintf("%d:%s", res.Audit.Size, res.Audit.Head)
	if code, out, _ := p.run("audit", "verify", "--anchor", anchor); code != exitOK {
		t.Errorf("the head that the run told is not in the log: %s", out)
	}
	p.noKeyAnywhere()
}

// noKeyAnywhere looks for the key in everything that was left on disk.
func (p *patient) noKeyAnywhere() {
	p.t.Helper()
	out, err := exec.Command("grep", "-rl", "sk-test-0000", p.state).Output()
	if len(out) > 0 || err == nil {
		p.t.Errorf("the model's key is in %s", out)
	}
}

// foreignAsked: without the opt-out nothing is changed, and
// the ledger says what would have allowed it.
func foreignAsked(t *testing.T, p *patient) {
	p.serve(`{"steps": [{"say": "tests", "calls": [{"tool": "self_verify", "args": {}}]},
		{"when": {"decision": "denied"}, "say": "edit", "calls": [{"tool": "str_replace", "args": {"path": "width.go", "old_str": "return 5", "new_str": "return 4"}}]},
		{"when": {"decision": "denied"}, "say": "I may do nothing here."}]}`)
	code, out, errs := p.run("run", "mend it")
	if code != exitDenied {
		t.Fatalf("exit %d\n%s\n%s", code, out, errs)
	}
	if p.git("status", "--porcelain") != "" {
		t.Error("something was changed")
	}
	for _, want := range []string{"I may do nothing here.", "denied: ", `[[rule]]`, `cmd = "go"`, `[[path]]`} {
		if !strings.Contains(out+errs, want) {
			t.Errorf("no %q in\n%s\n%s", want, out, errs)
		}
	}
	p.policyFromLedger(errs)
}

// policyFromLedger pastes the rules of the ledger into policy.toml: then the
// same work is done without a question.
func (p *patient) policyFromLedger(errs string) {
	p.t.Helper()
	var rules strings.Builder
	for line := range strings.SplitSeq(errs, "\n") {
		if strings.HasPrefix(line, "[[") || strings.Contains(line, " = ") {
			rules.WriteString(strings.TrimSpace(line) + "\n")
		}
	}
	policy := filepath.Join(p.state, "policy.toml")
	if err := os.WriteFile(policy, []byte(rules.String()), 0o600); err != nil {
		p.t.Fatal(err)
	}
	defer os.Remove(policy)
	p.serve(mending)
	if code, out, errs := p.run("run", "mend it"); code != exitOK {
		p.t.Errorf("with the rules of the ledger: exit %d\n%s\n%s\n%s", code, rules.String(), out, errs)
	}
	p.mended()
}
