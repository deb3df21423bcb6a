package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// LegacyReport is what the verification of an export of the Python original
// adds, in the words of that program, and what its format does not protect.
type LegacyReport struct {
	Entries      int64    `json:"entries_checked"`
	Valid        int64    `json:"signatures_valid"`
	Invalid      int64    `json:"signatures_invalid"`
	Breaks       int64    `json:"chain_breaks"`
	FirstFailure string   `json:"first_failure,omitempty"`
	Unprotected  []string `json:"unprotected"`
}

// legacySigned are the members that the original signed, in the order of its
// payload: sorted by name.
func legacySigned() []string {
	return []string{
		"category", "chat_id", "command", "duration_ms", "iteration", "kind", "path", "section",
		"status", "summary", "title", "tool", "ts", "ts_iso",
	}
}

// ParseLegacyKey reads a public key file as the original did: with its magic,
// or bare.
func ParseLegacyKey(b []byte) (PublicKey, error) {
	if len(b) == ed25519.PublicKeySize {
		b = append([]byte(magic), b...)
	}
	return ParsePublicKey(b)
}

// VerifyLegacy checks an export of the Python original. Intact means no more
// than its format can say; the report lists the rest.
func VerifyLegacy(ctx context.Context, r io.ReaderAt, size int64, k PublicKey) Report {
	x := &legacyTrial{ctx: ctx, key: k, s: newSplitter(r, size, 0, 1)}
	x.rep = Report{Warnings: []Warning{}, Anchors: []AnchorReport{}, Unknown: []string{}, Legacy: &LegacyReport{Unprotected: legacyGaps()}}
	if err := x.read(); err != nil {
		return unreadable(err)
	}
	x.rep.Records = x.rep.Legacy.Entries
	x.rep.OK = x.rep.FirstBad == nil
	if !x.rep.OK {
		x.rep.Exit = ExitTampered
		x.rep.Legacy.FirstFailure = x.rep.FirstBad.Reason
	}
	return x.rep
}

func legacyGaps() []string {
	return []string{
		"the members id, args, result_preview, diff_stat and meta, and every other member beside the fourteen signed ones",
		"the end: entries cut off behind the last one leave no trace, down to an empty list",
		"the beginning: every list that begins an own chain passes, and nothing names the log",
		"the order of exports: an older copy verifies like the newest one",
		"time and origin: the entries were signed when they were exported, not when they happened",
	}
}

// A legacyTrial goes through a list of entries.
type legacyTrial struct {
	ctx  context.Context
	key  PublicKey
	s    *splitter
	rep  Report
	prev string // _hash of the entry before
}

func (x *legacyTrial) read() error {
	open, err := x.s.take('[')
	if errors.Is(err, io.EOF) {
		x.fail(1, kindTruncated, "the file is empty")
		return nil
	}
	if err != nil {
		return err
	}
	if !open {
		return errors.New("not an export of the Python original: it is no list")
	}
	list := exportTrial{s: x.s}
	err = list.members(']', func() error {
		line := x.s.line
		b, err := x.s.value(maxElement)
		if err != nil {
			return err
		}
		x.entry(b, line)
		return x.ctx.Err()
	})
	switch {
	case errors.Is(err, errEnd) || errors.Is(err, errText):
		x.fail(x.s.line, kindMalformed, err.Error())
		return nil
	case err != nil:
		return err
	}
	if _, err := x.s.peek(); !errors.Is(err, io.EOF) {
		x.fail(x.s.line, kindMalformed, "there is text after the end of the list")
	}
	if x.rep.Legacy.Entries == 0 {
		x.fail(1, kindMissing, "there are no entries, which proves nothing")
	}
	return nil
}

func (x *legacyTrial) fail(line int64, kind, reason string) {
	if x.rep.FirstBad == nil {
		n := x.rep.Legacy.Entries
		x.rep.FirstBad = &BadReport{Index: n, Seq: n, Line: line, Kind: kind, Reason: reason}
	}
}

