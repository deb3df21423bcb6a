package transcript

import (
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/tui/markdown"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

var chosenMark = view.Lit(theme.Key, safe.Lit(">"))

// draw lays an item out.
func (r *Room) draw(it *snap.Item, gap bool) block {
	b := block{gap: gap}
	width := max(1, r.width-labelWidth)
	switch it.Kind {
	case snap.You:
		b.label = view.Lit(theme.Who, safe.Lit("you"))
		b.lines = r.wrapped(theme.Strong, safe.Prose(it.Text), width)
		if it.Word != "" {
			b.lines = append(b.lines, r.wrapped(theme.Dim, []safe.Text{safe.Strict(it.Word)}, width)...)
		}
	case snap.Pilot:
		b.label = view.Lit(theme.Who, safe.Lit("pilot"))
		b.lines = r.answer(it, width)
	case snap.Thought:
		b.lines = r.thought(it, width)
	case snap.Tool:
		b.label, b.lines = r.tool(&it.Call, r.opened[it.ID], width)
	case snap.Change:
		b.label = view.Lit(theme.Dim, safe.Lit(" --"))
		b.lines = r.change(it, width)
		if r.opened[it.ID] != it.Full && it.Body != "" {
			b.lines = append(b.lines, r.wrapped(theme.Dim, safe.Prose(it.Body), width)...)
		}
	case snap.Ended:
		b.label = view.Lit(theme.Bad, safe.Lit(" !"))
		text := view.Join(view.Lit(theme.Bad, safe.Lit("turn ")), view.Text(theme.Bad, safe.Strict(it.Word)))
		if it.Text != "" {
			text = view.Join(text, view.Lit(theme.Plain, safe.Lit("  ")), view.Text(theme.Plain, safe.Strict(it.Text)))
		}
		b.lines = r.widths.Wrap(text, width, 2)
	}
	if len(b.lines) == 0 {
		b.lines = []view.Line{nil}
	}
	return b
}

func (r *Room) wrapped(style theme.Style, texts []safe.Text, width int) []view.Line {
	var out []view.Line
	for _, t := range texts {
		out = append(out, r.widths.Wrap(view.Text(style, t), width, 0)...)
	}
	return out
}

// answer draws Markdown. What is coming in is drawn piece by piece.
func (r *Room) answer(it *snap.Item, width int) []view.Line {
	if !it.Open {
		if r.mdFor == it.ID {
			r.md, r.mdFor = nil, 0
		}
		return markdown.Render(it.Text, width, r.widths)
	}
	if r.md == nil || r.mdFor != it.ID || !r.md.Fits(width, r.widths) {
		r.md, r.mdFor = markdown.New(width, r.widths), it.ID
	}
	return r.md.Feed(it.Text)
}

// thought is one line until it is opened.
func (r *Room) thought(it *snap.Item, width int) []view.Line {
	texts := safe.Prose(strings.TrimSpace(it.Text))
	head := view.Lit(theme.Dim, safe.Lit("thought  "))
	if r.opened[it.ID] {
		return append([]view.Line{head}, r.wrapped(theme.Dim, texts, width)...)
	}
	tail := view.Line(nil)
	if n := len(texts) - 1; n > 0 {
		tail = view.Lit(theme.Dim, more(n))
	}
	show := texts[0]
	if it.Open {
		show, tail = texts[len(texts)-1], nil // what it thinks now
	}
	return []view.Line{r.widths.Ends(view.Join(head, view.Text(theme.Dim, show)), tail, width, 20)}
}

func (r *Room) change(it *snap.Item, width int) []view.Line {
	left := view.Join(
		view.Text(theme.Dim, safe.Strict(it.Word)), view.Spaces(2), view.Text(theme.Plain, safe.Strict(it.Text)))
	var right view.Line
	if it.By != "" {
		right = view.Text(theme.Dim, Who(it.By))
	}
	if r.widths.Line(left) > width {
		return r.widths.Wrap(left, width, 2)
	}
	return []view.Line{r.widths.Ends(left, right, width, 30)}
}

// more says how many lines are there to be opened.
func more(n int) safe.Text {
	if n == 1 {
		return safe.Lit("1 more line")
	}
	return safe.Join(safe.Int(n), safe.Lit(" more lines"))
}

// Draw lays one item out, outside of any screen.
func Draw(it *snap.Item, width int, w view.Widths, now time.Time) []view.Line {
	one := Room{width: width, widths: w, now: now}
	b := one.draw(it, false)
	out := make([]view.Line, b.len())
	for i := range out {
		out[i] = b.at(i, w, false)
	}
	return out
}
