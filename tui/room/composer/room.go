// Package composer is the room of what the person is writing: several lines,
// the hardware cursor at the caret, pastes that never do anything by
// themselves.
package composer

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/tera-pilot/tera-pilot/tui/safe"
)

// A Room is an editor. The zero Room is empty.
type Room struct {
	OneLine bool // line feeds become blanks

	cells  []cell
	caret  int // before which cell
	pastes []string

	history []string // oldest first
	before  []string // its beginning: of earlier sessions
	said    int      // how much of it is of this session
	at      int      // place in it; len(history) is what is being written
	draft   []cell   // what was being written when the history was entered
}

// cell is one character as a person counts them, or a paste.
type cell struct {
	text  string // a grapheme cluster; "\n" for a line feed; "" for a paste
	paste int    // number of the paste, from 1
}

// MaxInline is how long a paste may be, in bytes, to be put in as text.
const MaxInline = 4 << 10

// Empty says that nothing was written.
func (r *Room) Empty() bool { return len(r.cells) == 0 }

// Text is what was written, with its pastes.
func (r *Room) Text() string {
	var b strings.Builder
	for _, c := range r.cells {
		if c.paste > 0 {
			b.WriteString(r.pastes[c.paste-1])
		} else {
			b.WriteString(c.text)
		}
	}
	return b.String()
}

// Set replaces what was written.
func (r *Room) Set(text string) {
	r.Clear()
	r.Insert(text)
}

// Clear empties the room.
func (r *Room) Clear() {
	r.cells, r.caret, r.pastes = nil, 0, nil
	r.at, r.draft = len(r.history), nil
}

// Insert puts text in at the caret, without its control characters.
func (r *Room) Insert(text string) {
	text = clean(text)
	if r.OneLine {
		text = strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
	}
	if text == "" {
		return
	}
	// A mark that is typed belongs to the character before it.
	from := r.caret
	if from > 0 && r.cells[from-1].paste == 0 && r.cells[from-1].text != "\n" {
		from--
		text = r.cells[from].text + text
	}
	in := split(text)
	r.cells = append(r.cells[:from:from], append(in, r.cells[r.caret:]...)...)
	r.caret = from + len(in)
}

// Paste puts a paste in: as text when it is short, else as one piece that is
// shown by its size.
func (r *Room) Paste(text string) {
	text = clean(text)
	if text == "" {
		return
	}
	if len(text) <= MaxInline || r.OneLine {
		r.Insert(text[:min(len(text), MaxInline)])
		return
	}
	r.pastes = append(r.pastes, text)
	r.cells = append(r.cells[:r.caret:r.caret], append([]cell{{paste: len(r.pastes)}}, r.cells[r.caret:]...)...)
	r.caret++
}

// clean drops what no message holds: control characters but line feed and tab.
// Line ends become line feeds.
func clean(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\r':
			return '\n'
		case c == '\n' || c == '\t':
			return c
		case c < ' ' || c >= 0x7f && c < 0xa0 || c == '\ufffd':
			return -1
		default:
			return c
		}
	}, s)
}

func split(s string) []cell {
	out := make([]cell, 0, len(s))
	for len(s) > 0 {
		n := 1
		if s[0] != '\n' && len(s) > 1 && s[1] >= 0x80 || s[0] >= 0x80 {
			var cluster string
			cluster, _ = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
			n = max(1, len(cluster))
		}
		out = append(out, cell{text: s[:n]})
		s = s[n:]
	}
	return out
}

// label is how a paste is shown.
func (r *Room) label(n int) safe.Text {
	text := r.pastes[n-1]
	size := safe.Join(safe.Int(len(text)/1024), safe.Lit(" KB"))
	return safe.Join(safe.Lit("[paste "), safe.Int(n), safe.Lit(": "), safe.Int(strings.Count(text, "\n")+1), safe.Lit(" lines, "), size, safe.Lit("]"))
}

// Backspace deletes the character before the caret.
func (r *Room) Backspace() {
	if r.caret > 0 {
		r.remove(r.caret-1, r.caret)
	}
}

// Delete deletes the character after the caret.
func (r *Room) Delete() {
	if r.caret < len(r.cells) {
		r.remove(r.caret, r.caret+1)
	}
}

func (r *Room) remove(from, to int) {
	r.cells = append(r.cells[:from:from], r.cells[to:]...)
	r.caret = from
}

// Left and Right move by one character.

// Left moves the caret one character back.
func (r *Room) Left() { r.caret = max(0, r.caret-1) }

// Right moves the caret one character on.
func (r *Room) Right() { r.caret = min(len(r.cells), r.caret+1) }

// WordLeft moves the caret to the start of the word before it.
func (r *Room) WordLeft() { r.caret = r.wordStart() }

// WordRight moves the caret behind the word after it.
func (r *Room) WordRight() {
	i := r.caret
	for i < len(r.cells) && r.cells[i].blank() {
		i++
	}
	for i < len(r.cells) && !r.cells[i].blank() {
		i++
	}
	r.caret = i
}

func (r *Room) wordStart() int {
	i := r.caret
	for i > 0 && r.cells[i-1].blank() {
		i--
	}
	for i > 0 && !r.cells[i-1].blank() {
		i--
	}
	return i
}

func (c cell) blank() bool { return c.text == " " || c.text == "\n" || c.text == "\t" }

// DeleteWord deletes back to the start of a word.
func (r *Room) DeleteWord() { r.remove(r.wordStart(), r.caret) }

// DeleteToStart deletes back to the start of the line.
func (r *Room) DeleteToStart() { r.remove(r.lineStart(), r.caret) }

// Home moves the caret to the start of the line.
func (r *Room) Home() { r.caret = r.lineStart() }

// End moves the caret to the end of the line.
func (r *Room) End() { r.caret = r.lineEnd() }

func (r *Room) lineStart() int {
	i := r.caret
	for i > 0 && r.cells[i-1].text != "\n" {
		i--
	}
	return i
}

func (r *Room) lineEnd() int {
	i := r.caret
	for i < len(r.cells) && r.cells[i].text != "\n" {
		i++
	}
	return i
}

// Remember gives the room what was said before, oldest first.
func (r *Room) Remember(said []string) {
	if len(said) == r.said {
		return
	}
	atEnd := r.at == len(r.history)
	r.history, r.said = append(r.before[:len(r.before):len(r.before)], said...), len(said)
	if atEnd || r.at > len(r.history) {
		r.at = len(r.history)
	}
}

// Older puts the message before in the place of what is written.
func (r *Room) Older() bool {
	if r.at == 0 {
		return false
	}
	if r.at == len(r.history) {
		r.draft = r.cells
	}
	r.recall(r.at - 1)
	return true
}

// Newer goes back towards what was being written.
func (r *Room) Newer() bool {
	if r.at >= len(r.history) {
		return false
	}
	if r.at+1 == len(r.history) {
		r.at, r.cells = len(r.history), r.draft
		r.caret = len(r.cells)
		return true
	}
	r.recall(r.at + 1)
	return true
}

func (r *Room) recall(at int) {
	r.at, r.cells = at, split(clean(r.history[at]))
	r.caret = len(r.cells)
}
