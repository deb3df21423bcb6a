// Package note writes and reads checkpoints in the form of C2SP: a signed note
// (c2sp.org/signed-note) whose text is origin, size and root of a tree
// (c2sp.org/tlog-checkpoint).
package note

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Checkpoint is what the note states.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   [32]byte
}

// text is what is signed: three lines.
func (c Checkpoint) text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// keyID is the hint that stands before a signature (signed-note, "Signature
// types", 0x01 for Ed25519).
func keyID(name string, pub ed25519.PublicKey) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n\x01", name)
	h.Write(pub)
	return h.Sum(nil)[:4]
}

// Sign is the note, signed by key under the origin's own name.
func (c Checkpoint) Sign(key ed25519.PrivateKey) []byte {
	pub, _ := key.Public().(ed25519.PublicKey)
	sig := append(keyID(c.Origin, pub), ed25519.Sign(key, []byte(c.text()))...)
	return []byte(c.text() + "\n— " + c.Origin + " " + base64.StdEncoding.EncodeToString(sig) + "\n")
}

// Open reads a note without asking who signed it.
func Open(b []byte) (Checkpoint, error) {
	text, _, ok := strings.Cut(string(b), "\n\n")
	lines := strings.Split(text, "\n")
	if !ok || len(lines) < 3 || lines[0] == "" {
		return Checkpoint{}, errors.New("not a checkpoint: three lines, an empty one, and signatures")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return Checkpoint{}, errors.New("not a checkpoint: the second line is no size")
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != 32 {
		return Checkpoint{}, errors.New("not a checkpoint: the third line is no tree hash")
	}
	return Checkpoint{lines[0], size, [32]byte(root)}, nil
}
