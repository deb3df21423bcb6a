// Package ask is the room of a question: it shows all of it, and turns keys
// into the answer.
//
// # Promised
//
// The room changes nothing of a question and leaves nothing out. It allows
// only when every line was on the screen, when the lines fit the hash that the
// core gave them, and by a key that tui/arm takes for an answer. Whatever is
// unclear is no answer.
//
// # Not promised
//
// That the core takes the answer: it compares question, digest and lines again.
package ask

import (
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/room/sheet"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A Room holds one question from the moment it is opened until it is closed.
type Room struct {
	q     event.Question
	by    string
	sound bool // the lines fit their hash
	sheet *sheet.Sheet
	arm   *arm.Prompt
	first time.Time // when the terminal had it first
	press time.Time // when the key was pressed that became the answer

	mode   mode
	edit   composer.Room // reason, or the answer to a question of the model
	chosen int           // of the options or scopes
	code   string        // the letters of the code so far
	hint   hint

	rev  *review // of lines; nil where none can be left out
	lens lens
	form *filling // nil where there is none
	sent bool     // an edited proposal is on its way

	fits   bool // the scope that is chosen is on the screen as a whole
	look   look
	frames map[uint64]shown
}

type mode uint8

const (
	choosing mode = iota
	reasoning
	texting
	seeking
	scoping
	picking // an option of a form's field
)

// hint is why a key did nothing.
type hint uint8

const (
	noHint hint = iota
	tooEarly
	readOn
)

// look is what a frame of the question depends on. Another look is another
// frame, and arms anew.
type look struct {
	width, height int
	widths        view.Widths
	top           int
	row           int
	mode          mode
	chosen        int
	complete      bool
	cursor        int // of a review
	anchor        int
	picked        uint64 // stands for the choice of lines
	broken        bool   // long lines are
	left          int    // cells of them beside the screen
	find          string
	filled        uint64 // stands for what is filled in
}

// shown is what a frame had on it.
type shown struct {
	width  int
	widths view.Widths
	places []sheet.Place
	broken bool
	left   int
	fields []int // of a form, as a whole
	values []string
}

// New makes the room of a question that is not yet on the screen. by is who
// answers, "user:tui".
func New(q event.Question, by string) *Room {
	r := &Room{q: q, by: by, sheet: sheet.New(q.Lines), frames: map[uint64]shown{}}
	r.edit.OneLine = true
	r.rev, r.form = newReview(q), newFilling(q)
	r.sheet.Gutter = r.gutter
	r.sound = q.LinesHash == event.HashLines(q.Lines)
	for _, l := range q.Lines {
		r.sound = r.sound && visible.Harmless(l.Text)
	}
	return r
}

// Question is the question.
func (r *Room) Question() event.Question { return r.q }

// Focus gives the room the focus: it arms from here on.
func (r *Room) Focus(at time.Time) { r.focus(arm.New(at)) }

// Over gives the room the focus in the place of something whose keys are
// letters: it arms later.
func (r *Room) Over(at time.Time) { r.focus(arm.Over(at)) }

func (r *Room) focus(p *arm.Prompt) {
	r.arm, r.look = p, look{}
	clear(r.frames)
	r.mode, r.code, r.hint = choosing, "", noHint
}

// Blur takes the focus away.
func (r *Room) Blur() { r.arm = nil }

// Draft is the reason or the answer that is being written.
func (r *Room) Draft() string {
	if r.mode == reasoning || r.mode == texting {
		return r.edit.Text()
	}
	return ""
}

// Focused says that the room has the focus.
func (r *Room) Focused() bool { return r.arm != nil }

// Disturb says that something came that is no key: the mouse, the focus of the
// terminal, a resize. It returns typing, see arm.Prompt.Disturb.
func (r *Room) Disturb(at time.Time) (typed string) {
	if r.arm == nil {
		return ""
	}
	return r.arm.Disturb(at)
}

// Confirm says that the terminal has frame n.
func (r *Room) Confirm(n uint64, at time.Time, fenced bool) {
	if r.arm == nil {
		return
	}
	r.arm.Confirm(n, at, fenced)
	f, ok := r.frames[n]
	if !ok {
		return
	}
	delete(r.frames, n)
	if r.first.IsZero() {
		r.first = at
	}
	if f.width == r.look.width && f.widths == r.look.widths && f.broken == r.look.broken && f.left == r.look.left {
		r.sheet.Mark(f.places)
		if r.form != nil {
			r.form.mark(f.fields, f.values)
		}
	}
}

// State is where the arming stands.
func (r *Room) State(now time.Time) arm.State {
	if r.arm == nil {
		return arm.Hidden
	}
	return r.arm.State(now)
}

// ArmedAt is when the room will be armed if nothing happens.
func (r *Room) ArmedAt() (time.Time, bool) {
	if r.arm == nil {
		return time.Time{}, false
	}
	return r.arm.ArmedAt()
}

// mayAllow says that every condition of a yes but its key is met.
func (r *Room) mayAllow() bool {
	return r.sound && r.sheet.Complete() && (r.mode != scoping || r.fits) && r.settled() && r.form.ready()
}

// settled says that the question is about what the person chose, and that
// something of it is left.
func (r *Room) settled() bool {
	if r.Revising() || r.rev.changed() {
		return false
	}
	if r.rev == nil {
		return true
	}
	kept, _ := r.rev.kept()
	return kept > 0
}
