package tool

import (
	"fmt"
	"strings"
	"testing"
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
