package reexec

import (
	"reflect"
	"testing"
)

var full = Spec{
	Argv: []string{"a", "", "b\x00c"}, Env: []string{"PATH=/x:/y", "A=B"}, Dir: "/d", Umask: 0o27,
	Checks:  []Identity{{"/c", 1, ^uint64(0)}},
	Rlimits: []Rlimit{{1, 2}, {3, ^uint64(0)}}, DropCaps: true,
	Landlock: Landlock{FS: 1, Net: 2, Scope: 3, Streams: 4, Rules: []PathRule{{5, "/"}, {6, ""}}, Ports: []PortRule{{7, 8}}},
	Seccomp:  []byte{1, 2, 3, 4, 5, 6, 7, 8}, Relay: Relay{9, "/s"},
}

func TestSpecRoundTrip(t *testing.T) {
	for _, s := range []Spec{{}, full, {Plain: true}} {
		if got, ok := Decode(s.Encode()); !ok || !reflect.DeepEqual(got, s) {
			t.Errorf("%+v became %+v, %v", s, got, ok)
		}
	}
}

func TestDamagedSpecs(t *testing.T) {
	b := full.Encode()
	for i := range b {
		if _, ok := Decode(b[:i]); ok {
			t.Errorf("the first %d of %d bytes are accepted", i, len(b))
		}
	}
	if _, ok := Decode(append(b, 0)); ok {
		t.Error("a byte too much is accepted")
	}
}

func FuzzDecode(f *testing.F) {
	empty := Spec{}
	f.Add(full.Encode())
	f.Add(empty.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		s, ok := Decode(b)
		if !ok {
			return
		}
		if got := string(s.Encode()); got != string(b) {
			t.Errorf("one spec, two encodings: %q and %q", b, got)
		}
	})
}
