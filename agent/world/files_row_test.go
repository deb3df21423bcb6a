package world

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// wide is a diff that does all that one can do.
const wide = `diff --git a/one b/one
--- a/one
+++ b/one
@@ -1,2 +1,2 @@
 a
-b
+B
diff --git a/two b/moved/two
similarity index 80%
rename from two
rename to moved/two
--- a/two
+++ b/moved/two
@@ -1,2 +1,2 @@
-x
+X
 y
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/made/new b/made/new
new file mode 100644
--- /dev/null
+++ b/made/new
@@ -0,0 +1 @@
+hello
diff --git a/bare b/moved/bare
similarity index 100%
rename from bare
rename to moved/bare
`

func wideDesk(t testing.TB) *desk {
	d := newDesk(t)
	d.put(t, "ws/one", "a\r\nb\r\n")
	d.put(t, "ws/two", "x\ny\n")
	d.put(t, "ws/gone", "bye\n")
	d.put(t, "ws/bare", "as it is\n")
	must(t, os.Chmod(filepath.Join(d.dir, "ws/two"), 0o750))
	return d
}

func TestDiffOfSeveralFiles(t *testing.T) {
	d := wideDesk(t)
	r := d.call("apply_diff", args{"diff": wide})
	for name, want := range map[string]string{"one": "a\r\nB\r\n", "moved/two": "X\ny\n", "made/new": "hello\n", "moved/bare": "as it is\n"} {
		if got := d.get(t, "ws/"+name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"two", "gone", "bare"} {
		if _, err := os.Lstat(filepath.Join(d.dir, "ws", name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	if info, err := os.Stat(filepath.Join(d.dir, "ws/moved/two")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("the moved file lost its mode: %v, %v", info, err)
	}
	if r.Status != tool.OK || !strings.HasPrefix(r.Title, "changed 6 files") {
		t.Errorf("%+v", r)
	}
	// What the diff left counts as seen.
	d.call("str_replace", args{"path": "moved/two", "old_str": "X", "new_str": "Z"})
}

// A diff that fails at its n-th act leaves the tree as it was, whatever n is,
// and with the modes that it had.
func TestFailedDiffLeavesNothing(t *testing.T) {
	d := wideDesk(t)
	_, set, err := d.plan("apply_diff", args{"diff": wide})
	must(t, err)
	for n := range set.Effects {
		t.Run(fmt.Sprintf("%d %s", n, set.Effects[n].Kind), func(t *testing.T) {
			d := wideDesk(t)
			_, set, err := d.plan("apply_diff", args{"diff": wide})
			must(t, err)
			before := d.tree(t)
			// The n-th effect is not granted: the row ends there.
			left := append(append([]effect.Effect{}, set.Effects[:n]...), set.Effects[n+1:]...)
			_, err = d.granted(left...).ApplyAll(t.Context(), set.Effects)
			var refused *tool.NotGrantedError
			var partial *tool.PartialError
			if !errors.As(err, &refused) || errors.As(err, &partial) {
				t.Errorf("the row ended with %v", err)
			}
			if after := d.tree(t); after != before {
				t.Errorf("the tree was\n%s\nand is\n%s", before, after)
			}
			if info, err := os.Stat(filepath.Join(d.dir, "ws/two")); err != nil || info.Mode().Perm() != 0o750 {
				t.Errorf("the mode is lost: %v, %v", info, err)
			}
		})
	}
}

// What somebody else changed while a row was under way is not put back over
// his work: it is left and told.
func TestTakingBackLeavesOthersAlone(t *testing.T) {
	d := wideDesk(t)
	_, set, err := d.plan("apply_diff", args{"diff": "--- a/one\n+++ b/one\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n--- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-bye\n+hi\n"})
	must(t, err)
	env := d.Env(func(e effect.Effect) bool {
		if e.Path.Name == "gone" { // between the two acts
			d.put(t, "ws/one", "theirs\n")
			return false
		}
		return true
	})
	_, err = env.ApplyAll(t.Context(), set.Effects)
	var partial *tool.PartialError
	if !errors.As(err, &partial) || len(partial.Left) != 1 || partial.Left[0].Effect.Path.Name != "one" {
		t.Fatalf("%v", err)
	}
	if d.get(t, "ws/one") != "theirs\n" || d.get(t, "ws/gone") != "bye\n" {
		t.Errorf("%q, %q", d.get(t, "ws/one"), d.get(t, "ws/gone"))
	}
}

// Ways in which a diff could reach what it should not.
func TestHostileDiffs(t *testing.T) {
	d := wideDesk(t)
	d.put(t, "ws/Case", "b\n")
	d.put(t, "ws/case", "a\n")
	d.put(t, "ws-evil/x", "a\n")
	d.link(t, "one", "ws/link")
	d.link(t, "../ws-evil", "ws/out")
	must(t, os.Link(filepath.Join(d.dir, "ws/one"), filepath.Join(d.dir, "ws/hard")))
	one := "@@ -1,2 +1,2 @@\n a\n-b\n+B\n"
	head := func(name string) string { return "--- a/" + name + "\n+++ b/" + name + "\n" }
	before := d.tree(t)
	for name, c := range map[string]struct{ diff, want string }{
		"up":                    {head("../ws-evil/x") + "@@ -1 +1 @@\n-a\n+b\n", "outside the workspace"},
		"up in the middle":      {head("made/../../ws-evil/x") + "@@ -1 +1 @@\n-a\n+b\n", "goes up"},
		"absolute":              {"--- /etc/hosts\n+++ /etc/hosts\n@@ -1 +1 @@\n-a\n+b\n", "outside the workspace"},
		"through a link":        {head("out/x") + "@@ -1 +1 @@\n-a\n+b\n", "outside the workspace"},
		"new file up":           {"--- /dev/null\n+++ b/../new\n@@ -0,0 +1 @@\n+a\n", "outside the workspace"},
		"rename out":            {"rename from one\nrename to ../one\n", "outside the workspace"},
		"rename in":             {"rename from ../ws-evil/x\nrename to here\n", "outside the workspace"},
		"rename over":           {"rename from one\nrename to two\n", "exists already"},
		"twice":                 {head("one") + one + head("one") + one, "in two places"},
		"twice by a link":       {head("one") + one + head("link") + one, "in two places"},
		"twice by a hard link":  {head("one") + one + head("hard") + one, "in two places"},
		"twice by spelling":     {head("one") + one + head("./one") + one, "in two places"},
		"edited and renamed":    {head("one") + one + "diff --git a/one b/q\nrename from one\nrename to q\n", "in two places"},
		"made and renamed onto": {"--- /dev/null\n+++ b/q\n@@ -0,0 +1 @@\n+a\ndiff --git a/one b/q\nrename from one\nrename to q\n", "in two places"},
		"two names":             {"--- a/one\n+++ b/two\n" + one, "rename from"},
		"one of many is wrong":  {head("one") + one + head("none") + one, "does not exist"},
		"no name":               {one, "does not say which file"},
		"our own state":         {head("../home/.tera_pilot/audit_key") + one, "tera_pilot"},
		"a name with NUL":       {head("one\x00") + one, ""},
	} {
		_, set, err := d.plan("apply_diff", args{"diff": c.diff})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", name, set.Title, err)
		}
	}
	if after := d.tree(t); after != before {
		t.Errorf("the tree was\n%s\nand is\n%s", before, after)
	}
	var a, b unix.Stat_t
	must(t, unix.Lstat(filepath.Join(d.dir, "ws/case"), &a))
	must(t, unix.Lstat(filepath.Join(d.dir, "ws/Case"), &b))
	_, _, err := d.plan("apply_diff", args{"diff": head("case") + "@@ -1 +1 @@\n-a\n+c\n" + head("Case") + "@@ -1 +1 @@\n-b\n+d\n"})
	if (a.Ino == b.Ino) != (err != nil) {
		t.Errorf("two names that differ in case, one file: %v, and the plan says %v", a.Ino == b.Ino, err)
	}
}

// One hunk that does not fit stops all of them, and tells which.
func TestOneHunkOfManyDoesNotFit(t *testing.T) {
	d := wideDesk(t)
	before := d.tree(t)
	r := d.call("apply_diff", args{"diff": "--- a/one\n+++ b/one\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n--- a/two\n+++ b/two\n@@ -1,2 +1,2 @@\n-x\n+X\n other\n"})
	if r.Status != tool.Error || !strings.Contains(r.Body, "hunk 1 does not fit") || !strings.Contains(r.Title, "two") {
		t.Errorf("%+v", r)
	}
	if after := d.tree(t); after != before {
		t.Errorf("the tree was\n%s\nand is\n%s", before, after)
	}
}

func TestMultiEdit(t *testing.T) {
	d := newDesk(t)
	d.put(t, "ws/a.go", "package a\r\n\r\nfunc A() {}\r\nfunc B() {}\r\n")
	edit := func(pairs ...string) args {
		var edits []args
		for i := 0; i < len(pairs); i += 2 {
			edits = append(edits, args{"old_str": pairs[i], "new_str": pairs[i+1]})
		}
		return args{"path": "a.go", "edits": edits}
	}
	r := d.call("multi_edit", edit("func A", "func C", "func C() {}\n", "func C() {\n}\n", "func B() {}", ""))
	if got := d.get(t, "ws/a.go"); got != "package a\r\n\r\nfunc C() {\r\n}\r\n\r\n" || r.Status != tool.OK {
		t.Errorf("%q, %+v", got, r)
	}
	before := d.tree(t)
	r = d.call("multi_edit", edit("func C", "func D", "func Z", "func E"))
	if r.Status != tool.Error || !strings.Contains(r.Body, "edit 2: old_str is not in the file") {
		t.Errorf("%+v", r)
	}
	if after := d.tree(t); after != before {
		t.Error("a failed row of edits changed the file")
	}
	r = d.call("multi_edit", edit("func C() {", "func C( {", "}", ""))
	if !strings.Contains(r.Body, "does not parse now") {
		t.Errorf("a new fault of syntax is not told: %s", r.Body)
	}
	if _, _, err := d.plan("multi_edit", edit("func", "funk", "funk", "func")); err == nil {
		t.Error("edits that come to nothing were planned")
	}
}
