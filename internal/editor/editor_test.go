package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script makes a program that stands for an editor.
func script(t *testing.T, body string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ed")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

func edit(t *testing.T, env []string, name, text string) (string, *Session, error) {
	t.Helper()
	s, err := Open(env, name, text, nil)
	if err != nil {
		return "", nil, err
	}
	if err := s.Run(); err != nil {
		_, _ = s.Text()
		return "", s, err
	}
	out, err := s.Text()
	if _, gone := os.Stat(s.dir); !os.IsNotExist(gone) {
		t.Errorf("the folder stays: %v", gone)
	}
	return out, s, err
}

func TestEdit(t *testing.T) {
	ed := script(t, `for last; do :; done; { pwd; ls -ld . | cut -c1-10; basename "$last"; cat "$last"; echo "$1"; } > "$last.new"; mv "$last.new" "$last"`)
	got, _, err := edit(t, []string{"PATH=" + os.Getenv("PATH"), "EDITOR=not this", "VISUAL=" + ed + " --wait"}, "../a dir/sc'an.go", "hello\n")
	lines := strings.Split(got, "\n")
	if err != nil || len(lines) < 5 {
		t.Fatalf("%q, %v", got, err)
	}
	if wd, _ := os.Getwd(); lines[0] == wd || lines[1] != "drwx------" || lines[2] != "sc_an.go" || lines[3] != "hello" || lines[4] != "--wait" {
		t.Errorf("got %q", lines)
	}
}

func TestEditorsThatFail(t *testing.T) {
	for name, c := range map[string]struct{ env, want string }{
		"none":      {"TERM=x", "no editor is named"},
		"not there": {"EDITOR=/no/such/editor", "was not found"},
		"fails":     {"EDITOR=" + script(t, "exit 3"), "exit status 3"},
		"deletes":   {"EDITOR=" + script(t, `rm "$1"`), "what the editor saved"},
		"not text":  {"EDITOR=" + script(t, `printf '\377' > "$1"`), "not UTF-8"},
		"no shell":  {"EDITOR=/bin/true; echo", "was not found"},
	} {
		if _, _, err := edit(t, []string{c.env}, "x", ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestNameIsPlain: a name that others chose is nothing but a name.
func TestNameIsPlain(t *testing.T) {
	for name, want := range map[string]string{
		"": "text", "..": "text", "a/b.go": "b.go", "-rf": "_rf", ".vimrc": "vimrc", "a\nb": "a_b", strings.Repeat("x", 300) + ".go": strings.Repeat("x", 61) + ".go",
	} {
		if got := plain(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}
