package audit

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/audit/internal/merkle"
)

// The formats that Verify reads.
const (
	exportFormat = "tera-pilot-audit-export/1"
	proofFormat  = "tera-pilot-audit-proof/1"
)

// Limits of an export, so that the memory of the verifier is bounded.
const (
	maxElement = 2 << 20 // text of a record, however it is spelled
	maxProofs  = 20_000
)

// Verify checks an export, as JSON or as lines of JSON, or a proof. It reads r
// once from the front, and a second time where it holds disclosures. A file
// whose content is wrong is never an error: the report says so. An error of
// reading gives exit 2.
func Verify(ctx context.Context, r io.ReaderAt, size int64, o VerifyOptions) Report {
	rep, err := verifyExport(ctx, r, size, o)
	if o.Fast && err == nil && rep.FirstBad != nil && rep.FirstBad.Kind == kindSignature {
		o.Fast = false // which of the records is the first bad one
		rep, err = verifyExport(ctx, r, size, o)
	}
	if err != nil {
		return unreadable(err)
	}
	return rep
}

func unreadable(err error) Report {
	return Report{Exit: ExitUnreadable, Warnings: []Warning{}, Anchors: []AnchorReport{}, Unknown: []string{}, Error: err.Error()}
}

func verifyExport(ctx context.Context, r io.ReaderAt, size int64, o VerifyOptions) (Report, error) {
	x := &exportTrial{trial: newTrial(ctx, o, false), r: r, size: size, seen: map[string]extent{}}
	err := x.read()
	if errors.Is(err, errProof) {
		x.sigs.finish()
		return verifyProof(ctx, r, size, o)
	}
	if errors.Is(err, errOrder) {
		x.sigs.finish()
		x, err = x.again()
		if err == nil {
			err = x.inOrder()
		}
	}
	if err != nil {
		x.sigs.finish()
		return Report{}, err
	}
	return x.judge(x.rest), nil
}

// An exportTrial verifies an export.
type exportTrial struct {
	*trial
	r    io.ReaderAt
	size int64
	s    *splitter
	seen map[string]extent // members at the top, by name
	only bool              // note where members are, and read no more of them

	lines      bool // JSON lines: every value stands alone
	format     string
	checkpoint []byte
	proofs     []proof
	rec        record
	last       lastOne
	begun      bool // the records have begun
}

// lastOne is what is kept of the last record when its text is gone.
type lastOne struct {
	typ   recordType
	seq   int64
	sid   [32]byte
	sprev [32]byte
}

// An extent is where a value begins.
type extent struct{ at, line int64 }

// A proof says that a record is in the tree: the last one of a session.
type proof struct {
	sid   string
	index int64
	size  int64
	path  []merkle.Hash
}

// errOrder says that a member comes after one that needs it. JSON objects have
// no order, so that this is no fault.
var errOrder = errors.New("members in an unusual order")

// errProof says that the file is no export but a proof.
var errProof = errors.New("a proof")

// read goes through the text once, in its own order.
func (x *exportTrial) read() error {
	x.s = newSplitter(x.r, x.size, 0, 1)
	c, err := x.s.peek()
	switch {
	case errors.Is(err, io.EOF):
		x.bad(spot{line: 1}, faultf(kindTruncated, "the file is empty"))
		return nil
	case err != nil:
		return err
	case c == '[':
		x.bad(spot{line: 1}, faultf(kindLegacy, "a list of entries is what the Python original exported: --legacy verifies that format, and says what it does not protect"))
		return nil
	case c != '{':
		return fmt.Errorf("not an audit export: it begins with %q", c)
	}
	if err := x.object(); err != nil {
		return x.malformed(err)
	}
	c, err = x.s.peek()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, hasRecords := x.seen["records"]; hasRecords || x.format == "" || c != '{' || x.rep.FirstBad != nil {
		x.bad(x.here(), faultf(kindMalformed, "there is text after the end of the export"))
		return nil
	}
	return x.malformed(x.readLines())
}

