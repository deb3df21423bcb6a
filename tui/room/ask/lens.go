package ask

import (
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/tty"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A lens is how a person looks at a long review: for a text in it, and whether
// long lines are broken. Nothing of it answers, and what the lens leaves beside
// the screen does not count as seen.
type lens struct {
	key string // the letter that moved it last, in case it turns out to be typing
	at  time.Time
	not bool // the text was not found
	hit int  // the line that was found last, plus one
}

// looks says that the question is one to look through: a review. In one with a
// code every letter may be part of it.
func (r *Room) looks() bool {
	return r.q.Kind == event.AskEdit && r.mode == choosing && !r.q.Danger
}

// lensKey handles w, /, n and N, and the arrows beside long lines.
func (r *Room) lensKey(in tty.Input, k uv.Key) bool {
	if !r.looks() || !in.Alone || k.IsRepeat || k.Mod&^uv.ModShift != 0 {
		return false
	}
	broken, _ := r.sheet.Broken()
	switch {
	case k.Text == "w":
		r.sheet.Break(!broken)
	case k.Text == "/":
		r.mode = seeking
		r.edit.Clear()
	case k.Text == "n" && r.sheet.Find != "":
		r.seek(1)
	case k.Text == "N" && r.sheet.Find != "":
		r.seek(-1)
	case k.Keystroke() == "right" && !broken:
		r.sheet.Sideways(beside)
	case k.Keystroke() == "left" && !broken:
		r.sheet.Sideways(-beside)
	default:
		return false
	}
	r.lens.key, r.lens.at = k.Text, in.At
	r.arm.Disturb(in.At)
	return true
}

// beside is how far the arrows move over long lines, in cells.
const beside = 16

// takeBack undoes what a letter did when another key follows at once: then both
// are typing.
func (r *Room) takeBack(at time.Time) (typed string) {
	l := &r.lens
	if (l.key != "w" && l.key != "n" && l.key != "N") || at.Sub(l.at) >= arm.Hold {
		return ""
	}
	if l.key == "w" {
		broken, _ := r.sheet.Broken()
		r.sheet.Break(!broken)
	}
	typed, l.key = l.key, ""
	return typed
}

// find looks for what was written, from the cursor on.
func (r *Room) find() {
	r.mode, r.sheet.Find = choosing, strings.ToLower(strings.TrimSpace(r.edit.Text()))
	r.seek(1)
}

func (r *Room) seek(step int) {
	at, _, _ := r.sheet.Top()
	switch {
	case r.rev != nil:
		at = r.rev.cursor
	case r.lens.hit > 0:
		at = r.lens.hit - 1
	}
	hit := r.sheet.Next(at, step)
	if r.lens.not = hit < 0 && r.sheet.Find != ""; hit < 0 {
		return
	}
	r.lens.hit = hit + 1
	if r.rev != nil {
		r.rev.cursor = hit
	}
	r.sheet.Reveal(hit)
}

// lensPart is the keys of the lens, and where it stands.
func (r *Room) lensPart(narrow bool) view.Line {
	broken, _ := r.sheet.Broken()
	words := safe.Lit("w long lines  / find")
	if !broken {
		words = safe.Lit("w break lines  left right  / find")
	}
	switch {
	case narrow && !broken:
		words = safe.Lit("w break  / find")
	case narrow:
		words = safe.Lit("w long  / find")
	}
	if r.sheet.Find != "" {
		words = safe.Join(words, safe.Lit("  n N next"))
	}
	l := view.Lit(theme.Dim, words)
	if r.lens.not {
		l = view.Join(l, view.Lit(theme.Warn, safe.Lit("  not found: ")), view.Text(theme.Warn, safe.Strict(r.sheet.Find)))
	}
	return l
}
