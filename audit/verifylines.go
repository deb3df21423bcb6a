package audit

import (
	"bytes"
	"errors"
	"io"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

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
	if special, err := x.section(name, bytes.Clone(root.Get(name).Raw()), pos, line); special || err != nil {
		return err
	}
	if x.behindRecords() {
		return faultf(kindFormat, "records come before the checkpoint")
	}
	if err := x.endOfStub(); err != nil {
		return err
	}
	return x.record(b)
}

// section takes a line that is no record: one member, which says what it is.
func (x *exportTrial) section(name string, inner []byte, pos, line int64) (is bool, err error) {
	switch name {
	case "stub":
		if x.begun || x.walk.partial {
			return true, faultf(kindFormat, "the stub comes before proofs and records")
		}
		if x.stub == nil {
			x.stub = startStub(x.walk)
		}
		return true, asError(x.stub.line(inner, false))
	case "proof":
		if x.begun {
			return true, faultf(kindFormat, "the proofs come before the records")
		}
		if err := x.endOfStub(); err != nil {
			return true, err
		}
		x.walk.partial = true
		return true, x.proof(inner)
	case "checkpoint":
		if x.behindRecords() {
			return true, faultf(kindFormat, "there are two checkpoints, or it comes behind the disclosures")
		}
		x.checkpoint = inner
		return true, nil
	case "disclosure":
		if x.checkpoint == nil {
			return true, faultf(kindFormat, "the checkpoint comes before the disclosures")
		}
		if _, ok := x.seen["disclosures"]; !ok {
			x.seen["disclosures"] = extent{pos, line}
		}
		return true, nil
	}
	return false, nil
}

// behindRecords reports whether the checkpoint or the disclosures have begun.
func (x *exportTrial) behindRecords() bool {
	_, ok := x.seen["disclosures"]
	return ok || x.checkpoint != nil
}

// endOfStub lets the records begin behind the lines of the stub.
func (x *exportTrial) endOfStub() error {
	if x.stub == nil || x.stub.finished {
		return nil
	}
	return x.behindStub()
}
