package world

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"golang.org/x/sys/unix"
)

// What a model may call a file, and where it leads: nothing that is written
// ever lies outside, and what is read outside says so.
func TestEscapes(t *testing.T) {
	d := newDesk(t)
	d.put(t, "ws/src/a", "inside\n")
	d.put(t, "ws-evil/b", "outside\n")
	d.put(t, "home/.ssh/id_rsa", "key\n")
	d.put(t, "home/.tera_pilot/audit_key", "key\n")
	for target, name := range map[string]string{
		"../ws-evil": "out", "../ws-evil/b": "outfile", "outfile": "chain", "chain": "chain2", "src": "in", "src/a": "infile",
		"../ws-evil/new": "dangling", "loop": "loop", "/": "slash", "/proc/self/root": "proc", "../home/.tera_pilot": "state", ".": "self",
	} {
		d.link(t, target, "ws/"+name)
	}
	must(t, os.Link(filepath.Join(d.dir, "ws-evil/b"), filepath.Join(d.dir, "ws/hard")))
	outside := []string{
		"../ws-evil/b", "../ws-evil/new", "../ws/../ws-evil/b", "src/../../ws-evil/b", "./../ws-evil/b", "..", "../", "../..",
		d.dir + "/ws-evil/b", d.dir + "/ws/../ws-evil/b", "/etc/passwd", "//etc/passwd", "/", "/dev/null", "/tmp",
		"out/b", "out/new", "out/", "out/../ws-evil/b", "outfile", "chain", "chain2", "dangling", "slash/etc/passwd", "self/../ws-evil/b", "self/self/out/b",
		"~/.ssh/id_rsa", "~", "~/new", "slash" + d.dir + "/ws-evil/b",
	}
	closed := []string{
		"proc" + d.dir + "/ws/src/a", "/proc/self/root" + d.dir + "/ws/src/a", "/proc/self/cwd/x", "/proc/1/environ", "/proc/thread-self/fd/3", "/dev/stdin",
		"~/.tera_pilot/audit_key", "~/.tera_pilot/new", "state/audit_key", "state/new", "out/../home/.tera_pilot/audit_key",
		"loop", "loop/x", "src/a\x00", "src/a/", "src/a/x", strings.Repeat("x", 256), "", " \x00",
	}
	before := d.tree(t)
	for _, name := range append(outside, closed...) {
		for tool, a := range map[string]args{
			"write_file":  {"path": name, "content": "x"},
			"str_replace": {"path": name, "old_str": "outside", "new_str": "x"},
			"apply_diff":  {"path": name, "diff": "@@ -1 +1 @@\n-outside\n+x\n"},
			"mkdir":       {"path": name},
			"rename_file": {"old_path": "src/a", "new_path": name},
		} {
			if _, set, err := d.plan(tool, a); err == nil {
				t.Errorf("%s of %q was planned: %s", tool, name, set.Title)
			}
		}
		_, set, err := d.plan("delete_file", args{"path": name})
		if err == nil && set.Effects[0].Path.Type != effect.Link {
			t.Errorf("delete of %q was planned: %s", name, set.Title)
		}
	}
	for _, name := range outside {
		if name == "dangling" {
			continue
		}
		for _, tool := range []string{"read_file", "list_files", "grep"} {
			a := args{"path": name}
			switch tool {
			case "list_files":
				a = args{"directory": name}
			case "grep":
				a["pattern"] = "x"
			}
			if _, set, err := d.plan(tool, a); err == nil && !set.Effects[0].Path.Outside {
				t.Errorf("%s of %q is planned as inside: %+v", tool, name, set.Effects[0].Path)
			}
		}
	}
	for _, name := range closed {
		if _, _, err := d.plan("read_file", args{"path": name}); err == nil {
			t.Errorf("read of %q was planned", name)
		}
	}
	if after := d.tree(t); after != before {
		t.Errorf("the tree was\n%s\nand is\n%s", before, after)
	}

	// What stays inside works by every name.
	for _, name := range []string{"src/a", "in/a", "infile", "self/src/a", "../ws/src/a", d.dir + "/ws/in/../src/a", "out/../ws/src/a", "slash" + d.dir + "/ws/src/a"} {
		_, set, err := d.plan("str_replace", args{"path": name, "old_str": "inside", "new_str": "x"})
		if err != nil || set.Effects[0].Path.Name != "src/a" {
			t.Errorf("%q: %v, %v", name, set.Effects, err)
		}
	}
	// A hard link is written by its name alone, and the result says so.
	r := d.call("str_replace", args{"path": "hard", "old_str": "outside", "new_str": "x"})
	if d.get(t, "ws-evil/b") != "outside\n" || d.get(t, "ws/hard") != "x\n" || !strings.Contains(r.Body, "2 names (hard links)") {
		t.Errorf("%q, %q, %s", d.get(t, "ws-evil/b"), d.get(t, "ws/hard"), r.Body)
	}
}

