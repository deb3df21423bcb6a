package view

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/tui/theme"
)

// Plain is the text of a line.
func Plain(l Line) string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text.String())
	}
	return b.String()
}

// Marked makes every place of small in a line stand out.
func Marked(l Line, small string) Line {
	text := Plain(l)
	low := strings.ToLower(text)
	if small == "" || len(low) != len(text) || !strings.Contains(low, small) {
		return l // letters that change their length with their case are not marked
	}
	var out Line
	at := 0 // bytes of the line before this span
	for _, s := range l {
		n := len(s.Text.String())
		for from := 0; from < n; {
			i := strings.Index(low[at+from:], small)
			// A hit may have begun in the span before.
			if j := strings.LastIndex(low[:min(len(low), at+from+len(small)-1)], small); j >= 0 && j+len(small) > at+from {
				end := min(n, j+len(small)-at)
				out = append(out, Span{Text: s.Text.Slice(from, end), Style: theme.Chosen})
				from = end
				continue
			}
			if i < 0 || at+from+i >= at+n {
				out = append(out, Span{Text: s.Text.Slice(from, n), Style: s.Style})
				break
			}
			if i > 0 {
				out = append(out, Span{Text: s.Text.Slice(from, from+i), Style: s.Style})
			}
			end := min(n, from+i+len(small))
			out = append(out, Span{Text: s.Text.Slice(from+i, end), Style: theme.Chosen})
			from = end
		}
		at += n
	}
	return out
}
