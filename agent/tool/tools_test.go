package tool

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

func TestReadFile(t *testing.T) {
	f := newFake()
	f.files["a.go"] = "package a\r\n\nfunc A() {}\n"
	f.files["empty"] = ""
	f.files["bin"] = "\x89PNG\r\n\x1a\n\x00\x00"
	f.files["latin"] = "caf\xe9\n"
	f.files["wide"] = "\xff\xfeh\x00i\x00\n\x00"
	f.files["long"] = strings.Repeat("x", 5000) + "\nshort\n"
	f.files["many"] = strings.Repeat("line\n", 5000)
	f.files["heavy"] = strings.Repeat(strings.Repeat("y", 999)+"\n", 100)
	f.outputs["@out/c1"] = "saved\n"
	f.links["alias"] = "a.go"
	f.links["nowhere"] = ""
	for _, c := range []struct {
		args string
		want []string
		seen bool
	}{
		{`{"path":"a.go"}`, []string{"1\tpackage a\n2\t\n3\tfunc A() {}\n"}, true},
		{`{"path":"a.go","offset":3}`, []string{"3\tfunc A() {}\n"}, true},
		{`{"path":"a.go","limit":1}`, []string{"1\tpackage a\n[lines 1 to 1 of 3; go on with offset 2]\n"}, true},
		{`{"path":"alias"}`, []string{"1\tpackage a"}, true},
		{`{"path":"empty"}`, []string{"(the file is empty)"}, true},
		{`{"path":"bin"}`, []string{"bin is a binary file: 10 bytes, a PNG image"}, false},
		{`{"path":"latin"}`, []string{"byte 3 is not UTF-8", "1\tcaf\uFFFD"}, false},
		{`{"path":"wide"}`, []string{"1\thi\n"}, true},
		{`{"path":"long"}`, []string{"… [3000 more bytes in this line]\n2\tshort"}, true},
		{`{"path":"many"}`, []string{"2000\tline\n[lines 1 to 2000 of 5000; go on with offset 2001]"}, true},
		{`{"path":"many","offset":4999}`, []string{"4999\tline\n5000\tline\n"}, true},
		{`{"path":"heavy"}`, []string{"[lines 1 to 51 of 100; go on with offset 52]"}, true},
		{`{"path":"@out/c1"}`, []string{"1\tsaved"}, false},
	} {
		r := call(t, f, "read_file", c.args)
		if r.Status != OK || (len(r.Seen) == 1) != c.seen {
			t.Errorf("%s: %v, seen %v", c.args, r.Status, r.Seen)
		}
		has(t, r.Body, c.want...)
		if len(r.Body) > maxReadBytes+8000 {
			t.Errorf("%s: %d bytes", c.args, len(r.Body))
		}
	}
	if f.seen["a.go"] != hash([]byte(f.files["a.go"])) {
		t.Error("what was read does not count as seen")
	}
	if r := call(t, f, "read_file", `{"path":"a.go","offset":9}`); r.Status != Error || len(r.Seen) > 0 {
		t.Errorf("behind the end: %+v", r)
	}
	if r := call(t, f, "read_file", `{"path":"/etc/none"}`); r.Status != Error {
		t.Errorf("outside and missing: %+v", r)
	}
	f.special["dev"] = true
	has(t, refused(t, f, "read_file", `{"path":"dev"}`), "device")
	has(t, refused(t, f, "read_file", `{"path":"none"}`), "none does not exist")
	has(t, refused(t, f, "read_file", `{"path":"."}`), "is a folder: use list_files")
	has(t, refused(t, f, "read_file", `{"path":"nowhere"}`), "leads nowhere")
}

func TestHugeFiles(t *testing.T) {
	f := newFake()
	f.files["huge"] = strings.Repeat("x", MaxFile+1)
	for _, c := range [][2]string{{"read_file", `{"path":"huge"}`}, {"grep", `{"pattern":"x","path":"huge"}`}} {
		has(t, refused(t, f, c[0], c[1]), "8.0 MiB", "execute_command")
	}
	has(t, call(t, f, "grep", `{"pattern":"x"}`).Body, "no matches", "not searched: 1 file over 8.0 MiB")
	has(t, call(t, f, "file_info", `{"path":"huge"}`).Body, "size\t8.0 MiB")
}

