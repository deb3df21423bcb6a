package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// TestUndoIsNoPen: a journal that was edited by hand names other places than
// the calls changed. Undo writes there no more than any call may.
func TestUndoIsNoPen(t *testing.T) {
	for name, tt := range map[string]struct {
		path  string
		plant func(r *rig)
	}{
		"outside": {"../outside", nil}, "absolute": {"OUT", nil}, "git hook": {".git/hooks/pre-commit", nil}, "git, other case": {".GIT/hooks/pre-commit", nil},
		"state": {"../.tera_pilot/config.json", nil}, "dots": {"d/../../outside", nil}, "rules of the project": {".tera_pilot/hooks.toml", nil},
		"a folder that is a link": {"d/outside", func(r *rig) { os.Symlink(r.home, filepath.Join(r.root, "d")) }},
		"a link":                  {"l", func(r *rig) { os.Symlink(filepath.Join(r.home, "outside"), filepath.Join(r.root, "l")) }},
		"a hard link":             {"h", func(r *rig) { os.Link(filepath.Join(r.home, "outside"), filepath.Join(r.root, "h")) }},
		"NUL":                     {`a\u0000b`, nil}, "nothing": {"", nil}, "the root": {".", nil}, "a slash": {"a.txt/", nil}, "double": {"d//x", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, []step{{Calls: []call{bash("echo new > a.txt")}}, {Say: "done"}}, nil)
			r.write("a.txt", "old\n")
			r.write(".git/HEAD", "ref: refs/heads/main\n")
			outside := filepath.Join(r.home, "outside")
			if err := os.WriteFile(outside, []byte("new\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r.person = yes
			r.start("")
			r.turn("go")
			id := r.session.ID()
			r.stop()
			if tt.plant != nil {
				tt.plant(r)
			}
			if name == "absolute" {
				tt.path = outside
			}
			handEdited(t, filepath.Join(r.state, "undo", id, "journal.jsonl"), `"p":"a.txt"`, `"p":"`+tt.path+`"`)
			before := r.tree()
			r.start(id)
			asked := false
			r.person = func(q event.Question) event.Answer {
				asked = true
				return event.Answer{Choice: event.Deny, Reason: "no"}
			}
			if err := r.session.Send(event.Undo{All: true}); err != nil {
				t.Log(err)
			}
			r.turn("go on") // the undo is over before
			r.stop()
			if b, err := os.ReadFile(outside); err != nil || string(b) != "new\n" {
				t.Errorf("outside: %q, %v", b, err)
			}
			for _, made := range []string{".git/hooks/pre-commit", ".GIT/hooks/pre-commit", "../.tera_pilot/config.json", ".tera_pilot/hooks.toml"} {
				if _, err := os.Lstat(filepath.Join(r.root, made)); err == nil {
					t.Errorf("%s was made, asked %v", made, asked)
				}
			}
			for p, text := range r.tree() {
				if before[p] != text && p != "h" {
					t.Logf("%s is %q, was %q", p, text, before[p])
				}
			}
			r.verify()
		})
	}
}

// handEdited replaces text in a file of ours, as somebody by hand.
func handEdited(t *testing.T, file, old, with string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(b, []byte(old)) {
		t.Fatalf("%s: %v, %s", file, err, b)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(b, []byte(old), []byte(with)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestUndoAModeOfALink: the mode of what a path became is nobody's business.
func TestUndoAModeOfALink(t *testing.T) {
	r := newRig(t, []step{{Calls: []call{bash("chmod 600 a.txt; chmod 700 d")}}, {Say: "done"}}, nil)
	outside := filepath.Join(r.home, "outside")
	if err := os.MkdirAll(outside, 0o500); err != nil {
		t.Fatal(err)
	}
	r.write("a.txt", "text\n")
	if err := os.Mkdir(filepath.Join(r.root, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.person = yes
	r.start("")
	r.turn("go")
	for _, p := range []string{"a.txt", "d"} {
		if err := os.Remove(filepath.Join(r.root, p)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(r.root, p)); err != nil {
			t.Fatal(err)
		}
	}
	if res := r.undo(event.Undo{All: true}); !strings.Contains(res.Body, "conflict") {
		t.Errorf("%+v", res)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("outside: %v, %v", info.Mode(), err)
	}
	r.stop()
	r.verify()
}

// TestUndoGivesNoRights: a mode in a journal that was edited by hand makes no
// program that runs as somebody else, and a kind that nobody writes is none.
func TestUndoGivesNoRights(t *testing.T) {
	for _, with := range []string{`"m":2541`, `"m":1517`, `"m":1005`, `"m":4294967295`, `"m":33188`} {
		r := newRig(t, []step{{Calls: []call{bash("chmod 600 a.txt")}}, {Say: "done"}, {Say: "done"}}, nil)
		r.write("a.txt", "text\n")
		r.person = yes
		r.start("")
		r.turn("go")
		id := r.session.ID()
		r.stop()
		handEdited(t, filepath.Join(r.state, "undo", id, "journal.jsonl"), `"m":420`, with)
		r.start(id)
		if err := r.session.Send(event.Undo{All: true}); err != nil {
			t.Log(err)
		}
		r.turn("go on") // the undo is over before
		r.stop()
		if info, err := os.Stat(filepath.Join(r.root, "a.txt")); err != nil || info.Mode()&^0o777 != 0 {
			t.Errorf("%s: %v, %v", with, info.Mode(), err)
		}
	}
}
