package jcs

import (
	"fmt"
)

// MaxInt is the largest absolute value of an integer.
const MaxInt = 1<<53 - 1

// A Kind is the kind of a value.
type Kind uint8

// The kinds. The zero Kind is of no value.
const (
	Invalid Kind = iota
	Object
	Array
	String
	Int
	Bool
	Null   // in legacy text only
	Number // in legacy text only: any number, kept as its text
)

// Rules say what a text may hold.
type Rules struct {
	Depth  int  // deepest nesting of objects and arrays
	Legacy bool // also null, any number and any name: for exports of the Python original
}

// A SyntaxError says where a text leaves the rules.
type SyntaxError struct {
	Offset int
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset) }

// A Doc holds one parsed value. It keeps the text that it was parsed from, and
// can be used again for another one.
type Doc struct {
	src       []byte
	nodes     []node
	names     []int32 // scratch: nodes whose names are being compared
	canonical bool
}

// A node is one value; the values inside it follow, up to next.
type node struct {
	kind       Kind
	escaped    bool  // a string with escapes
	start, end int32 // in src
	nameStart  int32 // in src: the opening quote of the name; -1 for an element
	next       int32 // first node after this value
	num        int64
	name       []byte // decoded
}

// Parse reads the one value that src holds. The Doc keeps src.
func (d *Doc) Parse(src []byte, r Rules) error {
	if len(src) > 1<<30 {
		return &SyntaxError{0, "text is longer than 1 GiB"}
	}
	d.src, d.nodes, d.canonical = src, d.nodes[:0], true
	p := parser{d: d, rules: r}
	err := p.document()
	if err != nil {
		d.nodes = d.nodes[:0]
	}
	return err
}

// Canonical reports whether the text is exactly its canonical form.
func (d *Doc) Canonical() bool { return d.canonical && len(d.nodes) > 0 }

// Root is the value that was parsed.
func (d *Doc) Root() Value {
	if len(d.nodes) == 0 {
		return Value{}
	}
	return Value{d, 0}
}

// A Value is a view of one value of a Doc, valid until the next Parse. The
// zero Value has the kind Invalid and holds nothing.
type Value struct {
	d *Doc
	i int32
}

// Kind is the kind of v.
func (v Value) Kind() Kind {
	if v.d == nil {
		return Invalid
	}
	return v.d.nodes[v.i].kind
}

// Get is the member of an object with this name, else the zero Value.
func (v Value) Get(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	for i := v.i + 1; i < v.d.nodes[v.i].next; i = v.d.nodes[i].next {
		if string(v.d.nodes[i].name) == name {
			return Value{v.d, i}
		}
	}
	return Value{}
}

// All yields the members of an object with their names, or the elements of an
// array with empty names, in the order of the text.
func (v Value) All(yield func(name string, item Value) bool) {
	if k := v.Kind(); k != Object && k != Array {
		return
	}
	for i := v.i + 1; i < v.d.nodes[v.i].next; i = v.d.nodes[i].next {
		if !yield(string(v.d.nodes[i].name), Value{v.d, i}) {
			return
		}
	}
}

// Len is the number of members or elements.
func (v Value) Len() int {
	n := 0
	for range v.All {
		n++
	}
	return n
}

// Int is the integer v, and whether it is one.
func (v Value) Int() (int64, bool) {
	if v.Kind() != Int {
		return 0, false
	}
	return v.d.nodes[v.i].num, true
}

// Bool is the boolean v, and whether it is one.
func (v Value) Bool() (value, ok bool) {
	if v.Kind() != Bool {
		return false, false
	}
	return v.d.nodes[v.i].num == 1, true
}

// Text is the string v, and whether it is one.
func (v Value) Text() (string, bool) {
	b, ok := v.Bytes()
	return string(b), ok
}

// Bytes is the string v, and whether it is one. It may share memory with the
// text.
func (v Value) Bytes() ([]byte, bool) {
	if v.Kind() != String {
		return nil, false
	}
	n := &v.d.nodes[v.i]
	raw := v.d.src[n.start+1 : n.end-1]
	if n.escaped {
		return unescape(raw), true
	}
	return raw, true
}

// Raw is the text of v as it stands.
func (v Value) Raw() []byte {
	if v.d == nil {
		return nil
	}
	n := &v.d.nodes[v.i]
	return v.d.src[n.start:n.end]
}

// Cut is the canonical text of the whole object without its member name,
// appended to dst. The Doc must be canonical, else Cut falls back to encoding.
func (d *Doc) Cut(dst []byte, name string) []byte {
	m := d.Root().Get(name)
	if !d.canonical || m.d == nil {
		return d.Root().AppendCanonical(dst, name)
	}
	n := &d.nodes[m.i]
	from, to := n.nameStart, n.end
	if d.src[from-1] == ',' {
		from--
	} else if d.src[to] == ',' {
		to++
	}
	return append(append(dst, d.src[:from]...), d.src[to:]...)
}
