package note

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"
	"testing"
)

func TestSignedNote(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	pub := key.Public().(ed25519.PublicKey)
	c := Checkpoint{"tera-pilot.audit/0123", 42, [32]byte{1, 2}}
	b := c.Sign(key)
	got, err := Open(b)
	if err != nil || got != c || !signedBy(b, pub) {
		t.Fatalf("%+v %v %v", got, err, signedBy(b, pub))
	}
	if lines := strings.Split(string(b), "\n"); len(lines) != 6 || lines[1] != "42" || !strings.HasPrefix(lines[4], "— tera-pilot.audit/0123 ") {
		t.Errorf("%q", b)
	}
	for i := range b {
		spoiled := append([]byte(nil), b...)
		spoiled[i] ^= 1
		if signedBy(spoiled, pub) {
			t.Errorf("byte %d changed, and still signed", i)
		}
	}
	other := ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", 32))).Public().(ed25519.PublicKey)
	if signedBy(b, other) {
		t.Error("signed by another key")
	}
	for _, s := range []string{"", "a\n1\n", "a\n01\nAAAA\n\n", "a\n-1\n" + strings.Repeat("A", 43) + "=\n\n", "a\n1\nx\n\n", "\n1\n" + strings.Repeat("A", 43) + "=\n\n"} {
		if _, err := Open([]byte(s)); err == nil {
			t.Errorf("%q is a checkpoint", s)
		}
	}
}

// signedBy reports whether the note holds the origin's signature by pub.
func signedBy(b []byte, pub ed25519.PublicKey) bool {
	c, err := Open(b)
	if err != nil {
		return false
	}
	text, signatures, _ := strings.Cut(string(b), "\n\n")
	for line := range strings.Lines(signatures) {
		rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "— "+c.Origin+" ")
		if !ok {
			continue
		}
		sig, err := base64.StdEncoding.Strict().DecodeString(rest)
		if err == nil && len(sig) == 4+ed25519.SignatureSize && string(sig[:4]) == string(keyID(c.Origin, pub)) &&
			ed25519.Verify(pub, []byte(text+"\n"), sig[4:]) {
			return true
		}
	}
	return false
}
