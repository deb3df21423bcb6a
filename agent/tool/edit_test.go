package tool

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

func TestWriteFile(t *testing.T) {
	f := newFake()
	s := plan(t, f, "write_file", `{"path":"x/y/new.txt","content":"1\n2\n"}`)
	var kinds []string
	for _, e := range s.Effects {
		kinds = append(kinds, e.Kind.String()+" "+e.Path.Name)
	}
	if !slices.Equal(kinds, []string{"mkdir x", "mkdir x/y", "create x/y/new.txt"}) {
		t.Errorf("effects %v", kinds)
	}
	r := call(t, f, "write_file", `{"path":"x/y/new.txt","content":"1\n2\n"}`)
	has(t, r.Body, "created x/y/new.txt (2 lines, 4 bytes)")
	if r.Untrusted != "" || len(r.Changes) != 3 || r.Changes[2] != (Change{Path: "x/y/new.txt", Change: "created"}) || r.Diff != "+2 -0" || len(r.Seen) != 1 {
		t.Errorf("%+v", r)
	}
	// It knows what it wrote, so it may write again.
	r = call(t, f, "write_file", `{"path":"x/y/new.txt","content":"1\n3\n"}`)
	has(t, r.Body, "edited x/y/new.txt (+1 -1)", "-2\n+3\n")
	f.files["x/y/new.txt"] = "somebody else\n"
	has(t, refused(t, f, "write_file", `{"path":"x/y/new.txt","content":"4\n"}`), "changed since you last saw it")
	f.files["old"] = "old\n"
	has(t, refused(t, f, "write_file", `{"path":"old","content":"new"}`), "you have not seen it")
	call(t, f, "read_file", `{"path":"old"}`)
	has(t, refused(t, f, "write_file", `{"path":"old","content":"old\n"}`), "holds exactly that already")
	call(t, f, "write_file", `{"path":"old","content":"new\n"}`)
	f.files["bin"] = "a\x00"
	f.seen["bin"] = hash([]byte("a\x00"))
	has(t, refused(t, f, "write_file", `{"path":"bin","content":"x"}`), "binary file")
	has(t, refused(t, f, "write_file", `{"path":"new/","content":"x"}`), "ends in a slash")
	has(t, refused(t, f, "write_file", `{"path":"x","content":"x"}`), "is a folder")
	has(t, refused(t, f, "write_file", `{"path":"n","content":"a\u0000"}`), "NUL")
	has(t, refused(t, f, "write_file", `{"path":"/etc/passwd","content":"x"}`), "outside the workspace")
	has(t, refused(t, f, "write_file", `{"path":"../up","content":"x"}`), "outside the workspace")
	f.outputs["@out/c"] = "x"
	has(t, refused(t, f, "write_file", `{"path":"@out/c","content":"x"}`), "can be read, not changed")
}

func TestWriteKeepsWhatItCan(t *testing.T) {
	for _, c := range []struct{ before, content, after string }{
		{"a\r\nb\r\nc\r\n", "a\nB\nc\nd\n", "a\r\nB\r\nc\r\nd\r\n"},
		{"a\r\nb\nc\r\n", "a\nb\nc\nd\n", "a\r\nb\nc\r\nd\r\n"},
		{"a\r\nb\r\n", "x\r\ny\n", "x\r\ny\n"},
		{"\xef\xbb\xbfa\n", "b\n", "\xef\xbb\xbfb\n"},
		{"\xef\xbb\xbfa\n", "\uFEFFb\n", "\xef\xbb\xbfb\n"},
		{"\xff\xfea\x00\r\x00\n\x00", "b\nc", "\xff\xfeb\x00\r\x00\n\x00c\x00"},
		{"a\n", "a", "a"},
		{"a", "a\n", "a\n"},
		{"", "x\n", "x\n"},
		{"a\n", "", ""},
	} {
		f := newFake()
		f.files["f"] = c.before
		call(t, f, "read_file", `{"path":"f"}`)
		call(t, f, "write_file", fmt.Sprintf(`{"path":"f","content":%q}`, c.content))
		if f.files["f"] != c.after {
			t.Errorf("%q written over %q: %q, want %q", c.content, c.before, f.files["f"], c.after)
		}
	}
}

