package composer

import "strings"

// Word is the word before the caret, from a blank on; "" when the caret stands
// inside of one, or behind a paste.
func (r *Room) Word() string {
	if r.caret < len(r.cells) && !r.cells[r.caret].blank() {
		return ""
	}
	var b strings.Builder
	for _, c := range r.cells[r.blankBefore():r.caret] {
		if c.paste > 0 {
			return ""
		}
		b.WriteString(c.text)
	}
	return b.String()
}

func (r *Room) blankBefore() int {
	i := r.caret
	for i > 0 && !r.cells[i-1].blank() {
		i--
	}
	return i
}

// ReplaceWord puts text in the place of the word before the caret.
func (r *Room) ReplaceWord(text string) {
	r.remove(r.blankBefore(), r.caret)
	r.Insert(text)
}

// Before gives the room what was said in earlier sessions, oldest first. It
// stands before what Remember gives.
func (r *Room) Before(said []string) {
	r.at += len(said) - len(r.before)
	r.before = said
	r.history = append(said[:len(said):len(said)], r.history[len(r.history)-r.said:]...)
}
