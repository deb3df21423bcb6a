package tty

import "strings"

// A heard sequence is one that a terminal sent: CSI, OSC or DCS, without its
// introducer, and without its terminator but for CSI.
type heard struct {
	kind byte // [ ] P
	body string
}

// sequences are those in what came. What is cut off or none is left out.
func sequences(s string) (out []heard) {
	for {
		i := strings.IndexByte(s, '\x1b')
		if i < 0 || i+1 >= len(s) {
			return out
		}
		kind := s[i+1]
		s = s[i+2:]
		switch kind {
		case '[':
			end := strings.IndexFunc(s, func(r rune) bool { return r >= 0x40 && r <= 0x7e })
			if end < 0 {
				return out
			}
			out, s = append(out, heard{kind, s[:end+1]}), s[end+1:]
		case ']', 'P':
			end, n := strings.Index(s, "\x1b\\"), 2
			if bell := strings.IndexByte(s, '\a'); kind == ']' && bell >= 0 && (end < 0 || bell < end) {
				end, n = bell, 1
			}
			if end < 0 {
				return out
			}
			out, s = append(out, heard{kind, s[:end]}), s[end+n:]
		}
	}
}

// modeOf is what was said of a mode: 0 unknown, 1 set, 2 reset, 3 and 4 for
// good; "" for nothing.
func modeOf(answers []heard, number string) string {
	for _, s := range answers {
		if rest, ok := strings.CutPrefix(s.body, "?"+number+";"); ok && s.kind == '[' && strings.HasSuffix(rest, "$y") {
			return strings.TrimSuffix(rest, "$y")
		}
	}
	return ""
}

// column is where the cursor was said to be, from 1; 0 for nowhere.
func column(answers []heard) int {
	for _, s := range answers {
		row, col, two := strings.Cut(s.body, ";")
		if s.kind != '[' || !two || row == "" || !strings.HasSuffix(col, "R") {
			continue
		}
		n := 0
		for _, c := range strings.TrimSuffix(col, "R") {
			if c < '0' || c > '9' || n > 9999 {
				return 0
			}
			n = n*10 + int(c-'0')
		}
		return n
	}
	return 0
}
