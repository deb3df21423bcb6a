package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tabStop is the distance of tab stops, in columns.
const tabStop = 8

// StrictLines shows text of many lines for reading: split at line feeds (one
// at the end starts no further line), tabs expanded, all else as by Strict. A
// carriage return is seen as <x0D>.
func StrictLines(s string) []string {
	s = strings.TrimSuffix(s, "\n")
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, expand(line))
	}
	return lines
}

// Source shows one line of a file, without its line feed, for a review: as
// StrictLines does, and white space at the end is shown too. Where two lines
// that differ look the same by Source (a tab here, eight spaces there), show
// both by Strict.
func Source(line string) string {
	body := strings.TrimRight(line, " \t")
	if len(body) == len(line) {
		return expand(line)
	}
	var b strings.Builder
	b.WriteString(expand(body))
	for _, c := range []byte(line[len(body):]) {
		if c == '\t' {
			b.WriteString("<x09>")
		} else {
			b.WriteString("<U+0020>")
		}
	}
	return b.String()
}

// expand is Strict for one line, with tabs as spaces up to the next stop.
func expand(line string) string {
	if strings.IndexByte(line, '\t') < 0 {
		return Strict(line)
	}
	var b strings.Builder
	col := 0
	for i, part := range strings.Split(line, "\t") {
		if i > 0 {
			n := tabStop - col%tabStop
			fmt.Fprintf(&b, "%*s", n, "")
			col += n
		}
		part = Strict(part)
		for _, r := range part {
			if classOf(r) != mark {
				col += columns(r)
			}
		}
		b.WriteString(part)
	}
	return b.String()
}

// Prose shows an answer of many lines, for reading: line feeds and tabs stay,
// a carriage return before a line feed goes, other spaces become plain ones,
// joined emoji stand side by side and flags become letters. All else is shown
// as by Strict.
func Prose(s string) string {
	if plain(s, prose) == len(s) {
		return s
	}
	return show(soften(s), prose)
}

// OnceProse is Once for an answer of many lines, line by line.
func OnceProse(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for j, cell := range cells {
			cells[j] = Once(cell)
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}

// soften replaces what is common and harmless in prose.
func soften(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	picture := false // the rune before was an emoji, or went with one
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		next := s[i+size:]
		switch {
		case r == '\r' && strings.HasPrefix(next, "\n"):
			picture = false
		case r == 0x3000:
			b.WriteString("  ")
			picture = false
		case r != ' ' && unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
			picture = false
		case r >= 0x1f1e6 && r <= 0x1f1ff:
			b.WriteByte(byte('A' + r - 0x1f1e6))
			picture = false
		case picture && joins(r):
			// goes with the emoji before it
		case joins(r) && i > 0 && keycap(s[i-1]):
			picture = true
		default:
			b.WriteString(s[i : i+size])
			picture = r > 0x7f && (unicode.IsSymbol(r) || unicode.IsPunct(r))
		}
		i += size
	}
	return b.String()
}

// joins says that r only shapes the emoji before it.
func joins(r rune) bool {
	return r == 0x200d || r == 0xfe0e || r == 0xfe0f || r == 0x20e3 || r >= 0x1f3fb && r <= 0x1f3ff
}

// keycap says that c is a character that emoji draw as a key.
func keycap(c byte) bool { return c == '#' || c == '*' || '0' <= c && c <= '9' }
