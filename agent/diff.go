package agent

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// contextLines is how many unchanged lines stand around a change.
const contextLines = 3

// A fileDiff is a line diff over bytes, laid out for a question.
type fileDiff struct {
	lines          []event.Line
	refs           []int // by line: the line of the diff that it shows; -1 for a heading
	added, removed int
}

// stat is the diff's size, "+3 -1".
func (d fileDiff) stat() string { return fmt.Sprintf("+%d -%d", d.added, d.removed) }

// diffLine is one line of a whole diff: op is ' ', '+' or '-'.
type diffLine struct {
	op       byte
	text     string
	old, new int // line numbers, 0 where there is none

	// What a choice makes of it (choice.renumber).
	at    int  // its index in the diff
	left  bool // left out: nothing happens here
	yours bool // the person wrote it
	ended bool // it gets a line end, since other lines follow it now
}

// diffFiles compares two contents line by line. Lines that differ only in what
// an eye does not see are shown with everything made visible.
func diffFiles(before, after []byte) fileDiff {
	return layDiff(lineDiff(before, after), choice{}, allCRLF(before) && allCRLF(after))
}

// layDiff lays a diff out as the choice makes it.
func layDiff(lines []diffLine, c choice, crlf bool) fileDiff {
	lines = c.renumber(lines)
	var d fileDiff
	for _, l := range lines {
		switch {
		case l.left:
		case l.op == '+':
			d.added++
		case l.op == '-':
			d.removed++
		}
	}
	add := func(l event.Line, ref int) {
		d.lines, d.refs = append(d.lines, l), append(d.refs, ref)
	}
	for _, h := range hunks(lines) {
		add(event.Line{Kind: event.LineHunk, Text: hunkTitle(h)}, -1)
		show := visible.Source
		if looksSame(h) {
			show = visible.Strict
		}
		for _, l := range h {
			add(showLine(l, crlf, show), l.at)
		}
	}
	return d
}

// looksSame says that a removed line of h and an added one, which differ, are
// shown alike: by a tab here and spaces there.
func looksSame(h []diffLine) bool {
	removed := map[string]string{}
	for _, l := range h {
		if l.op == '-' {
			removed[visible.Source(l.text)] = l.text
		}
	}
	return slices.ContainsFunc(h, func(l diffLine) bool {
		other, ok := removed[visible.Source(l.text)]
		return l.op == '+' && ok && other != l.text
	})
}

// maxAligned is how many lines of both sides together are aligned; beyond it
// the whole middle is shown as replaced, since aligning costs the square.
const maxAligned = 10000

// lineDiff aligns the lines of two contents.
func lineDiff(before, after []byte) []diffLine {
	a, b := splitLines(before), splitLines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	n := numbering{}
	n.add(' ', a[:head]...)
	n.align(a[head:len(a)-tail], b[head:len(b)-tail])
	n.add(' ', a[len(a)-tail:]...)
	return n.lines
}

// numbering collects diff lines and counts them on both sides.
type numbering struct {
	lines    []diffLine
	old, new int
}

func (n *numbering) add(op byte, texts ...string) {
	for _, text := range texts {
		l := diffLine{op: op, text: text}
		if op != '+' {
			n.old++
			l.old = n.old
		}
		if op != '-' {
			n.new++
			l.new = n.new
		}
		n.lines = append(n.lines, l)
	}
}

// align adds two runs of lines that begin and end differently. Each distinct
// line is one code point for the library, which compares texts.
func (n *numbering) align(a, b []string) {
	if len(a) == 0 || len(b) == 0 || len(a)+len(b) > maxAligned {
		n.add('-', a...)
		n.add('+', b...)
		return
	}
	var table []string
	index := map[string]rune{}
	encode := func(lines []string) []rune {
		out := make([]rune, len(lines))
		for i, line := range lines {
			r, ok := index[line]
			if !ok {
				table = append(table, line)
				r = rune(len(table)) // at most maxAligned, far below the surrogates
				index[line] = r
			}
			out[i] = r
		}
		return out
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the same two files always give the same diff
	for _, part := range dmp.DiffMainRunes(encode(a), encode(b), false) {
		op := map[diffmatchpatch.Operation]byte{diffmatchpatch.DiffDelete: '-', diffmatchpatch.DiffInsert: '+', diffmatchpatch.DiffEqual: ' '}[part.Type]
		for _, r := range part.Text {
			n.add(op, table[r-1])
		}
	}
}

// splitLines splits after each line feed; the last line may have none.
func splitLines(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	lines := strings.SplitAfter(string(b), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// hunks cuts a diff into its changed places with the context around them.
func hunks(lines []diffLine) [][]diffLine {
	var out [][]diffLine
	for i := 0; i < len(lines); {
		if lines[i].op == ' ' {
			i++
			continue
		}
		start, end := max(0, i-contextLines), i+1
		for j := end; j < len(lines) && j <= end+2*contextLines; j++ {
			if lines[j].op != ' ' {
				end = j + 1
			}
		}
		stop := min(len(lines), end+contextLines)
		out = append(out, lines[start:stop])
		i = stop
	}
	return out
}

func hunkTitle(h []diffLine) string {
	first, last := 0, 0
	for _, l := range h {
		n := l.new
		if n == 0 {
			n = l.old
		}
		if first == 0 {
			first = n
		}
		last = n
	}
	return fmt.Sprintf("@@ lines %d-%d", first, last)
}

// showLine lays a line out as "  12   13 + text".
func showLine(l diffLine, crlf bool, show func(string) string) event.Line {
	text, ends := strings.CutSuffix(l.text, "\n")
	if crlf && ends {
		text = strings.TrimSuffix(text, "\r")
	}
	shown := show(text)
	switch {
	case ends:
	case l.ended:
		shown += "   (gets a line feed)"
	default:
		shown += "   (no line feed at the end)"
	}
	kind := event.LineContext
	switch {
	case l.left:
		kind = event.LineLeft
		shown += "   (left out)"
	case l.op == '+':
		kind = event.LineAdd
	case l.op == '-':
		kind = event.LineDelete
	}
	out := event.Line{Kind: kind, Text: fmt.Sprintf("%5s %5s %c %s", number(l.old), number(l.new), l.op, shown)}
	if l.yours {
		out.Mark = event.MarkYours
	}
	return out
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// allCRLF says that b has line ends and all of them are CRLF. An empty file
// has nothing that speaks against it.
func allCRLF(b []byte) bool {
	return bytes.Count(b, []byte("\n")) == bytes.Count(b, []byte("\r\n"))
}

// isText says whether content can be reviewed as lines.
func isText(b []byte) bool {
	return bytes.IndexByte(b, 0) < 0
}