// here is the spot of the next value.
func (x *exportTrial) here() spot {
	if !x.begun {
		return spot{line: x.s.line}
	}
	return spot{index: x.walk.count, seq: x.walk.size, line: x.s.line}
}

// malformed turns an error about the text into a fault of the export; only one
// of reading stays an error.
func (x *exportTrial) malformed(err error) error {
	var f *fault
	switch {
	case err == nil || errors.Is(err, errOrder) || errors.Is(err, errProof) || errors.Is(err, errStop) || x.ctx.Err() != nil:
		if errors.Is(err, errStop) {
			return nil
		}
		return err
	case errors.As(err, &f):
		x.bad(x.here(), f)
		return nil
	case errors.Is(err, errEnd) || errors.Is(err, errText):
		x.bad(x.here(), faultf(kindMalformed, "%v", err))
		return nil
	default:
		return err
	}
}

// errStop ends the reading: what was looked for has been found.
var errStop = errors.New("enough")

// errText says that the text is no JSON.
var errText = errors.New("not the JSON of an export")

// object reads the members of the object at the top.
func (x *exportTrial) object() error {
	x.s.skip(1)
	return x.members('}', func() error {
		name, err := x.s.value(maxElement)
		if err != nil {
			return err
		}
		var doc jcs.Doc
		if doc.Parse(bytes.Clone(name), jcs.Rules{}) != nil {
			return errText
		}
		text, ok := doc.Root().Text()
		if colon, err := x.s.take(':'); !ok || !colon {
			return errors.Join(errText, err)
		}
		if _, err := x.s.peek(); err != nil {
			return end(err)
		}
		return x.member(text)
	})
}

// members reads what stands between two brackets, whose first is behind us.
func (x *exportTrial) members(closing byte, each func() error) error {
	for first := true; ; first = false {
		c, err := x.s.peek()
		if err != nil {
			return end(err)
		}
		if c == closing && first {
			x.s.skip(1)
			return nil
		}
		if err := each(); err != nil {
			return err
		}
		switch c, err := x.s.peek(); {
		case err != nil:
			return end(err)
		case c == closing:
			x.s.skip(1)
			return nil
		case c != ',':
			return errText
		}
		x.s.skip(1)
		if c, err := x.s.peek(); err != nil || c == closing {
			return errors.Join(errText, end(err))
		}
	}
}

// member reads one member at the top.
func (x *exportTrial) member(name string) error {
	if _, twice := x.seen[name]; twice {
		return faultf(kindMalformed, "the export has two members %q", name)
	}
	x.seen[name] = extent{x.s.at, x.s.line}
	if x.only {
		return x.skipValue()
	}
	switch name {
	case "format":
		return x.readFormat()
	case "records":
		return x.list(x.record)
	case "checkpoint":
		b, err := x.s.value(maxElement)
		x.checkpoint = bytes.Clone(b)
		return err
	case "stub":
		if x.begun {
			return errOrder
		}
		return x.readStub()
	case "proofs":
		if x.begun {
			return errOrder
		}
		x.walk.partial = true
		return x.list(x.proof)
	case "disclosures":
		return x.skipValue() // compared at the end
	case "record", "opens", "path", "index":
		return errProof
	default:
		return faultf(kindFormat, "an export has no member %.100q", name)
	}
}

// skipValue goes past a value without holding it.
func (x *exportTrial) skipValue() error {
	c, err := x.s.peek()
	if err != nil {
		return end(err)
	}
	if c != '[' {
		_, err := x.s.value(maxElement)
		return err
	}
	return x.list(func([]byte) error { return nil })
}

// list reads a list, value by value.
func (x *exportTrial) list(each func([]byte) error) error {
	open, err := x.s.take('[')
	if err != nil || !open {
		return errors.Join(errText, err)
	}
	return x.members(']', func() error {
		line := x.s.line
		b, err := x.s.value(max(maxElement, maxDisclosureLine))
		if err != nil {
			return err
		}
		err = each(b)
		var f *fault
		if errors.As(err, &f) {
			at := x.here()
			at.line = line
			copy(at.sid[:], x.rec.sid)
			x.bad(at, f)
			return errStop
		}
		return err
	})
}

