package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWrongWords: a word that is missing, too many or unknown is answered in our
// words, with what to type instead.
func TestWrongWords(t *testing.T) {
	h := newHurt(t)
	for call, want := range map[string]string{
		"nosuch":             "there is no command and no folder",
		"../nowhere":         "there is no command and no folder",
		"runn":               "did you mean `tera-pilot run`",
		"sandbox":            "the form is `tera-pilot sandbox [flags] -- COMMAND",
		"sessions show":      "the form is `tera-pilot sessions show ID",
		"sessions show a b":  "too many words",
		"sessions name a":    "a word is missing",
		"sessions list more": `takes no words, and got "more"`,
		"sessions search |":  "there is no text to find",
	} {
		var args []string
		for _, word := range strings.Fields(call) {
			args = append(args, strings.ReplaceAll(word, "|", " "))
		}
		out := h.told(args...)
		if !strings.Contains(out, want) || strings.Contains(out, "arg(s)") || strings.Contains(out, "needs a terminal") {
			t.Errorf("%s: %s", call, out)
		}
	}
}

// TestVerifyStandardInput: an export that comes through a pipe is checked like a
// file, and one that was changed on the way is found.
func TestVerifyStandardInput(t *testing.T) {
	h := newHurt(t)
	h.past()
	file := filepath.Join(t.TempDir(), "e.json")
	h.must("audit", "export", "--out", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, in, from, want string
	}{
		{"whole", string(data), "-", "intact"},
		{"whole, by its other name", string(data), "/dev/stdin", "intact"},
		{"cut", string(data[:len(data)/2]), "-", "TAMPERED"},
		{"nothing", "", "-", "TAMPERED"},
	} {
		cmd := exec.Command(built(t), "audit", "verify", c.from, "--pubkey", filepath.Join(h.state, "audit_key.pub"))
		cmd.Env, cmd.Stdin = append(os.Environ(), "HOME="+h.home), strings.NewReader(c.in)
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), c.want) || (err == nil) != (c.want == "intact") {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
	}
}