// Each plan is made and not run: the tree is as it was, inodes and times too.
func TestPlanChangesNothing(t *testing.T) {
	d := newDesk(t)
	d.put(t, "ws/a", "one\ntwo\n")
	d.put(t, "ws/d/b", "x\n")
	d.link(t, "a", "ws/l")
	calls := []struct {
		name string
		args args
	}{
		{"read_file", args{"path": "a"}}, {"list_files", args{"depth": 3}}, {"glob", args{"pattern": "**"}}, {"grep", args{"pattern": "o"}},
		{"file_info", args{"path": "l"}}, {"write_file", args{"path": "n/e/w", "content": "x"}}, {"write_file", args{"path": "a", "content": "x"}},
		{"str_replace", args{"path": "l", "old_str": "one", "new_str": "1"}}, {"str_replace", args{"path": "a", "old_str": "none", "new_str": "1"}},
		{"apply_diff", args{"path": "a", "diff": "@@ -1 +1 @@\n-one\n+1\n"}}, {"apply_diff", args{"path": "q", "diff": "--- /dev/null\n+++ b/q\n@@ -0,0 +1 @@\n+1\n"}},
		{"delete_file", args{"path": "l"}}, {"delete_file", args{"path": "d"}}, {"rename_file", args{"old_path": "d", "new_path": "x/y"}}, {"mkdir", args{"path": "p/q"}},
		{"todo", args{"items": []any{}}}, {"ask_user", args{"question": "?"}},
	}
	d.seen[filepath.Join(d.dir, "ws/a")] = hashOf("one\ntwo\n")
	before := d.tree(t) + d.times(t)
	for _, c := range calls {
		_, first, err := d.plan(c.name, c.args)
		if err != nil {
			t.Errorf("%s %v: %v", c.name, c.args, err)
			continue
		}
		_, second, err := d.plan(c.name, c.args)
		if err != nil || first.Digest() != second.Digest() {
			t.Errorf("%s: the second plan is another one, %v", c.name, err)
		}
	}
	if after := d.tree(t) + d.times(t); after != before {
		t.Errorf("the tree was\n%s\nand is\n%s", before, after)
	}
}

// times are the inodes and change times of the workspace.
func (g *ground) times(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(g.dir, func(p string, _ fs.DirEntry, err error) error {
		var st unix.Stat_t
		if err == nil {
			err = unix.Lstat(p, &st)
		}
		fmt.Fprintln(&b, p, st.Ino, st.Mtim, st.Ctim)
		return err
	}))
	return b.String()
}

// A rename must not carry something to a protected name, or away from one,
// under the name of a folder above it.
func TestRenameCarriesProtectedNames(t *testing.T) {
	d := newDesk(t)
	d.put(t, "ws/x/workflows/ci.yml", "")
	d.put(t, "ws/.github/workflows/ci.yml", "")
	d.put(t, "ws/sub/deep/AGENTS.md", "")
	d.put(t, "ws/plain/a", "")
	d.link(t, "x", "ws/l")
	d.link(t, "plain", "ws/m")
	for _, c := range []struct{ from, to, want string }{
		{"x", "ci/.github", "workflows"}, {".github", "github", "workflows"}, {"l", "ci/.github", "workflows"}, {"x", "y", ""},
		{"sub", "sub2", "agents.md"}, {"sub/deep", "deep", "agents.md"}, {"plain", "p2", ""}, {"plain/a", "b", ""}, {"m", "ci/.github", ""},
	} {
		_, set, err := d.plan("rename_file", args{"old_path": c.from, "new_path": c.to})
		must(t, err)
		last := set.Effects[len(set.Effects)-1]
		if last.Path.Protected != c.want {
			t.Errorf("%s to %s: protected as %q, want %q", c.from, c.to, last.Path.Protected, c.want)
		}
	}
	for i := range maxCarried + 10 {
		must(t, os.Mkdir(filepath.Join(d.dir, "ws/plain", fmt.Sprint(i)), 0o755))
	}
	if _, _, err := d.plan("rename_file", args{"old_path": "plain", "new_path": "p2"}); err == nil || !strings.Contains(err.Error(), "too much") {
		t.Errorf("a folder with too much in it: %v", err)
	}
}