func (x *exportTrial) readFormat() error {
	b, err := x.s.value(1000)
	if err != nil {
		return err
	}
	var doc jcs.Doc
	if doc.Parse(b, jcs.Rules{}) == nil {
		x.format, _ = doc.Root().Text()
	}
	if x.format != exportFormat && x.format != proofFormat {
		return faultf(kindFormat, "the format is %.100s and not %q", b, exportFormat)
	}
	return nil
}

func (x *exportTrial) readStub() error {
	x.stub = startStub(x.walk)
	if err := x.list(func(b []byte) error { return asError(x.stub.line(b, false)) }); err != nil {
		return err
	}
	return x.behindStub()
}

// behindStub lets the records begin where the stub ends.
func (x *exportTrial) behindStub() error {
	if f := x.stub.finish(); f != nil {
		return f
	}
	x.reached()
	return nil
}

// asError keeps a nil fault from becoming an error that is not nil.
func asError(f *fault) error {
	if f == nil {
		return nil
	}
	return f
}

// record takes the next record.
func (x *exportTrial) record(b []byte) error {
	x.begun = true
	if x.sigs.bad() {
		return errStop
	}
	if len(b) > maxElement {
		return faultf(kindMalformed, "the record is longer than %d bytes", maxRecord)
	}
	if f := x.rec.parse(b, false); f != nil {
		return f
	}
	if x.needsOther() {
		return errOrder
	}
	key, f := x.walk.next(&x.rec)
	if f != nil {
		return f
	}
	if key != nil {
		at := x.here()
		copy(at.sid[:], x.rec.sid)
		x.sigs.add(at, key, &x.rec)
	}
	x.walk.take(&x.rec, place{})
	x.last = lastOne{typ: x.rec.typ, seq: x.rec.seq, sprev: x.rec.sprev}
	copy(x.last.sid[:], x.rec.sid)
	x.passed(&x.rec)
	if x.walk.count&0xff == 0 {
		return x.ctx.Err()
	}
	return nil
}

// needsOther reports whether a record can only be placed with a member that may
// still come: the stub before a first record that is not number 0, the proofs
// behind a gap.
func (x *exportTrial) needsOther() bool {
	if _, sorted := x.seen[""]; sorted || x.lines {
		return false
	}
	if x.stub == nil && x.walk.count == 0 && x.rec.seq > 0 {
		return true
	}
	return !x.walk.partial && x.rec.seq > x.walk.size
}

// again looks where the members stand, without reading them.
func (x *exportTrial) again() (*exportTrial, error) {
	y := &exportTrial{trial: newTrial(x.ctx, x.opts, false), r: x.r, size: x.size, seen: map[string]extent{}, only: true}
	y.s = newSplitter(x.r, x.size, 0, 1)
	if _, err := y.s.peek(); err != nil {
		return y, err
	}
	if err := y.object(); err != nil {
		return y, y.malformed(err)
	}
	if _, err := y.s.peek(); !errors.Is(err, io.EOF) {
		y.bad(y.here(), faultf(kindMalformed, "there is text after the end of the export"))
	}
	return y, nil
}

// inOrder reads the members in the order in which they need each other.
func (x *exportTrial) inOrder() error {
	if x.rep.FirstBad != nil {
		return nil
	}
	where := x.seen
	x.only, x.seen = false, map[string]extent{"": {}}
	for _, name := range []string{"format", "stub", "proofs", "records", "checkpoint"} {
		at, ok := where[name]
		if !ok {
			continue
		}
		x.s = newSplitter(x.r, x.size, at.at, at.line)
		if err := x.malformed(x.member(name)); err != nil || x.rep.FirstBad != nil {
			return err
		}
	}
	for name, at := range where {
		switch name {
		case "format", "stub", "proofs", "records", "checkpoint", "disclosures":
			x.seen[name] = at
		default:
			x.bad(spot{line: at.line}, faultf(kindFormat, "an export has no member %.100q", name))
		}
	}
	return nil
}

