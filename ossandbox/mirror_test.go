package ossandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMirror(t *testing.T) {
	dir := t.TempDir()
	m := &mirror{from: filepath.Join(dir, "from"), to: filepath.Join(dir, "to")}
	write := func(p, content string) {
		t.Helper()
		os.MkdirAll(filepath.Dir(p), 0o755)
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"a", "b/c", "b/d", "b/e/f", "secret"} {
		write(m.from+"/"+f, f)
	}
	os.Symlink("a", m.from+"/link")
	os.Chmod(m.from+"/b/d", 0o755)
	refresh := func() {
		t.Helper()
		if err := m.refresh(func(p string) bool { return filepath.Base(p) == "secret" }); err != nil {
			t.Fatal(err)
		}
	}
	changes := func() string {
		t.Helper()
		l, err := m.changes()
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, c := range l {
			words = append(words, [...]string{"", "+", "~", "-"}[c.Op]+c.Path)
		}
		return strings.Join(words, " ")
	}
	refresh()
	if exists(m.to+"/secret") || changes() != "" {
		t.Fatalf("after the copy: %q", changes())
	}
	write(m.to+"/a", "a")   // the same again
	write(m.to+"/b/c", "C") // other content
	os.Chmod(m.to+"/b/d", 0o644)
	os.RemoveAll(m.to + "/b/e")
	write(m.to+"/new/x", "x")
	os.Remove(m.to + "/link")
	os.Symlink("b", m.to+"/link")
	if got := changes(); got != "~b/c ~b/d -b/e -b/e/f ~link +new +new/x" {
		t.Errorf("%q", got)
	}
	all, _ := m.changes()
	write(m.from+"/b/c", "by somebody else")
	conflicts, err := m.apply(all)
	if err != nil || !slices.Equal(conflicts, []string{"b/c"}) {
		t.Errorf("%v %v", conflicts, err)
	}
	if st, _ := os.Stat(m.from + "/b/d"); st.Mode().Perm() != 0o644 || exists(m.from+"/b/e") || !exists(m.from+"/new/x") {
		t.Errorf("%s", tree(t, m.from))
	}
	if to, _ := os.Readlink(m.from + "/link"); to != "b" {
		t.Error(to)
	}
	refresh()
	if got := changes(); got != "" {
		t.Errorf("after all was carried over: %q", got)
	}
	write(m.to+"/unwanted", "x")
	refresh()
	if exists(m.to + "/unwanted") {
		t.Error("what was not carried over is still there")
	}
	if _, err := m.apply([]Change{{Path: "../out", Op: Created, From: m.to + "/a"}}); err == nil || exists(dir+"/out") {
		t.Error("a change left the workspace")
	}
	os.Symlink(dir, m.from+"/away")
	if _, err := m.apply([]Change{{Path: "away/out", Op: Created, From: m.to + "/a"}}); err == nil || exists(dir+"/out") {
		t.Error("a change followed a link out of the workspace")
	}
}
