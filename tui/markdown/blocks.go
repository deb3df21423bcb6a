package markdown

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// blocks draws lines that no blank line and no fence parts.
func (r *Renderer) blocks(lines []string) {
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case heading(line) > 0:
			r.gap = r.gap || len(r.lines) > 0
			text := strings.TrimRight(strings.TrimSpace(line)[heading(line):], "# ")
			r.paragraph(strings.TrimSpace(text), theme.Heading, 0, 0)
			i++
		case isRule(line):
			r.emit(view.Rule(min(r.width, 40)))
			i++
		case i+1 < len(lines) && isTable(line, lines[i+1]):
			n := 2
			for i+n < len(lines) && strings.Contains(lines[i+n], "|") {
				n++
			}
			r.table(lines[i : i+n])
			i += n
		default:
			n := paragraphLines(lines[i:])
			r.text(lines[i : i+n])
			i += n
		}
	}
}

// heading is the number of marks that a heading begins with, 0 for none.
func heading(line string) int {
	t := strings.TrimSpace(line)
	n := len(t) - len(strings.TrimLeft(t, "#"))
	if n < 1 || n > 6 || n < len(t) && t[n] != ' ' {
		return 0
	}
	return n
}

// isRule says that a line is a thematic break.
func isRule(line string) bool {
	t := strings.ReplaceAll(strings.TrimSpace(line), " ", "")
	return len(t) >= 3 && strings.IndexByte("-*_", t[0]) >= 0 && strings.Trim(t, t[:1]) == ""
}

// isTable says that two lines are the head of a table and its separator.
func isTable(head, separator string) bool {
	return strings.Contains(head, "|") && strings.Contains(separator, "|") &&
		strings.Contains(separator, "-") && strings.Trim(separator, "|-: ") == ""
}

// paragraphLines is how many lines belong together with the first one.
func paragraphLines(lines []string) int {
	n := 1
	if quoted(lines[0]) {
		for n < len(lines) && quoted(lines[n]) {
			n++
		}
		return n
	}
	for n < len(lines) && heading(lines[n]) == 0 && !isRule(lines[n]) && marker(lines[n]) == 0 &&
		!quoted(lines[n]) && !strings.HasPrefix(lines[n], "    ") &&
		(n+1 >= len(lines) || !isTable(lines[n], lines[n+1])) {
		n++
	}
	return n
}

func quoted(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), ">") }

// marker is the length of the list marker that a line begins with, counted
// from the first character that is no blank; 0 for none.
func marker(line string) int {
	t := strings.TrimLeft(line, " ")
	if len(t) > 1 && strings.IndexByte("-*+", t[0]) >= 0 && t[1] == ' ' {
		return 2
	}
	n := 0
	for n < len(t) && n < 9 && t[n] >= '0' && t[n] <= '9' {
		n++
	}
	if n > 0 && n+1 < len(t) && (t[n] == '.' || t[n] == ')') && t[n+1] == ' ' {
		return n + 2
	}
	return 0
}

// maxIndent keeps deep nesting on the screen.
const maxIndent = 12

// text draws one paragraph, list item or quote.
func (r *Renderer) text(lines []string) {
	first := strings.TrimRight(lines[0], " ")
	indent := min(len(first)-len(strings.TrimLeft(first, " ")), maxIndent)
	first = strings.TrimLeft(first, " ")
	switch n := marker(first); {
	case n > 0:
		hang := n
		r.paragraph(first[:n-1]+" "+strings.TrimLeft(joined(append([]string{first[n:]}, lines[1:]...)), " "), theme.Plain, indent, hang)
	case strings.HasPrefix(first, ">"):
		var body []string
		for _, l := range lines {
			body = append(body, strings.TrimPrefix(strings.TrimLeft(strings.TrimLeft(l, " "), ">"), " "))
		}
		r.paragraph("> "+joined(body), theme.Quote, indent, 2)
	default:
		r.paragraph(joined(append([]string{first}, lines[1:]...)), theme.Plain, indent, 0)
	}
}

// joined is a paragraph's lines as one, but for hard breaks.
func joined(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		t := strings.TrimSpace(l)
		hard := strings.HasSuffix(l, "  ") || strings.HasSuffix(t, `\`)
		b.WriteString(strings.TrimSuffix(t, `\`))
		switch {
		case i == len(lines)-1:
		case hard:
			b.WriteByte('\n')
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// paragraph draws running text with its inline marks.
func (r *Renderer) paragraph(s string, style theme.Style, indent, hang int) {
	if indent+hang >= r.width/2 {
		indent = 0
	}
	for i, part := range strings.Split(s, "\n") {
		left := indent
		if i > 0 {
			left += hang
		}
		rows := r.widths.Wrap(inline(part, style), r.width-left, hang)
		for _, row := range rows {
			r.emit(view.Join(view.Spaces(left), row))
		}
	}
}

// table draws a table with its columns aligned, or as it stands where it is
// too wide for that.
func (r *Renderer) table(lines []string) {
	var rows [][]view.Line
	var widths []int
	for i, l := range lines {
		if i == 1 {
			continue
		}
		var row []view.Line
		for c, cell := range strings.Split(strings.Trim(strings.TrimSpace(l), "|"), "|") {
			style := theme.Plain
			if i == 0 {
				style = theme.Strong
			}
			row = append(row, inline(strings.TrimSpace(cell), style))
			if c == len(widths) {
				widths = append(widths, 0)
			}
			widths[c] = max(widths[c], r.widths.Line(row[c]))
		}
		rows = append(rows, row)
	}
	total := 0
	for _, w := range widths {
		total += w + 2
	}
	if total-2 > r.width {
		for _, l := range lines {
			r.paragraph(l, theme.Plain, 0, 2)
		}
		return
	}
	for i, row := range rows {
		var line view.Line
		for c, cell := range row {
			if c < len(row)-1 {
				cell = r.widths.Pad(cell, widths[c]+2)
			}
			line = append(line, cell...)
		}
		r.emit(line)
		if i == 0 {
			r.emit(view.Lit(theme.Rule, safe.Repeat(safe.Lit("-"), total-2)))
		}
	}
}
