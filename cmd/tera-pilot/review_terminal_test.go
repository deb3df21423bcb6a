package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// reviewed opens a terminal on a proposed edit, with an editor of ours.
func reviewed(t *testing.T, editor string) (*termtest.Process, string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(base, "repo")
	for name, f := range map[string]struct {
		text string
		mode os.FileMode
	}{
		"repo/a.txt": {"one\r\ntwo\r\nthree\r\n", 0o644},
		"editor":     {"#!/bin/sh\n" + editor + "\n", 0o755},
		"turn.json":  {`{"steps":[{"say":"x","calls":[{"tool":"str_replace","args":{"path":"a.txt","old_str":"two\nthree","new_str":"TWO\nthree\nfour"}}]},{"say":"that was it"}]}`, 0o644},
	} {
		file := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(f.text), f.mode); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(built(t), "--provider", "scripted", "--script", filepath.Join(base, "turn.json"))
	cmd.Dir = repo
	cmd.Env = []string{"HOME=" + base, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "EDITOR=" + filepath.Join(base, "editor"), "TMPDIR=" + base}
	p := termtest.Start(t, cmd, 100, 30)
	p.WaitFor("enter send")
	p.Type("go")
	p.Key("enter")
	p.WaitFor("ARMED")
	return p, filepath.Join(repo, "a.txt")
}

func leave(t *testing.T, p *termtest.Process) {
	t.Helper()
	p.WaitFor("that was it")
	p.WaitFor("enter send")
	p.Key("ctrl+d")
	if code := p.WaitExit(); code != exitOK {
		t.Errorf("exit %d", code)
	}
}

// TestAReviewAtTheTerminal: a line is left out by a key, the rest is edited, and
// just what the last question showed is what the file holds.
func TestAReviewAtTheTerminal(t *testing.T) {
	p, file := reviewed(t, `printf 'five\r\n' >> "$1"`)
	p.Key(" ") // the cursor is on the first line that can be left out
	p.WaitFor("(left out)")
	p.WaitFor("ARMED")
	p.Key(" ")
	p.WaitGone("(left out)")
	p.WaitFor("ARMED")
	p.Key("e")
	p.WaitFor("+ five")
	p.WaitFor("ARMED")
	p.Key("a")
	leave(t, p)
	got, err := os.ReadFile(file)
	if want := "one\r\nTWO\r\nthree\r\nfour\r\nfive\r\n"; err != nil || string(got) != want {
		t.Errorf("the file holds %q, %v", got, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(file)), "*tera*"))
	if err != nil || len(left) > 1 || len(left) == 1 && !strings.HasSuffix(left[0], ".tera_pilot") {
		t.Errorf("the editor's folder is still there: %v, %v", left, err)
	}
}

// TestEditorsThatFail leave the question as it was.
func TestEditorsThatFail(t *testing.T) {
	for name, editor := range map[string]string{
		"exits with an error": `printf 'five\n' >> "$1"; exit 3`,
		"deletes the file":    `rm "$1"`,
		"leaves a link":       `rm "$1"; ln -s /etc/passwd "$1"`,
		"leaves a pipe":       `rm "$1"; mkfifo "$1"`,
		"writes a NUL":        `printf 'a\000b\n' >> "$1"`,
	} {
		t.Run(name, func(t *testing.T) {
			p, file := reviewed(t, editor)
			p.Key("e")
			if name == "writes a NUL" {
				p.WaitGone("ARMED") // the core refuses it, and asks again
			}
			p.WaitFor("ARMED")
			p.Key("a")
			leave(t, p)
			got, err := os.ReadFile(file)
			if want := "one\r\nTWO\r\nthree\r\nfour\r\n"; err != nil || string(got) != want {
				t.Errorf("the file holds %q, %v", got, err)
			}
		})
	}
}
