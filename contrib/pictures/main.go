// Pictures draws what `tmux capture-pane -e -p` prints as an SVG. It is how the
// pictures of docs/pictures are made; see make.sh beside it.
//
//	go run ./contrib/pictures [-hide PATH=SHOWN]... < capture > picture.svg
package main

import (
	"bufio"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"strconv"
	"strings"
)

// look is how a cell is drawn.
type look struct {
	fg                                    string // "" for the usual one
	bold, faint, italic, under, backwards bool
}

type cell struct {
	c rune
	l look
}

// hidden are paths of this machine and what stands for them.
type hidden []string

func (h *hidden) String() string     { return strings.Join(*h, " ") }
func (h *hidden) Set(s string) error { *h = append(*h, s); return nil }

func main() {
	var hide hidden
	flag.Var(&hide, "hide", "a path, and what is shown for it")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, hide); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, hide hidden) error {
	var rows [][]cell
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<20)
	var l look
	for s.Scan() {
		var row []cell
		row, l = cells(s.Text(), l)
		for _, h := range hide {
			old, shown, _ := strings.Cut(h, "=")
			row = replace(row, old, shown)
		}
		rows = append(rows, row)
	}
	if err := s.Err(); err != nil {
		return err
	}
	for len(rows) > 0 && len(rows[len(rows)-1]) == 0 {
		rows = rows[:len(rows)-1]
	}
	_, err := io.WriteString(out, svg(rows))
	return err
}

// cells reads a line of text with SGR sequences.
func cells(s string, l look) ([]cell, look) {
	var out []cell
	for s != "" {
		if rest, ok := strings.CutPrefix(s, "\x1b["); ok {
			end := strings.IndexFunc(rest, func(c rune) bool { return c >= '@' && c <= '~' })
			if end < 0 {
				break
			}
			if rest[end] == 'm' {
				l = l.apply(rest[:end])
			}
			s = rest[end+1:]
			continue
		}
		for _, c := range s {
			out = append(out, cell{c, l})
			s = s[len(string(c)):]
			break
		}
	}
	return out, l
}

// apply is a look after an SGR sequence.
func (l look) apply(params string) look {
	p := strings.FieldsFunc(params, func(c rune) bool { return c == ';' || c == ':' })
	if len(p) == 0 {
		return look{}
	}
	for i := 0; i < len(p); i++ {
		switch n, _ := strconv.Atoi(p[i]); { // what is no number is 0: reset
		case n == 0:
			l = look{}
		case n == 1:
			l.bold = true
		case n == 2:
			l.faint = true
		case n == 3:
			l.italic = true
		case n == 4:
			l.under = true
		case n == 7:
			l.backwards = true
		case n == 22:
			l.bold, l.faint = false, false
		case n == 23:
			l.italic = false
		case n == 24:
			l.under = false
		case n == 27:
			l.backwards = false
		case n == 39:
			l.fg = ""
		case n == 38 && i+4 < len(p) && p[i+1] == "2":
			r, _ := strconv.Atoi(p[i+2])
			g, _ := strconv.Atoi(p[i+3])
			b, _ := strconv.Atoi(p[i+4])
			l.fg = fmt.Sprintf("#%02x%02x%02x", r, g, b)
			i += 4
		}
	}
	return l
}

// replace puts shown in the place of old. What stands in columns behind it
// stays in them.
func replace(row []cell, old, shown string) []cell {
	for at := 0; at+len(old) <= len(row); at++ {
		if text(row[at:at+len(old)]) != old {
			continue
		}
		l := row[at].l
		var in []cell
		for _, c := range shown {
			in = append(in, cell{c, l})
		}
		rest := append([]cell{}, row[at+len(old):]...)
		for missing := len(old) - len(in); missing > 0; missing-- {
			i := strings.Index(text(rest), "  ")
			if i < 0 {
				break
			}
			rest = append(rest[:i:i], append([]cell{{' ', look{}}}, rest[i:]...)...)
		}
		row = append(append(append([]cell{}, row[:at]...), in...), rest...)
		at += len(in)
	}
	return row
}

func text(row []cell) string {
	var b strings.Builder
	for _, c := range row {
		if c.c < 0x80 {
			b.WriteRune(c.c)
		} else {
			b.WriteByte('?') // one byte a cell
		}
	}
	return b.String()
}

// Sizes in pixels.
const (
	wide, high = 8.4, 18
	edge       = 12
	columns    = 100
)

// Colours of the terminal.
const (
	back  = "#1e1e1e"
	front = "#d4d4d4"
)

func svg(rows [][]cell) string {
	var b strings.Builder
	w, h := columns*wide+2*edge, len(rows)*high+2*edge
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="14">`+"\n", w, h)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", back)
	for y, row := range rows {
		for from := 0; from < len(row); {
			to := from
			for to < len(row) && row[to].l == row[from].l {
				to++
			}
			draw(&b, row[from:to], from, y)
			from = to
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func draw(b *strings.Builder, run []cell, x, y int) {
	var s strings.Builder
	for _, c := range run {
		s.WriteRune(c.c)
	}
	l := run[0].l
	if strings.TrimSpace(s.String()) == "" && !l.backwards {
		return
	}
	left, width, fg := edge+float64(x)*wide, float64(len(run))*wide, l.fg
	if fg == "" {
		fg = front
	}
	if l.backwards {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, left, edge+y*high, width, high, fg)
		fg = back
	}
	style := ""
	for _, a := range []struct {
		on   bool
		text string
	}{{l.bold, ` font-weight="bold"`}, {l.faint, ` opacity="0.6"`}, {l.italic, ` font-style="italic"`}, {l.under, ` text-decoration="underline"`}} {
		if a.on {
			style += a.text
		}
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s xml:space="preserve">%s</text>`+"\n", left, edge+y*high+13, width, fg, style, html.EscapeString(s.String()))
}
