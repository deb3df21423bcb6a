package visible

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Reverse gives back the text that Strict showed as s. Text that Strict would
// not have written is an error: one text has one form.
func Reverse(s string) (string, error) {
	var b strings.Builder
	rest := s
	for {
		before, escape, after := Cut(rest)
		b.WriteString(before)
		if escape == "" {
			break
		}
		if !writeOriginal(&b, escape) {
			return "", fmt.Errorf("%s at byte %d stands for no character", escape, len(s)-len(after)-len(escape))
		}
		rest = after
	}
	original := b.String()
	if again := Strict(original); again != s {
		return "", fmt.Errorf("text was not made visible by this program, or was changed since, from byte %d on", common(s, again))
	}
	return original, nil
}

// Cut finds the first escape in text that went through this package. Without
// one, before is s and escape is empty.
func Cut(s string) (before, escape, after string) {
	for i := 0; ; {
		at := strings.IndexByte(s[i:], '<')
		if at < 0 {
			return s, "", ""
		}
		i += at
		if n := escapeLen(s[i:]); n > 0 {
			return s[:i], s[i : i+n], s[i+n:]
		}
		i++
	}
}

// escapeLen is the length of the escape that s begins with, 0 for none.
func escapeLen(s string) int {
	end := strings.IndexByte(s[:min(len(s), maxEscape)], '>')
	switch {
	case end < 0:
		return 0
	case s[1] == 'x' && end == 4:
		if !upperHex(s[2:4]) {
			return 0
		}
	case s[1] == 'U' && s[2] == '+' && end >= 7:
		if !upperHex(s[3:end]) {
			return 0
		}
	default:
		return 0
	}
	return end + 1
}

func upperHex(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) || s[i] >= 'a' {
			return false
		}
	}
	return true
}

func writeOriginal(b *strings.Builder, escape string) bool {
	if escape[1] == 'x' {
		v, err := strconv.ParseUint(escape[2:4], 16, 8)
		b.WriteByte(byte(v))
		return err == nil
	}
	v, err := strconv.ParseUint(escape[3:len(escape)-1], 16, 32)
	if err != nil || v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return false
	}
	b.WriteRune(rune(v))
	return true
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