func TestListFiles(t *testing.T) {
	f := newFake()
	for _, name := range []string{"a.go", "src/b.go", "src/deep/c.go", "src/deep/d.txt"} {
		f.files[name] = "x\n"
	}
	f.left = Left{Ignored: 2, Secret: 1}
	for args, want := range map[string]string{
		`{}`:                         "a.go\t2 bytes\nsrc/\n[left out: 2 entries that git ignores, 1 secret-like file]\n",
		`{"depth":2}`:                "a.go\t2 bytes\nsrc/\nsrc/b.go\t2 bytes\nsrc/deep/\n",
		`{"directory":"src"}`:        "src/b.go\t2 bytes\nsrc/deep/\n",
		`{"pattern":"*.go"}`:         "a.go\t2 bytes\nsrc/b.go\t2 bytes\nsrc/deep/c.go\t2 bytes\n",
		`{"pattern":"src/**/*.txt"}`: "src/deep/d.txt\t2 bytes\n",
		`{"pattern":"*.rs"}`:         "no file matches\n",
	} {
		if r := call(t, f, "ls", args); !strings.HasPrefix(r.Body, want) || r.Untrusted != "file" {
			t.Errorf("%s: %q, want %q", args, r.Body, want)
		}
	}
	for i := range 300 {
		f.files[fmt.Sprintf("n%03d", i)] = ""
	}
	r := call(t, f, "list_files", `{}`)
	has(t, r.Body, "[200 of 302 entries")
	has(t, refused(t, f, "list_files", `{"directory":"a.go"}`), "is a file, not a folder")
	has(t, refused(t, f, "list_files", `{"directory":"none"}`), "does not exist")
	for _, pattern := range []string{"/etc/*", "../*", "[a", strings.Repeat("{a,b}", 7), "~/x"} {
		refused(t, f, "list_files", fmt.Sprintf(`{"pattern":%q}`, pattern))
	}
}

func TestNamesThatHideSomething(t *testing.T) {
	f := newFake()
	f.files["a\nb.go\t9 bytes"] = "x\n"
	f.files["zero\u200bwidth"] = "x\n"
	body := call(t, f, "list_files", `{}`).Body
	has(t, body, `"a\nb.go\t9 bytes"`, `"zero\u200bwidth"`)
	has(t, call(t, f, "grep", `{"pattern":"x"}`).Body, `"a\nb.go\t9 bytes"`)
	if strings.Contains(body, "\u200b") {
		t.Error("an invisible character is shown as it is")
	}
}

func TestGlob(t *testing.T) {
	f := newFake()
	for _, name := range []string{"a.go", "b/a_test.go", "b/c/d.ts", "b/c/e.tsx"} {
		f.files[name] = ""
	}
	for args, want := range map[string]string{
		`{"pattern":"*.go"}`:                                 "b/a_test.go\na.go\n",
		`{"pattern":"**/*.{ts,tsx}"}`:                        "b/c/e.tsx\nb/c/d.ts\n",
		`{"pattern":"./b/*.go"}`:                             "b/a_test.go\n",
		`{"pattern":"c/*","path":"b"}`:                       "b/c/e.tsx\nb/c/d.ts\n",
		`{"pattern":"*.go","max_results":1}`:                 "b/a_test.go\n[the newest 1 of 2;",
		`{"pattern":"*.zig"}`:                                "no file matches\n",
		`{"pattern":"a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*"}`: "no file matches\n",
	} {
		if r := call(t, f, "glob", args); !strings.HasPrefix(r.Body, want) {
			t.Errorf("%s: %q, want %q", args, r.Body, want)
		}
	}
}

