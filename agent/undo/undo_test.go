package undo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
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

func TestEverythingOfACommandComesBack(t *testing.T) {
	d := disk{t, t.TempDir()}
	s := mustOpen(t, filepath.Join(t.TempDir(), "undo", "one"), d.root)
	d.write("a/b/deep.txt", "deep\r\ncrlf\r\n")
	d.write("script.sh", "#!/bin/sh\n")
	_ = os.Chmod(d.join("script.sh"), 0o755)
	d.write("bin", "\x00\xff\x00")
	d.write("Readme", "case")
	d.write("bad\xff", "not utf-8")
	_ = os.Mkdir(d.join("empty"), 0o700)
	_ = os.Symlink("../else/where", d.join("link"))
	d.write("becomes-folder", "x")
	_ = os.MkdirAll(d.join("becomes-file/in"), 0o755)
	before := d.all()
	r := d.command(s, "c1", 1, func() {
		_ = os.RemoveAll(d.join("a"))
		_ = os.Chmod(d.join("script.sh"), 0o644)
		d.write("bin", "\x00other")
		_ = os.Rename(d.join("Readme"), d.join("README"))
		_ = os.Remove(d.join("bad\xff"))
		_ = os.Remove(d.join("empty"))
		_ = os.Remove(d.join("link"))
		_ = os.Symlink("elsewhere", d.join("link"))
		_ = os.Remove(d.join("becomes-folder"))
		d.write("becomes-folder/x", "y")
		_ = os.RemoveAll(d.join("becomes-file"))
		d.write("becomes-file", "now a file")
		d.write("new/dir/file", "made")
	})
	if len(r.Left) > 0 {
		t.Errorf("left: %v", r.Left)
	}
	after := d.all()
	reopened := mustReopen(t, s, d.root)
	plan := mustPlan(t, reopened, Selection{}, d)
	if len(plan.Conflicts)+len(plan.Kept) > 0 {
		t.Fatalf("conflicts: %+v, kept: %v", plan.Conflicts, plan.Kept)
	}
	d.apply(reopened, "u1", plan)
	equal(t, before, d.all())
	if _, err := reopened.Plan(Selection{}, d); !errors.Is(err, ErrNothing) {
		t.Errorf("undone twice: %v", err)
	}
	d.apply(reopened, "u2", mustPlan(t, reopened, Selection{Call: "u1"}, d))
	equal(t, after, d.all())
	d.apply(reopened, "u3", mustPlan(t, reopened, Selection{All: true}, d))
	equal(t, before, d.all())
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

func TestWhatOthersChangedStays(t *testing.T) {
	const old, agent = "1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\nagent\n4\n5\n6\n7\n8\n"
	for _, c := range []struct{ name, user, want, conflict string }{
		{"untouched", agent, old, ""},
		{"elsewhere", "1\n2\nagent\n4\n5\n6\nuser\n8\n", "1\n2\n3\n4\n5\n6\nuser\n8\n", ""},
		{"at the end", agent + "more", old + "more", ""},
		{"same line", "1\n2\nuser\n4\n5\n6\n7\n8\n", "", "same place"},
		{"next line", "1\n2\nagent\nuser\n5\n6\n7\n8\n", "", "same place"},
		{"binary", "1\n2\nagent\n4\n5\n6\n\x00\n8\n", "", "same place"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := disk{t, t.TempDir()}
			s := mustOpen(t, filepath.Join(t.TempDir(), "u"), d.root)
			d.write("f", old)
			d.command(s, "c", 1, func() { d.write("f", agent) })
			d.write("f", c.user)
			plan := mustPlan(t, s, Selection{Turn: 1}, d)
			if c.conflict != "" {
				if len(plan.Steps) > 0 || len(plan.Conflicts) != 1 || !strings.Contains(plan.Conflicts[0].Why, c.conflict) {
					t.Fatalf("%+v", plan)
				}
				return
			}
			d.apply(s, "u", plan)
			if got, _ := os.ReadFile(d.join("f")); string(got) != c.want {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestWhatStandsInTheWay(t *testing.T) {
	for _, c := range []struct {
		name    string
		agent   func(d disk)
		other   func(d disk)
		why     string
		folders int
	}{
		{"a link where a file comes back", func(d disk) { os.Remove(d.join("dir/f")) }, func(d disk) { os.Symlink("/etc/passwd", d.join("dir/f")) }, "is there again (a link)", 0},
		{"a link where its folder was", func(d disk) { os.RemoveAll(d.join("dir")) }, func(d disk) { os.Symlink("/tmp", d.join("dir")) }, "", 0},
		{"a folder where it was", func(d disk) { d.write("dir/f", "agent") }, func(d disk) { os.Remove(d.join("dir/f")); os.Mkdir(d.join("dir/f"), 0o755) }, "is a folder now", 0},
		{"removed by the user", func(d disk) { d.write("dir/f", "agent") }, func(d disk) { os.Remove(d.join("dir/f")) }, "was removed", 0},
		{"a new file was changed", func(d disk) { d.write("new/g", "agent") }, func(d disk) { d.write("new/g", "user") }, "same place", 1},
		{"a new folder got a file", func(d disk) { d.write("new/g", "agent") }, func(d disk) { d.write("new/h", "user") }, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := disk{t, t.TempDir()}
			s := mustOpen(t, filepath.Join(t.TempDir(), "u"), d.root)
			d.write("dir/f", "old")
			d.command(s, "c", 1, func() { c.agent(d) })
			c.other(d)
			plan := mustPlan(t, s, Selection{All: true}, d)
			found := false
			for _, x := range plan.Conflicts {
				found = found || strings.Contains(x.Why, c.why)
			}
			if c.why != "" && !found || len(plan.Kept) != c.folders {
				t.Errorf("%+v", plan)
			}
			for _, x := range plan.Steps {
				if x.Path == "dir/f" {
					t.Errorf("%s would be changed", x.Path)
				}
			}
		})
	}
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

func (m memory) Names(string) ([]string, error)     { return nil, nil }
func (m memory) contents() map[string]string        { return maps.Clone(m.files) }
func (m memory) put(p, text string)                 { m.files[p] = text }
func (m memory) remove(p string)                    { delete(m.files, p) }
func (d disk) put(p, text string)                   { d.write(p, text) }
func (d disk) remove(p string)                      { os.Remove(d.join(p)) }
func (m memory) apply(s *Store, id string, p Plan)  { applyTo(m.t, s, id, p, m.step) }
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

func TestMergeTakesNothingThatIsNotThere(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for range 20000 {
		row := func() []byte {
			var b bytes.Buffer
			for range rnd.IntN(8) {
				fmt.Fprintf(&b, "%d\n", rnd.IntN(4))
			}
			return b.Bytes()
		}
		base, mine := row(), row()
		if got, ok := merge3(base, base, mine); !ok || !bytes.Equal(got, mine) {
			t.Fatalf("nobody else changed %q: %q, not %q", base, got, mine)
		}
		if got, ok := merge3(base, mine, base); !ok || !bytes.Equal(got, mine) {
			t.Fatalf("nothing to take back in %q: %q, not %q", base, got, mine)
		}
	}
}

func TestBounds(t *testing.T) {
	d := disk{t, t.TempDir()}
	s, err := Open(Options{Dir: filepath.Join(t.TempDir(), "u"), Root: d.root, Limits: Limits{File: 100, Total: 250}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d.write("large", strings.Repeat("x", 101))
	d.write("a", strings.Repeat("a", 99))
	d.write("b", strings.Repeat("b", 99))
	d.write("c", strings.Repeat("c", 99))
	r := d.command(s, "c1", 1, func() {
		for _, p := range []string{"large", "a", "b", "c"} {
			os.Remove(d.join(p))
		}
	})
	text := strings.Join(r.Left, "\n")
	if len(r.Changes) != 2 || !strings.Contains(text, "large was deleted, and is not covered: larger than 100 bytes") || !strings.Contains(text, "full (250 bytes)") {
		t.Errorf("%+v", r)
	}
	plan := mustPlan(t, s, Selection{All: true}, d)
	if len(plan.Left) != 2 || len(plan.Steps) != 2 {
		t.Errorf("%+v", plan)
	}
}

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

func BenchmarkSurvey10000(b *testing.B) {
	d := disk{b, b.TempDir()}
	for i := range 10000 {
		d.write(fmt.Sprintf("d%d/f%d", i%100, i), fmt.Sprint(i))
	}
	s := mustOpen(b, filepath.Join(b.TempDir(), "u"), d.root)
	_ = s.writable()
	if _, err := s.refresh(d.survey); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.refresh(d.survey); err != nil {
			b.Fatal(err)
		}
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
