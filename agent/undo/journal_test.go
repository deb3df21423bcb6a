package undo

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestTamperedContentIsNotPutBack(t *testing.T) {
	for name, tamper := range map[string]func(string) error{
		"altered": func(p string) error { return os.WriteFile(p, []byte("evil"), 0o600) },
		"a link":  func(p string) error { return errors.Join(os.Remove(p), os.Symlink("/etc/passwd", p)) },
		"gone":    os.Remove,
	} {
		d := disk{t, t.TempDir()}
		s := mustOpen(t, filepath.Join(t.TempDir(), "u"), d.root)
		d.write("f", "old")
		d.command(s, "c", 1, func() { d.write("f", "new") })
		if err := tamper(s.blobs.file(hashOf([]byte("old")))); err != nil {
			t.Fatal(err)
		}
		var damaged *DamagedError
		if _, err := s.Plan(Selection{All: true}, d); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJournalCutAtEveryByte(t *testing.T) {
	d := disk{t, t.TempDir()}
	s := mustOpen(t, filepath.Join(t.TempDir(), "u"), d.root)
	d.write("f", "old")
	d.command(s, "c1", 1, func() { d.write("f", "new") })
	d.command(s, "c2", 2, func() { d.write("g", "made") })
	s.Close()
	file := filepath.Join(s.o.Dir, journalFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(file, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(s.o)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if err := s.Recover(d, d.survey); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if _, err := s.Plan(Selection{All: true}, d); err != nil && !errors.Is(err, ErrNothing) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		s.Close()
	}
	other := s.o
	other.Root = "/elsewhere"
	if _, err := Open(other); err == nil {
		t.Error("the store of another workspace was opened")
	}
}

// TestADeadCallIsNotGuessed: what a call that died in a command changed is
// shown, and put back only where the person names it.
func TestADeadCallIsNotGuessed(t *testing.T) {
	d := disk{t, t.TempDir()}
	s := mustOpen(t, filepath.Join(t.TempDir(), "u"), d.root)
	d.write("f", "old")
	if _, err := s.Begin(Call{ID: "c"}, nil, nil, d.survey); err != nil {
		t.Fatal(err)
	}
	d.write("f", "new")
	s = mustReopen(t, s, d.root)
	if err := s.Recover(d, d.survey); err != nil {
		t.Fatal(err)
	}
	if plan := mustPlan(t, s, Selection{All: true}, d); len(plan.Steps) != 0 || len(plan.Conflicts) != 1 {
		t.Errorf("%+v", plan)
	}
	if plan := mustPlan(t, s, Selection{Path: "f"}, d); len(plan.Steps) != 1 || string(plan.Steps[0].Data) != "old" {
		t.Errorf("%+v", plan)
	}
}

// TestOneIDTwice: models use the ids of their calls more than once.
func TestOneIDTwice(t *testing.T) {
	d := disk{t, t.TempDir()}
	s := mustOpen(t, filepath.Join(t.TempDir(), "u"), d.root)
	d.write("f", "one")
	for i, text := range []string{"two", "three"} {
		id, err := s.Begin(Call{ID: "call_1", Turn: i + 1}, nil, nil, d.survey)
		if err != nil {
			t.Fatal(err)
		}
		d.write("f", text)
		if _, err := s.End(id, nil, d.survey); err != nil {
			t.Fatal(err)
		}
	}
	s = mustReopen(t, s, d.root)
	if plan := mustPlan(t, s, Selection{All: true}, d); len(plan.Calls) != 2 || string(plan.Steps[0].Data) != "one" {
		t.Errorf("%+v", plan)
	}
}
