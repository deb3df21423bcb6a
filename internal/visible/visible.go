package visible

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Strict shows s as one line of printable characters, reversibly.
func Strict(s string) string { return show(s, strict) }

// Once is for text that went through this package before: it shows what must
// not be left in it, and takes its escapes for escapes. Once(Strict(s)) is
// Strict(s).
func Once(s string) string { return show(s, once) }

// Harmless says that s is one line of printable characters as it stands.
func Harmless(s string) bool { return plain(s, once) == len(s) }

// mode says what a scan leaves alone.
type mode uint8

const (
	strict mode = iota // nothing that is hidden, and no look-alike
	once               // look-alikes of escapes
	prose              // line feeds and tabs
)

// scanner walks over a text and remembers what a mark would sit on.
type scanner struct {
	mode  mode
	based bool // the rune before was shown as itself and can carry marks
	marks int  // how many it carries
}

// next reads the first rune of s, which is not empty, and says whether it is
// shown as it is.
func (c *scanner) next(s string) (r rune, size int, ok bool) {
	r, size = utf8.DecodeRuneInString(s)
	switch classOf(r) {
	case space:
		c.based, ok = false, true
	case base:
		invalid := r == utf8.RuneError && size == 1
		ok = !invalid && (c.mode == once || !bracket(r) || !escapeBody(s[size:]))
		c.based, c.marks = ok, 0
	case mark:
		ok = c.based && c.marks < maxMarks
		c.based = c.based && ok
		c.marks++
	case hidden:
		ok = c.mode == prose && (r == '\n' || r == '\t')
		c.based = false
	}
	return r, size, ok
}

// plain is the length of the longest head of s that is shown as it is.
func plain(s string, m mode) int {
	c := scanner{mode: m}
	for i := 0; i < len(s); {
		// Most text is ASCII: letters need no tables.
		if b := s[i]; b > ' ' && b < 0x7f && b != '<' {
			c.based, c.marks = true, 0
			i++
			continue
		}
		_, size, ok := c.next(s[i:])
		if !ok {
			return i
		}
		i += size
	}
	return len(s)
}

func show(s string, m mode) string {
	if plain(s, m) == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/4 + 8)
	c := scanner{mode: m}
	for i := 0; i < len(s); {
		r, size, ok := c.next(s[i:])
		if ok {
			b.WriteString(s[i : i+size])
		} else {
			writeEscape(&b, r, s[i:i+size])
		}
		i += size
	}
	return b.String()
}

func writeEscape(b *strings.Builder, r rune, raw string) {
	if len(raw) == 1 && r != '<' {
		fmt.Fprintf(b, "<x%02X>", raw[0])
		return
	}
	fmt.Fprintf(b, "<U+%04X>", r)
}

// maxEscape is the length of the longest escape, <U+10FFFF>.
const maxEscape = 10

// escapeBody says that s, read after an opening bracket, could be taken for
// the rest of an escape: this is wider than what escapes are made of.
func escapeBody(s string) bool {
	var digits int
	switch {
	case len(s) > 1 && (s[0] == 'U' || s[0] == 'u') && s[1] == '+':
		s, digits = s[2:], 8
	case s != "" && (s[0] == 'x' || s[0] == 'X'):
		s, digits = s[1:], 2
	default:
		return false
	}
	n := 0
	for n < len(s) && n < digits && isHex(s[n]) {
		n++
	}
	return n > 0 && n < len(s) && s[n] == '>'
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