// A file that changes between the plan and the run is left as it is, and the
// dispatcher is told to decide anew.
func TestChangedUnderTheQuestion(t *testing.T) {
	for name, a := range map[string]args{
		"str_replace": {"path": "d/a", "old_str": "one", "new_str": "1"}, "write_file": {"path": "d/a", "content": "x"},
		"apply_diff": {"path": "d/a", "diff": "@@ -1 +1 @@\n-one\n+1\n"}, "delete_file": {"path": "d/a"},
		"rename_file": {"old_path": "d/a", "new_path": "d/b"},
		"multi_edit":  {"path": "d/a", "edits": []args{{"old_str": "one", "new_str": "1"}}},
	} {
		for change, do := range map[string]func(p string) error{
			"content": func(p string) error { return os.WriteFile(p, []byte("two\n"), 0o644) },
			"link": func(p string) error {
				return errors.Join(os.Remove(p), os.Symlink(filepath.Join(filepath.Dir(p), "../../ws-evil/x"), p))
			},
			"folder": func(p string) error {
				dir := filepath.Dir(p)
				return errors.Join(os.Rename(dir, dir+"2"), os.Symlink("../ws-evil", dir))
			},
			"gone": os.Remove,
		} {
			t.Run(name+"/"+change, func(t *testing.T) {
				d := newDesk(t)
				d.put(t, "ws/d/a", "one\n")
				d.put(t, "ws-evil/a", "one\n")
				d.put(t, "ws-evil/x", "one\n")
				d.seen[filepath.Join(d.dir, "ws/d/a")] = hashOf("one\n")
				tl, set, err := d.plan(name, a)
				must(t, err)
				must(t, do(filepath.Join(d.dir, "ws/d/a")))
				before := d.tree(t)
				r, err := d.run(tl, set)
				var changed *tool.ChangedError
				if !errors.As(err, &changed) || r.Status == tool.OK {
					t.Errorf("%+v, %v", r, err)
				}
				if after := d.tree(t); after != before {
					t.Errorf("the tree was\n%s\nand is\n%s", before, after)
				}
			})
		}
	}
	t.Run("a new file that is there by now", func(t *testing.T) {
		d := newDesk(t)
		tl, set, err := d.plan("write_file", args{"path": "n", "content": "ours"})
		must(t, err)
		d.put(t, "ws/n", "theirs")
		_, err = d.run(tl, set)
		var changed *tool.ChangedError
		if !errors.As(err, &changed) || d.get(t, "ws/n") != "theirs" {
			t.Errorf("%v, %q", err, d.get(t, "ws/n"))
		}
	})
}

