package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestWebScripts plays the texts of testdata/script/web*.txtar.
func TestWebScripts(t *testing.T) {
	bin := built(t)
	testscript.Run(t, testscript.Params{Files: []string{"testdata/script/web.txtar"}, Setup: func(e *testscript.Env) error {
		e.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
		e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
		return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700)
	}})
}

// TestWebSuite runs every URL of the suite through `web check` of the built
// program. A line without answers of a resolver that says block must be refused
// without a look-up.
func TestWebSuite(t *testing.T) {
	bin := built(t)
	data, err := os.ReadFile("../../testdata/suites/web/urls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) < 93 {
		t.Fatalf("only %d lines", len(lines))
	}
	home := t.TempDir()
	for _, line := range lines {
		var c struct {
			URL, Expect, Why string
			DNS              *[]string
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		args := []string{"web", "check", "--json"}
		if c.DNS != nil {
			args = append(args, "--dns", strings.Join(*c.DNS, ","))
		} else if c.Expect == "block" {
			args = append(args, "--dns", "")
		}
		cmd := exec.Command(bin, append(args, "--", c.URL)...)
		cmd.Env = append(os.Environ(), "HOME="+home)
		out, err := cmd.Output()
		var got struct {
			Allow   bool
			Address string
			Asked   int `json:"resolver_asked"`
		}
		if err != nil || json.Unmarshal(out, &got) != nil {
			t.Errorf("%s: %v %s", c.URL, err, out)
			continue
		}
		if got.Allow != (c.Expect == "allow") || c.DNS == nil && got.Asked > 0 || got.Asked > 1 {
			t.Errorf("%s (%s): %s", c.URL, c.Why, out)
		}
	}
}
