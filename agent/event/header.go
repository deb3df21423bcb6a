package event

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// readHeader reads the members that every event begins with. What MarshalJSON
// wrote is read in one go, without looking at the body, which is decoded, and
// so checked, behind it; anything else goes the long way.
func readHeader(b []byte) (header, error) {
	if h, ok := plainHeader(b); ok {
		return h, nil
	}
	var h header
	err := json.Unmarshal(b, &h)
	return h, err
}

// plainHeader reads a header in MarshalJSON's order, whose strings hold no
// escapes.
func plainHeader(b []byte) (h header, ok bool) {
	v, b, ok := number(b, `{"v":`)
	if !ok {
		return h, false
	}
	h.V = int(v)
	if h.Seq, b, ok = number(b, `,"seq":`); !ok {
		return h, false
	}
	if h.TS, b, ok = word(b, `,"ts":"`); !ok {
		return h, false
	}
	if h.Session, b, ok = word(b, `,"session":"`); !ok {
		return h, false
	}
	h.Type, b, ok = word(b, `,"type":"`)
	return h, ok && len(b) > 0 && (b[0] == ',' || b[0] == '}')
}

// number reads what stands between a mark and the next comma: a number of at
// most 18 digits, as JSON writes it.
func number(b []byte, mark string) (n uint64, rest []byte, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(mark))
	end := bytes.IndexByte(b[:min(len(b), 19)], ',')
	if !ok || end < 1 || b[0] < '1' || b[0] > '9' {
		return 0, nil, false
	}
	n, err := strconv.ParseUint(string(b[:end]), 10, 63)
	return n, b[end:], err == nil
}

// word reads a string behind a mark that holds only characters that stand for
// themselves.
func word(b []byte, mark string) (s string, rest []byte, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(mark))
	if !ok {
		return "", nil, false
	}
	for i, c := range b {
		switch {
		case c == '"':
			return string(b[:i]), b[i+1:], true
		case c < ' ' || c > '~' || c == '\\':
			return "", nil, false
		}
	}
	return "", nil, false
}
