package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// commitmentPrefix begins a member that is a salted commitment.
const commitmentPrefix = "sd:"

// maxDisclosed is how much of a value is kept to be disclosed, at each end;
// a line with it, twice encoded, stays below maxDisclosureLine.
const (
	maxDisclosed      = 512 << 10
	maxDisclosureLine = 8 * maxDisclosed
)

// A disclosure is what opens a commitment: RFC 9901's form, the base64url of
// the JSON text [salt, name, value].
type disclosure struct {
	name string
	text string
}

// digest is the commitment to d: the base64url of the SHA-256 of its text.
func (d disclosure) digest() string {
	sum := sha256.Sum256([]byte(d.text))
	return commitmentPrefix + base64.RawURLEncoding.EncodeToString(sum[:])
}

// disclose commits to a value, which has passed the redactor.
func disclose(rand io.Reader, name string, value []byte) (disclosure, error) {
	salt := make([]byte, 16)
	if _, err := io.ReadFull(rand, salt); err != nil {
		return disclosure{}, fmt.Errorf("no randomness for a salt: %w", err)
	}
	triple := jcs.List([][]byte{
		jcs.AppendString(nil, base64.RawURLEncoding.EncodeToString(salt)),
		jcs.AppendString(nil, name),
		disclosedValue(value),
	})
	return disclosure{name, base64.RawURLEncoding.EncodeToString(triple)}, nil
}

// disclosedValue is the value as JSON: text as a string, other bytes as
// {"base64"}, and of very long ones the two ends. Text that would grow by
// escapes beyond half its length counts as other bytes.
func disclosedValue(value []byte) []byte {
	if len(value) > 2*maxDisclosed {
		sum := sha256.Sum256(value)
		var b jcs.Builder
		b.Raw("head", disclosedValue(value[:maxDisclosed]))
		b.Raw("tail", disclosedValue(value[len(value)-maxDisclosed:]))
		b.Int("size", int64(len(value)))
		b.Text("sha256", hex.EncodeToString(sum[:]))
		return b.Append(nil)
	}
	if utf8.Valid(value) {
		text := jcs.AppendString(nil, string(value))
		if len(text) <= len(value)+len(value)/2+64 {
			return text
		}
	}
	var b jcs.Builder
	b.Text("base64", base64.StdEncoding.EncodeToString(value))
	return b.Append(nil)
}

// openDisclosure reads the name and the JSON text of the value.
func openDisclosure(text string) (name string, value []byte, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || bytes.ContainsAny([]byte(text), "\r\n") {
		return "", nil, false
	}
	var doc jcs.Doc
	if doc.Parse(b, jcs.Rules{Depth: maxDepth}) != nil || doc.Root().Kind() != jcs.Array || doc.Root().Len() != 3 {
		return "", nil, false
	}
	i := 0
	for _, v := range doc.Root().All {
		switch i {
		case 1:
			name, ok = v.Text()
		case 2:
			value = bytes.Clone(v.Raw())
		}
		i++
	}
	return name, value, ok
}

// A disclosed is one line of a disclosure file.
type disclosed struct {
	seq int64
	disclosure
}

func (d disclosed) line() []byte {
	var b jcs.Builder
	b.Int("seq", d.seq)
	b.Text("name", d.name)
	b.Text("sd", d.text)
	return append(b.Append(nil), '\n')
}

func parseDisclosed(v jcs.Value) (d disclosed, ok bool) {
	var ok1, ok2, ok3 bool
	d.seq, ok1 = v.Get("seq").Int()
	d.name, ok2 = v.Get("name").Text()
	d.text, ok3 = v.Get("sd").Text()
	return d, ok1 && ok2 && ok3
}

func disclosureName(segment int64) string {
	return fmt.Sprintf("%s/%06d.jsonl", dirDisclosures, segment)
}

// eachDisclosure reads the disclosures of one segment in the order of the file.
// Lines that were overwritten, or that a crash tore, are passed over: what they
// held cannot be disclosed any more.
func eachDisclosure(l Layer, segment int64, do func(d disclosed, at int64, size int) error) (err error) {
	f, err := l.Open(disclosureName(segment), os.O_RDONLY)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	lr := newLineReader(f, 0, st.Size, maxDisclosureLine)
	var doc jcs.Doc
	for {
		line, at, whole, err := lr.next()
		if errors.Is(err, io.EOF) || err == nil && !whole {
			return nil
		}
		if err != nil {
			return err
		}
		if doc.Parse(line, jcs.Rules{Depth: 2}) != nil {
			continue
		}
		if d, ok := parseDisclosed(doc.Root()); ok {
			if err := do(d, at, len(line)); err != nil {
				return err
			}
		}
	}
}
