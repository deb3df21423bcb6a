package audit

import (
	"bytes"
	"errors"
	"io"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// An extent is where a value begins.
type extent struct{ at, line int64 }

// errOrder says that a member comes after one that needs it. JSON objects have
// no order, so that this is no fault.
var errOrder = errors.New("members in an unusual order")

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
