package mend

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// maxDepth bounds how deep values nest.
const maxDepth = 64

var (
	errOpenString = errors.New("a string is not closed")
	errEnd        = errors.New("the text ends where a value was expected")
	errRest       = errors.New("something follows the value")
)

// Parse reads the one value that text holds, with nothing but white space
// around it, or a code fence. mended tells that it was no valid JSON.
func Parse(text string) (v *Value, mended bool, err error) {
	inner, fenced := unfence(text)
	p := &parser{s: inner, mended: fenced, close: true}
	v, err = p.value(0)
	if err == nil {
		if p.space(); p.i < len(p.s) {
			err = errRest
		}
	}
	if err != nil {
		return nil, false, err
	}
	return v, p.mended, nil
}

// Prefix reads the value that text begins with, and says how many bytes it
// takes. Brackets that the end of the text leaves open are not closed.
func Prefix(text string) (v *Value, n int, mended bool, err error) {
	p := &parser{s: text}
	v, err = p.value(0)
	if err != nil {
		return nil, 0, false, err
	}
	return v, p.i, p.mended, nil
}

// PythonPrefix is Prefix for a Python literal, which is not mended but read as
// what it is.
func PythonPrefix(text string) (v *Value, n int, err error) {
	p := &parser{s: text, python: true}
	v, err = p.value(0)
	if err != nil {
		return nil, 0, err
	}
	return v, p.i, nil
}

var fence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\\s*(```+|~~~+)[ \\t]*[A-Za-z0-9_+.-]*[ \\t]*\\r?\\n")
})

// unfence takes a code fence off that stands around the whole text.
func unfence(text string) (inner string, fenced bool) {
	m := fence().FindStringSubmatchIndex(text)
	if m == nil {
		return text, false
	}
	mark := text[m[2]:m[3]]
	rest := strings.TrimRight(text[m[1]:], " \t\r\n")
	inner, ok := strings.CutSuffix(rest, mark)
	if !ok {
		return text, false
	}
	return inner, true
}

// parser reads JSON, and what the package promises to mend.
type parser struct {
	s      string
	i      int
	open   []byte // brackets that are open
	close  bool   // the end of the text closes them
	python bool   // Python's literals are no mending
	mended bool
}

func (p *parser) mend() { p.mended = p.mended || !p.python }

func (p *parser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

func (p *parser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *parser) value(depth int) (*Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("values nest deeper than %d", maxDepth)
	}
	p.space()
	switch c := p.peek(); {
	case p.i >= len(p.s):
		return nil, errEnd
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"' || c == '\'':
		s, err := p.string()
		return Str(s), err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	default:
		return p.literal()
	}
}

func (p *parser) object(depth int) (*Value, error) {
	v := &Value{Kind: Object}
	seen := map[string]bool{}
	err := p.list('{', '}', func() error {
		key, err := p.key()
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("the key %q comes twice", key)
		}
		seen[key] = true
		if p.space(); p.peek() != ':' {
			return fmt.Errorf("no colon after the key %q", key)
		}
		p.i++
		item, err := p.value(depth + 1)
		v.Members = append(v.Members, Member{key, item})
		return err
	})
	return v, err
}

func (p *parser) array(depth int) (*Value, error) {
	v := &Value{Kind: Array}
	err := p.list('[', ']', func() error {
		item, err := p.value(depth + 1)
		v.Items = append(v.Items, item)
		return err
	})
	return v, err
}

// list reads elements between brackets. A comma may follow the last one. The
// end of the text, or a bracket that closes a list further out, closes this
// one, if at least one element was read.
func (p *parser) list(from, to byte, element func() error) error {
	p.i++
	p.open = append(p.open, to)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	for n, comma := 0, true; ; n++ {
		p.space()
		switch c := p.peek(); {
		case p.i < len(p.s) && c == to:
			p.i++
			if comma && n > 0 {
				p.mend()
			}
			return nil
		case n > 0 && p.closedFurtherOut(c):
			p.mended = true
			return nil
		case p.i >= len(p.s):
			return errEnd
		case !comma:
			return fmt.Errorf("no comma or %c before %q", to, snippet(p.s[p.i:]))
		}
		if err := element(); err != nil {
			return err
		}
		p.space()
		if comma = p.peek() == ','; comma {
			p.i++
		}
	}
}

// closedFurtherOut says whether c, or the end of the text, closes a list that
// the present one stands in.
func (p *parser) closedFurtherOut(c byte) bool {
	if p.i >= len(p.s) {
		return p.close
	}
	return p.close && strings.IndexByte(string(p.open[:len(p.open)-1]), c) >= 0
}

// key reads a key: a string, or a bare word.
func (p *parser) key() (string, error) {
	if c := p.peek(); c == '"' || c == '\'' {
		return p.string()
	}
	start := p.i
	for p.i < len(p.s) && wordByte(p.s[p.i], p.i > start) {
		p.i++
	}
	if p.i == start {
		return "", fmt.Errorf("no key at %q", snippet(p.s[p.i:]))
	}
	p.mend()
	return p.s[start:p.i], nil
}

func wordByte(c byte, inside bool) bool {
	switch {
	case c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return true
	case c == '-' || c >= '0' && c <= '9':
		return inside
	}
	return false
}

var number = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`)
})

func (p *parser) number() (*Value, error) {
	text := number().FindString(p.s[p.i:])
	end := p.i + len(text)
	if text == "" || end < len(p.s) && (wordByte(p.s[end], true) || p.s[end] == '.') {
		return nil, fmt.Errorf("no number: %q", snippet(p.s[p.i:]))
	}
	p.i = end
	return &Value{Kind: Number, Text: text}, nil
}

var literals = map[string]Value{
	"true": {Kind: Bool, Text: "true"}, "false": {Kind: Bool, Text: "false"}, "null": {Kind: Null},
	"True": {Kind: Bool, Text: "true"}, "False": {Kind: Bool, Text: "false"}, "None": {Kind: Null},
}

func (p *parser) literal() (*Value, error) {
	end := p.i
	for end < len(p.s) && wordByte(p.s[end], true) {
		end++
	}
	word := p.s[p.i:end]
	v, ok := literals[word]
	if !ok {
		return nil, fmt.Errorf("no value: %q", snippet(p.s[p.i:]))
	}
	if word[0] < 'a' {
		p.mend()
	}
	p.i = end
	return &v, nil
}

// snippet is the beginning of s, short enough for an error.
func snippet(s string) string {
	if len(s) > 16 {
		return s[:16]
	}
	return s
}
