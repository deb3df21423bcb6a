package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/model"
)

// document is a page of the documentation.
func document(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(docsDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestThePageOfExitCodes has each code once, those of the program and no other,
// and each is what some injection ends with.
func TestThePageOfExitCodes(t *testing.T) {
	page := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| .+ \|$`).FindAllStringSubmatch(document(t, "exit-codes.md"), -1) {
		if page[m[1]] {
			t.Errorf("the code %s stands there twice", m[1])
		}
		page[m[1]] = true
	}
	ends := map[int]bool{exitSetupFailed: true} // of `sandbox` and `git` alone
	for _, i := range injections {
		ends[i.exit] = true
	}
	codes := []int{exitOK, exitFailed, exitUsage, exitDenied, exitUntrusted, exitBudget, exitNoSandbox, exitNoEvidence, exitCancelled, exitModel, exitSetupFailed}
	for _, code := range codes {
		if !page[fmt.Sprint(code)] {
			t.Errorf("the page lacks %d", code)
		}
		if !ends[code] {
			t.Errorf("no injection ends with %d", code)
		}
		delete(page, fmt.Sprint(code))
	}
	if len(page) > 0 {
		t.Errorf("the page has codes that the program has not: %v", page)
	}
}

// TestThePageOfTheEnvironment names every variable that the program reads.
func TestThePageOfTheEnvironment(t *testing.T) {
	page := document(t, "configuration.md")
	names := map[string]bool{}
	for _, p := range model.Presets() {
		if p.ID == "anthropic" || p.ID == "openai" || p.ID == "openai-chat" || p.ID == "gemini" || p.ID == "ollama" {
			names[p.KeyEnv], names[p.BaseEnv] = true, true
		}
	}
	word := regexp.MustCompile(`TERA_PILOT_[A-Z_]*[A-Z]`)
	for _, dir := range []string{".", "../../internal/config"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range word.FindAllString(string(b), -1) {
				names[m] = true
			}
		}
	}
	delete(names, "")
	if len(names) < 10 {
		t.Errorf("only %d variables", len(names))
	}
	for name := range names {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page lacks %s", name)
		}
	}
}

// TestTheJobOfThePage plays the job of docs/headless.md, word for word, with a
// scripted model.
func TestTheJobOfThePage(t *testing.T) {
	_, rest, _ := strings.Cut(document(t, "headless.md"), "\n```sh\n")
	job, _, ok := strings.Cut(rest, "\n```")
	if !ok {
		t.Fatal("the page has no job")
	}
	h := newHurt(t)
	h.put(h.repo, "answer.schema.json", `{"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"], "additionalProperties": false}`)
	model := h.put(h.home, "model.json", `{"steps": [{"say": "I look.", "calls": [{"tool": "grep", "args": {"pattern": "assert", "path": "."}}]}, {"say": "{\"count\": 2}"}]}`)
	// The script of the model is the one thing that the page does not say.
	bin := h.put(filepath.Join(h.home, "bin"), "tera-pilot", "#!/bin/sh\ncase $1 in run) shift; exec "+built(t)+" run --script "+model+" \"$@\";; *) exec "+built(t)+" \"$@\";; esac\n")
	if err := os.Chmod(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", job)
	cmd.Dir, cmd.Env = h.repo, append(h.env, "PATH="+filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]string{"answer.json": "{\"count\": 2}\n", "report.xml": "<testsuites>", "evidence.json": "{"} {
		got, err := os.ReadFile(filepath.Join(h.repo, name))
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %.200s, %v", name, got, err)
		}
	}
}
