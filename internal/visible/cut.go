package visible

import "strings"

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
