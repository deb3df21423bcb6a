// Package strictjson reads JSON that can be read in one way only.
//
// encoding/json takes a member twice, in any case of its letters, and ones that
// nobody knows; it replaces what is no text without a word. Where a text decides
// something, or its hash stands for it, two readers must not read two things.
//
// Errors are what stands behind the name of the text: "is cut off", "holds the
// member "a" twice".
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deep the values of Value may lie in one another.
const MaxDepth = 100

// An Error says what is wrong with a text, and about where.
type Error struct {
	Line int // from 1
	What string

	offset int64
}

func (e *Error) Error() string { return e.What }

// Line is the line that an error of this package names, from 1.
func Line(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Line
	}
	return 1
}

// A Member is one member of an object, as it is written.
type Member struct {
	Name  string
	Value json.RawMessage
	Line  int // of the end of its name, from 1
}

// List are the members of the one object that data holds, in their order. Names
// may come twice.
func List(data []byte) ([]Member, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	switch start, err := dec.Token(); {
	case err != nil:
		return nil, broken(data, err)
	case start != json.Delim('{'):
		return nil, fault(data, 0, "is not one object, { … }")
	}
	var out []Member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, broken(data, err)
		}
		m := Member{Line: lineAt(data, dec.InputOffset())}
		m.Name, _ = name.(string) // the decoder lets nothing else stand there
		if err := dec.Decode(&m.Value); err != nil {
			return nil, broken(data, err)
		}
		m.Value = bytes.TrimSpace(m.Value)
		out = append(out, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, broken(data, err)
	}
	if err := end(dec, data); err != nil {
		return nil, err
	}
	return out, nil
}

// Object are the members of the one object that data holds, by their exact
// names, each of them there at most once.
func Object(data []byte) (map[string]json.RawMessage, error) {
	list, err := List(data)
	if err != nil {
		return nil, err
	}
	out := make(map[string]json.RawMessage, len(list))
	for _, m := range list {
		if _, twice := out[m.Name]; twice {
			return nil, &Error{Line: m.Line, What: fmt.Sprintf("holds the member %.40q twice", m.Name)}
		}
		out[m.Name] = m.Value
	}
	return out, nil
}

// Members is Object where each member has to be one of known.
func Members(data []byte, known ...string) (map[string]json.RawMessage, error) {
	out, err := Object(data)
	for name := range out {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("holds the member %.40q, which is not known", name)
		}
	}
	return out, err
}

// Value is the one value that data holds, whole: objects are map[string]any,
// numbers json.Number, as they are written. At no depth may a member come twice,
// and all of it has to be text: no bytes that are not UTF-8, no half of a
// surrogate pair.
func Value(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, fault(data, 0, "is not UTF-8")
	}
	if i := halfPair(data); i >= 0 {
		return nil, fault(data, int64(i), `holds half a character (\ud800 to \udfff without its other half)`)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := value(dec, 0)
	if err != nil {
		return nil, broken(data, err)
	}
	if err := end(dec, data); err != nil {
		return nil, err
	}
	return v, nil
}

func value(dec *json.Decoder, depth int) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if _, nests := t.(json.Delim); nests && depth == MaxDepth {
		return nil, &Error{What: fmt.Sprintf("is nested deeper than %d levels", MaxDepth), offset: dec.InputOffset()}
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := value(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, err
	case json.Delim('{'):
		return object(dec, depth)
	default:
		return t, nil
	}
}

func object(dec *json.Decoder, depth int) (any, error) {
	out := map[string]any{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string) // the decoder lets nothing else stand there
		if _, twice := out[name]; twice {
			return nil, &Error{What: fmt.Sprintf("holds the member %.40q twice", name), offset: dec.InputOffset()}
		}
		if out[name], err = value(dec, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return out, err
}

// end is nil where nothing is left to read.
func end(dec *json.Decoder, data []byte) error {
	_, err := dec.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return broken(data, err)
	default:
		return fault(data, dec.InputOffset(), "holds more than one value")
	}
}

// broken says a fault of the decoder in our words.
func broken(data []byte, err error) error {
	if ours, ok := errors.AsType[*Error](err); ok {
		return fault(data, ours.offset, ours.What)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Error() != "unexpected end of JSON input" {
		return fault(data, syntax.Offset, "is not valid JSON: "+syntax.Error())
	}
	return fault(data, int64(len(data)), "is not valid JSON: it ends too early")
}

func fault(data []byte, offset int64, what string) *Error {
	return &Error{lineAt(data, offset), what, offset}
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
}

// halfPair is where a \uD800–\uDFFF escape stands that is no pair; -1 is
// nowhere. encoding/json would replace it silently (RFC 8259, 8.2).
func halfPair(b []byte) int {
	for i := 0; i+1 < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		i++
		u, ok := escapeUnit(b[i-1:])
		if !ok || u < 0xD800 || u > 0xDFFF {
			continue
		}
		low, ok := escapeUnit(b[min(i+5, len(b)):])
		if u > 0xDBFF || !ok || low < 0xDC00 || low > 0xDFFF {
			return i - 1
		}
		i += 6
	}
	return -1
}

func escapeUnit(b []byte) (uint64, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	u, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return u, err == nil
}
