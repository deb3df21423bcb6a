package tool

import (
	"fmt"
	"strings"
)

// patched is a text after a patch, and what is to be said about it.
type patched struct {
	text  string
	notes []string
}

// apply puts a patch onto a text. Context and deleted lines must stand in it,
// as a whole and in order: where the header says, else in exactly one other
// place. Line ends count only if the patch has CRs itself and fits with them;
// otherwise kept lines keep theirs and new ones take those of the lines that
// they replace, or stand beside.
func (p patch) apply(s string) (patched, error) {
	if p.hasCR() {
		if out, err := p.applyAs(s, true); err == nil {
			return out, nil
		}
	}
	return p.applyAs(s, false)
}

func (p patch) hasCR() bool {
	for _, h := range p.hunks {
		for _, l := range h.lines {
			if strings.HasSuffix(l.text, "\r") {
				return true
			}
		}
	}
	return false
}

func (p patch) applyAs(s string, withCR bool) (patched, error) {
	a := newPatcher(s, withCR)
	for i, h := range p.hunks {
		at, err := a.locate(h, i+1)
		if err != nil {
			return patched{}, err
		}
		if err := a.put(h, at); err != nil {
			return patched{}, err
		}
	}
	return patched{a.finish(), a.notes}, nil
}

// A patcher is a text that is being patched, line by line.
type patcher struct {
	source string
	withCR bool
	lines  []string
	hay    string // the lines as they are compared, each behind a line feed
	starts []int  // where the line feed before each line is in hay
	pos    int    // lines that are done
	drift  int    // how far the last hunk was from where its header said
	out    []string
	notes  []string
	end    *bool // what a hunk said of the last line's end
}

func newPatcher(s string, withCR bool) *patcher {
	a := &patcher{source: s, withCR: withCR, lines: splitLines(s)}
	var b strings.Builder
	for _, line := range a.lines {
		a.starts = append(a.starts, b.Len())
		b.WriteString("\n" + a.key(strings.TrimSuffix(line, "\n")))
	}
	b.WriteString("\n")
	a.hay = b.String()
	return a
}

func (a *patcher) key(line string) string {
	if a.withCR {
		return line
	}
	return strings.TrimSuffix(line, "\r")
}

// locate finds the one place for a hunk, as the index of its first line.
func (a *patcher) locate(h patchHunk, n int) (int, error) {
	if h.old == 0 {
		if len(a.lines) == 0 {
			return 0, nil
		}
		return 0, &ArgumentError{fmt.Sprintf("hunk %d has only new lines: give the lines around it too, so that its place can be checked", n)}
	}
	var needle strings.Builder
	for _, l := range h.lines {
		if l.mark != '+' {
			needle.WriteString("\n" + a.key(l.text))
		}
	}
	needle.WriteString("\n")
	if at := h.from - 1 + a.drift; h.from > 0 && at >= a.pos && at < len(a.lines) && strings.HasPrefix(a.hay[a.starts[at]:], needle.String()) {
		return at, nil
	}
	places := a.places(needle.String())
	if len(places) != 1 {
		return 0, a.lost(h, n, needle.String(), places)
	}
	if at := places[0]; h.from > 0 {
		if a.drift = at - (h.from - 1); a.drift != 0 {
			a.notes = append(a.notes, fmt.Sprintf("hunk %d stands at line %d, not at line %d as its header says", n, at+1, h.from))
		}
	}
	return places[0], nil
}

// places are the lines where all of needle stands, behind what is done.
func (a *patcher) places(needle string) []int {
	var out []int
	if a.pos >= len(a.lines) {
		return nil
	}
	line, done := a.pos, a.starts[a.pos]
	for len(out) <= maxPlaces {
		i := strings.Index(a.hay[done:], needle)
		if i < 0 {
			break
		}
		line += strings.Count(a.hay[done:done+i], "\n")
		out = append(out, line)
		done += i + 1
		line++
	}
	return out
}