func TestGrep(t *testing.T) {
	f := newFake()
	f.files["a.go"] = "package a\nfunc Foo() {\n\tfoo()\n}\n"
	f.files["b.txt"] = "one\r\nfoo two\r\n"
	f.files["bin"] = "foo\x00"
	f.files["wide"] = "\xff\xfef\x00o\x00o\x00"
	f.outputs["@out/c1"] = "a\nfoo out\n"
	for _, c := range []struct{ args, want string }{
		{`{"pattern":"foo"}`, "4 matching lines in 3 files\n     2 a.go\n     1 b.txt\n     1 wide\n\na.go\n2: func Foo() {\n3: \tfoo()\n\nb.txt\n2: foo two\n\nwide\n1: foo\n"},
		{`{"pattern":"foo","case_sensitive":true,"include":"*.go"}`, "1 matching line in 1 file\n     1 a.go\n\na.go\n3: \tfoo()\n"},
		{`{"pattern":"^}$","path":"a.go","context":1}`, "1 matching line in 1 file\n     1 a.go\n\na.go\n3- \tfoo()\n4: }\n"},
		{`{"pattern":"package|}","path":"a.go","context":1}`, "2 matching lines in 1 file\n     2 a.go\n\na.go\n1: package a\n2- func Foo() {\n3- \tfoo()\n4: }\n"},
		{`{"pattern":"foo two$"}`, "1 matching line in 1 file\n     1 b.txt\n\nb.txt\n2: foo two\n"},
		{`{"pattern":"\\Aone\\z"}`, "1 matching line in 1 file\n     1 b.txt\n\nb.txt\n1: one\n"},
		{`{"pattern":"a\\nfunc"}`, "no matches\n"},
		{`{"pattern":"foo","path":"@out/c1"}`, "1 matching line in 1 file\n     1 @out/c1\n\n@out/c1\n2: foo out\n"},
		{`{"pattern":"foo","max_results":1}`, "4 matching lines in 3 files\n     2 a.go\n     1 b.txt\n     1 wide\n\na.go\n2: func Foo() {\n[1 of 4 matching lines;"},
		{`{"pattern":"nothing"}`, "no matches\n"},
	} {
		if r := call(t, f, "grep", c.args); !strings.HasPrefix(r.Body, c.want) || r.Status != OK {
			t.Errorf("%s:\n%s\nwant\n%s", c.args, r.Body, c.want)
		}
	}
	f.files["gaps"] = strings.Repeat("x\nfoo\nx\nx\nx\n", 2)
	has(t, call(t, f, "grep", `{"pattern":"foo","path":"gaps","context":1}`).Body, "1- x\n2: foo\n3- x\n--\n6- x\n7: foo\n8- x\n")
	f.files["wide.txt"] = strings.Repeat("y", 3000) + "foo"
	has(t, call(t, f, "grep", `{"pattern":"foo","path":"wide.txt"}`).Body, "… [2503 more bytes")
	has(t, refused(t, f, "grep", `{"pattern":"foo("}`), "RE2", `"foo\\("`)
	has(t, refused(t, f, "grep", `{"pattern":"(?=x)"}`), "look-around")
	has(t, refused(t, f, "grep", `{"pattern":"x","path":"none"}`), "does not exist")
	f.files["endless"] = strings.Repeat("needle\n", maxHits+5)
	has(t, call(t, f, "grep", `{"pattern":"needle"}`).Body, "at least 20005 matching lines")
}

func TestFileInfo(t *testing.T) {
	f := newFake()
	f.files["d/a"] = "\xef\xbb\xbfa\r\nb\nc"
	f.files["bin"] = "\x00"
	f.files["latin"] = "\xe9"
	f.links["l"] = "d/a"
	f.special["pipe"] = true
	f.secret["d/a"] = true
	for args, want := range map[string][]string{
		`{"path":"d/a"}`: {"type\tfile", "size\t9 bytes", "lines\t3", "UTF-8 with byte order mark", "mixed (1 CRLF, 1 LF)", "end at the end\tno", "mode\t0640", "secret-like"},
		`{"path":"d"}`:   {"type\tfolder", "entries\t1"}, `{"path":"bin"}`: {"binary"}, `{"path":"latin"}`: {"not UTF-8 at byte 0"},
		`{"path":"l"}`: {"type\tlink", "leads to\td/a"}, `{"path":"pipe"}`: {"type\tspecial"},
	} {
		r := call(t, f, "file_info", args)
		has(t, r.Body, want...)
		if len(r.Seen) > 0 {
			t.Errorf("%s: counts as seen", args)
		}
	}
	has(t, refused(t, f, "file_info", `{"path":"none"}`), "does not exist")
}

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

