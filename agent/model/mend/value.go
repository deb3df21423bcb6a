package mend

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a JSON value, in the words of JSON Schema.
type Kind string

// Kinds of values. Integers are numbers here.
const (
	Object Kind = "object"
	Array  Kind = "array"
	String Kind = "string"
	Number Kind = "number"
	Bool   Kind = "boolean"
	Null   Kind = "null"
)

// A Value is a JSON value whose members keep their order and whose numbers
// keep their digits.
type Value struct {
	Kind    Kind
	Text    string // the string itself; the number, true or false as written
	Members []Member
	Items   []*Value
}

// A Member is one key of an object with its value.
type Member struct {
	Key   string
	Value *Value
}

// Str is a string value.
func Str(s string) *Value { return &Value{Kind: String, Text: s} }

// Member gives the value of key, or nil.
func (v *Value) Member(key string) *Value {
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// JSON encodes the value without white space.
func (v *Value) JSON() json.RawMessage { return v.append(nil) }

func (v *Value) append(b []byte) []byte {
	switch v.Kind {
	case Object:
		b = append(b, '{')
		for i, m := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, m.Key), ':')
			b = m.Value.append(b)
		}
		return append(b, '}')
	case Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.append(b)
		}
		return append(b, ']')
	case String:
		return appendString(b, v.Text)
	case Null:
		return append(b, "null"...)
	default:
		return append(b, v.Text...)
	}
}

func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r < ' ':
			b = append(b, `\u00`...)
			b = append(b, hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// Equal says whether a and b mean the same: keys in any order, numbers by
// their worth.
func Equal(a, b *Value) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Object:
		return len(a.Members) == len(b.Members) && !slices.ContainsFunc(a.Members, func(m Member) bool {
			other := b.Member(m.Key)
			return other == nil || !Equal(m.Value, other)
		})
	case Array:
		return slices.EqualFunc(a.Items, b.Items, Equal)
	case Number:
		return a.Text == b.Text || equalNumbers(a.Text, b.Text)
	default:
		return a.Text == b.Text
	}
}

// equalNumbers compares by worth where that is cheap, else by text: an
// exponent such as 1e999999999 is not worked out.
func equalNumbers(a, b string) bool {
	if len(a) > 40 || len(b) > 40 || strings.ContainsAny(a+b, "eE") {
		return false
	}
	x, ok := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	return ok && ok2 && x.Cmp(y) == 0
}

// clone copies v deeply.
func (v *Value) clone() *Value {
	c := *v
	c.Members, c.Items = nil, nil
	for _, m := range v.Members {
		c.Members = append(c.Members, Member{m.Key, m.Value.clone()})
	}
	for _, item := range v.Items {
		c.Items = append(c.Items, item.clone())
	}
	return &c
}