// entry checks one entry. The original went on after a failure and counted all
// of them; so does this.
func (x *legacyTrial) entry(b []byte, line int64) {
	var doc jcs.Doc
	l := x.rep.Legacy
	defer func() { l.Entries++ }()
	if err := doc.Parse(b, jcs.Rules{Depth: 64, Legacy: true}); err != nil {
		x.fail(line, kindMalformed, "not an entry: "+err.Error())
		l.Invalid++
		return
	}
	v := doc.Root()
	sig, okSig := hexText(v.Get("_signature"), ed25519.SignatureSize)
	hash, okHash := hexText(v.Get("_hash"), sha256.Size)
	prev, okPrev := v.Get("_prev_hash").Text()
	if v.Kind() != jcs.Object || !okSig || !okHash || !okPrev {
		x.fail(line, kindMalformed, "the entry has not _signature, _hash and _prev_hash in their form")
		l.Invalid++
		return
	}
	msg := append([]byte(prev), 0x1f)
	msg, err := appendLegacyPayload(msg, v)
	if err != nil {
		x.fail(line, kindMalformed, err.Error())
		l.Invalid++
		return
	}
	if prev != x.prev {
		x.fail(line, kindChain, "_prev_hash is not the _hash of the entry before")
		l.Breaks++
	}
	sum := sha256.Sum256(msg)
	if !bytes.Equal(sum[:], hash) {
		x.fail(line, kindChain, "_hash is not that of the entry")
		l.Breaks++
	}
	if ed25519.Verify(x.key[:], msg, sig) {
		l.Valid++
	} else {
		l.Invalid++
		x.fail(line, kindSignature, "the signature does not verify")
	}
	x.prev = hex.EncodeToString(hash)
}

// hexText reads a string of lower-case hex.
func hexText(v jcs.Value, n int) ([]byte, bool) {
	b, _ := v.Bytes()
	out := make([]byte, n)
	if !hexDigits(b, 2*n) {
		return nil, false
	}
	_, err := hex.Decode(out, b)
	return out, err == nil
}

// appendLegacyPayload writes what the original signed: Python's
// json.dumps(payload, sort_keys=True, ensure_ascii=False) of the fourteen
// members, null where one is missing.
func appendLegacyPayload(dst []byte, v jcs.Value) ([]byte, error) {
	dst = append(dst, '{')
	for i, name := range legacySigned() {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(jcs.AppendString(dst, name), ": "...)
		m := v.Get(name)
		if m.Kind() == jcs.Invalid {
			dst = append(dst, "null"...)
			continue
		}
		var err error
		if dst, err = appendPython(dst, m); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendPython writes a value as Python's json.dumps does.
func appendPython(dst []byte, v jcs.Value) ([]byte, error) {
	switch v.Kind() {
	case jcs.Object:
		return appendPythonDict(dst, v)
	case jcs.Array:
		dst = append(dst, '[')
		sep := ""
		for _, item := range v.All {
			dst = append(dst, sep...)
			sep = ", "
			var err error
			if dst, err = appendPython(dst, item); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case jcs.String:
		s, _ := v.Text()
		return jcs.AppendString(dst, s), nil
	case jcs.Number:
		return appendPythonNumber(dst, string(v.Raw()))
	case jcs.Bool, jcs.Null:
		return append(dst, v.Raw()...), nil
	default:
		return dst, errors.New("a value of the entry is of no known kind")
	}
}

func appendPythonDict(dst []byte, v jcs.Value) ([]byte, error) {
	var names []string
	for name := range v.All {
		names = append(names, name)
	}
	slices.Sort(names) // UTF-8 sorts as Python does, by code points
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(jcs.AppendString(dst, name), ": "...)
		var err error
		if dst, err = appendPython(dst, v.Get(name)); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendPythonNumber writes a number as Python spells it after reading it: an
// int as its digits, a float as repr does.
func appendPythonNumber(dst []byte, s string) ([]byte, error) {
	if !strings.ContainsAny(s, ".eE") {
		if s == "-0" {
			s = "0"
		}
		return append(dst, s...), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return dst, fmt.Errorf("the number %.40s is out of range", s)
	}
	return append(dst, pythonRepr(f)...), nil
}

// pythonRepr is repr(f): the shortest digits that read back as f, with an
// exponent below 1e-4 and from 1e16 on.
func pythonRepr(f float64) string {
	short := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(short, "e")
	exp, _ := strconv.Atoi(exponent)
	if exp < -4 || exp >= 16 {
		return fmt.Sprintf("%se%+03d", mantissa, exp)
	}
	out := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(out, ".") {
		out += ".0"
	}
	return out
}
