package tool

import (
	"fmt"
	"strconv"
	"strings"
)

// A patch is the unified diff of one file (POSIX diff, "Diff -u Output Format",
// with git's extended headers).
type patch struct {
	oldName, newName string // as written; "" when the diff has no such line
	from, to         string // of a rename, as written
	hunks            []patchHunk
	source           string // its lines of the diff
}

// creates and deletes say that one side of the diff is no file.
func (p patch) creates() bool { return p.oldName == devNull }
func (p patch) deletes() bool { return p.newName == devNull }

const devNull = "/dev/null"

// A patchHunk is one piece: its lines but the added ones are found as a whole,
// and become its lines but the deleted ones.
type patchHunk struct {
	from      int // first line of the old side, 0 when the header does not say
	lines     []patchLine
	old, new  int  // numbers of lines of the two sides
	miscount  bool // the header gives other numbers
	oldNoEnd  bool // the last line of the old side has no line feed
	newNoEnd  bool
	headerRow int // line of the diff, for messages
}

// A patchLine is a line of a hunk without its mark and line feed; a CR before
// the line feed is part of it.
type patchLine struct {
	mark byte // ' ', '-' or '+'
	text string
	cut  bool // an empty line without its mark
}

// parsePatch reads the diff of one file.
func parsePatch(diff string) (patch, error) {
	all, err := parsePatches(diff)
	switch {
	case err != nil:
		return patch{}, err
	case len(all) > 1:
		return patch{}, &ArgumentError{fmt.Sprintf("this is the diff of %d files, and one file was expected", len(all))}
	}
	return all[0], nil
}

// maxPatched is how many files one diff changes.
const maxPatched = 100

// parsePatches reads a diff of one or more files. Whatever it does not
// understand is an error: a line that is passed over could be the one that
// matters.
func parsePatches(diff string) ([]patch, error) {
	p := patchParser{lines: splitLines(diff)}
	var all []patch
	for p.row < len(p.lines) {
		from := p.row
		for p.row < len(p.lines) && !p.ended(from) {
			if err := p.step(); err != nil {
				return nil, err
			}
		}
		if err := p.patch.whole(); err != nil {
			return nil, err
		}
		p.patch.source = strings.Join(p.lines[from:p.row], "")
		if all, p.patch = append(all, p.patch), (patch{}); len(all) > maxPatched {
			return nil, p.fail("the diff changes more than %d files: do it in parts", maxPatched)
		}
	}
	if len(all) == 0 {
		return nil, (patch{}).whole()
	}
	return all, nil
}

// ended says that the present line begins the diff of another file than the one
// that began in line from.
func (p *patchParser) ended(from int) bool {
	if p.row == from {
		return false
	}
	if strings.HasPrefix(p.line(p.row), "diff --git ") {
		return len(p.patch.hunks) > 0 || p.patch.from != ""
	}
	return len(p.patch.hunks) > 0 && p.nextFile()
}

// whole says what is missing in the diff of one file.
func (p patch) whole() error {
	switch {
	case (p.from == "") != (p.to == ""):
		return &ArgumentError{"the diff has a `rename from` without its `rename to`, or the other way round"}
	case len(p.hunks) == 0 && p.from == "":
		return &ArgumentError{"the diff has no hunk: it needs a line such as @@ -10,6 +10,7 @@ and the lines below it"}
	case p.from != "" && (p.creates() || p.deletes()):
		return &ArgumentError{"the diff renames a file and makes or deletes it: one of the two"}
	}
	return nil
}

type patchParser struct {
	lines []string
	row   int
	patch patch
}

func (p *patchParser) fail(format string, args ...any) error {
	return &ArgumentError{fmt.Sprintf(format, args...)}
}

func (p *patchParser) line(row int) string {
	if row >= len(p.lines) {
		return ""
	}
	return strings.TrimRight(p.lines[row], "\r\n")
}

// step reads one header line or one whole hunk.
func (p *patchParser) step() error {
	line := p.line(p.row)
	switch {
	case strings.HasPrefix(line, "@@"):
		return p.hunk()
	case len(p.patch.hunks) > 0 && strings.TrimSpace(line) == "":
		p.row++
	case len(p.patch.hunks) > 0:
		return p.fail("line %d of the diff belongs to no hunk: %q. Each line of a hunk begins with a space, + or -, and the diff of a further file with --- and +++", p.row+1, clip(line, 80))
	case strings.HasPrefix(line, "rename from "):
		p.patch.from = unquoteName(line[len("rename from "):])
		p.row++
	case strings.HasPrefix(line, "rename to "):
		p.patch.to = unquoteName(line[len("rename to "):])
		p.row++
	case strings.HasPrefix(line, "--- "):
		p.patch.oldName = headerName(line)
		p.row++
	case strings.HasPrefix(line, "+++ "):
		p.patch.newName = headerName(line)
		p.row++
	case harmlessHeader(line):
		p.row++
	default:
		return p.fail("line %d of the diff is not understood: %q", p.row+1, clip(line, 80))
	}
	return nil
}

