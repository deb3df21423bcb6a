package undo

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A space is what the stories play in: a disk, or memory where 10,000 of them
// take no time.
type space interface {
	Place
	survey(func(Thing) error) error
	apply(s *Store, id string, plan Plan)
	command(s *Store, id string, turn int, f func()) Record
	contents() map[string]string
	put(p, text string)
	remove(p string)
}

// A memory is a workspace of a few files.
type memory struct {
	t     testing.TB
	files map[string]string
}

func (m memory) survey(visit func(Thing) error) error {
	for p, text := range m.files {
		err := visit(Thing{Name: p, Type: File, Mode: 0o644, Size: int64(len(text)), MTime: 1 << 62, Read: func() ([]byte, error) { return []byte(text), nil }})
		if err != nil {
			return err
		}
	}
	return nil
}

func (m memory) Look(p string) (Entry, []byte, error) {
	text, ok := m.files[p]
	if !ok {
		return Entry{}, nil, nil
	}
	return Entry{Type: File, Mode: 0o644, Size: int64(len(text)), SHA256: hashOf([]byte(text))}, []byte(text), nil
}

func (m memory) Names(string) ([]string, error) { return nil, nil }

func (m memory) contents() map[string]string { return maps.Clone(m.files) }

func (m memory) put(p, text string) { m.files[p] = text }

func (m memory) remove(p string) { delete(m.files, p) }

func (d disk) put(p, text string) { d.write(p, text) }

func (d disk) remove(p string) { os.Remove(d.join(p)) }

func (m memory) apply(s *Store, id string, p Plan) { applyTo(m.t, s, id, p, m.step) }

func (d disk) apply(s *Store, id string, plan Plan) { applyTo(d.t, s, id, plan, d.step) }

func (m memory) command(s *Store, id string, turn int, f func()) Record {
	return commandIn(m.t, s, id, turn, m.survey, f)
}

func (d disk) command(s *Store, id string, turn int, f func()) Record {
	return commandIn(d.t, s, id, turn, d.survey, f)
}

func (m memory) step(s Step) {
	if s.To.Type == None {
		delete(m.files, s.Path)
		return
	}
	m.files[s.Path] = string(s.Data)
}

// TestInterleavings is the promise: of agent, a second session and the user, in
// any order, undo takes back one session's bytes and nobody else's.
func TestInterleavings(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	for i := range 10_000 {
		m := memory{t, map[string]string{}}
		interleave(t, rnd, m, mustOpen(t, "", "/w"), mustOpen(t, "", "/w"))
		if t.Failed() {
			t.Fatalf("seed %d, round %d", seed, i)
		}
	}
	for i := range 100 { // the same on a disk
		d := disk{t, t.TempDir()}
		interleave(t, rnd, d, mustOpen(t, filepath.Join(t.TempDir(), "a"), d.root), mustOpen(t, filepath.Join(t.TempDir(), "b"), d.root))
		if t.Failed() {
			t.Fatalf("seed %d, round %d on a disk", seed, i)
		}
	}
}

// interleave plays one story. Each actor writes lines that bear his name.
func interleave(t *testing.T, rnd *rand.Rand, d space, stores ...*Store) {
	t.Helper()
	for n := range 3 {
		d.put(fmt.Sprint("f", n), strings.Repeat(fmt.Sprintf("base %d\n", n), 1+rnd.IntN(12)))
	}
	var acted [3]bool
	for serial := range 2 + rnd.IntN(7) {
		actor := rnd.IntN(3)
		acted[actor] = true
		act := func() { scribble(d, rnd, actor, serial) }
		if actor == 2 {
			act()
			continue
		}
		d.command(stores[actor], fmt.Sprint("c", serial), serial+1, act)
	}
	before := d.contents()
	plan, err := stores[0].Plan(Selection{All: true}, d)
	if errors.Is(err, ErrNothing) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	d.apply(stores[0], "u", plan)
	after := d.contents()
	check(t, before, after, plan)
	if !acted[1] && !acted[2] {
		if len(plan.Conflicts) > 0 {
			t.Errorf("nobody else was there: %+v", plan.Conflicts)
		}
		for p, text := range after {
			if strings.Contains(text, "actor 0") {
				t.Errorf("%s still holds the agent's: %q", p, text)
			}
		}
	}
	redo, err := stores[0].Plan(Selection{Call: "u"}, d)
	if err == nil {
		d.apply(stores[0], "r", redo)
	} else if !errors.Is(err, ErrNothing) {
		t.Fatal(err)
	}
	equal(t, before, d.contents())
}

func (d disk) contents() map[string]string {
	out := map[string]string{}
	entries, _ := os.ReadDir(d.root)
	for _, e := range entries {
		b, _ := os.ReadFile(d.join(e.Name()))
		out[e.Name()] = string(b)
	}
	return out
}

// scribble changes, makes or removes one file; every line is the actor's own.
func scribble(d space, rnd *rand.Rand, actor, serial int) {
	p := fmt.Sprint("f", rnd.IntN(4))
	was, there := d.contents()[p]
	own := fmt.Sprintf("actor %d serial %d\n", actor, serial)
	text := strings.SplitAfter(was, "\n")
	at := rnd.IntN(len(text))
	switch n := rnd.IntN(10); {
	case !there:
		d.put(p, own)
	case n == 0:
		d.remove(p)
	case n < 6: // insert
		d.put(p, strings.Join(text[:at], "")+own+strings.Join(text[at:], ""))
	default: // replace a line
		text[at] = own
		d.put(p, strings.Join(text, ""))
	}
}

// check holds that no byte of another was lost: their lines are all there, as
// often as before, and what is in conflict is untouched.
func check(t *testing.T, before, after map[string]string, plan Plan) {
	t.Helper()
	for _, c := range plan.Conflicts {
		if before[c.Path] != after[c.Path] {
			t.Errorf("%s is in conflict and was changed: %q, %q", c.Path, before[c.Path], after[c.Path])
		}
	}
	for _, s := range plan.Steps {
		if strings.Contains(after[s.Path], "actor 0") {
			t.Errorf("%s was taken back and still holds the agent's: %q", s.Path, after[s.Path])
		}
	}
	for p, text := range before {
		for _, l := range strings.SplitAfter(text, "\n") {
			if strings.Contains(l, "actor 0") || !strings.Contains(l, "actor") {
				continue
			}
			if strings.Count(after[p], l) < strings.Count(text, l) {
				t.Errorf("%s lost %q: %q became %q", p, l, text, after[p])
			}
		}
	}
}
