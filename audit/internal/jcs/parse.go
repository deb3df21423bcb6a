package jcs

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// parser walks the text once, left to right.
type parser struct {
	d     *Doc
	pos   int
	depth int
	rules Rules
}

func (p *parser) fail(reason string) error { return &SyntaxError{p.pos, reason} }

func (p *parser) document() error {
	if bytes.HasPrefix(p.d.src, []byte("\xef\xbb\xbf")) {
		return p.fail("byte order mark")
	}
	if err := p.value(-1, nil); err != nil {
		return err
	}
	p.space()
	if p.pos < len(p.d.src) {
		return p.fail("text after the end of the value")
	}
	return nil
}

// space skips white space, which the canonical form does not have.
func (p *parser) space() {
	for p.pos < len(p.d.src) {
		switch p.d.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
			p.d.canonical = false
		default:
			return
		}
	}
}

// peek is the next byte that is no white space, 0 at the end. (A NUL in the
// text fails like any other byte that begins no value.)
func (p *parser) peek() byte {
	p.space()
	if p.pos == len(p.d.src) {
		return 0
	}
	return p.d.src[p.pos]
}

// value reads one value. The name, with its place, is that of a member.
func (p *parser) value(nameStart int, name []byte) error {
	c := p.peek()
	at := len(p.d.nodes)
	p.d.nodes = append(p.d.nodes, node{start: int32(p.pos), nameStart: int32(nameStart), name: name})
	var err error
	switch {
	case c == '{':
		err = p.composite(at, Object, '}')
	case c == '[':
		err = p.composite(at, Array, ']')
	case c == '"':
		p.d.nodes[at].kind = String
		p.d.nodes[at].escaped, err = p.str()
	case c == '-' || c >= '0' && c <= '9':
		err = p.number(at)
	default:
		err = p.word(at)
	}
	n := &p.d.nodes[at]
	n.end, n.next = int32(p.pos), int32(len(p.d.nodes))
	return err
}

// composite reads an object or an array, whose opening byte is next.
func (p *parser) composite(at int, kind Kind, closing byte) error {
	p.d.nodes[at].kind = kind
	if p.depth++; p.depth > p.rules.Depth {
		return p.fail("nested too deeply")
	}
	p.pos++
	for p.peek() != closing {
		var err error
		if kind == Object {
			err = p.member()
		} else {
			err = p.value(-1, nil)
		}
		if err != nil {
			return err
		}
		switch c := p.peek(); c {
		case ',':
			p.pos++
			if p.peek() == closing {
				return p.fail("comma before the end")
			}
		case closing:
		default:
			return p.fail("a comma or the end is missing")
		}
	}
	p.pos++
	p.depth--
	if kind == Object {
		return p.names(at)
	}
	return nil
}

func (p *parser) member() error {
	if p.peek() != '"' {
		return p.fail("a name is missing")
	}
	start := p.pos
	escaped, err := p.str()
	if err != nil {
		return err
	}
	name := p.d.src[start+1 : p.pos-1]
	if escaped {
		name = unescape(name)
	}
	if !p.rules.Legacy && !ascii(name) {
		return p.fail("a name that is not ASCII")
	}
	if p.peek() != ':' {
		return p.fail("a colon is missing")
	}
	p.pos++
	return p.value(start, name)
}

// names refuses two equal names in the object at. Where they stand in order
// already, one pass shows it.
func (p *parser) names(at int) error {
	d := p.d
	ordered, last := true, []byte(nil)
	end := int32(len(d.nodes))
	for i := int32(at) + 1; i < end; i = d.nodes[i].next {
		if last != nil && bytes.Compare(last, d.nodes[i].name) >= 0 {
			ordered = false
			break
		}
		last = d.nodes[i].name
		if last == nil {
			last = []byte{}
		}
	}
	if ordered {
		return nil
	}
	d.canonical = false
	sorted := d.sortedMembers(int32(at), end)
	for i := 1; i < len(sorted); i++ {
		if a, b := &d.nodes[sorted[i-1]], &d.nodes[sorted[i]]; bytes.Equal(a.name, b.name) {
			return &SyntaxError{int(b.nameStart), "the same name twice"}
		}
	}
	return nil
}

