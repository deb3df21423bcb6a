package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/trust"
)

// TestHooksOfAProject are started only as they were let in: one changed byte of
// the file that names them, or of one that they stand in, and they are not.
func TestHooksOfAProject(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	state, root := filepath.Join(base, ".tera_pilot"), filepath.Join(base, "repo")
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	const names = "[[hook]]\nname = \"theirs\"\nevents = [\"before_call\"]\nfile = \"hooks/a.sh\"\n"
	write(".tera_pilot/hooks.toml", names)
	write(".tera_pilot/hooks/a.sh", "echo '{\"decision\":\"pass\"}'\n")
	p, err := trust.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a, store := &app{}, trust.NewStore(state)
	look := func() trust.Standing {
		t.Helper()
		s, err := store.Look(p, hookItems)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	count := func(g trust.Grant) int {
		all, err := a.hooks(state, p, g)
		if err != nil {
			return -1
		}
		return len(all)
	}
	s := look()
	if n := count(s.Grant); n != 0 || len(s.Blocks()) != 2 {
		t.Fatalf("%d hooks before anybody looked, %d things to look at", n, len(s.Blocks()))
	}
	for choice, want := range map[trust.Choice]int{trust.No: 0, trust.WithoutExecutable: 0, trust.All: 1} {
		g, err := store.Record(s, p, choice, time.Now())
		if err != nil || count(g) != want {
			t.Errorf("choice %d: %d hooks, %v", choice, count(g), err)
		}
	}
	g, err := store.Record(s, p, trust.All, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	write(".tera_pilot/hooks/a.sh", "echo evil\n")
	if n := count(g); n != -1 {
		t.Errorf("%d hooks with a text that nobody looked at", n)
	}
	if s := look(); len(s.New) != 1 || s.New[0].Path != ".tera_pilot/hooks/a.sh" {
		t.Errorf("to be looked at: %+v", s.New)
	}
	write(".tera_pilot/hooks.toml", names+"\n")
	if n := count(g); n != 0 {
		t.Errorf("%d hooks of a file that nobody looked at", n)
	}
	write(".tera_pilot/hooks.toml", "[[hook")
	if s := look(); len(s.Blocks()) == 0 {
		t.Error("a file of hooks that cannot be read asks nobody")
	}
}