func TestStrReplace(t *testing.T) {
	f := newFake()
	f.files["a.br"] = "a {\n  b\n}\n"
	r := call(t, f, "edit", `{"path":"a.br","old_str":"  b","new_str":"  c"}`)
	has(t, r.Body, "edited a.br (+1 -1)", "@@ -1,3 +1,3 @@\n a {\n-  b\n+  c\n }\n")
	if r.Title != "edited a.br (+1 -1)" || r.Diff != "+1 -1" || r.Untrusted != "file" || len(r.Seen) != 1 || strings.Contains(r.Body, "note") {
		t.Errorf("%+v", r)
	}
	r = call(t, f, "str_replace", `{"path":"a.br","old_str":"}","new_str":""}`)
	has(t, r.Body, "does not parse now: unbalanced braces")
	r = call(t, f, "str_replace", `{"path":"a.br","old_str":"a","new_str":"x"}`)
	if strings.Contains(r.Body, "parse") {
		t.Error("a fault that was there before is reported again")
	}
	f.files["w"] = "x\r\ny\r\n"
	r = call(t, f, "str_replace", `{"path":"w","old_str":"x\ny","new_str":"x\nz"}`)
	if want := "old_str matched only when line ends (CRLF, LF) are ignored; everything else stayed as it was\nedited w (+1 -1)\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"; r.Body != want {
		t.Errorf("%q, want %q", r.Body, want)
	}
	r = call(t, f, "str_replace", `{"path":"w","old_str":"x\r\nz","new_str":"x\nz"}`)
	has(t, r.Body, "line ends: CRLF, now mixed (1 CRLF, 1 LF)")
	f.files["w"] = "p p p"
	delete(f.seen, "w")
	has(t, call(t, f, "str_replace", `{"path":"w","old_str":"p","new_str":"q","replace_all":true}`).Body, "replaced in 3 places")
	has(t, refused(t, f, "str_replace", `{"path":"w","old_str":"q","new_str":"q"}`), "the same")
	has(t, refused(t, f, "str_replace", `{"path":"none","old_str":"q","new_str":"r"}`), "does not exist")
	has(t, refused(t, f, "str_replace", `{"path":".","old_str":"q","new_str":"r"}`), "workspace itself")
	f.files["w"] = "changed"
	has(t, refused(t, f, "str_replace", `{"path":"w","old_str":"changed","new_str":"r"}`), "changed since you last saw it")
	f.files["latin"], f.files["bin"] = "caf\xe9", "\x00"
	has(t, refused(t, f, "str_replace", `{"path":"latin","old_str":"caf","new_str":"r"}`), "byte 3", "Nothing was changed")
	has(t, refused(t, f, "str_replace", `{"path":"bin","old_str":"x","new_str":"r"}`), "binary file")
	f.links["alias"] = "a.br"
	if s := plan(t, f, "str_replace", `{"path":"alias","old_str":"x","new_str":"y"}`); s.Effects[0].Path.Name != "a.br" {
		t.Errorf("through a link: %+v", s.Effects[0].Path)
	}
}

