package commandpolicy

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// ansiC decodes the inside of $'…' (bash(1), QUOTING). A NUL ends the string,
// as it does in bash.
func ansiC(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		text, n, stop := ansiEscape(s[i+1:])
		if stop {
			break
		}
		b.WriteString(text)
		i += 1 + n
	}
	return b.String()
}

var ansiSimple = map[byte]string{'a': "\a", 'b': "\b", 'e': "\x1b", 'E': "\x1b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t",
	'v': "\v", '\\': "\\", '\'': "'", '"': "\"", '?': "?"}

// ansiEscape decodes one escape, without its backslash, and says how many
// bytes it took; stop is true for NUL.
func ansiEscape(s string) (text string, n int, stop bool) {
	if t, ok := ansiSimple[s[0]]; ok {
		return t, 1, false
	}
	switch s[0] {
	case 'x':
		return ansiNumber(s, 1, 2, 16, false)
	case 'u':
		return ansiNumber(s, 1, 4, 16, true)
	case 'U':
		return ansiNumber(s, 1, 8, 16, true)
	case 'c':
		if len(s) > 1 {
			c := s[1] & 0x1f
			return string([]byte{c}), 2, c == 0
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return ansiNumber(s, 0, 3, 8, false)
	}
	return `\` + s[:1], 1, false
}

func ansiNumber(s string, from, digits, base int, unicode bool) (string, int, bool) {
	end := from
	for end < len(s) && end < from+digits && isDigit(s[end], base) {
		end++
	}
	if end == from {
		return `\` + s[:from], from, false
	}
	v, err := strconv.ParseUint(s[from:end], base, 32)
	if err != nil || v == 0 {
		return "", end, true
	}
	if unicode {
		return string(utf8.AppendRune(nil, rune(v))), end, false
	}
	return string([]byte{byte(v)}), end, byte(v) == 0
}

func isDigit(c byte, base int) bool {
	switch {
	case c >= '0' && c <= '7':
		return true
	case base == 16 && (c == '8' || c == '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'):
		return true
	}
	return false
}

// escapeGlob makes text match only itself.
func escapeGlob(s string) string {
	if !strings.ContainsAny(s, `*?[]\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`*?[]\`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapeDouble removes the backslashes that count within double quotes.
func unescapeDouble(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
