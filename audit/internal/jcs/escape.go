package jcs

import (
	"unicode/utf16"
	"unicode/utf8"
)

// escape looks at the escape that s begins with: how many bytes it is long and
// whether the canonical form would spell it so. A reason refuses it.
func escape(s []byte) (n int, canonical bool, reason string) {
	if len(s) < 2 {
		return 0, false, "an escape without its end"
	}
	switch s[1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2, true, ""
	case '/':
		return 2, false, ""
	case 'u':
	default:
		return 0, false, "an unknown escape"
	}
	r, ok := hex4(s[2:])
	if !ok {
		return 0, false, "an escape that is not four hex digits"
	}
	if utf16.IsSurrogate(r) {
		if len(s) < 12 || s[6] != '\\' || s[7] != 'u' {
			return 0, false, "a lone surrogate"
		}
		low, ok := hex4(s[8:])
		if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
			return 0, false, "a lone surrogate"
		}
		return 12, false, ""
	}
	want := appendEscaped(nil, r)
	return 6, string(want) == string(s[:6]), ""
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape decodes the inside of a string that escape has accepted.
func unescape(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		switch c := s[i+1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, _ := hex4(s[i+2:])
			if utf16.IsSurrogate(r) {
				low, _ := hex4(s[i+8:])
				r = utf16.DecodeRune(r, low)
				i += 6
			}
			out = utf8.AppendRune(out, r)
			i += 4
		default:
			out = append(out, c)
		}
		i += 2
	}
	return out
}

// appendEscaped writes one character as the canonical form spells it inside a
// string (RFC 8785, 3.2.2.2).
func appendEscaped(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if r < 0x20 {
		return append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
	}
	return utf8.AppendRune(dst, r)
}
