package jcs

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendString writes s as a canonical string. Bytes that are not UTF-8 are
// written as the four characters \xNN, since JSON cannot hold them.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if c >= utf8.RuneSelf && !(r == utf8.RuneError && n == 1) {
			i += n
			continue
		}
		dst = append(dst, s[from:i]...)
		if c >= utf8.RuneSelf {
			dst = fmt.Appendf(dst, `\\x%02x`, c)
		} else {
			dst = appendEscaped(dst, rune(c))
		}
		i += n
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

// AppendCanonical writes the canonical form of v, leaving out the members of v
// itself that are named in without.
func (v Value) AppendCanonical(dst []byte, without ...string) []byte {
	if v.d == nil {
		return dst
	}
	n := &v.d.nodes[v.i]
	switch n.kind {
	case Object:
		return v.appendObject(dst, without)
	case Array:
		dst = append(dst, '[')
		sep := false
		for _, item := range v.All {
			if sep {
				dst = append(dst, ',')
			}
			sep = true
			dst = item.AppendCanonical(dst)
		}
		return append(dst, ']')
	case String:
		s, _ := v.Text()
		return AppendString(dst, s)
	case Int:
		return strconv.AppendInt(dst, n.num, 10)
	case Bool, Null, Number:
		return append(dst, v.Raw()...)
	default:
		return dst
	}
}

func (v Value) appendObject(dst []byte, without []string) []byte {
	// Copied, because the members may be objects that sort theirs.
	members := slices.Clone(v.d.sortedMembers(v.i, v.d.nodes[v.i].next))
	dst = append(dst, '{')
	sep := false
	for _, i := range members {
		name := string(v.d.nodes[i].name)
		if slices.Contains(without, name) {
			continue
		}
		if sep {
			dst = append(dst, ',')
		}
		sep = true
		dst = append(AppendString(dst, name), ':')
		dst = Value{v.d, i}.AppendCanonical(dst)
	}
	return append(dst, '}')
}

// A Builder makes the canonical form of one object. Members may be added in any
// order, each name once. Names must be printable ASCII without quotes and
// backslashes.
type Builder struct {
	members []built
	text    []byte // of the values, one after the other
}

type built struct {
	name     string
	from, to int // in text
}

// end adds the member whose value was appended to the text.
func (b *Builder) end(name string, from int) {
	b.members = append(b.members, built{name, from, len(b.text)})
}

// Raw adds a member whose value is canonical text already.
func (b *Builder) Raw(name string, text []byte) {
	from := len(b.text)
	b.text = append(b.text, text...)
	b.end(name, from)
}

// Text adds a string, unless it is empty: a member without a value is left out.
func (b *Builder) Text(name, s string) {
	if s == "" {
		return
	}
	from := len(b.text)
	b.text = AppendString(b.text, s)
	b.end(name, from)
}

// Int adds an integer. Values beyond MaxInt are written as MaxInt, those below
// its negative as that.
func (b *Builder) Int(name string, n int64) {
	from := len(b.text)
	b.text = strconv.AppendInt(b.text, min(max(n, -MaxInt), MaxInt), 10)
	b.end(name, from)
}

// True adds true, unless v is false.
func (b *Builder) True(name string, v bool) {
	if v {
		b.Raw(name, []byte("true"))
	}
}

// Texts adds a list of strings, unless it is empty.
func (b *Builder) Texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	from := len(b.text)
	for i, s := range list {
		b.text = append(b.text, "[,"[min(i, 1)])
		b.text = AppendString(b.text, s)
	}
	b.text = append(b.text, ']')
	b.end(name, from)
}

// List adds a list of canonical texts, unless it is empty.
func (b *Builder) List(name string, items [][]byte) {
	if len(items) > 0 {
		b.Raw(name, List(items))
	}
}

// Object adds an object, unless it has no member.
func (b *Builder) Object(name string, o Builder) {
	if len(o.members) == 0 {
		return
	}
	from := len(b.text)
	b.text = o.Append(b.text)
	b.end(name, from)
}

// List is the canonical form of an array of canonical texts.
func List(items [][]byte) []byte {
	out := append([]byte{'['}, bytes.Join(items, []byte{','})...)
	return append(out, ']')
}

// Append writes the object to dst.
func (b *Builder) Append(dst []byte) []byte {
	slices.SortFunc(b.members, func(x, y built) int { return strings.Compare(x.name, y.name) })
	dst = append(dst, '{')
	for i, m := range b.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), m.name...), '"', ':')
		dst = append(dst, b.text[m.from:m.to]...)
	}
	return append(dst, '}')
}

// Size is about how long the object will be.
func (b *Builder) Size() int {
	n := 2 + len(b.text)
	for _, m := range b.members {
		n += len(m.name) + 4
	}
	return n
}
