package undo

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// merge3 takes the step from base to theirs within mine, where the two touch
// different lines with at least one unchanged line between them. ok is false
// for everything else: then nobody can say what both wanted.
func merge3(base, mine, theirs []byte) (out []byte, ok bool) {
	if !isText(base) || !isText(mine) || !isText(theirs) {
		return nil, false
	}
	b := lines(base)
	ours, ok1 := hunksOf(b, lines(mine))
	others, ok2 := hunksOf(b, lines(theirs))
	if !ok1 || !ok2 {
		return nil, false
	}
	all := append(slices.Clone(ours), others...)
	slices.SortStableFunc(all, func(x, y hunk) int { return x.from - y.from })
	for i := 1; i < len(all); i++ {
		if all[i].from <= all[i-1].to { // they touch: also two insertions at one place
			return nil, false
		}
	}
	var buf bytes.Buffer
	at := 0
	for _, h := range all {
		write(&buf, b[at:h.from])
		write(&buf, h.put)
		at = h.to
	}
	write(&buf, b[at:])
	return buf.Bytes(), true
}

func isText(b []byte) bool { return bytes.IndexByte(b, 0) < 0 && utf8.Valid(b) }

func write(buf *bytes.Buffer, lines []string) {
	for _, l := range lines {
		buf.WriteString(l)
	}
}

// lines cuts after each line feed; joined again they are the content.
func lines(b []byte) []string {
	var out []string
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n') + 1
		if i == 0 {
			i = len(b)
		}
		out = append(out, string(b[:i]))
		b = b[i:]
	}
	return out
}

// A hunk replaces the lines from..to of the base.
type hunk struct {
	from, to int
	put      []string
}

// maxEdits bounds the work of a comparison: beyond it the two are too
// different to be merged.
const maxEdits = 2000

// hunksOf compares two rows of lines (Myers, "An O(ND) difference algorithm",
// 1986). ok is false where they differ in more than maxEdits lines.
func hunksOf(a, b []string) (out []hunk, ok bool) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	trace, ok := editTrace(a[head:len(a)-tail], b[head:len(b)-tail])
	if !ok {
		return nil, false
	}
	for _, h := range backtrack(trace, a[head:len(a)-tail], b[head:len(b)-tail]) {
		h.from, h.to = h.from+head, h.to+head
		out = append(out, h)
	}
	return out, true
}

// editTrace is the furthest reach on each diagonal, for every number of edits.
func editTrace(a, b []string) (trace [][]int, ok bool) {
	n, m := len(a), len(b)
	most := min(n+m, maxEdits)
	v := make([]int, 2*most+3)
	at := func(k int) *int { return &v[k+most+1] }
	for d := 0; d <= most; d++ {
		trace = append(trace, slices.Clone(v[most+1-d:most+2+d]))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && *at(k - 1) < *at(k + 1) {
				x = *at(k + 1)
			} else {
				x = *at(k - 1) + 1
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			*at(k) = x
			if x >= n && x-k >= m {
				return trace, true
			}
		}
	}
	return nil, false
}

// backtrack walks the trace from its end and joins neighbouring edits.
func backtrack(trace [][]int, a, b []string) []hunk {
	var out []hunk
	x, y := len(a), len(b)
	for d := len(trace) - 1; d > 0; d-- {
		row := trace[d] // the reach before d: its diagonals are -d..d
		at := func(k int) int { return row[k+d] }
		k := x - y
		prev := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			prev = k + 1
		}
		px := at(prev)
		py := px - prev
		if prev == k+1 { // an inserted line: b[py]
			out = prepend(out, hunk{px, px, b[py : py+1]})
		} else { // a removed line: a[px]
			out = prepend(out, hunk{px, px + 1, nil})
		}
		x, y = px, py
	}
	return out
}

// prepend adds an edit before the first hunk, or to it where they touch.
func prepend(hunks []hunk, h hunk) []hunk {
	if len(hunks) > 0 && hunks[0].from == h.to {
		first := hunks[0]
		hunks[0] = hunk{h.from, first.to, append(slices.Clone(h.put), first.put...)}
		return hunks
	}
	return append([]hunk{h}, hunks...)
}
