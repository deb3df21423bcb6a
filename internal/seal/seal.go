// Package seal encrypts what the person wants unreadable on the disk: stored
// sessions, what undo keeps, stored keys and the overlay of the system prompt.
//
// # Promised
//
// XChaCha20-Poly1305 with a fresh random nonce for every piece, under a key
// that Argon2id makes of the person's secret. A wrong secret is told from a piece
// that was altered, stands where another belongs or was cut, and none of them
// gives a byte of text. Who alters the header on purpose makes every secret a
// wrong one.
//
// # Not promised
//
// That nothing is missing at the end: who can write the file can take its last
// pieces away. A lost secret is lost data. While the program runs, the key and
// the text are in its memory.
package seal

import (
	"bytes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/chacha20poly1305"
)

// Header is what a sealed store keeps in the open: how its key is made, and a
// piece that only the right key opens.
type Header struct {
	V       int    `json:"v"`
	KDF     string `json:"kdf"` // argon2id
	Time    uint32 `json:"time"`
	Memory  uint32 `json:"memory_kib"`
	Threads uint8  `json:"threads"`
	Salt    []byte `json:"salt"`
	Check   []byte `json:"check"`
	Sum     []byte `json:"sum,omitempty"` // of the members above: tells damage from a wrong secret
}

// Costs of a new header (RFC 9106, section 4, with less memory: a start pays
// it), and the most that a header read from a file may ask for.
const (
	newTime, newMemory, newThreads = 3, 32 << 10, 2
	maxTime, maxMemory, maxThreads = 16, 1 << 20, 16
	saltSize                       = 16
)

// Context of the check piece.
const checkContext = "tera-pilot/seal/1 check"

// A Key seals and opens. The zero Key is none (IsZero), and using it panics.
type Key struct {
	aead  cipher.AEAD
	names []byte // the key of names
}

// A WrongKeyError says that a secret is not the one a store was sealed with.
type WrongKeyError struct{}

func (*WrongKeyError) Error() string {
	return "the key is not the one this was encrypted with"
}

// An AlteredError says that a piece was changed after it was sealed, or stands
// where it does not belong.
type AlteredError struct{}

func (*AlteredError) Error() string { return "it was altered after it was encrypted" }

// A CutError says that a piece is shorter than any sealed piece is.
type CutError struct{}

func (*CutError) Error() string { return "it was cut off: a part is missing" }

// New makes a header and its key of a secret, which is not empty.
func New(secret []byte) (Header, Key, error) {
	if len(secret) == 0 {
		return Header{}, Key{}, errors.New("the key is empty")
	}
	h := Header{V: 1, KDF: "argon2id", Time: newTime, Memory: newMemory, Threads: newThreads, Salt: make([]byte, saltSize)}
	if _, err := rand.Read(h.Salt); err != nil {
		return Header{}, Key{}, fmt.Errorf("salt: %w", err)
	}
	k, err := h.derive(secret)
	if err != nil {
		return Header{}, Key{}, err
	}
	h.Check = k.Seal(checkContext, nil)
	h.Sum = h.sum()
	return h, k, nil
}

// ParseHeader reads a header's JSON, and refuses costs that would hang a start.
func ParseHeader(b []byte) (Header, error) {
	var h Header
	if err := json.Unmarshal(b, &h); err != nil {
		return h, errors.New("the header is damaged: it is no JSON of ours")
	}
	if h.V != 1 || h.KDF != "argon2id" {
		return h, fmt.Errorf("the header has version %d and key derivation %q: this program reads version 1 with argon2id; use a newer one", h.V, h.KDF)
	}
	if len(h.Salt) != saltSize || h.Time < 1 || h.Time > maxTime || h.Memory < 8 || h.Memory > maxMemory || h.Threads < 1 || h.Threads > maxThreads {
		return h, errors.New("the header is damaged: its costs or its salt are out of bounds")
	}
	if h.Sum != nil && !bytes.Equal(h.Sum, h.sum()) {
		return h, errors.New("the header is damaged: it is not as it was written")
	}
	return h, nil
}

// sum is a checksum against accidents. Who alters a header on purpose can make
// it fit, and is left with a check that no key opens.
func (h Header) sum() []byte {
	s := sha256.Sum256(fmt.Appendf(nil, "%d %q %d %d %d %x %x", h.V, h.KDF, h.Time, h.Memory, h.Threads, h.Salt, h.Check))
	return s[:16]
}

// Unlock is the key of a header; a *WrongKeyError for another secret.
func (h Header) Unlock(secret []byte) (Key, error) {
	k, err := h.derive(secret)
	if err != nil {
		return Key{}, err
	}
	if _, err := k.Open(checkContext, h.Check); err != nil {
		return Key{}, &WrongKeyError{}
	}
	return k, nil
}

func (h Header) derive(secret []byte) (Key, error) {
	raw := argon2.IDKey(secret, h.Salt, h.Time, h.Memory, h.Threads, chacha20poly1305.KeySize)
	aead, err := chacha20poly1305.NewX(raw)
	if err != nil {
		return Key{}, fmt.Errorf("key: %w", err)
	}
	return Key{aead, mac(raw, "tera-pilot/seal/1 names")}, nil
}

func mac(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

// Name is a file name for a piece that is known by a public one, such as the
// hash of its content: without the key nobody can tell which it is. It has the
// form of a SHA-256 in hex.
func (k Key) Name(public string) string { return hex.EncodeToString(mac(k.names, public)) }

// IsZero says that k is no key.
func (k Key) IsZero() bool { return k.aead == nil }

// Seal encrypts a piece. context says where it belongs: it opens there alone.
func (k Key) Seal(context string, plain []byte) []byte {
	nonce := make([]byte, chacha20poly1305.NonceSizeX, chacha20poly1305.NonceSizeX+len(plain)+chacha20poly1305.Overhead)
	if _, err := rand.Read(nonce); err != nil {
		panic("seal: no randomness: " + err.Error()) // never returns an error since Go 1.24
	}
	return k.aead.Seal(nonce, nonce, plain, []byte(context))
}

// Open decrypts a piece: a *CutError or *AlteredError when it is not whole.
func (k Key) Open(context string, sealed []byte) ([]byte, error) {
	if len(sealed) < chacha20poly1305.NonceSizeX+chacha20poly1305.Overhead {
		return nil, &CutError{}
	}
	nonce, box := sealed[:chacha20poly1305.NonceSizeX], sealed[chacha20poly1305.NonceSizeX:]
	plain, err := k.aead.Open(nil, nonce, box, []byte(context))
	if err != nil {
		return nil, &AlteredError{}
	}
	return plain, nil
}

// SealLine is Seal as one line of text, without its end.
func (k Key) SealLine(context string, plain []byte) []byte {
	return base64.RawStdEncoding.AppendEncode(nil, k.Seal(context, plain))
}

// OpenLine opens what SealLine made.
func (k Key) OpenLine(context string, line []byte) ([]byte, error) {
	sealed, err := base64.RawStdEncoding.Strict().AppendDecode(nil, line)
	if err != nil || bytes.ContainsAny(line, "\r\n") { // which the decoder passes over
		return nil, &AlteredError{}
	}
	return k.Open(context, sealed)
}
