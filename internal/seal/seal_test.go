package seal

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

func TestSealedPieces(t *testing.T) {
	h, k, err := New([]byte("correct horse"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseHeader(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := read.Unlock([]byte("correct horse"))
	if err != nil {
		t.Fatal(err)
	}
	plain := []byte("what was said")
	one, two := k.Seal("a", plain), k.Seal("a", plain)
	if bytes.Equal(one, two) {
		t.Error("the same nonce twice")
	}
	if got, err := again.Open("a", one); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("%q, %v", got, err)
	}
	var altered *AlteredError
	if _, err := k.Open("b", one); !errors.As(err, &altered) {
		t.Errorf("in another place: %v", err)
	}
	for i := range one {
		bad := bytes.Clone(one)
		bad[i] ^= 1
		if _, err := k.Open("a", bad); !errors.As(err, &altered) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
	}
	for cut := range one {
		var short *CutError
		if _, err := k.Open("a", one[:cut]); !errors.As(err, &altered) && !errors.As(err, &short) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
	line := k.SealLine("l", plain)
	if got, err := k.OpenLine("l", line); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("line: %q, %v", got, err)
	}
	for _, more := range []string{"\n", "\r", "="} {
		if _, err := k.OpenLine("l", append(bytes.Clone(line), more...)); !errors.As(err, &altered) {
			t.Errorf("line with %q: %v", more, err)
		}
	}
	var wrong *WrongKeyError
	if _, err := read.Unlock([]byte("correct hors")); !errors.As(err, &wrong) {
		t.Errorf("another secret: %v", err)
	}
	if _, _, err := New(nil); err == nil {
		t.Error("an empty secret was taken")
	}
}

func TestHeadersOutOfBounds(t *testing.T) {
	h, _, err := New([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Header){
		"memory": func(h *Header) { h.Memory = 1 << 30 }, "time": func(h *Header) { h.Time = 1 << 30 }, "no time": func(h *Header) { h.Time = 0 },
		"threads": func(h *Header) { h.Threads = 0 }, "salt": func(h *Header) { h.Salt = nil }, "version": func(h *Header) { h.V = 2 }, "kdf": func(h *Header) { h.KDF = "none" },
	} {
		bad := h
		change(&bad)
		b, _ := json.Marshal(bad)
		if _, err := ParseHeader(b); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