// sortedMembers are the members of the object at, by name. The result is valid
// until the next call.
func (d *Doc) sortedMembers(at, end int32) []int32 {
	d.names = d.names[:0]
	for i := at + 1; i < end; i = d.nodes[i].next {
		d.names = append(d.names, i)
	}
	slices.SortFunc(d.names, func(a, b int32) int { return bytes.Compare(d.nodes[a].name, d.nodes[b].name) })
	return d.names
}

// str reads a string and reports whether it holds escapes.
func (p *parser) str() (escaped bool, err error) {
	src, i := p.d.src, p.pos+1
	for i < len(src) {
		c := src[i]
		switch {
		case c == '"':
			p.pos = i + 1
			return escaped, nil
		case c == '\\':
			n, canonical, reason := escape(src[i:])
			if reason != "" {
				p.pos = i
				return false, p.fail(reason)
			}
			escaped = true
			p.d.canonical = p.d.canonical && canonical
			i += n
		case c < 0x20:
			p.pos = i
			return false, p.fail("a control character in a string")
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && n == 1 {
				p.pos = i
				return false, p.fail("invalid UTF-8")
			}
			i += n
		}
	}
	p.pos = i
	return false, p.fail("a string without its end")
}

// number reads an integer; in legacy text any number, kept as it is written.
func (p *parser) number(at int) error {
	src, start := p.d.src, p.pos
	n := &p.d.nodes[at]
	i := start
	if src[i] == '-' {
		i++
	}
	digits := i
	for i < len(src) && src[i] >= '0' && src[i] <= '9' {
		i++
	}
	if i == digits || src[digits] == '0' && i-digits > 1 {
		return p.fail("not a number")
	}
	if p.rules.Legacy {
		p.pos = i
		n.kind = Number
		return p.fraction()
	}
	if i < len(src) && (src[i] == '.' || src[i] == 'e' || src[i] == 'E') {
		return p.fail("a fraction or an exponent")
	}
	if i-digits > 16 || src[start] == '-' && src[digits] == '0' {
		return p.fail("an integer out of range")
	}
	for _, c := range src[digits:i] {
		n.num = n.num*10 + int64(c-'0')
	}
	if n.num > MaxInt {
		return p.fail("an integer out of range")
	}
	if src[start] == '-' {
		n.num = -n.num
	}
	n.kind, p.pos = Int, i
	return nil
}

// fraction reads what may follow the integer part of a legacy number.
func (p *parser) fraction() error {
	src := p.d.src
	digits := func() bool {
		from := p.pos
		for p.pos < len(src) && src[p.pos] >= '0' && src[p.pos] <= '9' {
			p.pos++
		}
		return p.pos > from
	}
	if p.pos < len(src) && src[p.pos] == '.' {
		p.pos++
		if !digits() {
			return p.fail("not a number")
		}
	}
	if p.pos < len(src) && (src[p.pos] == 'e' || src[p.pos] == 'E') {
		p.pos++
		if p.pos < len(src) && (src[p.pos] == '+' || src[p.pos] == '-') {
			p.pos++
		}
		if !digits() {
			return p.fail("not a number")
		}
	}
	return nil
}

// word reads true or false, and null in legacy text.
func (p *parser) word(at int) error {
	n := &p.d.nodes[at]
	rest := p.d.src[p.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("true")):
		n.kind, n.num, p.pos = Bool, 1, p.pos+4
	case bytes.HasPrefix(rest, []byte("false")):
		n.kind, p.pos = Bool, p.pos+5
	case bytes.HasPrefix(rest, []byte("null")) && p.rules.Legacy:
		n.kind, p.pos = Null, p.pos+4
	case bytes.HasPrefix(rest, []byte("null")):
		return p.fail("null, which the format does not have")
	case len(rest) == 0:
		return p.fail("the text ends too early")
	default:
		return p.fail("not a value")
	}
	return nil
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
