package world

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ground is a workspace in a folder with a home beside it.
type ground struct {
	*Files
	dir  string // holds all
	seen map[string]string
}

func newGround(t testing.TB) *ground {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	g := &ground{dir: dir, seen: map[string]string{}}
	for _, d := range []string{"ws", "ws-evil", "home/.tera_pilot/sessions/s/out", "home/.ssh"} {
		must(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	g.Files, err = NewFiles(filepath.Join(dir, "ws"), FilesOptions{
		Home: filepath.Join(dir, "home"), Closed: []string{filepath.Join(dir, "home/.tera_pilot")},
		Outputs: filepath.Join(dir, "home/.tera_pilot/sessions/s/out"),
		Secret: func(abs string) bool {
			return strings.HasPrefix(filepath.Base(abs), ".env") || strings.Contains(abs+"/", "/.ssh/") || strings.HasSuffix(abs, ".pem")
		},
		Protected: func(name string) (string, bool) {
			if strings.Contains(strings.ToLower(name)+"/", ".github/workflows/") {
				return "workflows", true
			}
			for part := range strings.SplitSeq(strings.ToLower(name), "/") {
				if part == ".git" || part == "agents.md" {
					return part, true
				}
			}
			return "", false
		},
	})
	must(t, err)
	t.Cleanup(func() { g.Close() })
	return g
}

// put writes a file beside or in the workspace, with the folders it needs.
func (g *ground) put(t testing.TB, name, text string) {
	t.Helper()
	p := filepath.Join(g.dir, name)
	must(t, os.MkdirAll(filepath.Dir(p), 0o755))
	must(t, os.WriteFile(p, []byte(text), 0o644))
}

func (g *ground) get(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(g.dir, name))
	must(t, err)
	return string(b)
}

func (g *ground) link(t testing.TB, target, name string) {
	t.Helper()
	must(t, os.Symlink(target, filepath.Join(g.dir, name)))
}

func (g *ground) path(t testing.TB, name string) effect.Path {
	t.Helper()
	p, err := g.Files.Path(t.Context(), name)
	must(t, err)
	return p
}

func (g *ground) file(t testing.TB, name string) effect.Path {
	t.Helper()
	p, err := g.Files.File(t.Context(), name)
	must(t, err)
	return p
}

// granted is an Env for just these effects.
func (g *ground) granted(effects ...effect.Effect) FileEnv {
	return g.Env(func(e effect.Effect) bool {
		return slices.ContainsFunc(effects, func(x effect.Effect) bool { return x.Digest() == e.Digest() })
	})
}

// tree is everything beneath the ground with its type, mode, target, content.
func (g *ground) tree(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(g.dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text = string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			if text, err = os.Readlink(p); err != nil {
				return err
			}
		}
		b.WriteString(strings.TrimPrefix(p, g.dir) + " " + info.Mode().String() + " " + text + "\n")
		return nil
	}))
	return b.String()
}

func bytesOf(text string) *effect.Bytes {
	return &effect.Bytes{Data: []byte(text), SHA256: hashOf(text), Size: int64(len(text))}
}

// walkNames are the files of a whole workspace, as a walk meets them, sorted
// by bytes.
func walkNames(t *testing.T, dir string) []string {
	t.Helper()
	f, err := NewFiles(dir, FilesOptions{})
	must(t, err)
	defer f.Close()
	p, err := f.Path(t.Context(), ".")
	must(t, err)
	e := effect.Effect{Kind: effect.Walk, Path: &p}
	var out []string
	_, err = f.Env(func(effect.Effect) bool { return true }).Walk(t.Context(), e, func(found tool.Found) error {
		if found.Type == effect.Regular {
			out = append(out, found.Name)
		}
		return nil
	})
	must(t, err)
	slices.Sort(out)
	return out
}

