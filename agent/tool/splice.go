package tool

import (
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// maxCompare bounds the work of a comparison, as the product of the numbers of
// lines that differ, and maxLines their sum, which characters stand for.
// Beyond them the lines count as wholly replaced.
const (
	maxCompare = 1 << 24
	maxLines   = 1 << 20
)

// A run is what two lists of lines have to do with each other in one place:
// equal lines, or old ones that new ones replace.
type run struct {
	equal    bool
	old, new []string
}

// compare aligns two lists of lines. The same lists always give the same runs.
func compare(old, new []string) []run {
	head := 0
	for head < len(old) && head < len(new) && old[head] == new[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(new)-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	runs := appendRun(nil, run{true, old[:head], new[:head]})
	a, b := old[head:len(old)-tail], new[head:len(new)-tail]
	if len(a)*len(b) > maxCompare || len(a)+len(b) > maxLines {
		runs = appendRun(runs, run{false, a, b})
	} else {
		runs = appendMiddle(runs, a, b)
	}
	return appendRun(runs, run{true, old[len(old)-tail:], new[len(new)-tail:]})
}

func appendMiddle(runs []run, a, b []string) []run {
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // a time limit would make the result depend on the machine's load
	symbols := map[string]rune{}
	diffs := dmp.DiffMainRunes(toRunes(a, symbols), toRunes(b, symbols), false)
	var del, ins []string
	flush := func() {
		runs = appendRun(runs, run{false, del, ins})
		del, ins = nil, nil
	}
	for _, d := range diffs {
		n := utf8.RuneCountInString(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			flush()
			runs = appendRun(runs, run{true, a[:n], b[:n]})
			a, b = a[n:], b[n:]
		case diffmatchpatch.DiffDelete:
			del, a = append(del, a[:n]...), a[n:]
		case diffmatchpatch.DiffInsert:
			ins, b = append(ins, b[:n]...), b[n:]
		}
	}
	flush()
	return runs
}

// toRunes stands one character for each different line.
func toRunes(lines []string, symbols map[string]rune) []rune {
	out := make([]rune, len(lines))
	for i, line := range lines {
		r, known := symbols[line]
		if !known {
			r = rune(len(symbols) + 1)
			if r >= 0xD800 { // no character is a surrogate
				r += 0x800
			}
			symbols[line] = r
		}
		out[i] = r
	}
	return out
}

func appendRun(runs []run, r run) []run {
	if len(r.old) == 0 && len(r.new) == 0 {
		return runs
	}
	return append(runs, r)
}

// A splicer writes an edited text. Lines that stay are copied byte for byte
// from the old text; new ones take the line ends of what is around them.
type splicer struct {
	view lens
	out  strings.Builder
	pos  int // how far the old text has been copied or left out
}

// keep copies the old text up to an offset in it.
func (p *splicer) keep(to int) {
	if to > p.pos {
		p.out.WriteString(p.view.text[p.pos:to])
		p.pos = to
	}
}

// replace puts a hit's new text into its place, keeping the bytes of all lines
// that are equal in old and new, and of the beginning and end of changed ones.
func (p *splicer) replace(h hit, l level) {
	place, old := splitLines(p.view.s[h.from:h.to]), splitLines(h.old)
	if len(old) != len(place) {
		old = place
	}
	at := h.from
	for _, r := range compare(old, splitLines(h.new)) {
		was := strings.Join(place[:len(r.old)], "")
		place = place[len(r.old):]
		if r.equal {
			p.keep(p.view.end(at + len(was) - 1))
		} else {
			p.change(at, was, strings.Join(r.new, ""), l)
		}
		at += len(was)
	}
}

// change puts new lines into the place of those at at, which the lens shows as
// was.
func (p *splicer) change(at int, was, new string, l level) {
	now := lens{text: new, s: new}
	if l >= byCharacter {
		now = fold(new, false, true)
	}
	head, tail := common(was, now.s)
	from, to := 0, now.start(len(now.s)-tail)
	if head > 0 {
		p.keep(p.view.end(at + head - 1))
		from = now.end(head - 1)
	}
	p.insert(at+head, at+len(was)-tail, new[from:to])
	if tail > 0 {
		p.keep(p.view.end(at + len(was) - 1))
	}
}

// verbatim is replace without any adaptation.
func (p *splicer) verbatim(from, to int, new string) {
	p.keep(p.view.start(from))
	p.pos = p.view.end(to - 1)
	p.out.WriteString(new)
}

// insert replaces from..to of the lens by text, all of which is new.
func (p *splicer) insert(from, to int, text string) {
	ends := p.ends(from, to, strings.HasSuffix(text, "\n"))
	if from < to {
		p.keep(p.view.start(from))
		p.pos = p.view.end(to - 1)
	} else if from > 0 {
		p.keep(p.view.end(from - 1))
	}
	for i := 0; ; i++ {
		line, rest, more := strings.Cut(text, "\n")
		p.out.WriteString(line)
		if !more {
			return
		}
		p.out.WriteString(ends[min(i, len(ends)-1)])
		text = rest
	}
}

// ends are the line ends for new text in the place from..to: those of the
// lines that go; for whole lines between two others that of the one before;
// else that of the line that it comes into.
func (p *splicer) ends(from, to int, whole bool) []string {
	s := p.view.s
	var ends []string
	for i := from; i < to; i++ {
		if s[i] == '\n' {
			ends = append(ends, p.lineEnd(i))
		}
	}
	if len(ends) > 0 {
		return ends
	}
	before, after := strings.LastIndexByte(s[:from], '\n'), strings.IndexByte(s[to:], '\n')
	between := whole && from == to && before == from-1
	switch {
	case before >= 0 && (between || after < 0):
		return []string{p.lineEnd(before)}
	case after >= 0:
		return []string{p.lineEnd(to + after)}
	default:
		return []string{"\n"}
	}
}

// lineEnd is the end of a line whose line feed is byte i of the lens.
func (p *splicer) lineEnd(i int) string {
	if p.view.at == nil && i > 0 && p.view.s[i-1] == '\r' { // an exact lens shows the CR too
		return "\r\n"
	}
	return p.view.text[p.view.start(i):p.view.end(i)]
}

// rest copies what is left of the old text and returns the whole.
func (p *splicer) rest() string {
	p.keep(len(p.view.text))
	return p.out.String()
}

// common is the length of the beginning and of the end that two texts share,
// at borders of characters, without overlap. CR and LF stay together.
func common(a, b string) (head, tail int) {
	n := min(len(a), len(b))
	for head < n && a[head] == b[head] {
		head++
	}
	for head > 0 && !border(a, b, head) {
		head--
	}
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && !(border(a, a, len(a)-tail) && border(b, b, len(b)-tail)) {
		tail--
	}
	return head, tail
}

func border(a, b string, i int) bool {
	starts := func(s string) bool {
		return i == len(s) || utf8.RuneStart(s[i]) && !(s[i] == '\n' && i > 0 && s[i-1] == '\r')
	}
	return starts(a) && starts(b)
}
