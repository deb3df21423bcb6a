package sheet

import (
	"strings"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// pairs says which deleted line became which added one: the first of a run of
// deletions the first of the additions that follow it, and so on. 0 is none;
// else the index of the other one, plus one.
func pairs(lines []event.Line) []int {
	out := make([]int, len(lines))
	for i := 0; i < len(lines); {
		if lines[i].Kind != event.LineDelete {
			i++
			continue
		}
		del := i
		for i < len(lines) && lines[i].Kind == event.LineDelete {
			i++
		}
		add := i
		for i < len(lines) && lines[i].Kind == event.LineAdd {
			i++
		}
		for k := 0; del+k < add && add+k < i; k++ {
			out[del+k], out[add+k] = add+k+1, del+k+1
		}
	}
	return out
}

// changed is a line of a diff: where it took another's place, the characters
// that differ stand out. That is decoration, and leaves the text as it is.
func (s *Sheet) changed(i int, text safe.Text, style, mark theme.Style) view.Line {
	t := text.String()
	if s.pair[i] == 0 || len(t) < diffNumber {
		return view.Text(style, text)
	}
	other := safe.Shown(s.lines[s.pair[i]-1].Text).String()
	if len(other) < diffNumber {
		return view.Text(style, text)
	}
	from, to := differ(t[diffNumber:], other[diffNumber:])
	if from == to {
		return view.Text(style, text)
	}
	return view.Join(
		view.Text(style, text.Slice(0, diffNumber+from)),
		view.Text(mark, text.Slice(diffNumber+from, diffNumber+to)),
		view.Text(style, text.Slice(diffNumber+to, len(t))))
}

// differ is the part of a that is not in b, between what both begin and end
// with, in whole words. Two lines that have little in common differ nowhere.
func differ(a, b string) (from, to int) {
	n := min(len(a), len(b))
	for from < n && a[from] == b[from] {
		from++
	}
	end := 0
	for end < n-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	same := len(strings.TrimSpace(a[:from])) + len(strings.TrimSpace(a[len(a)-end:]))
	if same*3 < len(strings.TrimSpace(a)) || from == len(a) {
		return 0, 0
	}
	to = len(a) - end
	for from > 0 && (inWord(a, from) || !utf8.RuneStart(a[from])) {
		from--
	}
	for to < len(a) && (inWord(a, to) || !utf8.RuneStart(a[to])) {
		to++
	}
	return from, to
}

// inWord says that place i of s parts a word. What was made visible is one.
func inWord(s string, i int) bool { return i > 0 && i < len(s) && wordly(s[i-1]) && wordly(s[i]) }

func wordly(c byte) bool {
	return c == '_' || c == '<' || c == '>' || c == '+' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}
