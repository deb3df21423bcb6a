package visible

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// reverse gives back the text that Strict showed as s. Text that Strict would
// not have written is an error: one text has one form.
func reverse(s string) (string, error) {
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