func TestPath(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws/src/a.go", "package a\n")
	g.put(t, "ws/.git/hooks/pre-commit", "")
	g.put(t, "ws/.env.local", "KEY=1\n")
	g.put(t, "home/.ssh/id_rsa", "key")
	g.put(t, "home/.tera_pilot/audit_key", "key")
	g.put(t, "home/.tera_pilot/sessions/s/out/call_1", "whole output\n")
	g.link(t, "src", "ws/in")
	g.link(t, ".git/hooks", "ws/docs")
	g.link(t, ".env.local", "ws/settings")
	g.link(t, "../home/.ssh/id_rsa", "ws/key")
	g.link(t, "../home/.tera_pilot/audit_key", "ws/state")
	g.link(t, "src/a.go", "ws/AGENTS.md")
	must(t, unix.Mkfifo(filepath.Join(g.dir, "ws/pipe"), 0o644))
	for _, c := range []struct {
		name string
		want effect.Path // Name, flags, Type and Target count
		err  string
	}{
		{"src/a.go", effect.Path{Name: "src/a.go", Exists: true, Type: effect.Regular}, ""},
		{"in/a.go", effect.Path{Name: "src/a.go", Exists: true, Type: effect.Regular}, ""},
		{"in", effect.Path{Name: "in", Exists: true, Type: effect.Link, Target: "src"}, ""},
		{"new/b.go", effect.Path{Name: "new/b.go"}, ""},
		{"pipe", effect.Path{Name: "pipe", Exists: true, Type: effect.Special}, ""},
		{".", effect.Path{Name: ".", Exists: true, Type: effect.Dir}, ""},
		{"docs/pre-commit", effect.Path{Name: ".git/hooks/pre-commit", Exists: true, Type: effect.Regular, Protected: ".git"}, ""},
		{".GIT/config", effect.Path{Name: ".GIT/config", Protected: ".git"}, ""},
		{"sub/.git/x", effect.Path{Name: "sub/.git/x", Protected: ".git"}, ""},
		{"AGENTS.md", effect.Path{Name: "AGENTS.md", Exists: true, Type: effect.Link, Target: "src/a.go", Protected: "agents.md"}, ""},
		{".env.local", effect.Path{Name: ".env.local", Exists: true, Type: effect.Regular, Secret: true}, ""},
		{"settings", effect.Path{Name: "settings", Exists: true, Type: effect.Link, Target: ".env.local"}, ""},
		{"key", effect.Path{Name: "key", Exists: true, Type: effect.Link, Target: g.dir + "/home/.ssh/id_rsa"}, ""},
		{"~/.ssh/id_rsa", effect.Path{Name: g.dir + "/home/.ssh/id_rsa", Outside: true, Secret: true, Exists: true, Type: effect.Regular}, ""},
		{"../ws-evil", effect.Path{Name: g.dir + "/ws-evil", Outside: true, Exists: true, Type: effect.Dir}, ""},
		{g.dir + "/ws/src", effect.Path{Name: "src", Exists: true, Type: effect.Dir}, ""},
		{"state", effect.Path{Name: "state", Exists: true, Type: effect.Link}, ""},
		{"~/.tera_pilot/audit_key", effect.Path{}, "closed"},
		{"/proc/self/environ", effect.Path{}, "closed"},
		{"/proc/self/root/etc/passwd", effect.Path{}, "closed"},
		{"/dev/fd/0", effect.Path{}, "closed"},
		{"@out/call_1", effect.Path{Name: "@out/call_1", Virtual: true, Exists: true, Type: effect.Regular}, ""},
		{"@out/call_2", effect.Path{}, "no output"},
		{"@out/../../../audit_key", effect.Path{}, "no output"},
		{"@out/", effect.Path{}, "no output"},
		{"a\x00b", effect.Path{}, "NUL"},
		{strings.Repeat("x", 300), effect.Path{}, "300 bytes"},
	} {
		p, err := g.Files.Path(t.Context(), c.name)
		if c.err != "" {
			var bad *tool.ArgumentError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, want an ArgumentError that says %q", c.name, err, c.err)
			}
			continue
		}
		must(t, err)
		got := effect.Path{Name: p.Name, Outside: p.Outside, Virtual: p.Virtual, Secret: p.Secret, Protected: p.Protected, Exists: p.Exists, Type: p.Type, Target: p.Target}
		if got.Name != c.want.Name || got.Outside != c.want.Outside || got.Virtual != c.want.Virtual || got.Secret != c.want.Secret ||
			got.Protected != c.want.Protected || got.Exists != c.want.Exists || got.Type != c.want.Type || got.Target != c.want.Target {
			t.Errorf("%q:\n%+v, want\n%+v", c.name, got, c.want)
		}
		if !p.Named {
			t.Errorf("%q does not count as named", c.name)
		}
	}
}

// A .git that is a link protects what it leads to.
func TestGitUnderAnotherName(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws/store/hooks/x", "")
	g.link(t, "store", "ws/.git")
	for name, want := range map[string]string{"store/hooks/x": ".git", "store/new": ".git", "store": ".git", ".git/config": ".git", "other": ""} {
		if p := g.path(t, name); p.Protected != want {
			t.Errorf("%s: protected as %q, want %q", name, p.Protected, want)
		}
	}
}

