package note

import (
	"crypto/ed25519"
	"strings"
	"testing"
)

func TestSignedNote(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	pub := key.Public().(ed25519.PublicKey)
	c := Checkpoint{"tera-pilot.audit/0123", 42, [32]byte{1, 2}}
	b := c.Sign(key)
	got, err := Open(b)
	if err != nil || got != c || !SignedBy(b, pub) {
		t.Fatalf("%+v %v %v", got, err, SignedBy(b, pub))
	}
	if lines := strings.Split(string(b), "\n"); len(lines) != 6 || lines[1] != "42" || !strings.HasPrefix(lines[4], "— tera-pilot.audit/0123 ") {
		t.Errorf("%q", b)
	}
	for i := range b {
		spoiled := append([]byte(nil), b...)
		spoiled[i] ^= 1
		if SignedBy(spoiled, pub) {
			t.Errorf("byte %d changed, and still signed", i)
		}
	}
	other := ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", 32))).Public().(ed25519.PublicKey)
	if SignedBy(b, other) {
		t.Error("signed by another key")
	}
	for _, s := range []string{"", "a\n1\n", "a\n01\nAAAA\n\n", "a\n-1\n" + strings.Repeat("A", 43) + "=\n\n", "a\n1\nx\n\n", "\n1\n" + strings.Repeat("A", 43) + "=\n\n"} {
		if _, err := Open([]byte(s)); err == nil {
			t.Errorf("%q is a checkpoint", s)
		}
	}
}
