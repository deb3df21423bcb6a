// Package safe holds the one type of text that views accept.
//
// # Promised
//
// A Text is one line of printable characters: no control, no invisible or bidi
// character, no byte that is not UTF-8. Only this package makes one, out of
// the program's own literals, of numbers, or of text of others that went
// through internal/visible.
//
// # Not promised
//
// That what a Text says is true, or that its letters are what they look like.
package safe

import (
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Text is one line that can be drawn as it is. The zero Text is empty.
type Text struct{ s string }

// literal is a type that only constants of this program convert to by
// themselves.
type literal string

// Lit is a constant of this program. It takes no variable.
func Lit(s literal) Text { return Text{visible.Once(string(s))} }

// Strict is text of others on one line, reversibly.
func Strict(s string) Text { return Text{visible.Strict(s)} }

// Shown is text that the core made visible already, as the lines of a
// question: its escapes are taken for escapes.
func Shown(s string) Text { return Text{visible.Once(s)} }

// Lines is text of others on many lines.
func Lines(s string) []Text { return wrap(visible.StrictLines(s)) }

// Prose is an answer on many lines: softer than Lines with what is common in
// prose, such as emoji.
func Prose(s string) []Text {
	// What is harmless as prose is so as a line: only tabs are left to expand.
	lines := strings.Split(strings.TrimSuffix(visible.Prose(s), "\n"), "\n")
	for i, line := range lines {
		if strings.IndexByte(line, '\t') >= 0 {
			lines[i] = strings.ReplaceAll(line, "\t", "    ")
		}
	}
	return wrap(lines)
}

func wrap(lines []string) []Text {
	out := make([]Text, len(lines))
	for i, s := range lines {
		out[i] = Text{s}
	}
	return out
}

// Int is a number.
func Int[N ~int | ~int64 | ~uint64](n N) Text {
	if n < 0 {
		return Text{strconv.FormatInt(int64(n), 10)}
	}
	return Text{strconv.FormatUint(uint64(n), 10)}
}

// Join puts texts side by side. Two texts of others need a literal between
// them: else they could make up an escape together.
func Join(parts ...Text) Text {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.s)
	}
	return Text{b.String()}
}

// Repeat is n times t.
func Repeat(t Text, n int) Text { return Text{strings.Repeat(t.s, max(0, n))} }

// String is the text for drawing.
func (t Text) String() string { return t.s }

// Empty says that there is nothing to draw.
func (t Text) Empty() bool { return t.s == "" }

// Slice is the part from byte i to byte j. Both must stand between characters.
func (t Text) Slice(i, j int) Text { return Text{t.s[i:j]} }

// Cut finds the first escape; see visible.Cut.
func (t Text) Cut() (before, escape, after Text) {
	b, e, a := visible.Cut(t.s)
	return Text{b}, Text{e}, Text{a}
}
