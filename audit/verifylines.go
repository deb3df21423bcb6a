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
