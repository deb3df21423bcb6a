package audit

import (
	"bytes"
	"errors"
	"io"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// disclosed compares the disclosures with the commitments in their records.
// Both stand in the order of seq, so that one pass over each is enough.
func (x *exportTrial) disclosed() (spot, *fault) {
	recs := &listReader{x: x, name: "records"}
	dis := &listReader{x: x, name: "disclosures"}
	if err := errors.Join(recs.open(), dis.open()); err != nil {
		return x.end(), faultf(kindMalformed, "disclosures: %v", err)
	}
	var rec record
	var doc jcs.Doc
	seq := int64(-1)
	for n := int64(0); ; n++ {
		b, err := dis.next()
		if errors.Is(err, io.EOF) {
			return spot{}, nil
		}
		if err != nil {
			return x.end(), faultf(kindMalformed, "disclosures: %v", err)
		}
		at := spot{index: x.walk.count, line: dis.s.line}
		if doc.Parse(b, jcs.Rules{Depth: 1}) != nil {
			return at, faultf(kindMalformed, "disclosure %d is not {name, sd, seq}", n)
		}
		d, ok := parseDisclosed(doc.Root())
		name, _, opens := openDisclosure(d.text)
		if !ok || !opens || name != d.name || doc.Root().Len() != 3 {
			return at, faultf(kindMalformed, "disclosure %d is not {name, sd, seq}", n)
		}
		for seq < d.seq {
			b, err := recs.next()
			if err != nil || rec.parse(bytes.Clone(b), false) != nil {
				return at, faultf(kindMalformed, "disclosure %d is of record %d, which is not here or not in its turn", n, d.seq)
			}
			seq = rec.seq
		}
		if seq != d.seq || !bytes.Contains(rec.line, []byte(`"`+d.digest()+`"`)) {
			return at, faultf(kindSplice, "disclosure %d opens no commitment of record %d", n, d.seq)
		}
	}
}

// A listReader reads a list of the export once more: the records, or the
// disclosures.
type listReader struct {
	x     *exportTrial
	name  string
	s     *splitter
	begun bool
}

func (l *listReader) open() error {
	at, ok := l.x.seen[l.name]
	if !ok {
		return errors.New("there are no " + l.name)
	}
	l.s = newSplitter(l.x.r, l.x.size, at.at, at.line)
	if l.x.lines {
		return nil
	}
	open, err := l.s.take('[')
	if err != nil || !open {
		return errors.Join(errText, err)
	}
	return nil
}

// next gives the next value; at the end of the list the error is io.EOF.
func (l *listReader) next() ([]byte, error) {
	if l.x.lines {
		return l.nextLine()
	}
	c, err := l.s.peek()
	if err != nil {
		return nil, end(err)
	}
	switch {
	case c == ']':
		return nil, io.EOF
	case l.begun && c != ',':
		return nil, errText
	case l.begun:
		l.s.skip(1)
	}
	l.begun = true
	return l.s.value(maxDisclosureLine)
}

// nextLine gives the next line of the wanted kind.
func (l *listReader) nextLine() ([]byte, error) {
	for {
		if _, err := l.s.peek(); err != nil {
			return nil, err
		}
		b, err := l.s.value(maxDisclosureLine)
		if err != nil {
			return nil, err
		}
		inner, isDisclosure := bytes.CutPrefix(b, []byte(`{"disclosure":`))
		if isDisclosure && l.name == "disclosures" {
			return bytes.TrimSuffix(inner, []byte{'}'}), nil
		}
		if !isDisclosure && l.name == "records" && bytes.Contains(b, []byte(`"type"`)) {
			return b, nil
		}
	}
}