func (a *patcher) lost(h patchHunk, n int, needle string, places []int) error {
	if len(places) > 0 {
		var at []string
		for _, line := range places[:min(len(places), maxPlaces)] {
			at = append(at, fmt.Sprint(line+1))
		}
		return &ArgumentError{fmt.Sprintf("hunk %d fits in several places, at lines %s: give the right line number in its header, or more context", n, strings.Join(at, ", "))}
	}
	if strings.Contains(a.hay, needle) {
		return &ArgumentError{fmt.Sprintf("hunk %d stands before or in the hunk above it: write the hunks in the order of the file", n)}
	}
	message := fmt.Sprintf("hunk %d does not fit: its context and deleted lines do not stand in the file as a whole", n)
	if region := nearest(a.source, strings.Trim(needle, "\n")); region != "" {
		return &QuoteError{&ArgumentError{message + ". The most similar lines are:\n" + region}}
	}
	return &ArgumentError{message}
}

// put writes the lines before a hunk, and the hunk.
func (a *patcher) put(h patchHunk, at int) error {
	a.out = append(a.out, a.lines[a.pos:at]...)
	if h.miscount {
		a.notes = append(a.notes, fmt.Sprintf("the header in line %d of the diff counts its lines wrong; the lines themselves were taken", h.headerRow))
	}
	var gone []string // ends of the lines deleted in this change
	added := 0
	for _, l := range h.lines {
		switch l.mark {
		case ' ':
			a.out = append(a.out, a.lines[at])
			at, gone, added = at+1, nil, 0
		case '-':
			gone = append(gone, endOf(a.lines[at]))
			at++
		default:
			a.out = append(a.out, a.key(l.text)+a.newEnd(gone, added, at))
			added++
		}
	}
	a.pos = at
	return a.checkEnd(h)
}

// newEnd is the end for an added line.
func (a *patcher) newEnd(gone []string, added, at int) string {
	candidates := gone
	if len(gone) > 0 {
		candidates = gone[min(added, len(gone)-1):]
	}
	if len(candidates) > 0 && candidates[0] != "" {
		return a.lineFeed(candidates[0])
	}
	for i := min(at, len(a.lines)) - 1; i >= 0; i-- {
		if end := endOf(a.lines[i]); end != "" {
			return a.lineFeed(end)
		}
	}
	if at < len(a.lines) && endOf(a.lines[at]) != "" {
		return a.lineFeed(endOf(a.lines[at]))
	}
	return "\n"
}

// lineFeed leaves the CR out where the patch brings its own.
func (a *patcher) lineFeed(end string) string {
	if a.withCR {
		return "\n"
	}
	return end
}

func endOf(line string) string { return line[len(bare(line)):] }

// checkEnd holds what a hunk says of the end of the last line to the file.
func (a *patcher) checkEnd(h patchHunk) error {
	if !h.oldNoEnd && !h.newNoEnd {
		return nil
	}
	last := a.pos == len(a.lines)
	hasEnd := len(a.lines) == 0 || strings.HasSuffix(a.lines[len(a.lines)-1], "\n")
	if !last || h.oldNoEnd == hasEnd && h.old > 0 {
		return &ArgumentError{fmt.Sprintf("the hunk in line %d of the diff speaks of a last line without a line feed, and the file is otherwise there", h.headerRow)}
	}
	end := !h.newNoEnd
	a.end = &end
	return nil
}

// finish writes what is left. The last line keeps its state, with a line feed
// or without one, unless a hunk says otherwise.
func (a *patcher) finish() string {
	a.out = append(a.out, a.lines[a.pos:]...)
	if len(a.out) == 0 {
		return ""
	}
	last := len(a.out) - 1
	for i, line := range a.out[:last] {
		if !strings.HasSuffix(line, "\n") {
			a.out[i] = line + a.newEnd(nil, 0, len(a.lines))
		}
	}
	hadEnd := len(a.lines) == 0 || strings.HasSuffix(a.lines[len(a.lines)-1], "\n")
	want := hadEnd
	if a.end != nil {
		want = *a.end
	}
	switch line := a.out[last]; {
	case !want && a.withCR:
		a.out[last] = strings.TrimSuffix(line, "\n")
	case !want:
		a.out[last] = bare(line)
	case !strings.HasSuffix(line, "\n"):
		a.out[last] = line + a.newEnd(nil, 0, len(a.lines))
	}
	return strings.Join(a.out, "")
}
