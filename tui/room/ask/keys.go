package ask

import (
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// Outcome is what a key came to. The zero Outcome is nothing.
type Outcome struct {
	Typed   string          // was typing: it belongs to the composer, which takes the focus
	Later   bool            // the person wants to see something else first
	Command event.Command   // an answer, or the wish for another version
	Edit    *event.Proposal // the person wants to edit this; see Room.Edited
}

// Key handles one key that was read while the room had the focus.
func (r *Room) Key(in tty.Input, k uv.Key) Outcome {
	r.hint = noHint
	switch r.mode {
	case reasoning, texting, seeking:
		return r.write(in, k)
	case picking:
		return r.pickKey(in, k)
	default:
		return r.choose(in, k)
	}
}

// Paste handles a paste: text for a line that is being written, else for the
// composer.
func (r *Room) Paste(at time.Time, text string) Outcome {
	typed := r.arm.Disturb(at)
	if r.mode == reasoning || r.mode == texting || r.mode == seeking {
		r.edit.Paste(text)
		return Outcome{}
	}
	return Outcome{Typed: typed + text}
}

// choose handles a key before the person has chosen.
func (r *Room) choose(in tty.Input, k uv.Key) Outcome {
	if key, ok := plainKey(k); ok {
		if c, ok := r.choice(key); ok {
			return r.answerKey(in, key, c)
		}
		if r.q.Danger && r.mode == choosing && strings.Contains(codeLetters, key) {
			return r.codeKey(in, key)
		}
	}
	if r.reviewKey(in, k) || r.lensKey(in, k) {
		return Outcome{}
	}
	typed := ""
	if k.Text != "" { // an arrow that follows a letter at once is no typing
		typed = r.takeBack(in.At) + r.rev.takeBack(in.At)
	}
	typed += r.arm.Disturb(in.At)
	r.code = ""
	switch name := k.Keystroke(); {
	case name == "esc" && r.mode == scoping:
		r.mode = choosing
	case name == "esc" && r.sheet.Find != "" && typed == "":
		r.sheet.Find, r.lens.not = "", false
	case name == "esc":
		return Outcome{Typed: typed, Later: true}
	case typed == "" && r.formKey(in, name):
	case name == "up" && r.list() > 0:
		r.chosen = max(0, r.chosen-1)
	case name == "down" && r.list() > 0:
		r.chosen = min(r.list()-1, r.chosen+1)
	case r.move(name):
	case k.Text != "" && k.Text != " " && (k.Text < "0" || k.Text > "9"):
		return Outcome{Typed: typed + k.Text}
	case typed != "":
		return Outcome{Typed: typed + k.Text}
	}
	return Outcome{}
}

// list is how many things there are to choose from by arrows.
func (r *Room) list() int {
	switch {
	case r.mode == scoping:
		return len(r.q.Scopes)
	case r.q.Kind == event.AskUser:
		return len(r.q.Options)
	default:
		return 0
	}
}

// move scrolls.
func (r *Room) move(name string) bool {
	defer r.follow(name)
	if r.reviewMove(name) {
		return true
	}
	switch name {
	case "up":
		r.sheet.Scroll(-1)
	case "down":
		r.sheet.Scroll(1)
	case "pgup":
		r.sheet.Page(-1)
	case "pgdown":
		r.sheet.Page(1)
	case "home":
		r.sheet.Home()
	case "end":
		r.sheet.End()
	case "[":
		r.sheet.Jump(event.LineHunk, -1)
	case "]":
		r.sheet.Jump(event.LineHunk, 1)
	case "{", "shift+[":
		r.sheet.Jump(event.LineFile, -1)
	case "}", "shift+]":
		r.sheet.Jump(event.LineFile, 1)
	default:
		return false
	}
	return true
}

// answerKey presses an answer key.
func (r *Room) answerKey(in tty.Input, key string, c choice) Outcome {
	counts, typed := r.arm.Press(key, in.At, in.Alone)
	switch {
	case typed != "":
		return Outcome{Typed: typed + key}
	case c.allows && !r.mayAllow():
		// Kept as possible typing; never as an answer.
		r.arm.Discount()
		r.hint = readOn
	case !counts:
		r.hint = tooEarly
	default:
		r.press = in.At
	}
	return Outcome{}
}

// codeLetters are what codes are made of.
const codeLetters = "abcdefghijklmnopqrstuvwxyz"

// codeKey takes a letter of the code: the first one as any answer, the others
// right after it. What is no code was typing.
func (r *Room) codeKey(in tty.Input, key string) Outcome {
	next := len(r.code)
	if next == 0 {
		counts, typed := r.arm.Press(key, in.At, in.Alone)
		switch {
		case typed != "":
			return Outcome{Typed: typed + key}
		case !counts:
			r.hint = tooEarly
		case !r.mayAllow():
			r.arm.Discount()
			r.hint = readOn
		case strings.HasPrefix(r.q.Code, key):
			r.arm.Drop()
			r.code = key
		default:
			r.arm.Discount()
		}
		return Outcome{}
	}
	typed := r.code + key
	if !in.Alone || next >= len(r.q.Code) || r.q.Code[next:next+1] != key {
		r.arm.Disturb(in.At)
		r.code = ""
		return Outcome{Typed: typed}
	}
	r.code = typed
	r.arm.Disturb(in.At)
	if r.code == r.q.Code {
		r.arm.Accept("code", in.At)
		r.press = in.At
	}
	return Outcome{}
}

// write handles a key in a line of text.
func (r *Room) write(in tty.Input, k uv.Key) Outcome {
	r.arm.Disturb(in.At)
	switch name := k.Keystroke(); {
	case name == "esc":
		r.mode = choosing
		return Outcome{}
	case r.formWriteKey(in, name):
		return Outcome{}
	case name == "enter":
		return r.sendText(in)
	}
	r.edit.Press(k)
	return Outcome{}
}

// sendText ends a line of text. An answer that is empty is none; a refusal
// needs no reason. A line end inside of a burst is no enter.
func (r *Room) sendText(in tty.Input) Outcome {
	if in.Followed {
		return Outcome{}
	}
	if r.mode == seeking {
		r.find()
		return Outcome{}
	}
	text := strings.TrimSpace(r.edit.Text())
	r.press = in.At
	switch {
	case r.mode == reasoning:
		return Outcome{Command: r.answer(event.Answer{Choice: event.Deny, Reason: text})}
	case text != "":
		return Outcome{Command: r.answer(event.Answer{Choice: event.Say, Text: text})}
	default:
		return Outcome{}
	}
}

// plainKey is the character of a key that was pressed once and alone, with no
// other key held.
func plainKey(k uv.Key) (string, bool) {
	if k.Mod != 0 || k.IsRepeat || len(k.Text) != 1 || rune(k.Text[0]) != k.Code {
		return "", false
	}
	return k.Text, true
}

// Due turns a press into what it means, once nothing took it back. See
// arm.Prompt.Due.
func (r *Room) Due(now, read, heard time.Time) (Outcome, time.Duration) {
	if r.arm == nil {
		return Outcome{}, 0
	}
	if r.rev.changed() && !r.Revising() {
		if left := Rest - now.Sub(r.rev.moved); left > 0 {
			return Outcome{}, left
		}
		return Outcome{Command: r.revise()}, 0
	}
	key, wait := r.arm.Due(now, read, heard)
	if key == "" {
		return Outcome{}, wait
	}
	if key == "code" && r.q.Danger && r.code == r.q.Code && r.mayAllow() {
		return Outcome{Command: r.answer(event.Answer{Choice: event.Once, Code: r.code})}, 0
	}
	c, ok := r.choice(key)
	if !ok || c.allows && !r.mayAllow() {
		return Outcome{}, 0
	}
	return c.do(r), 0
}
