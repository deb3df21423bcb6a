package effect

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

func sample() Set {
	return Set{Tool: "execute_command", Title: "run go test", Args: "{}", Effects: []Effect{
		{Kind: Exec, Exec: &Command{
			Script: "go test ./...", Argv: []string{"/bin/bash", "-c", "go test ./..."},
			Program: Program{Path: "/bin/bash", SHA256: "aa"}, Dir: "/w", Set: []string{"A=1"}, Dropped: []string{"B"},
			Stdin: []byte("in"), Timeout: time.Second, Parts: []Part{{Argv: []string{"go", "test"}, Known: true}},
			Facts: []Fact{{Op: "stat", Name: "x", Found: true, Text: "file", Values: []string{"v"}}}, Parsed: true,
			Reads: []Path{{Name: "r"}}, Writes: []Path{{Name: "w"}}, Deletes: []Path{{Name: "d"}}, Chmods: []Path{{Name: "c"}}, Profile: "work", Grade: "A", Hosts: []string{"h"},
		}},
		{Kind: Write, Path: &Path{Name: "a", Abs: "/w/a", Exists: true, Type: Regular, Inode: 1 << 60, Links: 1, SHA256: "bb"}, After: &Bytes{SHA256: "cc", Size: 3}, Mode: 0o644},
		{Kind: Git, Git: &GitCall{Args: []string{"commit"}, Class: GitWrites, Remotes: []string{"u"}, Loses: []string{"l"}, Notes: []string{"n"}, Head: "h"}},
		{Kind: Fetch, Net: &NetCall{URL: "https://go.dev", Host: "go.dev", Port: 443, Method: "GET", Reason: "docs"}},
		{Kind: MCP, MCP: &MCPCall{Server: "s", Identity: "i", Tool: "t", Args: "{}", Pin: "p", Pinned: true}},
		{Kind: Rename, Path: &Path{Name: "a"}, To: &Path{Name: "b"}},
	}}
}

// notCommitted are the members that the digest leaves out on purpose: what
// people read about the effect, and content that a hash stands for.
var notCommitted = map[string]bool{"Set.Title": true, "Path.Before": true, "Bytes.Data": true, "Part.Note": true}

func TestEveryMemberChangesTheDigest(t *testing.T) {
	base := sample()
	want := base.Digest()
	visited := 0
	walkMembers(reflect.ValueOf(&base).Elem(), "Set", func(name string, change func() func()) {
		undo := change()
		changed := base.Digest() != want
		undo()
		if base.Digest() != want {
			t.Fatalf("%s: the test did not put the member back", name)
		}
		if changed == notCommitted[name] {
			t.Errorf("%s: digest changed = %v", name, changed)
		}
		visited++
	})
	if visited < 60 {
		t.Errorf("only %d members visited", visited)
	}
}

// walkMembers calls visit for each scalar member below v with a function that
// changes it and returns one that puts it back. Members of a Path that does
// not exist, or is not a regular file, are not part of its state.
func walkMembers(v reflect.Value, name string, visit func(string, func() func())) {
	set := func(to reflect.Value) func() func() {
		return func() func() {
			old := reflect.New(v.Type()).Elem()
			old.Set(v)
			v.Set(to)
			return func() { v.Set(old) }
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		if p, ok := v.Addr().Interface().(*Path); ok && p.Type != Regular {
			return
		}
		for i := range v.NumField() {
			walkMembers(v.Field(i), v.Type().Name()+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			walkMembers(v.Elem(), name, visit)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			visit(name, set(reflect.ValueOf([]byte("changed")).Convert(v.Type())))
			return
		}
		for i := range v.Len() {
			walkMembers(v.Index(i), name, visit)
		}
		visit(name, set(reflect.Append(v, reflect.New(v.Type().Elem()).Elem())))
	case reflect.String:
		visit(name, set(reflect.ValueOf(v.String()+"x").Convert(v.Type())))
	case reflect.Bool:
		visit(name, set(reflect.ValueOf(!v.Bool())))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		visit(name, set(reflect.ValueOf(v.Uint()+1).Convert(v.Type())))
	case reflect.Int, reflect.Int64:
		visit(name, set(reflect.ValueOf(v.Int()+int64(time.Millisecond)).Convert(v.Type())))
	default:
		panic("a member of a kind that this test does not know: " + name)
	}
}

func TestCanonicalIsJSON(t *testing.T) {
	b := sample().Canonical()
	if !json.Valid(b) {
		t.Fatalf("not JSON: %s", b)
	}
	if bytes.Contains(b, []byte("null")) {
		t.Errorf("a missing value is left out, never null: %s", b)
	}
}

func FuzzTextIsInjective(f *testing.F) {
	f.Add("a", "b")
	f.Add("\xff", `{"hex":"ff","raw":true}`)
	f.Add("\u2028", "\x1f\"\\")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := appendText(nil, a), appendText(nil, b)
		if (a == b) != bytes.Equal(x, y) {
			t.Errorf("%q and %q: %s and %s", a, b, x, y)
		}
		if !json.Valid(x) {
			t.Errorf("%q: not JSON: %s", a, x)
		}
	})
}

func TestZeroValues(t *testing.T) {
	if Kind(0) != Unknown || Kind(200).String() != "unknown" || GitClass(0) != GitUnknown {
		t.Error("the zero value must be the unknown one")
	}
	if len(Kinds()) != len(kindNames)-1 {
		t.Error("Kinds leaves one out")
	}
}
