package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A disk is a workspace for tests.
type disk struct {
	t    testing.TB
	root string
}

func (d disk) join(p string) string { return filepath.Join(d.root, filepath.FromSlash(p)) }

func (d disk) thing(p string) (Thing, bool) {
	info, err := os.Lstat(d.join(p))
	if err != nil {
		return Thing{}, false
	}
	t := Thing{Name: p, Mode: uint32(info.Mode().Perm()), Size: info.Size(), MTime: info.ModTime().UnixNano(), CTime: info.ModTime().UnixNano()}
	t.Read = func() ([]byte, error) { return os.ReadFile(d.join(p)) }
	t.Text = func() (string, error) { return os.Readlink(d.join(p)) }
	switch {
	case info.Mode().IsRegular():
		t.Type = File
	case info.IsDir():
		t.Type = Folder
	case info.Mode()&fs.ModeSymlink != 0:
		t.Type, t.Mode = Link, 0
	default:
		t.Type = Special
	}
	return t, true
}

func (d disk) Look(p string) (Entry, []byte, error) {
	t, ok := d.thing(p)
	if !ok {
		return Entry{}, nil, nil
	}
	return At(t, DefaultFile)
}

func (d disk) Names(p string) ([]string, error) {
	entries, err := os.ReadDir(d.join(p))
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out, err
}

func (d disk) survey(visit func(Thing) error) error {
	return filepath.WalkDir(d.root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || p == d.root {
			return err
		}
		rel, _ := filepath.Rel(d.root, p)
		t, ok := d.thing(filepath.ToSlash(rel))
		if !ok {
			return nil
		}
		return visit(t)
	})
}

// applyTo carries out a plan as the program does it, and records it as a call.
func applyTo(t testing.TB, s *Store, id string, plan Plan, step func(Step)) {
	t.Helper()
	planned, data := plan.Changes()
	if _, err := s.Begin(Call{ID: id, Of: plan.Calls}, planned, data, nil); err != nil {
		t.Fatal(err)
	}
	for _, x := range plan.Steps {
		step(x)
	}
	if _, err := s.End(id, planned, nil); err != nil {
		t.Fatal(err)
	}
}

func (d disk) step(s Step) {
	d.t.Helper()
	p := d.join(s.Path)
	var err error
	if s.From.Type != None && (s.To.Type == None || s.From.Type != s.To.Type || s.To.Type == Link) {
		err = os.Remove(p)
	}
	switch s.To.Type {
	case File:
		if hashOf(s.Data) != s.To.SHA256 {
			d.t.Fatalf("%s: the plan's content is not what it says", s.Path)
		}
		err = errors.Join(err, os.WriteFile(p, s.Data, 0o600), os.Chmod(p, fs.FileMode(s.To.Mode)))
	case Folder:
		if s.From.Type != Folder {
			err = errors.Join(err, os.Mkdir(p, 0o700))
		}
		err = errors.Join(err, os.Chmod(p, fs.FileMode(s.To.Mode)))
	case Link:
		err = errors.Join(err, os.Symlink(string(s.To.Text), p))
	case None, Special:
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// all is everything in the workspace, as text.
func (d disk) all() map[string]string {
	out := map[string]string{}
	_ = d.survey(func(t Thing) error {
		e, data, err := At(t, DefaultFile)
		out[t.Name] = fmt.Sprintf("%s %o %s %q %v", e.Type, e.Mode, e.Text, data, err)
		return nil
	})
	return out
}

func (d disk) write(p, text string) {
	d.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(d.join(p)), 0o755), os.WriteFile(d.join(p), []byte(text), 0o644)); err != nil {
		d.t.Fatal(err)
	}
}

func mustOpen(t testing.TB, dir, root string) *Store {
	t.Helper()
	s, err := Open(Options{Dir: dir, Root: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// commandIn runs f between two surveys.
func commandIn(t testing.TB, s *Store, id string, turn int, survey Survey, f func()) Record {
	t.Helper()
	if _, err := s.Begin(Call{ID: id, Turn: turn}, nil, nil, survey); err != nil {
		t.Fatal(err)
	}
	f()
	r, err := s.End(id, nil, survey)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustPlan(t testing.TB, s *Store, sel Selection, p Place) Plan {
	t.Helper()
	plan, err := s.Plan(sel, p)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func mustReopen(t testing.TB, s *Store, root string) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return mustOpen(t, s.o.Dir, root)
}

func equal(t *testing.T, want, got map[string]string) {
	t.Helper()
	for p, w := range want {
		if got[p] != w {
			t.Errorf("%q is %s, want %s", p, got[p], w)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("%q is there", p)
		}
	}
}
