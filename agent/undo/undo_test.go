package undo

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
