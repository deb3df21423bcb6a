package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// inline reads the marks inside one line of text.
func inline(s string, style theme.Style) view.Line {
	p := inliner{style: style, missing: map[string]bool{}}
	p.read(s, style)
	p.flush(style)
	return p.out
}

type inliner struct {
	style   theme.Style
	out     view.Line
	text    strings.Builder // read, and not yet in out
	missing map[string]bool // marks that nothing closes any more: keeps the time linear
	depth   int
}

func (p *inliner) flush(style theme.Style) {
	if p.text.Len() == 0 {
		return
	}
	for _, t := range safe.Prose(p.text.String()) {
		p.out = append(p.out, view.Text(style, t)...)
	}
	p.text.Reset()
}

func (p *inliner) read(s string, style theme.Style) {
	for len(s) > 0 {
		i := strings.IndexAny(s, "\\`*_[!")
		if i < 0 {
			p.text.WriteString(s)
			return
		}
		p.text.WriteString(s[:i])
		before := lastRune(s[:i])
		s = s[i:]
		n := p.mark(s, before, style)
		if n == 0 {
			p.text.WriteByte(s[0])
			n = 1
		}
		s = s[n:]
	}
}

// mark reads the mark that s begins with and what it covers, n bytes; 0 when
// it is no mark.
func (p *inliner) mark(s string, before rune, style theme.Style) int {
	switch {
	case s[0] == '\\':
		if len(s) > 1 && s[1] < utf8.RuneSelf && unicode.IsPunct(rune(s[1])) {
			p.text.WriteByte(s[1])
			return 2
		}
	case s[0] == '`':
		return p.code(s, style)
	case strings.HasPrefix(s, "**"), strings.HasPrefix(s, "__"):
		return p.span(s, s[:2], before, theme.Strong, style)
	case s[0] == '*', s[0] == '_':
		return p.span(s, s[:1], before, theme.Emph, style)
	case strings.HasPrefix(s, "!["):
		if n := p.link(s[1:], style, "image: "); n > 0 {
			return n + 1
		}
	case s[0] == '[':
		return p.link(s, style, "")
	}
	return 0
}

func (p *inliner) code(s string, style theme.Style) int {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	ticks := s[:n]
	if p.missing[ticks] {
		p.text.WriteString(ticks)
		return n
	}
	end := strings.Index(s[n:], ticks)
	if end < 0 {
		p.missing[ticks] = true
		p.text.WriteString(ticks)
		return n
	}
	p.flush(style)
	p.text.WriteString(s[n : n+end])
	p.flush(theme.Code)
	return n + end + n
}

// maxDepth bounds marks inside of marks.
const maxDepth = 4

func (p *inliner) span(s, mark string, before rune, inner, outer theme.Style) int {
	body := s[len(mark):]
	first, _ := utf8.DecodeRuneInString(body)
	wordy := mark[0] == '_' && (unicode.IsLetter(before) || unicode.IsDigit(before))
	if body == "" || unicode.IsSpace(first) || wordy || p.missing[mark] || p.depth >= maxDepth {
		p.text.WriteString(mark)
		return len(mark)
	}
	end := closing(body, mark)
	if end < 0 {
		p.missing[mark] = true
		p.text.WriteString(mark)
		return len(mark)
	}
	if outer == theme.Heading || outer == theme.Quote {
		inner = outer // what is marked already has a look of its own
	}
	p.flush(outer)
	p.depth++
	p.read(body[:end], inner)
	p.flush(inner)
	p.depth--
	return len(mark) + end + len(mark)
}

// closing finds the mark that ends a span: not after a blank, and for an
// underscore not inside a word.
func closing(s, mark string) int {
	for at := 0; ; {
		i := strings.Index(s[at:], mark)
		if i < 0 {
			return -1
		}
		i += at
		after, _ := utf8.DecodeRuneInString(s[i+len(mark):])
		inWord := mark[0] == '_' && (unicode.IsLetter(after) || unicode.IsDigit(after))
		longer := len(mark) == 1 && strings.HasPrefix(s[i+1:], mark)
		if i > 0 && !unicode.IsSpace(lastRune(s[:i])) && !inWord && !longer {
			return i
		}
		at = i + len(mark)
		if longer {
			at++
		}
	}
}

// link reads [name](target) and shows both.
func (p *inliner) link(s string, style theme.Style, what string) int {
	const limit = 2 << 10 // a name and a target are short
	head := s[:min(len(s), limit)]
	mid := strings.Index(head, "](")
	if mid < 0 {
		return 0
	}
	end := strings.IndexByte(head[mid:], ')')
	if end < 0 || strings.ContainsAny(head[1:mid], "[]") {
		return 0
	}
	name, target := head[1:mid], strings.TrimSpace(head[mid+2:mid+end])
	p.text.WriteString(what)
	p.text.WriteString(name)
	p.flush(style)
	if target != name {
		p.text.WriteString(" (" + target + ")")
		p.flush(theme.Dim)
	}
	return mid + end + 1
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