// An edit that finds no place shows the file only as the result of a read that
// was granted.
func TestFailedEditIsARead(t *testing.T) {
	f := newFake()
	f.files["a"] = "secret line\nother\n"
	for name, args := range map[string]string{
		"str_replace": `{"path":"a","old_str":"secret lines\nother","new_str":"x"}`,
		"apply_diff":  `{"path":"a","diff":"@@ -1,2 +1,2 @@\n-secret lines\n+x\n other\n"}`,
	} {
		s := plan(t, f, name, args)
		if len(s.Effects) != 1 || s.Effects[0].Kind != effect.Read || s.Effects[0].Path.SHA256 == "" {
			t.Fatalf("%s: %+v", name, s.Effects)
		}
		r := call(t, f, name, args)
		has(t, r.Body, "nothing was changed", "2\tother")
		if r.Status != Error || r.Untrusted != "file" || len(r.Changes)+len(r.Seen) > 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	f.secret["a"] = true
	for name, args := range map[string]string{
		"str_replace": `{"path":"a","old_str":"secret l","new_str":"x"}`,
		"apply_diff":  `{"path":"a","diff":"@@ -1,2 +1,2 @@\n-guess\n+x\n other\n"}`,
	} {
		if why := refused(t, f, name, args); strings.Contains(why, "other") || !strings.Contains(why, "secret-like") {
			t.Errorf("%s: %s", name, why)
		}
	}
	call(t, f, "read_file", `{"path":"a"}`)
	plan(t, f, "str_replace", `{"path":"a","old_str":"secret l","new_str":"x"}`)
}

func TestApplyDiff(t *testing.T) {
	f := newFake()
	f.files["src/a"] = "0\na\nb\n"
	r := call(t, f, "apply_diff", `{"path":"src/a","diff":"--- a/src/a\n+++ b/src/a\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"}`)
	has(t, r.Body, "note: hunk 1 stands at line 2, not at line 1", "edited src/a (+1 -1)")
	r = call(t, f, "apply_diff", `{"path":"n/new","diff":"--- /dev/null\n+++ b/n/new\n@@ -0,0 +1,2 @@\n+x\n+y\n"}`)
	if f.files["n/new"] != "x\ny\n" || r.Changes[0].Change != "mkdir" || r.Changes[1].Change != "created" {
		t.Errorf("%q, %+v", f.files["n/new"], r)
	}
	r = call(t, f, "apply_diff", `{"path":"n/new","diff":"--- a/n/new\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n"}`)
	if _, there := f.files["n/new"]; there || r.Changes[0].Change != "deleted" || r.Body != "deleted n/new\n" {
		t.Errorf("%+v", r)
	}
	for diff, want := range map[string]string{
		`--- a/src/b\n+++ b/src/b\n@@ -1 +1 @@\n-0\n+1\n`:      "the diff is about a/src/b",
		`--- /dev/null\n+++ b/src/a\n@@ -0,0 +1 @@\n+1\n`:      "exists, and the diff makes a new file",
		`--- a/src/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-0\n`:    "leaves lines of it",
		`--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-0\n+0\n`:      "change nothing",
		`--- a/src/a\n+++ b/src/a\n`:                           "no hunk",
		`--- \"a/s\\162c/a\"\n+++ b/src/a\n@@ -1 +1 @@\n-0\n+`: "",
	} {
		args := `{"path":"src/a","diff":"` + diff + `"}`
		if want == "" {
			plan(t, f, "apply_diff", args)
		} else {
			has(t, refused(t, f, "apply_diff", args), want)
		}
	}
	has(t, refused(t, f, "apply_diff", `{"path":"n/x","diff":"--- /dev/null\n+++ b/n/x\n@@ -1 +1 @@\n-0\n+1\n"}`), "added lines only")
}

func TestDeleteRenameMkdir(t *testing.T) {
	f := newFake()
	f.files["a"], f.files["b"] = "1", "2"
	f.links["l"] = "/etc/passwd"
	f.special["pipe"] = true
	if s := plan(t, f, "delete_file", `{"path":"a"}`); s.Effects[0].Path.SHA256 == "" {
		t.Error("a file is deleted whose content was not looked at")
	}
	if s := plan(t, f, "delete_file", `{"path":"l"}`); s.Effects[0].Path.Name != "l" || s.Title != "delete the link l" {
		t.Errorf("a link: %+v", s)
	}
	plan(t, f, "delete_file", `{"path":"pipe"}`)
	r := call(t, f, "rename_file", `{"old_path":"a","new_path":"x/c"}`)
	if f.files["x/c"] != "1" || r.Body != "renamed a to x/c\n" || r.Changes[1] != (Change{Path: "a", To: "x/c", Change: "renamed"}) {
		t.Errorf("%+v", r)
	}
	r = call(t, f, "delete_file", `{"path":"x/c"}`)
	if _, there := f.files["x/c"]; there || r.Changes[0].Change != "deleted" {
		t.Errorf("%+v", r)
	}
	r = call(t, f, "mkdir", `{"path":"p/q/"}`)
	if len(r.Changes) != 2 || r.Changes[1] != (Change{Path: "p/q", Change: "mkdir"}) {
		t.Errorf("%+v", r)
	}
	f.files["x/d"], f.files["p/AGENTS.md"] = "1", ""
	if s := plan(t, f, "rename_file", `{"old_path":"p","new_path":"q"}`); s.Effects[0].Path.Protected != "agents.md" {
		t.Errorf("a folder with a protected name in it: %+v", s.Effects[0].Path)
	}
	for _, c := range [][3]string{
		{"delete_file", `{"path":"none"}`, "does not exist"},
		{"delete_file", `{"path":"."}`, "workspace itself"},
		{"delete_file", `{"path":"/etc/passwd"}`, "outside the workspace"},
		{"rename_file", `{"old_path":"b","new_path":"x/d"}`, "exists already"},
		{"rename_file", `{"old_path":"b","new_path":"x"}`, "exists already"},
		{"rename_file", `{"old_path":"b","new_path":"l"}`, "exists already"},
		{"rename_file", `{"old_path":"none","new_path":"z"}`, "does not exist"},
		{"rename_file", `{"old_path":"b","new_path":"../z"}`, "outside the workspace"},
		{"rename_file", `{"old_path":"/etc/passwd","new_path":"z"}`, "outside the workspace"},
		{"mkdir", `{"path":"x"}`, "exists already"},
		{"mkdir", `{"path":"../x"}`, "outside the workspace"},
	} {
		has(t, refused(t, f, c[0], c[1]), c[2])
	}
}
