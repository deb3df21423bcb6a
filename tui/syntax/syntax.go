// Package syntax gives the words of source text their looks: comments, strings,
// numbers and keywords of the languages that come up most.
//
// # Promised
//
// A line's text stays what it is, character by character: only looks are added.
// The cost is linear in the line, and nothing is made at the start of the
// program. (Chroma knows hundreds of languages well; its tables cost 15 ms at
// each start of the program, and of each sandboxed command.)
//
// # Not promised
//
// That the text is understood. What is not sure stays plain.
package syntax

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A Language is how a language writes comments, strings and keywords. The zero
// Language has none of them.
type Language struct {
	line     []string // begin a comment up to the end of the line
	open     string   // begins a comment of many lines
	close    string
	quotes   string // begin and end strings of one line
	raw      byte   // begins and ends a string of many lines; 0 for none
	triple   bool   // three quotes begin a string of many lines
	key      bool   // a word before a colon is a key
	keywords string // with a blank before and after each
	fold     bool   // keywords in any case
}

// State is what a line is inside of at its beginning. The zero State is
// nothing.
type State uint8

const (
	outside State = iota
	inComment
	inRaw
	inDouble // of three double quotes
	inSingle
)

// MaxLine is the length from which on a line stays plain, in bytes.
const MaxLine = 4 << 10

// Line is a line of a language with its looks, and what the next line is
// inside of.
func (l *Language) Line(t safe.Text, s State) (view.Line, State) {
	if l == nil || len(t.String()) > MaxLine {
		return view.Text(theme.Code, t), s
	}
	var out view.Line
	for !t.Empty() {
		before, escape, after := t.Cut()
		out, s = l.piece(out, before, s)
		if escape.Empty() {
			break
		}
		out = append(out, view.Span{Text: escape, Style: theme.Escape})
		t = after
	}
	return out, s
}

// piece adds a part of a line in which nothing was made visible.
func (l *Language) piece(out view.Line, t safe.Text, s State) (view.Line, State) {
	text := t.String()
	for i := 0; i < len(text); {
		n, style, next := l.token(text[i:], s, i > 0 && wordByte(text[i-1]))
		s = next
		if k := len(out); k > 0 && out[k-1].Style == style && i > 0 {
			out[k-1].Text = safe.Join(out[k-1].Text, t.Slice(i, i+n))
		} else {
			out = append(out, view.Span{Text: t.Slice(i, i+n), Style: style})
		}
		i += n
	}
	return out, s
}

// token is the length and the look of what text begins with.
func (l *Language) token(text string, s State, inWord bool) (n int, style theme.Style, next State) {
	switch s {
	case inComment:
		return upTo(text, l.close, theme.Comment, s)
	case inRaw:
		return upTo(text, string(l.raw), theme.String, s)
	case inDouble:
		return upTo(text, `"""`, theme.String, s)
	case inSingle:
		return upTo(text, "'''", theme.String, s)
	}
	for _, mark := range l.line {
		if strings.HasPrefix(text, mark) && !(mark == "#" && inWord) {
			return len(text), theme.Comment, outside
		}
	}
	switch c := text[0]; {
	case l.open != "" && strings.HasPrefix(text, l.open):
		n, _, next = upTo(text[len(l.open):], l.close, theme.Comment, inComment)
		return n + len(l.open), theme.Comment, next
	case l.triple && (strings.HasPrefix(text, `"""`) || strings.HasPrefix(text, "'''")):
		state := inDouble
		if c == '\'' {
			state = inSingle
		}
		n, _, next = upTo(text[3:], text[:3], theme.String, state)
		return n + 3, theme.String, next
	case l.raw != 0 && c == l.raw:
		n, _, next = upTo(text[1:], text[:1], theme.String, inRaw)
		return n + 1, theme.String, next
	case strings.IndexByte(l.quotes, c) >= 0:
		return quoted(text), theme.String, outside
	case c >= '0' && c <= '9' && !inWord:
		return numberEnd(text), theme.Number, outside
	case wordByte(c):
		return l.word(text)
	default:
		return plainEnd(text, l), theme.Code, outside
	}
}

// upTo is text up to and with its end, or all of it where there is none.
func upTo(text, end string, style theme.Style, s State) (int, theme.Style, State) {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end), style, outside
	}
	return len(text), style, s
}

// quoted is the length of the string that text begins with, up to the end of
// the line where it is not closed.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

func numberEnd(text string) int {
	i := 1
	for i < len(text) && (wordByte(text[i]) || text[i] == '.') {
		i++
	}
	return i
}

func (l *Language) word(text string) (int, theme.Style, State) {
	i := 1
	for i < len(text) && wordByte(text[i]) {
		i++
	}
	word := text[:i]
	if l.fold {
		word = strings.ToLower(word)
	}
	switch {
	case strings.Contains(l.keywords, " "+word+" "):
		return i, theme.Keyword, outside
	case l.key && i < len(text) && text[i] == ':':
		return i, theme.Keyword, outside
	default:
		return i, theme.Code, outside
	}
}

// plainEnd is where what has no look ends: before the next thing that may.
func plainEnd(text string, l *Language) int {
	for i := 1; i < len(text); i++ {
		c := text[i]
		if wordByte(c) || strings.IndexByte(l.quotes, c) >= 0 || l.raw != 0 && c == l.raw || c == '/' || c == '#' || c == '-' || c == '<' || c == ';' || c == '"' || c == '\'' {
			return i
		}
	}
	return len(text)
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