// headerName is the name in a --- or +++ line; diff puts a time behind a tab.
func headerName(line string) string {
	name, _, _ := strings.Cut(line[len("--- "):], "\t")
	return unquoteName(name)
}

// unquoteName reads a name as git writes one with unusual characters.
func unquoteName(name string) string {
	name = strings.TrimSpace(name)
	if unquoted, err := strconv.Unquote(name); err == nil {
		name = unquoted
	}
	return name
}

// harmlessHeader says that a line before the first hunk changes nothing. Those
// of modes, copies and binary content would.
func harmlessHeader(line string) bool {
	if strings.TrimSpace(line) == "" {
		return true
	}
	for _, prefix := range []string{"diff ", "index ", "Index: ", "====", "new file mode 100644", "deleted file mode ", "similarity index ", "dissimilarity index "} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// hunk reads a header and the lines below it. Where the header counts wrong,
// the lines themselves count.
func (p *patchParser) hunk() error {
	h := patchHunk{headerRow: p.row + 1}
	head, err := h.header(p.line(p.row))
	if err != nil {
		return err
	}
	for p.row++; p.row < len(p.lines) && !p.nextFile(); p.row++ {
		more, err := h.add(strings.TrimSuffix(p.lines[p.row], "\n"), p.row+1)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	for n := len(h.lines); n > 0 && h.lines[n-1].cut && (!head.given || h.old > head.old && h.new > head.new); n-- {
		h.lines, h.old, h.new = h.lines[:n-1], h.old-1, h.new-1 // an empty line between hunks, or at the end
	}
	h.miscount = head.given && (h.old != head.old || h.new != head.new)
	if len(h.lines) == 0 {
		return p.fail("the hunk in line %d of the diff has no lines", h.headerRow)
	}
	p.patch.hunks = append(p.patch.hunks, h)
	return nil
}

// nextFile says that the present line begins the diff of another file.
func (p *patchParser) nextFile() bool {
	return strings.HasPrefix(p.line(p.row), "diff --git ") ||
		strings.HasPrefix(p.line(p.row), "--- ") && strings.HasPrefix(p.line(p.row+1), "+++ ") && strings.HasPrefix(p.line(p.row+2), "@@")
}

// counts are the numbers of lines that a header gives.
type counts struct {
	given    bool
	old, new int
}

// header reads "@@ -a,b +c,d @@ …"; a bare "@@" has no numbers.
func (h *patchHunk) header(line string) (counts, error) {
	inner, _, closed := strings.Cut(strings.TrimPrefix(line, "@@"), "@@")
	fields := strings.Fields(inner)
	if len(fields) == 0 {
		return counts{}, nil
	}
	if closed && len(fields) == 2 && fields[0][0] == '-' && fields[1][0] == '+' {
		from, old, ok := span(fields[0][1:])
		_, new, ok2 := span(fields[1][1:])
		if h.from = from; ok && ok2 {
			return counts{true, old, new}, nil
		}
	}
	return counts{}, &ArgumentError{fmt.Sprintf("line %d of the diff is no hunk header: %q; it looks like @@ -10,6 +10,7 @@", h.headerRow, clip(line, 80))}
}

// span reads "12,3" or "12".
func span(s string) (from, count int, ok bool) {
	a, b, both := strings.Cut(s, ",")
	if !both {
		b = "1"
	}
	from, err := strconv.Atoi(a)
	count, err2 := strconv.Atoi(b)
	return from, count, err == nil && err2 == nil && from >= 0 && count >= 0
}

// add takes a line of the body; more is false when it is not one. An empty
// line is an empty line of context whose mark an editor has cut off.
func (h *patchHunk) add(line string, row int) (more bool, err error) {
	switch {
	case line == "" || line == "\r":
		h.lines = append(h.lines, patchLine{' ', line, true})
		h.old, h.new = h.old+1, h.new+1
		return true, nil
	case line[0] == '\\':
		return true, h.noEnd(row)
	case line[0] == ' ':
		h.old, h.new = h.old+1, h.new+1
	case line[0] == '-':
		h.old++
	case line[0] == '+':
		h.new++
	default:
		return false, nil
	}
	h.lines = append(h.lines, patchLine{line[0], line[1:], false})
	return true, nil
}

// noEnd notes that the last line so far has no line feed.
func (h *patchHunk) noEnd(row int) error {
	if len(h.lines) == 0 {
		return &ArgumentError{fmt.Sprintf("line %d of the diff marks a line without an end, and there is none before it", row)}
	}
	mark := h.lines[len(h.lines)-1].mark
	h.oldNoEnd = h.oldNoEnd || mark != '+'
	h.newNoEnd = h.newNoEnd || mark != '-'
	return nil
}
