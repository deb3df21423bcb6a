package model

import "strings"

// repetition notices a model that repeats itself without end: a stretch of 60
// bytes 12 times in a row, or one line 50 times in a row. Lines and stretches
// of a single character are drawn, not repeated, and do not count until there
// are ten times as many.
type repetition struct {
	tail  []byte // the newest bytes
	line  strings.Builder
	last  string
	count int
	since int // bytes since the last look
}

const (
	stretch     = 60
	stretches   = 12
	sameLines   = 50
	drawnFactor = 10
	longLine    = 4 << 10 // bytes of a line that are compared
	keepTail    = stretch * stretches * drawnFactor
)

// add takes more text and says whether it repeats itself.
func (r *repetition) add(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c != '\n' {
			if r.line.Len() < longLine {
				r.line.WriteByte(c)
			}
			continue
		}
		if r.endLine() {
			return true
		}
	}
	r.tail = append(r.tail, text...)
	if len(r.tail) > 2*keepTail {
		r.tail = append(r.tail[:0], r.tail[len(r.tail)-keepTail:]...)
	}
	r.since += len(text)
	if r.since < stretch {
		return false
	}
	r.since = 0
	return r.periodic()
}

func (r *repetition) endLine() bool {
	line := strings.TrimSpace(r.line.String())
	r.line.Reset()
	if line != r.last {
		r.last, r.count = line, 0
	}
	r.count++
	limit := sameLines
	if drawn(line) {
		limit *= drawnFactor
	}
	return r.count >= limit
}

// periodic looks for a period of at most 60 bytes over the whole of the last
// 12 stretches.
func (r *repetition) periodic() bool {
	n := stretch * stretches
	if len(r.tail) < n {
		return false
	}
	s := string(r.tail[len(r.tail)-n:])
	for period := 1; period <= stretch; period++ {
		if s[period:] != s[:n-period] {
			continue
		}
		if !drawn(s[:period]) {
			return true
		}
		all := string(r.tail[max(0, len(r.tail)-keepTail):])
		return len(all) == keepTail && all[period:] == all[:keepTail-period]
	}
	return false
}

// drawn says that s is a rule, an indent or a frame: few kinds of characters,
// none of them a letter or digit.
func drawn(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80 {
			return false
		}
	}
	return true
}
