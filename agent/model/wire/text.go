package wire

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is a JSON string of a stream, decoded so that pieces can be joined
// first and judged after: half a surrogate pair and half a UTF-8 sequence stay
// as they are, and Clean completes them. null is the empty text; a number or a
// boolean is taken as it is written.
type Text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(b []byte) error {
	switch {
	case bytes.Equal(b, []byte("null")):
		*t = ""
		return nil
	case len(b) >= 2 && b[0] == '"':
		*t = Text(unquote(b[1 : len(b)-1]))
		return nil
	case len(b) > 0 && b[0] != '{' && b[0] != '[':
		*t = Text(b)
		return nil
	}
	return errors.New("a list or object where text was expected")
}

// unquote decodes the inside of a valid JSON string. A \u escape that is one
// half of a pair becomes the three bytes that UTF-8 would have for it.
func unquote(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 >= len(b) {
			out = append(out, b[i])
			continue
		}
		i++
		switch b[i] {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r := hex4(b[i+1:])
			i += 4
			out = appendRune(out, r)
		default:
			out = append(out, b[i])
		}
	}
	return string(out)
}

// hex4 reads four hexadecimal digits; the caller knows that they are there.
func hex4(b []byte) (r rune) {
	for i := 0; i < 4 && i < len(b); i++ {
		c := b[i] | 0x20
		switch {
		case c >= 'a':
			r = r<<4 | rune(c-'a'+10)
		default:
			r = r<<4 | rune(b[i]-'0')
		}
	}
	return r
}

// appendRune is utf8.AppendRune that also writes surrogates.
func appendRune(b []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(b, r)
}

// Clean makes valid UTF-8 of s, joining surrogates that stand side by side.
// What is still no text becomes U+FFFD, and replaced is true.
func Clean(s string) (clean string, replaced bool) {
	if utf8.ValidString(s) {
		return s, false
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r != utf8.RuneError || n > 1 {
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		if pair := utf16.DecodeRune(surrogate(s), surrogate(s[min(3, len(s)):])); pair != utf8.RuneError {
			b.WriteRune(pair)
			s = s[6:]
			continue
		}
		if surrogate(s) >= 0 {
			n = 3
		}
		b.WriteRune(utf8.RuneError)
		replaced = true
		s = s[n:]
	}
	return b.String(), replaced
}

// surrogate reads the three bytes that stand for a surrogate, or gives -1.
func surrogate(s string) rune {
	if len(s) < 3 || s[0] != 0xed || s[1] < 0xa0 || s[1] > 0xbf || s[2] < 0x80 || s[2] > 0xbf {
		return -1
	}
	return rune(s[0]&0x0f)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
}

// Split cuts s where its last character is not complete yet, so that what
// stands before can be shown while more is on its way.
func Split(s string) (ready, rest string) {
	for i := 1; i <= min(3, len(s)); i++ {
		c := s[len(s)-i]
		if c < 0x80 {
			break
		}
		if c >= 0xc0 {
			tail := s[len(s)-i:]
			if !utf8.FullRuneInString(tail) || (i == 3 && surrogate(tail) >= 0xd800 && surrogate(tail) < 0xdc00) {
				return s[:len(s)-i], tail
			}
			break
		}
	}
	return s, ""
}