func TestStaleKnowledge(t *testing.T) {
	d := newDesk(t)
	d.put(t, "ws/a", "one\ntwo\n")
	d.call("read_file", args{"path": "a"})
	d.put(t, "ws/a", "one\ntwo\nthree\n")
	for name, a := range map[string]args{
		"str_replace": {"path": "a", "old_str": "one", "new_str": "1"}, "write_file": {"path": "a", "content": "x"},
		"apply_diff": {"path": "a", "diff": "@@ -1 +1 @@\n-one\n+1\n"},
	} {
		if _, _, err := d.plan(name, a); err == nil || !strings.Contains(err.Error(), "changed since you last saw it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.call("read_file", args{"path": "a"})
	d.call("str_replace", args{"path": "a", "old_str": "one", "new_str": "1"})
	d.call("str_replace", args{"path": "a", "old_str": "two", "new_str": "2"})
	if got := d.get(t, "ws/a"); got != "1\n2\nthree\n" {
		t.Errorf("%q", got)
	}
}

func TestPipesNeverBlock(t *testing.T) {
	d := newDesk(t)
	must(t, unix.Mkfifo(filepath.Join(d.dir, "ws/pipe"), 0o644))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for name, a := range map[string]args{
			"read_file": {"path": "pipe"}, "write_file": {"path": "pipe", "content": "x"},
			"str_replace": {"path": "pipe", "old_str": "a", "new_str": "b"}, "grep": {"pattern": "x", "path": "pipe"},
		} {
			if _, set, err := d.plan(name, a); err == nil {
				t.Errorf("%s was planned: %s", name, set.Title)
			}
		}
		d.call("grep", args{"pattern": "x"})
		d.call("list_files", args{"depth": 2})
		d.call("file_info", args{"path": "pipe"})
		d.call("delete_file", args{"path": "pipe"})
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("blocked")
	}
}

func TestUndecodableBytesAreRefused(t *testing.T) {
	d := newDesk(t)
	for name, text := range map[string]string{
		"latin": "caf\xe9\nx\n", "half": "\xff\xfea\x00b", "lone": "\xff\xfe\x00\xd8x\x00", "cut": "abc\xe2\x82", "nul": "a\x00b", "utf32": "\xff\xfe\x00\x00a\x00\x00\x00",
	} {
		d.put(t, "ws/"+name, text)
		d.seen[filepath.Join(d.dir, "ws", name)] = hashOf(text)
		for tl, a := range map[string]args{
			"str_replace": {"path": name, "old_str": "a", "new_str": "b"}, "apply_diff": {"path": name, "diff": "@@ -1 +1 @@\n-a\n+b\n"},
			"write_file": {"path": name, "content": "b"},
		} {
			if _, _, err := d.plan(tl, a); err == nil || !strings.Contains(err.Error(), "cannot be edited as text") {
				t.Errorf("%s of %s: %v", tl, name, err)
			}
		}
		if d.get(t, "ws/"+name) != text {
			t.Errorf("%s changed", name)
		}
	}
}

// The tools, one after the other, as a session uses them.
func TestToolsOverFiles(t *testing.T) {
	d := newDesk(t)
	d.put(t, "ws/main.go", "package main\n\nfunc main() {}\n")
	d.put(t, "ws/.env", "KEY=secret\n")
	d.put(t, "ws/.gitignore", "build/\n")
	d.put(t, "ws/build/out.go", "func main")
	r := d.call("grep", args{"pattern": "main|KEY"})
	if !strings.Contains(r.Body, "2 matching lines in 1 file") || !strings.Contains(r.Body, "1 secret-like file") || strings.Contains(r.Body, "secret\n") {
		t.Errorf("%s", r.Body)
	}
	_, set, err := d.plan("grep", args{"pattern": "KEY", "path": ".env"})
	if must(t, err); !set.Effects[0].Path.Secret || set.Effects[0].Kind != effect.Read {
		t.Errorf("a secret file by its name: %+v", set.Effects[0].Path)
	}
	d.call("write_file", args{"path": "pkg/a/a.go", "content": "package a\n"})
	r = d.call("str_replace", args{"path": "main.go", "old_str": "{}", "new_str": "{\n\tx :=\n}"})
	if !strings.Contains(r.Body, "does not parse now") {
		t.Errorf("%s", r.Body)
	}
	d.call("rename_file", args{"old_path": "pkg/a", "new_path": "lib"})
	r = d.call("list_files", args{"depth": 3})
	if want := ".gitignore\t7 bytes\nlib/\nlib/a.go\t10 bytes\nmain.go\t36 bytes\npkg/\n"; !strings.HasPrefix(r.Body, want) {
		t.Errorf("%q, want %q", r.Body, want)
	}
	if r := d.call("delete_file", args{"path": "lib"}); r.Status != tool.Error || !strings.Contains(r.Body, "not empty") {
		t.Errorf("a folder with something in it: %+v", r)
	}
	d.call("delete_file", args{"path": "lib/a.go"})
	d.call("delete_file", args{"path": "lib"})
	d.call("mkdir", args{"path": "x/y"})
	if r := d.call("glob", args{"pattern": "*.go"}); r.Body != "main.go\n[left out: 1 entry that git ignores, 1 secret-like file]\n" {
		t.Errorf("%q", r.Body)
	}
	if r := d.call("file_info", args{"path": "x"}); !strings.Contains(r.Body, "entries\t1") {
		t.Errorf("%q", r.Body)
	}
}
