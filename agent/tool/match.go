package tool

import (
	"strings"
	"unicode/utf8"
)

// A level is how loosely str_replace compares, from exact on. A looser one is
// tried only when the stricter one finds nothing.
type level uint8

const (
	exact       level = iota
	byLineEnds        // CRLF counts as LF
	byTrailing        // and white space at the end of lines does not count
	byIndent          // and all lines may be indented by the same further or lesser amount
	byCharacter       // as byTrailing, and typographic quotes, dashes and spaces count as the ASCII ones
)

var levels = [...]level{exact, byLineEnds, byTrailing, byIndent, byCharacter}

var levelNames = [...]string{
	exact: "exactly", byLineEnds: "when line ends (CRLF, LF) are ignored",
	byTrailing: "when white space at the end of lines is ignored", byIndent: "when old_str is indented as the file is",
	byCharacter: "when typographic quotes, dashes and spaces are read as ASCII",
}

func (l level) String() string { return levelNames[l] }

// A lens is a text as a level sees it. Byte i of s stands for the bytes of the
// text from start(i) to end(i); between those of i and i+1 there can be bytes
// that the level does not see.
type lens struct {
	text string
	s    string
	at   []int32 // nil when s is the text itself
}

func (l lens) start(i int) int {
	if l.at == nil || i >= len(l.at) {
		if i >= len(l.s) {
			return len(l.text)
		}
		return i
	}
	return int(l.at[i])
}

// end is where the bytes that stand for byte i end. Byte i is the last one of
// a character.
func (l lens) end(i int) int {
	if l.at == nil {
		return i + 1
	}
	from := int(l.at[i])
	if l.text[from] == '\r' { // a lens sees CR only as part of CRLF, or as itself
		if l.s[i] == '\n' {
			return from + 2
		}
		return from + 1
	}
	_, n := utf8.DecodeRuneInString(l.text[from:])
	return from + n
}

// look is text through the lens of a level.
func look(text string, l level) lens {
	if l == exact || l == byLineEnds && !strings.Contains(text, "\r\n") {
		return lens{text: text, s: text}
	}
	return fold(text, l >= byTrailing, l >= byCharacter)
}

// fold reads CRLF as LF and, if it is to, leaves blanks at the end of lines
// out and reads typographic characters as ASCII.
func fold(text string, trim, plain bool) lens {
	out := make([]byte, 0, len(text))
	at := make([]int32, 0, len(text))
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], "\r\n") || text[i] == '\n' {
			if trim {
				out, at = trimBlank(out, at)
			}
			out, at = append(out, '\n'), append(at, int32(i))
			if i++; text[i-1] == '\r' {
				i++
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if c, ok := ascii(r); ok && plain {
			out, at = append(out, c), append(at, int32(i))
		} else {
			for k := range n {
				out, at = append(out, text[i+k]), append(at, int32(i))
			}
		}
		i += n
	}
	return lens{text: text, s: string(out), at: at}
}

// trimBlank takes blanks off the end of the last line.
func trimBlank(out []byte, at []int32) ([]byte, []int32) {
	n := len(out)
	for n > 0 && (out[n-1] == ' ' || out[n-1] == '\t') {
		n--
	}
	return out[:n], at[:n]
}

// ascii is the plain character that a typographic one is read as.
func ascii(r rune) (byte, bool) {
	switch r {
	case '‘', '’', '‚', '‛', '′':
		return '\'', true
	case '“', '”', '„', '‟', '″', '«', '»':
		return '"', true
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-', true
	case '\u00a0', '\u1680', '\u2000', '\u2001', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006',
		'\u2007', '\u2008', '\u2009', '\u200a', '\u202f', '\u205f', '\u3000':
		return ' ', true
	default:
		return 0, false
	}
}

// A hit is one place where a lens shows what is to be replaced: old as it was
// given and new as it comes there, with as many lines in old as in the place.
type hit struct {
	from, to int // in the lens
	old, new string
}