func TestFile(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws/a", "text")
	g.put(t, "ws-evil/b", "outside")
	must(t, unix.Mkfifo(filepath.Join(g.dir, "ws/pipe"), 0o644))
	must(t, os.WriteFile(filepath.Join(g.dir, "ws/huge"), nil, 0o644))
	must(t, os.Truncate(filepath.Join(g.dir, "ws/huge"), tool.MaxFile+1))
	if p := g.file(t, "a"); string(p.Before) != "text" || p.SHA256 != hashOf("text") || p.Size != 4 || p.Links != 1 || p.Mode != 0o644 {
		t.Errorf("%+v", p)
	}
	for _, name := range []string{"../ws-evil/b", "pipe", ".", "missing"} {
		if p := g.file(t, name); p.Before != nil || p.SHA256 != "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if _, err := g.File(t.Context(), "huge"); err == nil || !strings.Contains(err.Error(), "8388609 bytes") {
		t.Errorf("huge: %v", err)
	}
}

func TestNothingWithoutAGrant(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws/a", "text")
	g.put(t, "ws-evil/b", "outside")
	p, dir, evil := g.file(t, "a"), g.path(t, "."), g.path(t, "../ws-evil/b")
	before := g.tree(t)
	for _, e := range []effect.Effect{
		{Kind: effect.Read, Path: &p}, {Kind: effect.Write, Path: &p, After: bytesOf("x"), Mode: 0o644}, {Kind: effect.Delete, Path: &p},
		{Kind: effect.Read, Path: &dir}, {Kind: effect.Walk, Path: &dir}, {Kind: effect.Chmod, Path: &p, Mode: 0o777}, {Kind: effect.Read, Path: &evil},
	} {
		other := e
		other.Mode++ // another effect than the one that is granted
		for _, env := range []FileEnv{g.granted(other), g.Env(nil), {}} {
			_, err1 := env.Read(t.Context(), e)
			_, err2 := env.List(t.Context(), e)
			_, err3 := env.Walk(t.Context(), e, func(tool.Found) error { t.Error("visited"); return nil })
			_, err4 := env.Apply(t.Context(), e)
			for _, err := range []error{err1, err2, err3, err4} {
				var not *tool.NotGrantedError
				if !errors.As(err, &not) {
					t.Errorf("%v: %v", e.Kind, err)
				}
			}
		}
	}
	if g.tree(t) != before {
		t.Error("the tree changed")
	}
}

// What is granted for a place outside, or with other bytes than the hash says,
// is refused all the same.
func TestApplyRefusesWhatNoPlanSays(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws/a", "text")
	g.put(t, "ws-evil/b", "outside")
	g.put(t, "home/.tera_pilot/sessions/s/out/c", "output")
	a, evil, out := g.file(t, "a"), g.path(t, "../ws-evil/b"), g.path(t, "@out/c")
	evil.SHA256 = hashOf("outside")
	disguised := evil
	disguised.Outside, disguised.Name = false, "../ws-evil/b"
	renamed := a
	renamed.Name = "other"
	unread := g.path(t, "a")
	free := g.path(t, "free")
	evilFree := g.path(t, "../ws-evil/free")
	lie := bytesOf("x")
	lie.Data = []byte("y")
	before := g.tree(t)
	for i, e := range []effect.Effect{
		{Kind: effect.Write, Path: &evil, After: bytesOf("x"), Mode: 0o644},
		{Kind: effect.Write, Path: &disguised, After: bytesOf("x"), Mode: 0o644},
		{Kind: effect.Write, Path: &renamed, After: bytesOf("x"), Mode: 0o644},
		{Kind: effect.Write, Path: &out, After: bytesOf("x"), Mode: 0o644},
		{Kind: effect.Write, Path: &unread, After: bytesOf("x"), Mode: 0o644},
		{Kind: effect.Write, Path: &a, After: lie, Mode: 0o644},
		{Kind: effect.Write, Path: &a, Mode: 0o644},
		{Kind: effect.Create, Path: &evilFree, After: bytesOf("x"), Mode: 0o644},
		{Kind: effect.Create, Path: &a, After: bytesOf("x"), Mode: 0o644},
		{Kind: effect.Write, Path: &free, After: bytesOf("x"), Mode: 0o644},
		{Kind: effect.Delete, Path: &evil},
		{Kind: effect.Delete, Path: &free},
		{Kind: effect.Mkdir, Path: &evilFree, Mode: 0o755},
		{Kind: effect.Rename, Path: &a, To: &evilFree},
		{Kind: effect.Rename, Path: &a, To: &a},
		{Kind: effect.Rename, Path: &a},
		{Kind: effect.Rename, Path: &evil, To: &free},
		{Kind: effect.Exec, Path: &a},
	} {
		if _, err := g.granted(e).Apply(t.Context(), e); err == nil {
			t.Errorf("%d: %v was done", i, e.Kind)
		}
	}
	if after := g.tree(t); after != before {
		t.Errorf("the tree was\n%s\nand is\n%s", before, after)
	}
}