func TestExecuteCommand(t *testing.T) {
	f := newFake()
	s := plan(t, f, "bash", `{"command":"go test ./...\necho done","dir":"sub"}`)
	if want := (CommandSpec{Script: "go test ./...\necho done", Dir: "sub", Seconds: 180}); !reflect.DeepEqual(f.commands[0], want) {
		t.Errorf("%+v", f.commands[0])
	}
	if s.Title != "run go test ./... … (2 lines)" {
		t.Errorf("title %q", s.Title)
	}
	for _, c := range []struct {
		exit   Exit
		status Status
		want   string
	}{
		{Exit{Output: []byte("hello")}, OK, "hello\n"},
		{Exit{}, OK, "[no output]\n"},
		{Exit{Code: 2, Output: []byte("bad\n")}, Error, "bad\n[exit code 2]\n"},
		{Exit{Code: -1, Signal: "killed"}, Error, "[no output]\n[ended by signal: killed]\n"},
		{Exit{Code: -1, TimedOut: true, Signal: "killed"}, Timeout, "[no output]\n[timed out after 7 s and was ended; give a longer timeout (up to 3600), or do less at once]\n"},
		{Exit{Code: -1, Cancelled: true}, Cancelled, "[no output]\n[cancelled]\n"},
		{Exit{Code: 1, Dropped: 2048, Hints: []string{"h"}, Findings: []string{"f"}, Snapshot: "s"}, Error,
			"[no output]\n[2.0 KiB of further output were not kept]\n[exit code 1]\n[sandbox: h]\n[put right after the run: f]\n[what could have been lost was kept as s]\n"},
	} {
		f.exit = c.exit
		r := call(t, f, "execute_command", `{"command":"x","timeout":7}`)
		if r.Body != c.want || r.Status != c.status || *r.Exit != c.exit.Code || r.Untrusted != "command" || r.Check {
			t.Errorf("%+v: %+v", c.exit, r)
		}
	}
	has(t, refused(t, f, "execute_command", `{"command":"  "}`), "empty")
	has(t, refused(t, f, "execute_command", `{"command":"x","timeout":3601}`), "the most is 3600")
	has(t, refused(t, f, "execute_command", `{"command":"x","timeout":0}`), "the least is 1")
}

func TestSelfVerify(t *testing.T) {
	f := newFake()
	has(t, refused(t, f, "self_verify", `{}`), "no test command was found")
	f.checks = []Check{{"go test ./...", "go.mod"}, {"make test", "Makefile"}}
	f.exit = Exit{Code: 1, Output: []byte("FAIL\n")}
	r := call(t, f, "self_verify", `{}`)
	if !r.Check || r.Status != Error || r.Title != "tests failed" || !reflect.DeepEqual(f.commands[0], CommandSpec{Script: "go test ./...", Seconds: 600, Detected: true}) {
		t.Errorf("%+v, %+v", r, f.commands)
	}
	f.exit = Exit{}
	if r := call(t, f, "self_verify", `{"check":"make test","timeout":5}`); r.Title != "tests passed" || f.commands[1].Script != "make test" {
		t.Errorf("%+v, %+v", r, f.commands)
	}
	has(t, refused(t, f, "self_verify", `{"check":"rm -rf ."}`), "not a detected test command", "go test ./..., make test")
}

func TestGitTools(t *testing.T) {
	f := newFake()
	for _, c := range []struct {
		name, args string
		argv       []string
	}{
		{"git_status", `{}`, []string{"status", "--porcelain=v1", "--branch", "-z"}},
		{"git_diff", `{}`, []string{"diff"}},
		{"git_diff", `{"staged":true,"path":"./a/../b"}`, []string{"diff", "--cached", "--", "b"}},
		{"git_log", `{}`, []string{"log", "--max-count=20", "--date=short", "--format=%h %ad %an: %s"}},
		{"git_log", `{"limit":3,"path":"-x"}`, []string{"log", "--max-count=3", "--date=short", "--format=%h %ad %an: %s", "--", "-x"}},
		{"git_stage", `{"paths":["a","-A","@x","~y"]}`, []string{"add", "--", "a", "-A", "./@x", "./~y"}},
		{"git_commit", `{"message":"-a --amend\n\nbody"}`, []string{"commit", "--message=-a --amend\n\nbody"}},
		{"git_commit", `{"message":"m","paths":["a"]}`, []string{"commit", "--message=m", "--", "a"}},
	} {
		f.git = nil
		plan(t, f, c.name, c.args)
		if len(f.git) != 1 || !slices.Equal(f.git[0], c.argv) {
			t.Errorf("%s %s: %q, want %q", c.name, c.args, f.git, c.argv)
		}
	}
	f.exit = Exit{Output: []byte("## main...o/main [ahead 1]\x00M  a\x00 M b\x00MD c\x00?? d e\x00UU f\x00R  new\x00old\x00")}
	if got, want := call(t, f, "git_status", `{}`).Body, "branch main...o/main [ahead 1]\nin conflict:\n  f\nstaged:\n  modified a\n  modified c\n  renamed old -> new\n"+
		"changed, not staged:\n  modified b\n  deleted c\nuntracked:\n  \"d e\"\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	f.exit = Exit{Output: []byte("## main\x00")}
	has(t, call(t, f, "git_status", `{}`).Body, "nothing to commit")
	f.exit = Exit{Output: []byte("warning: odd\n## main\x00")}
	has(t, call(t, f, "git_status", `{}`).Body, "warning: odd")
	f.exit = Exit{}
	has(t, call(t, f, "git_diff", `{}`).Body, "no changes")
	f.exit = Exit{Code: 128, Output: []byte("fatal: bad\n")}
	if r := call(t, f, "git_log", `{}`); r.Status != Error || !strings.Contains(r.Body, "fatal: bad\n[exit code 128]") {
		t.Errorf("%+v", r)
	}
	for _, c := range [][2]string{{"git_stage", `{"paths":["../x"]}`}, {"git_diff", `{"path":"/etc"}`}, {"git_commit", `{"message":"m","paths":["@out/x"]}`}} {
		has(t, refused(t, f, c[0], c[1]), "outside the workspace")
	}
	has(t, refused(t, f, "git_stage", `{"paths":[]}`), "at least 1")
	has(t, refused(t, f, "git_commit", `{"message":" \n"}`), "empty")
	f.noGit = errors.New("not a repository")
	has(t, refused(t, f, "git_status", `{}`), "not a repository")
}

