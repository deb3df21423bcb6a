package agent

import (
	"crypto/rand"
	"encoding/hex"
)

// randomHex is n random bytes in hexadecimal. crypto/rand.Read does not fail: a
// system that has no randomness ends the program.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

// newAID makes the id of an action: 128 random bits.
func newAID() string { return randomHex(16) }

// newBoundary makes the mark around a text of others, which its author cannot
// have known.
func newBoundary() string { return randomHex(8) }

// dangerCode is four letters that are easy to tell apart. Letters that answer
// other questions, or end a turn, are not among them.
func dangerCode() string {
	const letters = "bcdfghjkmnpqtvwz" // sixteen, so that each is as likely
	var b [4]byte
	_, _ = rand.Read(b[:]) // does not fail, see above
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b[:])
}
