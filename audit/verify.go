package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
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
		return x.foreign(c)
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

// foreign judges a text that begins with neither bracket. What JSON cannot begin
// with at all, such as a byte order mark, is damage; other text is another file.
func (x *exportTrial) foreign(c byte) error {
	if x.s.at == 0 && (bytes.HasPrefix(x.s.have, []byte("\xef\xbb\xbf")) || !utf8.FullRune(x.s.have) || c >= utf8.RuneSelf && !utf8.Valid(x.s.have[:min(4, len(x.s.have))])) {
		x.bad(spot{line: 1}, faultf(kindMalformed, "it begins with a byte order mark, or is no UTF-8"))
		return nil
	}
	return fmt.Errorf("not an audit export: it begins with %q", c)
}

// here is the spot of the next value.
func (x *exportTrial) here() spot {
	if !x.begun {
		return spot{line: x.s.line}
	}
	return spot{index: x.walk.count, seq: x.walk.size, line: x.s.line}
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
