package undo

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// state is what stands at a path, for comparisons.
func (d disk) state(p string) string {
	e, data, err := d.Look(p)
	if err != nil {
		d.t.Fatal(err)
	}
	return strings.Join([]string{string(e.Type), string(e.Text), string(rune('0' + e.Mode&0o7)), string(data)}, "|")
}

// TestConflictsAreResolved: whatever kind of thing the three sides are, each
// word does just what it says, counts as the undo of the calls, and is undone
// itself to the byte.
func TestConflictsAreResolved(t *testing.T) {
	for _, c := range []struct {
		name                string
		before, agent, user func(d disk)
		can                 string
	}{
		{"text", func(d disk) { d.write("f", "old\n") }, func(d disk) { d.write("f", "agent\n") }, func(d disk) { d.write("f", "user\n") }, "keep old text"},
		{"two calls", func(d disk) { d.write("f", "old\n") }, nil, func(d disk) { d.write("f", "user\n") }, "keep old text"},
		{"binary", func(d disk) { d.write("f", "old\x00") }, func(d disk) { d.write("f", "agent\x00") }, func(d disk) { d.write("f", "user\x00") }, "keep old"},
		{"removed by the user", func(d disk) { d.write("f", "old\n") }, func(d disk) { d.write("f", "agent\n") }, func(d disk) { os.Remove(d.join("f")) }, "keep old"},
		{"made anew by the user", func(d disk) { d.write("f", "old\n") }, func(d disk) { os.Remove(d.join("f")) }, func(d disk) { d.write("f", "user\n") }, "keep old text"},
		{"a new file, changed", func(disk) {}, func(d disk) { d.write("f", "agent\n") }, func(d disk) { d.write("f", "user\n") }, "keep old"},
		{"renamed, and changed there", func(d disk) { d.write("g", "old\n") }, func(d disk) { os.Rename(d.join("g"), d.join("f")) }, func(d disk) { d.write("f", "user\n") }, "keep old"},
		{"a link in its place", func(d disk) { d.write("f", "old\n") }, func(d disk) { os.Remove(d.join("f")) }, func(d disk) { os.Symlink("/etc/passwd", d.join("f")) }, "keep old"},
		{"another link", func(d disk) { os.Symlink("old", d.join("f")) }, func(d disk) { os.Remove(d.join("f")); os.Symlink("agent", d.join("f")) }, func(d disk) { os.Remove(d.join("f")); os.Symlink("user", d.join("f")) }, "keep old"},
		{"an empty folder in its place", func(d disk) { d.write("f", "old\n") }, func(d disk) { d.write("f", "agent\n") }, func(d disk) { os.Remove(d.join("f")); os.Mkdir(d.join("f"), 0o755) }, "keep old"},
		{"a full folder in its place", func(d disk) { d.write("f", "old\n") }, func(d disk) { d.write("f", "agent\n") }, func(d disk) { os.Remove(d.join("f")); d.write("f/x", "user\n") }, "keep"},
		{"a pipe in its place", func(d disk) { d.write("f", "old\n") }, func(d disk) { d.write("f", "agent\n") }, func(d disk) { os.Remove(d.join("f")); syscall.Mkfifo(d.join("f"), 0o600) }, "keep"},
		{"its mode too", func(d disk) { d.write("f", "old\n"); os.Chmod(d.join("f"), 0o600) }, func(d disk) { d.write("f", "agent\n"); os.Chmod(d.join("f"), 0o700) }, func(d disk) { d.write("f", "user\n") }, "keep old text"},
	} {
		for _, how := range []How{Keep, Old, Text} {
			t.Run(c.name+"/"+string(how), func(t *testing.T) {
				d := disk{t, t.TempDir()}
				s := mustOpen(t, filepath.Join(t.TempDir(), "u"), d.root)
				c.before(d)
				before := d.state("f")
				if c.name == "two calls" {
					d.command(s, "c0", 1, func() { d.write("f", "half\n") })
					d.command(s, "c", 1, func() { d.write("f", "agent\n") })
				} else {
					d.command(s, "c", 1, func() { c.agent(d) })
				}
				c.user(d)
				now := d.state("f")
				sel := Selection{Turn: 1}
				x, err := s.Sides(sel, d, "f")
				if err != nil {
					t.Fatal(err)
				}
				var can []string
				for _, h := range x.Can {
					can = append(can, string(h))
				}
				if got := strings.Join(can, " "); got != c.can {
					t.Fatalf("can %q, want %q", got, c.can)
				}
				sel.Resolve = []Resolution{{Path: "f", How: how, Text: []byte("both\n"), Now: x.Mark}}
				plan, err := s.Plan(sel, d)
				possible := err == nil && !slices.ContainsFunc(plan.Conflicts, func(x Conflict) bool { return x.Path == "f" })
				if possible != slices.Contains(x.Can, how) {
					t.Fatalf("offered %v, possible %v (%v, %+v)", x.Can, possible, err, plan.Conflicts)
				}
				if !possible {
					return
				}
				applyTo(t, s, "u", plan, d.step)
				got := d.state("f")
				switch {
				case how == Keep && got != now, how == Old && got != before, how == Text && !strings.HasSuffix(got, "|both\n"):
					t.Errorf("%s: %q (before %q, now %q)", how, got, before, now)
				case c.name == "its mode too" && how == Text && !strings.HasPrefix(got, "file||0"):
					t.Errorf("the mode is %q", got)
				}
				if !s.Undone("c", "f") || c.name == "two calls" && !s.Undone("c0", "f") {
					t.Error("the calls do not count as taken back")
				}
				back := mustPlan(t, mustOpen(t, s.o.Dir, d.root), Selection{Call: "u"}, d)
				applyTo(t, s, "redo", back, d.step)
				if d.state("f") != now || s.Undone("c", "f") {
					t.Errorf("taken back: %q, want %q; undone %v", d.state("f"), now, s.Undone("c", "f"))
				}
			})
		}
	}
}