// readLines reads an export of JSON lines, whose first line is behind us: the
// members of the JSON form, one value a line, records without a name.
func (x *exportTrial) readLines() error {
	x.lines = true
	x.seen["records"] = extent{x.s.at, x.s.line}
	for {
		if _, err := x.s.peek(); errors.Is(err, io.EOF) {
			return x.endOfStub()
		} else if err != nil {
			return err
		}
		at := x.here()
		pos := x.s.at
		b, err := x.s.value(max(maxElement, maxDisclosureLine))
		if err != nil {
			return err
		}
		err = x.oneLine(b, pos, at.line)
		var f *fault
		if errors.As(err, &f) {
			copy(at.sid[:], x.rec.sid)
			x.bad(at, f)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// oneLine tells a record from the other members by its members.
func (x *exportTrial) oneLine(b []byte, pos, line int64) error {
	var doc jcs.Doc
	if doc.Parse(b, jcs.Rules{Depth: maxDepth + 1}) != nil || doc.Root().Kind() != jcs.Object {
		return faultf(kindMalformed, "the line is no JSON object of the profile")
	}
	root := doc.Root()
	name := ""
	if root.Len() == 1 {
		for n := range root.All {
			name = n
		}
	}
	inner := bytes.Clone(root.Get(name).Raw())
	switch name {
	case "stub":
		if x.begun || x.walk.partial {
			return faultf(kindFormat, "the stub comes before proofs and records")
		}
		if x.stub == nil {
			x.stub = startStub(x.walk)
		}
		return asError(x.stub.line(inner, false))
	case "proof":
		if x.begun {
			return faultf(kindFormat, "the proofs come before the records")
		}
		if err := x.endOfStub(); err != nil {
			return err
		}
		x.walk.partial = true
		return x.proof(inner)
	case "checkpoint":
		if _, ok := x.seen["disclosures"]; ok || x.checkpoint != nil {
			return faultf(kindFormat, "there are two checkpoints, or it comes behind the disclosures")
		}
		x.checkpoint = inner
		return nil
	case "disclosure":
		if x.checkpoint == nil {
			return faultf(kindFormat, "the checkpoint comes before the disclosures")
		}
		if _, ok := x.seen["disclosures"]; !ok {
			x.seen["disclosures"] = extent{pos, line}
		}
		return nil
	}
	if _, ok := x.seen["disclosures"]; ok || x.checkpoint != nil {
		return faultf(kindFormat, "records come before the checkpoint")
	}
	if err := x.endOfStub(); err != nil {
		return err
	}
	return x.record(b)
}

// endOfStub lets the records begin behind the lines of the stub.
func (x *exportTrial) endOfStub() error {
	if x.stub == nil || x.stub.finished {
		return nil
	}
	return x.behindStub()
}

// proof takes one inclusion proof.
func (x *exportTrial) proof(b []byte) error {
	var doc jcs.Doc
	bad := faultf(kindMalformed, "a proof is not {index, path, sid, size}")
	if doc.Parse(b, jcs.Rules{Depth: 3}) != nil {
		return bad
	}
	root := doc.Root()
	sid, _ := root.Get("sid").Bytes()
	index, ok1 := root.Get("index").Int()
	size, ok2 := root.Get("size").Int()
	path, ok3 := parsePath(root.Get("path"))
	if !ok1 || !ok2 || !ok3 || !hexDigits(sid, 32) || root.Len() != 4 {
		return bad
	}
	if len(x.proofs) == maxProofs {
		return faultf(kindMalformed, "an export of single sessions holds at most %d of them", maxProofs)
	}
	x.proofs = append(x.proofs, proof{string(sid), index, size, path})
	return nil
}

func parsePath(v jcs.Value) ([]merkle.Hash, bool) {
	path := []merkle.Hash{}
	for _, item := range v.All {
		b, _ := item.Bytes()
		h, err := hex.DecodeString(string(b))
		if err != nil || !hexDigits(b, 64) || len(path) == 64 {
			return nil, false
		}
		path = append(path, merkle.Hash(h))
	}
	return path, v.Kind() == jcs.Array
}