func TestApply(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws/a", "old")
	must(t, os.Chmod(filepath.Join(g.dir, "ws/a"), 0o751))
	do := func(e effect.Effect) effect.Path {
		t.Helper()
		p, err := g.granted(e).Apply(t.Context(), e)
		must(t, err)
		return p
	}
	a := g.file(t, "a")
	post := do(effect.Effect{Kind: effect.Write, Path: &a, After: bytesOf("new"), Mode: a.Mode})
	if now := g.file(t, "a"); post.SHA256 != hashOf("new") || post.Inode != now.Inode || now.Inode == a.Inode || now.Mode != 0o751 || post.Size != 3 {
		t.Errorf("Apply said %+v, and there is %+v", post, now)
	}
	d := g.path(t, "d")
	do(effect.Effect{Kind: effect.Mkdir, Path: &d, Mode: 0o755})
	n := g.path(t, "d/n")
	if post := do(effect.Effect{Kind: effect.Create, Path: &n, After: bytesOf("1"), Mode: 0o644}); !post.Exists || post.SHA256 != hashOf("1") || post.Type != effect.Regular {
		t.Errorf("%+v", post)
	}
	from, to := g.file(t, "d/n"), g.path(t, "m")
	if post := do(effect.Effect{Kind: effect.Rename, Path: &from, To: &to}); post.Name != "m" || post.SHA256 != hashOf("1") || post.Inode != from.Inode {
		t.Errorf("%+v", post)
	}
	m := g.file(t, "m")
	if post := do(effect.Effect{Kind: effect.Chmod, Path: &m, Mode: 0o700}); post.Mode != 0o700 {
		t.Errorf("%+v", post)
	}
	m = g.file(t, "m")
	if post := do(effect.Effect{Kind: effect.Delete, Path: &m}); post.Exists || post.SHA256 != "" {
		t.Errorf("%+v", post)
	}
	if g.path(t, "m").Exists || g.path(t, "d/n").Exists {
		t.Error("something is left")
	}
}

func TestReadAndList(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws/d/a", "text")
	g.put(t, "ws/d/~x", "")
	g.put(t, "ws-evil/b", "outside")
	g.put(t, "home/.tera_pilot/sessions/s/out/c", "output")
	for name, want := range map[string]string{"d/a": "text", "../ws-evil/b": "outside", "@out/c": "output"} {
		p := g.path(t, name)
		e := effect.Effect{Kind: effect.Read, Path: &p}
		if got, err := g.granted(e).Read(t.Context(), e); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, want := range map[string][]string{"d": {"d/a", "d/~x"}, ".": {"d"}, "../ws-evil": {g.dir + "/ws-evil/b"}} {
		p := g.path(t, name)
		e := effect.Effect{Kind: effect.Read, Path: &p}
		entries, err := g.granted(e).List(t.Context(), e)
		must(t, err)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A read that was decided about meets that very file, or none.
func TestReadOfWhatChanged(t *testing.T) {
	for change, do := range map[string]func(p string) error{
		"replaced": func(p string) error {
			return errors.Join(os.WriteFile(p+"2", []byte("text"), 0o644), os.Rename(p+"2", p))
		},
		"linked": func(p string) error {
			return errors.Join(os.Remove(p), os.Symlink("../ws-evil/b", p))
		},
		"gone": os.Remove,
		"pipe": func(p string) error { return errors.Join(os.Remove(p), unix.Mkfifo(p, 0o644)) },
	} {
		t.Run(change, func(t *testing.T) {
			g := newGround(t)
			g.put(t, "ws/a", "text")
			g.put(t, "ws-evil/b", "outside")
			p := g.path(t, "a")
			must(t, do(filepath.Join(g.dir, "ws/a")))
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			e := effect.Effect{Kind: effect.Read, Path: &p}
			data, err := g.granted(e).Read(ctx, e)
			var changed *tool.ChangedError
			if !errors.As(err, &changed) {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
}
