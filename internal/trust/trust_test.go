package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hooks is a lister as rooms write them.
func hooks(p *Project) ([]Item, error) {
	data, err := p.Read(".tera_pilot/hooks.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	i := p.Item(Hook, ".tera_pilot/hooks.json", data, "runs ./x")
	i.Runs = true
	return []Item{i}, nil
}

func notes(p *Project) ([]Item, error) {
	data, err := p.Read("AGENTS.md")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return []Item{p.Item(Notes, "AGENTS.md", data, "text for the model")}, err
}

type rig struct {
	t     *testing.T
	root  string
	store *Store
	p     *Project
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, root: t.TempDir(), store: NewStore(filepath.Join(t.TempDir(), "state"))}
	p, err := Open(r.root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	r.p = p
	return r
}

func (r *rig) write(name, text string) {
	r.t.Helper()
	file := filepath.Join(r.root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) look() Standing {
	r.t.Helper()
	s, err := r.store.Look(r.p, hooks, notes)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *rig) record(s Standing, c Choice) Grant {
	r.t.Helper()
	g, err := r.store.Record(s, r.p, c, time.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

func TestNothingNeedsNoQuestion(t *testing.T) {
	r := newRig(t)
	r.write("main.go", "package main\n")
	if s := r.look(); !s.Nothing() || s.Asks() || len(s.Blocks()) > 0 {
		t.Errorf("%+v", s)
	}
}

// TestOneByteRearms: the yes is for bytes, for a kind, and for a place.
func TestOneByteRearms(t *testing.T) {
	r := newRig(t)
	r.write(".tera_pilot/hooks.json", "{}")
	r.write("AGENTS.md", "be nice\n")
	s := r.look()
	if !s.Asks() || len(s.Blocks()) != 1 || s.Grant.Permits(s.Items[0]) {
		t.Fatalf("%+v", s)
	}
	r.record(s, All)
	s = r.look()
	if s.Asks() || !s.Grant.Permits(s.Items[0]) || !s.Grant.Permits(s.Items[1]) {
		t.Fatalf("after the yes: %+v", s)
	}
	if b, err := s.Grant.Read(r.p, Hook, ".tera_pilot/hooks.json"); err != nil || string(b) != "{}" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := s.Grant.Read(r.p, MCP, ".tera_pilot/hooks.json"); !errors.Is(err, ErrNotLetIn) {
		t.Errorf("as another kind: %v", err)
	}
	r.write(".tera_pilot/hooks.json", "{ }")
	if _, err := s.Grant.Read(r.p, Hook, ".tera_pilot/hooks.json"); !errors.Is(err, ErrNotLetIn) {
		t.Errorf("swapped after the yes: %v", err)
	}
	s = r.look()
	if len(s.New) != 1 || s.New[0].Kind != Hook || s.Was[".tera_pilot/hooks.json"] != "{}" {
		t.Errorf("after the change: %+v", s)
	}
	other := newRig(t)
	other.store = r.store
	other.write("AGENTS.md", "be nice\n")
	if !other.look().Asks() {
		t.Error("the same bytes in another project were let in")
	}
}

func TestChoices(t *testing.T) {
	r := newRig(t)
	r.write(".tera_pilot/hooks.json", "{}")
	r.write("AGENTS.md", "be nice\n")
	g := r.record(r.look(), WithoutExecutable)
	s := r.look()
	for _, grant := range []Grant{g, s.Grant} {
		for _, i := range s.Items {
			if grant.Permits(i) == i.Runs {
				t.Errorf("%s: %v", i.Path, grant.Permits(i))
			}
		}
	}
	if s.Asks() {
		t.Error("asked again about what was left out on purpose")
	}
	r.record(s, No)
	if s = r.look(); !s.Asks() || s.Grant.Permits(s.Items[1]) {
		t.Error("a no must take the yes back")
	}
	r.record(s, All)
	if found, err := r.store.Forget(r.p.Root()); !found || err != nil || !r.look().Asks() {
		t.Errorf("forget: %v, %v", found, err)
	}
	if (Grant{}).Permits(s.Items[0]) {
		t.Error("the zero grant lets something in")
	}
}

// TestOneFileTwoItems: a file is let in as a whole, so one item that runs
// keeps the whole file out of "without executables".
func TestOneFileTwoItems(t *testing.T) {
	r := newRig(t)
	r.write("x", "y")
	s := Standing{Root: r.p.Root(), Items: []Item{
		{Kind: MCP, Path: "x", Hash: "h"}, {Kind: MCP, Path: "x", Hash: "h", Runs: true},
	}}
	if g := r.record(s, WithoutExecutable); g.Permits(s.Items[0]) {
		t.Error("let in")
	}
}

// TestLinksAreRefused: no configuration comes from outside the repository, and
// none is passed over in silence.
func TestLinksAreRefused(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "hooks.json")
	_ = os.WriteFile(outside, []byte("{}"), 0o600)
	r := newRig(t)
	_ = os.MkdirAll(filepath.Join(r.root, ".tera_pilot"), 0o755)
	if err := os.Symlink(outside, filepath.Join(r.root, ".tera_pilot/hooks.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.store.Look(r.p, hooks); err == nil || !strings.Contains(err.Error(), "link") {
		t.Errorf("a linked file: %v", err)
	}
	r = newRig(t)
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(r.root, ".tera_pilot")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.store.Look(r.p, hooks); err == nil || !strings.Contains(err.Error(), ".tera_pilot") {
		t.Errorf("a linked folder: %v", err)
	}
}

// TestAnEmptyFolderIsNoFile: what the sandbox puts in the place of a file that
// is not there is nothing; a folder with something in it is refused.
func TestAnEmptyFolderIsNoFile(t *testing.T) {
	r := newRig(t)
	if err := os.Mkdir(filepath.Join(r.root, ".mcp.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := r.p.Read(".mcp.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	r.write(".mcp.json/x", "")
	if _, err := r.p.Read(".mcp.json"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder with a file: %v", err)
	}
}

func TestTheStoreIsGuarded(t *testing.T) {
	r := newRig(t)
	r.write("AGENTS.md", "be nice\n")
	r.record(r.look(), All)
	info, err := os.Stat(r.store.File())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info.Mode(), err)
	}
	fails := func(name string) {
		t.Helper()
		if _, err := r.store.Look(r.p, notes); err == nil {
			t.Errorf("%s: used", name)
		}
	}
	_ = os.Chmod(r.store.File(), 0o644)
	fails("readable by others")
	_ = os.Chmod(r.store.File(), 0o600)
	_ = os.WriteFile(r.store.File(), []byte(`{"v":1,"projects":{},"more":1}`), 0o600)
	fails("an unknown member")
	_ = os.WriteFile(r.store.File(), []byte(`{"v":2}`), 0o600)
	fails("another version")
	_ = os.WriteFile(r.store.File(), []byte(`{"`+r.p.Root()+`":{"content_hash":"x","granted":{}}}`), 0o600)
	if s := r.look(); !s.Asks() {
		t.Error("the original's approval counts for something else")
	}
	moved := r.store.File() + "2"
	_ = os.Rename(r.store.File(), moved)
	_ = os.Symlink(moved, r.store.File())
	fails("a link")
}
