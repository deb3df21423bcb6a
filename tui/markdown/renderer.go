package markdown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/syntax"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A Renderer draws one text that grows at its end.
type Renderer struct {
	width  int
	widths view.Widths

	done  int         // bytes of the text that are closed and drawn
	lines []view.Line // what they came to
	fence string      // the marker that closes the code we are in, "" outside
	lang  *syntax.Language
	state syntax.State // of the code so far
	gap   bool         // a blank line is due before the next one
}

// New makes a renderer for a width.
func New(width int, widths view.Widths) *Renderer {
	return &Renderer{width: max(1, width), widths: widths}
}

// Render draws a whole text.
func Render(text string, width int, widths view.Widths) []view.Line {
	return New(width, widths).Feed(text)
}

// Feed draws a text that begins with the text of the call before. The result
// is valid until the next call.
func (r *Renderer) Feed(text string) []view.Line {
	for {
		piece, n := r.next(text[r.done:])
		if n == 0 {
			break
		}
		r.draw(piece)
		r.done += n
	}
	// What is not closed yet is drawn on top, and drawn again next time.
	r.lines = slices.Grow(r.lines, 64) // else each call would copy them all
	open := *r
	if rest := text[r.done:]; rest != "" {
		open.draw(rest)
	}
	return open.lines
}

// maxPiece is how long a piece may grow, in bytes, before it is closed where
// it stands.
const maxPiece = 4 << 10

// next is the first closed piece of s: a line of code, or the lines up to a
// blank line or a fence. n is its length together with what ends it, 0 when s
// is still open.
func (r *Renderer) next(s string) (piece string, n int) {
	if r.fence != "" || fenceOf(s) != "" {
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			return tooLong(s)
		}
		return s[:i], i + 1
	}
	for at := 0; at < len(s); {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			break
		}
		end := at + i
		if at == 0 && strings.TrimSpace(s[:end]) == "" {
			return "", end + 1
		}
		rest := s[end+1:]
		if fenceOf(rest) != "" || blankLine(rest) {
			return s[:end], end + 1
		}
		at = end + 1
		if at > maxPiece {
			return s[:end], at
		}
	}
	return tooLong(s)
}

// blankLine says that s begins with a whole line of blanks.
func blankLine(s string) bool {
	i := strings.IndexByte(s, '\n')
	return i >= 0 && strings.TrimSpace(s[:i]) == ""
}

func tooLong(s string) (string, int) {
	if len(s) <= maxPiece {
		return "", 0
	}
	n := maxPiece
	for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], n
}

// fenceOf is the marker of the fence that s begins with, "" for none. A line
// that is not complete yet counts as soon as the marker stands.
func fenceOf(s string) string {
	t := strings.TrimLeft(s[:min(len(s), 64)], " ")
	if len(t) < 3 || t[0] != '`' && t[0] != '~' {
		return ""
	}
	n := len(t) - len(strings.TrimLeft(t, t[:1]))
	if n < 3 {
		return ""
	}
	return t[:n]
}

// draw adds the lines of a piece.
func (r *Renderer) draw(piece string) {
	switch {
	case r.fence != "":
		t := strings.TrimSpace(piece)
		if strings.HasPrefix(t, r.fence) && strings.Trim(t, r.fence[:1]) == "" {
			r.fence, r.gap = "", true
			return
		}
		r.code(piece)
	case fenceOf(piece) != "":
		r.fence, r.gap = fenceOf(piece), true
		info := strings.TrimLeft(strings.TrimSpace(piece), r.fence[:1])
		r.lang, r.state = syntax.Of(firstWord(info)), 0
	case strings.TrimSpace(piece) == "":
		r.gap = true
	default:
		r.blocks(strings.Split(piece, "\n"))
	}
}

// emit adds lines, with a blank one before them when it is due.
func (r *Renderer) emit(lines ...view.Line) {
	if r.gap && len(r.lines) > 0 {
		r.lines = append(r.lines, nil)
	}
	r.gap = false
	r.lines = append(r.lines, lines...)
}

// code adds a line of code: as it is, broken where it must be.
func (r *Renderer) code(s string) {
	for _, t := range safe.Prose(s) {
		line, next := r.lang.Line(t, r.state)
		r.state = next
		for _, row := range r.widths.Wrap(line, r.width-codeIndent, 0) {
			r.emit(view.Join(view.Spaces(codeIndent), row))
		}
	}
}

const codeIndent = 2

// firstWord is the language of a fence: what follows it is for others.
func firstWord(info string) string {
	if f := strings.FieldsFunc(info, func(c rune) bool { return c == ' ' || c == ',' || c == '{' || c == '}' }); len(f) > 0 {
		return f[0]
	}
	return ""
}

// Fits says that the renderer draws for this width.
func (r *Renderer) Fits(width int, widths view.Widths) bool {
	return r.width == max(1, width) && r.widths == widths
}
