package gitsafe

import (
	"strconv"
	"strings"
)

// unquote reads a path as git prints it: as it is, or in quotes with the
// escapes of C. Source: git-config(1), core.quotePath.
func unquote(s string) string {
	inner, ok := strings.CutPrefix(s, `"`)
	if !ok || !strings.HasSuffix(inner, `"`) {
		return s
	}
	inner = inner[:len(inner)-1]
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		if inner[i] != '\\' || i+1 == len(inner) {
			b.WriteByte(inner[i])
			continue
		}
		i++
		if k := strings.IndexByte(`abtnvfr"\`, inner[i]); k >= 0 {
			b.WriteByte("\a\b\t\n\v\f\r\"\\"[k])
			continue
		}
		if i+3 <= len(inner) {
			if n, err := strconv.ParseUint(inner[i:i+3], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		return s
	}
	return b.String()
}

// quotePath writes a path for `git hash-object --stdin-paths`, which reads one
// a line, and takes a quote at the start for the form above.
func quotePath(path string) string {
	if !strings.HasPrefix(path, `"`) && !strings.Contains(path, "\n") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}