func TestTodoAndAskUser(t *testing.T) {
	f := newFake()
	s := plan(t, f, "todo", `{"items":[{"text":"a","status":"done"},{"text":"b","status":"active"}]}`)
	if !s.Free || len(s.Effects) != 0 || s.Title != "tasks: 1 of 2 done" || s.Args == "" {
		t.Errorf("%+v", s)
	}
	r := call(t, f, "todo", `{"items":[{"text":"a","status":"done"},{"text":"b","status":"active"}]}`)
	if r.Body != "[x] a\n[>] b\n" || len(f.todos) != 2 {
		t.Errorf("%+v", r)
	}
	f.answer = "blue"
	if r := call(t, f, "ask_user", `{"question":"Which?","options":["red","blue"]}`); r.Body != "the user answered: blue\n" || f.asked != "Which?" || r.Untrusted != "" {
		t.Errorf("%+v", r)
	}
	f.nobody = true
	if r := call(t, f, "ask_user", `{"question":"Which?"}`); r.Status != Error || !strings.Contains(r.Body, "nobody can answer") {
		t.Errorf("%+v", r)
	}
	if a, b := plan(t, f, "ask_user", `{"question":"A?"}`), plan(t, f, "ask_user", `{"question":"B?"}`); a.Digest() == b.Digest() {
		t.Error("two questions have one digest")
	}
}

// A tool does nothing but what it planned: an Env that grants nothing stops
// each of them, and says so to the dispatcher.
func TestNothingWithoutAGrant(t *testing.T) {
	f := newFake()
	f.files["a"] = "x\n"
	f.seen["a"] = hash([]byte("x\n"))
	f.checks = []Check{{"make test", "Makefile"}}
	for name, args := range map[string]string{
		"read_file": `{"path":"a"}`, "list_files": `{}`, "glob": `{"pattern":"*"}`, "grep": `{"pattern":"x"}`, "file_info": `{"path":"a"}`,
		"write_file": `{"path":"a","content":"y"}`, "str_replace": `{"path":"a","old_str":"x","new_str":"y"}`,
		"apply_diff": `{"path":"a","diff":"@@ -1 +1 @@\n-x\n+y\n"}`, "delete_file": `{"path":"a"}`, "rename_file": `{"old_path":"a","new_path":"b"}`,
		"mkdir": `{"path":"d"}`, "execute_command": `{"command":"x"}`, "git_status": `{}`, "git_diff": `{}`, "git_log": `{}`,
		"git_stage": `{"paths":["a"]}`, "git_commit": `{"message":"m"}`, "self_verify": `{}`,
	} {
		set := plan(t, f, name, args)
		f.granted = nil
		tool, err := New(Options{}).Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := tool.Run(context.Background(), fakeEnv{f}, set)
		var not *NotGrantedError
		if !errors.As(err, &not) || r.Status == OK {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if len(f.applied) > 0 {
		t.Errorf("applied %v", f.applied)
	}
}