// locate looks for old in the text at one level. Places may overlap, unless
// they are all to be replaced.
func locate(view lens, old, new string, l level, all bool) []hit {
	if l > exact {
		old, new = strings.ReplaceAll(old, "\r\n", "\n"), strings.ReplaceAll(new, "\r\n", "\n")
	}
	wholeLine := false
	if l >= byTrailing {
		trimmed := strings.TrimRight(old, " \t")
		wholeLine = len(trimmed) < len(old) // what was trimmed stood before a line's end
		old = trimmed
	}
	seek := look(old, l).s
	if l == byIndent {
		return findIndented(view, old, seek, new)
	}
	if seek == "" {
		return nil
	}
	var hits []hit
	for from := 0; ; {
		i := strings.Index(view.s[from:], seek)
		if i < 0 {
			return hits
		}
		i += from
		end := i + len(seek)
		from = i + 1
		if splitsCRLF(view.s, i, seek) || wholeLine && end < len(view.s) && view.s[end] != '\n' {
			continue
		}
		hits = append(hits, hit{i, end, old, new})
		if all {
			from = end
		}
	}
}

// splitsCRLF says that a match would begin in the middle of a CRLF.
func splitsCRLF(s string, i int, old string) bool {
	return old[0] == '\n' && i > 0 && s[i-1] == '\r'
}

// findIndented looks for places where each line of seek, which is old through
// the lens, stands with the same further, or lesser, indentation.
func findIndented(view lens, old, seek, new string) []hit {
	want, have := splitLines(seek), splitLines(view.s)
	first := 0
	for first < len(want) && bare(want[first]) == "" {
		first++
	}
	if first == len(want) {
		return nil
	}
	starts := make([]int, len(have)+1)
	for i, line := range have {
		starts[i+1] = starts[i] + len(line)
	}
	var hits []hit
	for i := first; i+len(want)-first <= len(have); i++ {
		s, ok := shiftOf(want[first], have[i])
		if !ok || !s.fits(want, have[i-first:]) {
			continue
		}
		shiftedOld, ok1 := s.apply(old)
		shiftedNew, ok2 := s.apply(new)
		if !ok1 || !ok2 {
			continue
		}
		from, to := starts[i-first], starts[i-first+len(want)]
		if !strings.HasSuffix(seek, "\n") && strings.HasSuffix(view.s[:to], "\n") {
			to--
		}
		hits = append(hits, hit{from, to, shiftedOld, shiftedNew})
	}
	return hits
}

// A shift is a difference of indentation.
type shift struct {
	more bool // the file is indented further, else less
	by   string
}

func shiftOf(want, have string) (shift, bool) {
	w, h := indentation(want), indentation(have)
	switch {
	case bare(want)[len(w):] != bare(have)[len(h):] || w == h:
		return shift{}, false
	case strings.HasSuffix(h, w):
		return shift{true, h[:len(h)-len(w)]}, true
	case strings.HasSuffix(w, h):
		return shift{false, w[:len(w)-len(h)]}, true
	default:
		return shift{}, false
	}
}

func indentation(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

func (s shift) fits(want, have []string) bool {
	for i, w := range want {
		shifted, ok := s.line(bare(w))
		if !ok || shifted != bare(have[i]) {
			return false
		}
	}
	return true
}

// line moves one line; blank ones stay as they are.
func (s shift) line(line string) (string, bool) {
	switch {
	case strings.Trim(line, " \t\r\n") == "":
		return line, true
	case s.more:
		return s.by + line, true
	default:
		return strings.CutPrefix(line, s.by)
	}
}

func (s shift) apply(text string) (string, bool) {
	var b strings.Builder
	for _, line := range splitLines(text) {
		moved, ok := s.line(line)
		if !ok {
			return "", false
		}
		b.WriteString(moved)
	}
	return b.String(), true
}
