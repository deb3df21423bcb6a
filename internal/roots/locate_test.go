package roots

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// world is a folder with a root, a home and a closed folder beside each other.
type world struct {
	dir string // holds all
	*Root
}

func open(t *testing.T) world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, d := range []string{"ws/src", "ws-evil", "home/.state", "home/notes"} {
		must(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	for name, text := range map[string]string{
		"ws/src/a.txt": "inside\n", "ws-evil/b.txt": "outside\n", "home/.state/key": "key\n", "home/id_rsa": "private\n",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	r, err := Open(filepath.Join(dir, "ws"), Options{
		Home: filepath.Join(dir, "home"), Closed: []string{filepath.Join(dir, "home/.state"), "/proc"},
	})
	must(t, err)
	t.Cleanup(func() { r.Close() })
	return world{dir, r}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w world) link(t *testing.T, target, name string) {
	t.Helper()
	must(t, os.Symlink(target, filepath.Join(w.dir, name)))
}

func TestLocate(t *testing.T) {
	w := open(t)
	w.link(t, "src", "ws/in")
	w.link(t, "../ws-evil", "ws/out")
	w.link(t, w.dir+"/home/id_rsa", "ws/key")
	w.link(t, "key", "ws/chain")
	w.link(t, "src/new.txt", "ws/dangling")
	w.link(t, "loop2", "ws/loop1")
	w.link(t, "loop1", "ws/loop2")
	w.link(t, w.dir+"/ws", "home/back")
	w.link(t, "../home/.state/key", "ws/state")
	w.link(t, "src/", "ws/slash")
	must(t, os.Mkdir(filepath.Join(w.dir, "ws/~"), 0o755))
	must(t, unix.Mkfifo(filepath.Join(w.dir, "ws/pipe"), 0o644))
	long := strings.Repeat("x", 256)
	for _, c := range []struct {
		name, want, target string
		typ                Type
	}{
		{".", ".", "", Folder},
		{"", "error: is empty", "", None},
		{"src/a.txt", "src/a.txt", "", Regular},
		{"./src//a.txt", "src/a.txt", "", Regular},
		{"src/../src/./a.txt", "src/a.txt", "", Regular},
		{"src/", "src", "", Folder},
		{"src/a.txt/", "error: no folder", "", None},
		{"src/a.txt/x", "error: no folder", "", None},
		{"new/deep/file", "new/deep/file", "", None},
		{"new/../../x", "error: does not exist", "", None},
		{"../ws-evil/b.txt", "outside /ws-evil/b.txt", "", Regular},
		{"../ws/src/a.txt", "src/a.txt", "", Regular},
		{"/etc/hostname-that-is-not", "outside /etc/hostname-that-is-not", "", None},
		{"{dir}/ws/src/a.txt", "src/a.txt", "", Regular},
		{"{dir}/ws-evil/b.txt", "outside /ws-evil/b.txt", "", Regular},
		{"{dir}/ws", ".", "", Folder},
		{"in/a.txt", "src/a.txt", "", Regular},
		{"in", "in", "src", Link},
		{"in/", "src", "", Folder},
		{"slash", "slash", "src", Link},
		{"in/../key", "key", "{dir}/home/id_rsa", Link},
		{"out", "out", "{dir}/ws-evil", Link},
		{"out/b.txt", "outside /ws-evil/b.txt", "", Regular},
		{"out/new", "outside /ws-evil/new", "", None},
		{"out/..", "outside ", "", Folder},
		{"chain", "chain", "{dir}/home/id_rsa", Link},
		{"dangling", "dangling", "src/new.txt", Link},
		{"loop1", "loop1", "", Link},
		{"loop1/x", "error: too many links", "", None},
		{"pipe", "pipe", "", Special},
		{"pipe/x", "error: no folder", "", None},
		{"~/id_rsa", "outside /home/id_rsa", "", Regular},
		{"~", "outside /home", "", Folder},
		{"~/back/src/a.txt", "src/a.txt", "", Regular},
		{"./~", "~", "", Folder},
		{"~root/x", "~root/x", "", None},
		{"~/.state/key", "error: closed", "", None},
		{"~/.state", "error: closed", "", None},
		{"~/.state/../id_rsa", "error: closed", "", None},
		{"state", "state", "", Link},
		{"/proc/self/environ", "error: closed", "", None},
		{"/proc/self/root/{dir}/ws/src/a.txt", "error: closed", "", None},
		{"src/a.txt\x00.go", "error: NUL", "", None},
		{long, "error: 256 bytes", "", None},
		{"src/" + long + "/x", "error: 256 bytes", "", None},
		{strings.Repeat("a/", 2049), "error: 4098 bytes", "", None},
	} {
		name := strings.ReplaceAll(c.name, "{dir}", w.dir)
		p, err := w.Locate(name)
		if why, bad := strings.CutPrefix(c.want, "error: "); bad {
			if err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%q: error %v, want one that says %q", c.name, err, why)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.name, err)
			continue
		}
		got := p.Name
		if p.Outside {
			got = "outside " + strings.TrimPrefix(p.Abs, w.dir)
		} else if p.Abs != w.Join(p.Name) {
			t.Errorf("%q: absolute name %q", c.name, p.Abs)
		}
		if target := strings.ReplaceAll(c.target, "{dir}", w.dir); got != c.want || p.Type != c.typ || p.Target != target {
			t.Errorf("%q: %q, %v, target %q; want %q, %v, %q", c.name, got, p.Type, p.Target, c.want, c.typ, target)
		}
		if !p.Outside && len(p.Through) == 0 {
			t.Errorf("%q: leads through no folder", c.name)
		}
	}
}

// A folder that is bound or spelled otherwise is known by its identity.
func TestClosedByIdentity(t *testing.T) {
	w := open(t)
	w.link(t, ".state", "home/alias")
	for _, name := range []string{"~/alias/key", "../home/notes/../alias/key"} {
		_, err := w.Locate(name)
		var closed *ClosedError
		if !errors.As(err, &closed) {
			t.Errorf("%q: %v, want a ClosedError", name, err)
		}
	}
	must(t, os.RemoveAll(filepath.Join(w.dir, "home/.state")))
	if _, err := w.Locate("~/.state/key"); err == nil {
		t.Error("a closed folder that does not exist yet is open")
	}
	must(t, os.RemoveAll(filepath.Join(w.dir, "home")))
	if _, err := w.Locate("~/.state/key"); err == nil {
		t.Error("a closed folder whose parent does not exist yet is open")
	}
}

func TestOpenRefusesRootsThatHoldClosedFolders(t *testing.T) {
	w := open(t)
	for _, dir := range []string{"home", "home/.state", "."} {
		r, err := Open(filepath.Join(w.dir, dir), Options{Closed: []string{filepath.Join(w.dir, "home/.state")}})
		if err == nil {
			r.Close()
			t.Errorf("%s was taken as a root", dir)
		}
	}
}

func TestOpenRefusesClosedFoldersThatAreNone(t *testing.T) {
	for _, folder := range []string{"", "relative"} {
		r, err := Open(t.TempDir(), Options{Closed: []string{folder}})
		if err == nil {
			r.Close()
			t.Errorf("%q was taken as a closed folder", folder)
		}
	}
}

func TestSpell(t *testing.T) {
	w := open(t)
	for _, name := range []string{"~", "~/x", "@out/1", "a"} {
		p, err := w.Locate(Spell(name))
		if err != nil || p.Name != name {
			t.Errorf("Spell(%q) = %q leads to %q, %v", name, Spell(name), p.Name, err)
		}
	}
}

func FuzzLocate(f *testing.F) {
	for _, s := range []string{".", "a/../..", "in/..//x", "/", "~", "out/../ws/src", "a\x00b", "loop1/..", "dangling/.."} {
		f.Add(s)
	}
	dir := f.TempDir()
	for _, d := range []string{"ws/src", "home/.state"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			f.Fatal(err)
		}
	}
	for name, target := range map[string]string{"in": "src", "out": "..", "loop1": "loop1", "dangling": "../home/.state/x"} {
		if err := os.Symlink(target, filepath.Join(dir, "ws", name)); err != nil {
			f.Fatal(err)
		}
	}
	r, err := Open(filepath.Join(dir, "ws"), Options{Home: filepath.Join(dir, "home"), Closed: []string{filepath.Join(dir, "home/.state")}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p, err := r.Locate(name)
		if err != nil {
			return
		}
		if strings.Contains(p.Abs+"/", "/.state/") || strings.Contains(p.Target, ".state") {
			t.Errorf("%q leads to %q, target %q", name, p.Abs, p.Target)
		}
		if p.Outside {
			return
		}
		if err := checkLocal(p.Name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if s, err := r.Stat(p.Name); err == nil && (s.Type != p.Type || s.ID != p.ID) {
			t.Errorf("%q: Stat(%q) = %v, Locate said %v", name, p.Name, s, p.State)
		}
	})
}
