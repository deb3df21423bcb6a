package ask

import (
	"hash/fnv"
	"maps"
	"strconv"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/room/sheet"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// Rest is how long a choice of lines has to rest before the core is asked for
// the question about it.
const Rest = 250 * time.Millisecond

// A review is the choosing of lines in a question that can be revised. What is
// chosen is no answer: it becomes another question, which is then answered.
type review struct {
	lines  []event.Line
	left   map[int]bool // left out, as the person has it
	asked  map[int]bool // as the question has it
	cursor int
	anchor int       // the other end of a range; -1 for none
	moved  time.Time // when the choice changed last
	sent   bool      // another question is on its way

	// The last key that chose something, in case it turns out to be typing.
	key    string
	at     time.Time
	before map[int]bool
}

// newReview is nil for a question none of whose lines can be left out.
func newReview(q event.Question) *review {
	if !q.Revisable {
		return nil
	}
	v := &review{lines: q.Lines, left: map[int]bool{}, cursor: -1, anchor: -1}
	any := false
	for i := range q.Lines {
		any = any || v.may(i)
		if q.Lines[i].Kind == event.LineLeft {
			v.left[i] = true
		}
	}
	if !any {
		return nil
	}
	v.asked = maps.Clone(v.left)
	return v
}

// may says that a line can be left out.
func (v *review) may(i int) bool {
	if i < 0 || i >= len(v.lines) {
		return false
	}
	switch v.lines[i].Kind {
	case event.LineAdd, event.LineDelete, event.LineLeft:
		return true
	default:
		return false
	}
}

// changed says that the choice is not the one of the question.
func (v *review) changed() bool { return v != nil && !maps.Equal(v.left, v.asked) }

// kept counts the lines that would be done.
func (v *review) kept() (n, all int) {
	for i := range v.lines {
		if v.may(i) {
			all++
			if !v.left[i] {
				n++
			}
		}
	}
	return n, all
}

// any says that something is left.
func (v *review) any() bool { n, _ := v.kept(); return n > 0 }

// picked stands for the choice of lines: another choice has another number.
func (v *review) picked() uint64 {
	h := fnv.New64a()
	for i := range v.lines {
		if v.left[i] {
			_, _ = h.Write([]byte(strconv.Itoa(i) + " ")) // a hash takes every write
		}
	}
	return h.Sum64()
}

// press chooses with a key; false when it is none that chooses.
func (v *review) press(key string, at time.Time) bool {
	from, to := v.cursor, v.cursor
	switch key {
	case " ":
		if v.anchor >= 0 {
			from, to = min(v.anchor, v.cursor), max(v.anchor, v.cursor)
		}
	case "h":
		from, to = v.around(event.LineHunk)
	case "f":
		from, to = v.around(event.LineFile)
	case "V":
		if v.anchor = v.cursor; v.key == "V" && v.before == nil {
			v.anchor, v.key = -1, ""
			return true
		}
		v.key, v.before = "V", nil
		return true
	default:
		return false
	}
	v.key, v.at, v.before = key, at, maps.Clone(v.left)
	v.toggle(from, to)
	v.anchor, v.moved = -1, at
	return true
}

// takeBack undoes what the last key chose when another one follows at once: then
// both are typing.
func (v *review) takeBack(at time.Time) (typed string) {
	if v == nil || v.before == nil || v.key == " " || at.Sub(v.at) >= arm.Hold {
		return ""
	}
	typed, v.left, v.before = v.key, v.before, nil
	return typed
}

// around are the lines of the hunk, or the file, that the cursor is in.
func (v *review) around(head event.LineKind) (from, to int) {
	inside := func(i int) bool {
		k := v.lines[i].Kind
		return k != head && k != event.LineFile && (head == event.LineFile || k == event.LineContext || v.may(i))
	}
	for from = max(0, v.cursor); from > 0 && inside(from); from-- {
	}
	for to = min(max(0, v.cursor)+1, len(v.lines)); to < len(v.lines) && inside(to); to++ {
	}
	return from, to - 1
}

// toggle leaves the lines out, or takes all of them back when all were out.
func (v *review) toggle(from, to int) {
	out := false
	for i := from; i <= to; i++ {
		out = out || v.may(i) && !v.left[i]
	}
	for i := from; i <= to; i++ {
		switch {
		case !v.may(i):
		case out:
			v.left[i] = true
		default:
			delete(v.left, i)
		}
	}
}

// line is the one that the cursor is on, below 0 without one.
func (v *review) line() int {
	if v == nil {
		return -1
	}
	return v.cursor
}

// place keeps the cursor among the lines on the screen; at first it goes to the
// first one that can be chosen.
func (v *review) place(shown []sheet.Place) {
	if len(shown) == 0 {
		return
	}
	first, last := shown[0].Line, shown[len(shown)-1].Line
	if v.cursor < 0 {
		v.cursor = first
		for i := first; i <= last; i++ {
			if v.may(i) {
				v.cursor = i
				break
			}
		}
	}
	v.cursor = max(first, min(last, v.cursor))
}

// revise is what the core is asked for.
func (r *Room) revise() event.Command {
	w := event.Revision{Drop: []int{}}
	for i := range r.q.Lines {
		if r.rev.left[i] {
			w.Drop = append(w.Drop, i)
		}
	}
	r.rev.sent = true
	return event.Revise{Question: r.q.ID, Digest: r.q.Digest, Files: []event.Revision{w}}
}

// Revising says that another version of the question is on its way: this one
// is closed, or will be.
func (r *Room) Revising() bool { return r.sent || r.rev != nil && r.rev.sent }

// Next is the room of the question that a revision made of this one. What a
// person chose, and has seen, and where he stood, is kept; the answer keys arm
// anew.
func (r *Room) Next(q event.Question, at time.Time) *Room {
	n := New(q, r.by)
	n.sheet.Keep(r.sheet)
	if r.rev != nil && n.rev != nil {
		n.rev.cursor = min(r.rev.cursor, len(q.Lines)-1)
		if len(r.q.Lines) == len(q.Lines) && r.Revising() {
			n.rev.left, n.rev.moved = r.rev.left, r.rev.moved // what was chosen since is still to be asked for
		}
	}
	if r.Focused() {
		n.Focus(at)
	}
	return n
}

// reviewKey handles a key of the choosing of lines.
func (r *Room) reviewKey(in tty.Input, k uv.Key) bool {
	key := k.Text
	if r.rev == nil || r.mode != choosing || k.IsRepeat || k.Mod&^uv.ModShift != 0 || r.q.Danger && key != " " && key != "V" {
		return false
	}
	if !in.Alone || !r.rev.press(key, in.At) {
		return false
	}
	r.arm.Disturb(in.At)
	return true
}

// reviewMove moves the cursor; false when there is none.
func (r *Room) reviewMove(name string) bool {
	if r.rev == nil || r.mode != choosing {
		return false
	}
	v := r.rev
	switch name {
	case "up":
		v.cursor = max(0, v.cursor-1)
	case "down":
		v.cursor = min(len(v.lines)-1, v.cursor+1)
	default:
		return false
	}
	r.sheet.Reveal(v.cursor)
	return true
}

// follow puts the cursor where a jump led.
func (r *Room) follow(name string) {
	if r.rev == nil {
		return
	}
	switch name {
	case "[", "]", "{", "}", "shift+[", "shift+]":
		line, _, _ := r.sheet.Top()
		for r.rev.cursor = line; r.rev.cursor < len(r.rev.lines)-1 && !r.rev.may(r.rev.cursor); r.rev.cursor++ {
		}
	case "home":
		r.rev.cursor = 0
	case "end":
		r.rev.cursor = len(r.rev.lines) - 1
	}
}

// gutter are the two cells before a line: the cursor, and what becomes of the
// line.
func (r *Room) gutter(i int) (cursor bool, mark safe.Text) {
	if r.rev == nil {
		return false, safe.Text{}
	}
	cursor = i == r.rev.cursor && r.mode == choosing
	if a := r.rev.anchor; a >= 0 && i >= min(a, r.rev.cursor) && i <= max(a, r.rev.cursor) {
		cursor = true
	}
	switch {
	case !r.rev.may(i):
		return cursor, safe.Text{}
	case r.rev.left[i]:
		return cursor, safe.Lit(".")
	case r.q.Lines[i].Mark == event.MarkYours:
		return cursor, safe.Lit("E")
	default:
		return cursor, safe.Lit("*")
	}
}

// startEdit opens the proposal in the person's editor.
func (r *Room) startEdit() Outcome {
	if len(r.q.Proposals) == 0 {
		return Outcome{}
	}
	n := 0
	if r.rev != nil {
		for i := 0; i <= r.rev.cursor && i < len(r.q.Lines); i++ {
			if r.q.Lines[i].Kind == event.LineFile {
				n++
			}
		}
	}
	p := r.q.Proposals[min(max(0, n-1), len(r.q.Proposals)-1)]
	return Outcome{Edit: &p}
}

// Edited is what the editor made of a proposal. A text that is as it was asks
// for nothing.
func (r *Room) Edited(p event.Proposal, text string, at time.Time) Outcome {
	r.Disturb(at)
	if text == p.Text || !r.q.Revisable {
		return Outcome{}
	}
	r.sent = true
	return Outcome{Command: event.Revise{Question: r.q.ID, Digest: r.q.Digest, Files: []event.Revision{{Path: p.Path, Text: &text}}}}
}
