package agent

import (
	"bytes"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// A reading is how two versions of a file are read as lines: byte by byte, so
// that every choice of lines gives back exactly the bytes that were there, but
// for UTF-16, whose lines cannot be seen in its bytes.
type reading struct {
	before, after string
	write         func(string) []byte
	wide          bool
}

// read reads both versions; ok is false for what cannot be reviewed as lines.
func readBoth(before, after []byte) (r reading, ok bool) {
	if isText(before) && isText(after) {
		return reading{string(before), string(after), func(s string) []byte { return []byte(s) }, false}, true
	}
	a, wideA, writeA, errA := tool.ReadText(before)
	b, wideB, writeB, errB := tool.ReadText(after)
	switch {
	case errA != nil || errB != nil:
		return reading{}, false
	case len(before) == 0 && wideB:
		return reading{"", b, writeB, true}, true
	case len(after) == 0 && wideA:
		return reading{a, "", writeA, true}, true
	case wideA && wideB && bytes.Equal(before[:2], after[:2]):
		return reading{a, b, writeB, true}, true
	default:
		return reading{}, false
	}
}

// lineEnd is the end that a line of the text gets that has none.
func lineEnd(s string) string {
	if strings.Contains(s, "\r\n") && allCRLF([]byte(s)) {
		return "\r\n"
	}
	return "\n"
}

// A choice is which lines of a diff the person left out, and which he wrote
// himself. The zero choice takes all of it as it is.
type choice struct {
	left  map[int]bool // by index in the diff
	yours map[int]bool
}

// stays says whether a line of the diff stands in the result.
func (c choice) stays(i int, l diffLine) bool {
	switch l.op {
	case '+':
		return !c.left[i]
	case '-':
		return c.left[i]
	default:
		return true
	}
}

// renumber gives the lines the numbers that they have with the choice, and
// finds those that get a line end since others follow them now.
func (c choice) renumber(lines []diffLine) []diffLine {
	out := make([]diffLine, len(lines))
	last := -1
	for i, l := range lines {
		if c.stays(i, l) {
			last = i
		}
	}
	n := 0
	for i, l := range lines {
		l.at, l.left, l.yours, l.new = i, c.left[i] && l.op != ' ', c.yours[i], 0
		if c.stays(i, l) {
			n++
			l.new = n
			l.ended = i != last && !strings.HasSuffix(l.text, "\n")
		}
		out[i] = l
	}
	return out
}

// result is the text that the choice makes of the diff.
func (c choice) result(lines []diffLine, end string) string {
	var b strings.Builder
	for i, l := range c.renumber(lines) {
		if !c.stays(i, l) {
			continue
		}
		b.WriteString(l.text)
		if l.ended {
			b.WriteString(end)
		}
	}
	return b.String()
}
