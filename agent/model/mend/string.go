package mend

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string in double or single quotes. In double quotes the
// escapes are those of JSON, in single quotes those of Python too.
func (p *parser) string() (string, error) {
	quote := p.s[p.i]
	p.i++
	if quote == '\'' {
		p.mend()
	}
	python := quote == '\'' || p.python
	var b strings.Builder
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == quote:
			p.i++
			if !utf8.ValidString(b.String()) {
				return "", fmt.Errorf("a string holds bytes that are no text")
			}
			return b.String(), nil
		case c == '\\':
			if err := p.escape(&b, python); err != nil {
				return "", err
			}
		case c < ' ':
			p.mended = true
			fallthrough
		default:
			b.WriteByte(c)
			p.i++
		}
	}
	return "", errOpenString
}

// escape reads one escape sequence.
func (p *parser) escape(b *strings.Builder, python bool) error {
	if p.i+1 >= len(p.s) {
		return errOpenString
	}
	c := p.s[p.i+1]
	p.i += 2
	if at := strings.IndexByte(`"\/bfnrt`, c); at >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[at])
		return nil
	}
	switch {
	case c == 'u':
		return p.unicode(b, 4)
	case python && c == 'U':
		return p.unicode(b, 8)
	case python && c == 'x':
		return p.unicode(b, 2)
	case python && (c == '\'' || c == '0' && !digit(p.peek())):
		b.WriteByte(map[byte]byte{'\'': '\'', '0': 0}[c])
		return nil
	}
	return fmt.Errorf("no escape: \\%c", c)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// unicode reads the n digits of a character, and the second half of a pair.
func (p *parser) unicode(b *strings.Builder, n int) error {
	r, err := p.hex(n)
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		low := rune(-1)
		if strings.HasPrefix(p.s[p.i:], `\u`) {
			p.i += 2
			if low, err = p.hex(4); err != nil {
				return err
			}
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return fmt.Errorf("an escape is half a character")
		}
	}
	if !utf8.ValidRune(r) {
		return fmt.Errorf("an escape is no character")
	}
	b.WriteRune(r)
	return nil
}

func (p *parser) hex(n int) (rune, error) {
	if p.i+n > len(p.s) {
		return 0, errOpenString
	}
	r, err := strconv.ParseUint(p.s[p.i:p.i+n], 16, 32)
	if err != nil {
		return 0, fmt.Errorf("no hexadecimal digits: %q", p.s[p.i:p.i+n])
	}
	p.i += n
	return rune(r), nil
}
