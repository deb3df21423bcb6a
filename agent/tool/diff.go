package tool

import (
	"fmt"
	"strings"
)

// contextLines is how many equal lines a diff shows around a change.
const contextLines = 3

// A delta is the difference of two texts as a unified diff without file names.
type delta struct {
	body           string
	added, removed int
	ends           string // how the line ends changed, "" when they did not
}

func (d delta) String() string { return fmt.Sprintf("+%d -%d", d.added, d.removed) }

// shown is the diff as a model reads it, which writes LF for all line ends: a
// change of them is said in words.
func (d delta) shown() string { return d.ends + strings.ReplaceAll(d.body, "\r\n", "\n") }

// diffText compares two texts line by line. Lines that differ only in what
// cannot be seen, such as their ends, differ.
func diffText(before, after string) delta {
	var d delta
	var b strings.Builder
	h := hunk{}
	var recent []string // equal lines before the next change
	oldLine, newLine := 1, 1
	runs := compare(splitLines(before), splitLines(after))
	for i, r := range runs {
		if r.equal {
			last := i == len(runs)-1
			if h.open() && (last || len(r.old) > 2*contextLines) {
				h.context(r.old[:min(len(r.old), contextLines)])
				b.WriteString(h.String())
				h = hunk{}
			} else if h.open() {
				h.context(r.old)
			}
			recent = r.old[max(0, len(r.old)-contextLines):]
			oldLine, newLine = oldLine+len(r.old), newLine+len(r.new)
			continue
		}
		if !h.open() {
			h = hunk{oldFrom: oldLine - len(recent), newFrom: newLine - len(recent)}
			h.context(recent)
		}
		h.change(r)
		d.added, d.removed = d.added+len(r.new), d.removed+len(r.old)
		oldLine, newLine = oldLine+len(r.old), newLine+len(r.new)
		recent = nil
	}
	if h.open() {
		b.WriteString(h.String())
	}
	d.body = b.String()
	if was, is := lineEnds(before), lineEnds(after); was != is && strings.Contains(was+is, "CRLF") {
		d.ends = fmt.Sprintf("line ends: %s, now %s\n", was, is)
	}
	return d
}

// A hunk is one piece of a diff that is being written.
type hunk struct {
	oldFrom, newFrom   int
	oldCount, newCount int
	lines              strings.Builder
}

func (h *hunk) open() bool { return h.oldFrom > 0 }

func (h *hunk) context(lines []string) {
	for _, line := range lines {
		h.line(' ', line)
	}
	h.oldCount, h.newCount = h.oldCount+len(lines), h.newCount+len(lines)
}

func (h *hunk) change(r run) {
	for _, line := range r.old {
		h.line('-', line)
	}
	for _, line := range r.new {
		h.line('+', line)
	}
	h.oldCount, h.newCount = h.oldCount+len(r.old), h.newCount+len(r.new)
}

func (h *hunk) line(mark byte, line string) {
	h.lines.WriteByte(mark)
	h.lines.WriteString(strings.TrimSuffix(line, "\n"))
	h.lines.WriteByte('\n')
	if !strings.HasSuffix(line, "\n") {
		h.lines.WriteString(noNewline + "\n")
	}
}

// noNewline is diff's mark of a last line without an end.
const noNewline = `\ No newline at end of file`

// String is the hunk as it stands in a diff. A side without lines counts from
// the line before (POSIX diff, "Diff -u Output Format").
func (h *hunk) String() string {
	from := func(line, count int) int {
		if count == 0 {
			return line - 1
		}
		return line
	}
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s",
		from(h.oldFrom, h.oldCount), h.oldCount, from(h.newFrom, h.newCount), h.newCount, h.lines.String())
}
