package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// The files below the state folder (docs/audit-format.md, "Files").
const (
	fileKey     = "audit_key"
	fileKeyNext = "audit_key.next"
	fileKeyPub  = "audit_key.pub"
	fileKeyTemp = "audit_key.tmp"
)

// magic begins a public key file: the format of the Python original.
const magic = "CLWA1"

// Every signature is over a context line and canonical JSON, so that no signed
// object can stand for one of another kind.
const (
	contextRecord     = "tera-pilot/audit/1 record\n"
	contextCheckpoint = "tera-pilot/audit/1 checkpoint\n"
	contextRekey      = "tera-pilot/audit/1 rekey\n"
	contextStub       = "tera-pilot/audit/1 stub\n"
	contextState      = "tera-pilot/audit/1 state\n"
)

// A PublicKey checks signatures. That of the root names the log.
type PublicKey [ed25519.PublicKeySize]byte

// LogID is the id of the log whose root this key is: the first 32 hex digits
// of its SHA-256.
func (k PublicKey) LogID() string {
	sum := sha256.Sum256(k[:])
	return hex.EncodeToString(sum[:16])
}

// verify checks a signature over a context line and a body.
func (k PublicKey) verify(context string, body []byte, sig *[ed25519.SignatureSize]byte) bool {
	msg := make([]byte, 0, 1024)
	msg = append(append(msg, context...), body...)
	return ed25519.Verify(k[:], msg, sig[:])
}

// usable refuses keys that are no proof of anything: those not in their one
// encoding, and the points of small order, under which a signature can be valid
// for every text (RFC 8032, 5.1.3 and 7.1).
func (k PublicKey) usable() bool {
	y := k
	y[31] &= 0x7f
	p := [32]byte{0: 0xed, 31: 0x7f}
	for i := 1; i < 31; i++ {
		p[i] = 0xff
	}
	for i := 31; ; i-- { // y < p, from the most significant byte
		if y[i] != p[i] || i == 0 {
			if y[i] >= p[i] {
				return false
			}
			break
		}
	}
	for _, bad := range smallOrder() {
		if y == bad {
			return false
		}
	}
	return true
}

// smallOrder are the y coordinates of the points whose order divides 8: 1, -1,
// 0 and the two of order 8.
func smallOrder() [5]PublicKey {
	out := [5]PublicKey{{0: 1}, {}, {}}
	for i, s := range []string{
		2: "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		3: "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		4: "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	} {
		b, _ := hex.DecodeString(s)
		copy(out[i][:], b)
	}
	return out
}

// ParsePublicKey reads a public key file: CLWA1 and 32 bytes, nothing else.
func ParsePublicKey(b []byte) (PublicKey, error) {
	if len(b) != len(magic)+ed25519.PublicKeySize || string(b[:len(magic)]) != magic {
		return PublicKey{}, fmt.Errorf("not a public key: %d bytes, where a key file has the 5 bytes %s and 32 more", len(b), magic)
	}
	k := PublicKey(b[len(magic):])
	if !k.usable() {
		return PublicKey{}, errors.New("not a public key: these 32 bytes are no key that could prove anything")
	}
	return k, nil
}

// File is the public key file.
func (k PublicKey) File() []byte { return append([]byte(magic), k[:]...) }

// parseHexKey reads a public key in a record.
func parseHexKey(b []byte) (PublicKey, bool) {
	var k PublicKey
	if !hexDigits(b, 64) {
		return k, false
	}
	_, err := hex.Decode(k[:], b)
	return k, err == nil && k.usable()
}

// hexDigits reports whether b is n lower-case hex digits.
func hexDigits(b []byte, n int) bool {
	if len(b) != n {
		return false
	}
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// parseSignature reads the one spelling of a signature: 86 characters of
// base64url whose unused bits are zero.
func parseSignature(b []byte) (sig [ed25519.SignatureSize]byte, ok bool) {
	if len(b) != 86 || bytes.ContainsAny(b, "\r\n") {
		return sig, false
	}
	n, err := base64.RawURLEncoding.Strict().Decode(sig[:], b)
	return sig, err == nil && n == len(sig)
}

// A signer signs, and can forget how.
type signer struct{ key ed25519.PrivateKey }

func newSigner(seed []byte) signer { return signer{ed25519.NewKeyFromSeed(seed)} }

// freshSigner makes a key, and its seed for a key file.
func freshSigner(rand io.Reader) (signer, []byte, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(rand, seed); err != nil {
		return signer{}, nil, fmt.Errorf("no randomness for a key: %w", err)
	}
	return newSigner(seed), seed, nil
}

func (s signer) public() PublicKey { return PublicKey(s.key[ed25519.SeedSize:]) }

// sign is the signature over a context line and a body, in its one spelling.
func (s signer) sign(context string, body []byte) string {
	return s.signText(append([]byte(context), body...))
}

// signText signs a context line with what follows it.
func (s signer) signText(text []byte) string {
	return base64.RawURLEncoding.EncodeToString(ed25519.Sign(s.key, text))
}

// forget overwrites the key. (Copies that the runtime made are out of reach.)
func (s signer) forget() { clear(s.key) }

// readKey reads a private key file: 32 bytes that only its owner may read.
func readKey(l Layer, name string) (signer, error) {
	b, mode, err := readSmall(l, name)
	if err != nil {
		return signer{}, err
	}
	defer clear(b)
	if mode&0o077 != 0 {
		return signer{}, &UnsafeError{name, fmt.Sprintf("may be read by others (mode %04o)", mode), "if nobody did, chmod 600; else `tera-pilot audit key rotate --new-root`"}
	}
	if len(b) != ed25519.SeedSize {
		return signer{}, &KeyError{fmt.Sprintf("%s has %d bytes and not 32", name, len(b)), waysOut}
	}
	return newSigner(b), nil
}

// waysOut are the two of docs/contracts.md, section 7.
const waysOut = "restore the file from a backup, or start a new log with `tera-pilot audit key rotate --new-root`, which keeps the old one"

// readPublic reads a public key file.
func readPublic(l Layer) (PublicKey, error) {
	b, _, err := readSmall(l, fileKeyPub)
	if err != nil {
		return PublicKey{}, err
	}
	k, err := ParsePublicKey(b)
	if err != nil {
		return k, &KeyError{fileKeyPub + ": " + err.Error(), waysOut}
	}
	return k, nil
}

// readSmall reads a whole small file.
func readSmall(l Layer, name string) (b []byte, mode uint32, err error) {
	f, err := l.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if st.Size > 1<<26 {
		return nil, 0, fmt.Errorf("%s is too large to be what its name says", name)
	}
	b = make([]byte, st.Size)
	n, err := f.ReadAt(b, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], st.Mode, err
}

// replaceFile makes name hold b, durably or not at all.
func replaceFile(l Layer, name, temp string, b []byte) error {
	if err := writeFile(l, temp, b); err != nil {
		return err
	}
	return renameSynced(l, temp, name)
}

// writeFile makes a new file with this content and syncs it; what an earlier
// attempt left there is replaced. Its name is durable after SyncDir only.
func writeFile(l Layer, name string, b []byte) error {
	if err := l.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := l.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func renameSynced(l Layer, from, to string) error {
	if err := l.Rename(from, to); err != nil {
		return err
	}
	return l.SyncDir(folderOf(to))
}

// folderOf is the folder of a name in the layer.
func folderOf(name string) string {
	if i := bytes.LastIndexByte([]byte(name), '/'); i >= 0 {
		return name[:i]
	}
	return ""
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