// TestAResolutionIsForWhatWasSeen: the word is on one state of a path in
// conflict, and on nothing else.
func TestAResolutionIsForWhatWasSeen(t *testing.T) {
	d := disk{t, t.TempDir()}
	s := mustOpen(t, filepath.Join(t.TempDir(), "u"), d.root)
	d.write("f", "old\n")
	d.write("g", "old\n")
	d.command(s, "c", 1, func() { d.write("f", "agent\n"); d.write("g", "agent\n") })
	d.write("f", "user\n")
	x, err := s.Sides(Selection{Turn: 1}, d, "f")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sides(Selection{Turn: 1}, d, "nowhere"); err == nil {
		t.Error("there are sides of a path that no call changed")
	}
	d.write("f", "user again\n")
	for _, r := range []Resolution{
		{Path: "f", How: Old, Now: x.Mark}, {Path: "f", How: Keep, Now: x.Mark}, {Path: "f", How: Text, Text: []byte("t"), Now: x.Mark},
		{Path: "g", How: Old}, {Path: "nowhere", How: Keep}, {Path: "f", How: "mine"}, {Path: "f"},
		{Path: "f", How: Text, Text: x.Merged}, {Path: "f", How: Text, Text: []byte{0}}, {Path: "f", How: Text, Text: []byte{0xff}},
	} {
		_, err := s.Plan(Selection{Turn: 1, Resolve: []Resolution{r}}, d)
		if err == nil {
			t.Errorf("%+v was taken", r)
		}
		if _, moved := errors.AsType[*MovedError](err); moved != (r.Now != "") {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if _, err := s.Plan(Selection{Turn: 1, Resolve: []Resolution{{Path: "f", How: Keep}, {Path: "f", How: Old}}}, d); err == nil {
		t.Error("two words on one path were taken")
	}
	plan, err := s.Plan(Selection{Turn: 1, Resolve: []Resolution{{Path: "f", How: Keep}}}, d)
	if err != nil || len(plan.Steps) != 2 || len(plan.Conflicts) != 0 {
		t.Errorf("%+v, %v", plan, err)
	}
}

func TestMerged3(t *testing.T) {
	const mine, base, cut, old = markMine + "\n", markBase + "\n", markCut + "\n", markOld + "\n"
	for _, c := range []struct{ name, base, mine, theirs, want string }{
		{"apart", "1\n2\n3\n4\n", "A\n2\n3\n4\n", "1\n2\n3\nB\n", "A\n2\n3\nB\n"},
		{"the same", "1\n2\n", "A\n2\n", "A\n2\n", "A\n2\n"},
		{"one place", "1\n2\n3\n", "1\nA\n3\n", "1\nB\n3\n", "1\n" + mine + "A\n" + base + "2\n" + cut + "B\n" + old + "3\n"},
		{"neighbours", "1\n2\n3\n", "A\n2\n3\n", "1\nB\n3\n", mine + "A\n2\n" + base + "1\n2\n" + cut + "1\nB\n" + old + "3\n"},
		{"one apart, one not", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\nA\n", "X\n2\n3\n4\nB\n", "X\n2\n3\n4\n" + mine + "A\n" + base + "5\n" + cut + "B\n" + old},
		{"no line end", "1", "A", "B", mine + "A\n" + base + "1\n" + cut + "B\n" + old},
		{"carriage returns", "1\r\n", "A\r\n", "B\r\n", strings.ReplaceAll(mine+"A\n"+base+"1\n"+cut+"B\n"+old, "\n", "\r\n")},
		{"nothing between", "", "A\n", "B\n", mine + "A\n" + base + cut + "B\n" + old},
	} {
		if got := string(merged3([]byte(c.base), []byte(c.mine), []byte(c.theirs))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// FuzzMerged3: where nothing clashes it is what undo merges by itself, and where
// something does, every line of both sides is there.
func FuzzMerged3(f *testing.F) {
	f.Add("1\n2\n3\n", "1\nA\n3\n", "1\n2\nB\n")
	f.Add("a\nb\nc\nd\n", "a\nx\nc\nd\n", "a\nb\nc\ny\n")
	f.Fuzz(func(t *testing.T, base, mine, theirs string) {
		if !isText([]byte(base)) || !isText([]byte(mine)) || !isText([]byte(theirs)) || strings.Contains(base+mine+theirs, markMine) {
			t.Skip()
		}
		got := merged3([]byte(base), []byte(mine), []byte(theirs))
		want, clean := merge3([]byte(base), []byte(mine), []byte(theirs))
		if clean && string(got) != string(want) {
			t.Fatalf("%q, want %q", got, want)
		}
		if !strings.Contains(string(got), markMine) {
			return
		}
		for _, l := range lines([]byte(mine)) {
			if !strings.Contains(base, strings.TrimRight(l, "\r\n")) && !strings.Contains(string(got), strings.TrimRight(l, "\r\n")) {
				t.Fatalf("%q is lost in %q", l, got)
			}
		}
	})
}
