// Package arm decides whether a key press is an answer.
//
// # Promised
//
// A key answers a question only if the person can have read it and meant it:
// the terminal had the frame, the keyboard and the screen were quiet for
// Quiet before the press, the press came alone, and nothing came within Hold
// after it. Times are those at which bytes were read. Whatever breaks a
// condition disarms; nothing arms but time.
//
// # Not promised
//
// That the person did read. Whether all lines were on the screen is counted by
// who shows them.
//
// The package has no clock: every time is handed in.
package arm

import "time"

// Times that a question keeps (docs/terminal.md).
const (
	Quiet = 400 * time.Millisecond  // without input or disturbance before an answer
	Hold  = 250 * time.Millisecond  // after a press, in which another key takes it back
	Fence = 250 * time.Millisecond  // for the terminal to answer that it has a frame
	Focus = 1500 * time.Millisecond // without input before a question takes the focus by itself
)

// State is where a prompt stands.
type State uint8

// States. The zero state answers nothing.
const (
	Hidden  State = iota // the terminal is not known to have the frame
	Drawn                // it has, but the keyboard or the screen was not quiet long enough
	Armed                // a press counts
	Pending              // a press was made, and another one would take it back
)

// A Prompt is the arming of one question, from the moment it takes the focus.
type Prompt struct {
	frame    uint64    // number of the newest frame
	drawn    time.Time // when the terminal confirmed it; zero when it has not
	unfenced bool      // a frame was taken for drawn without an answer of the terminal
	calm     time.Time // since when nothing came and nothing changed
	quiet    time.Duration
	held     press
}

// press is a key that may turn out to be an answer, or the start of typing.
type press struct {
	key    string
	at     time.Time
	counts bool
}

// New begins the arming of a question that takes the focus at a time.
func New(at time.Time) *Prompt { return &Prompt{calm: at, quiet: Quiet} }

// Over is New for a question that comes over something whose keys are letters
// too: it keeps quiet as long as before it came. Keys that follow each other
// as in a list never arm it.
func Over(at time.Time) *Prompt { return &Prompt{calm: at, quiet: Focus} }

// Frame says that another frame of the question is on its way: other lines, or
// another size.
func (p *Prompt) Frame(n uint64) {
	p.frame, p.drawn = n, time.Time{}
	p.held = press{}
}

// Confirm says that the terminal has frame n; fenced, that it said so itself.
func (p *Prompt) Confirm(n uint64, at time.Time, fenced bool) {
	if n == 0 || n != p.frame || !p.drawn.IsZero() {
		return
	}
	p.drawn = at
	p.unfenced = p.unfenced || !fenced
}

// Unfenced says that some frame was not confirmed by the terminal itself.
func (p *Prompt) Unfenced() bool { return p.unfenced }

// Disturb says that something came or changed: a key, a paste, the mouse, the
// focus, a resize, another prompt. It returns the text of a key that was
// pressed just before: that was typing, then, and no answer.
func (p *Prompt) Disturb(at time.Time) (typed string) {
	if p.held.key != "" && at.Sub(p.held.at) < Hold {
		typed = p.held.key
	}
	p.held = press{}
	if at.After(p.calm) {
		p.calm = at
	}
	return typed
}

// ArmedAt is when the prompt will be armed if nothing happens; ok is false
// while the terminal does not have the frame.
func (p *Prompt) ArmedAt() (at time.Time, ok bool) {
	if p.drawn.IsZero() {
		return time.Time{}, false
	}
	at = p.calm
	if p.drawn.After(at) {
		at = p.drawn
	}
	return at.Add(p.quiet), true
}

// State is where the prompt stands at a time.
func (p *Prompt) State(now time.Time) State {
	at, drawn := p.ArmedAt()
	switch {
	case !drawn:
		return Hidden
	case p.held.counts:
		return Pending
	case now.Before(at):
		return Drawn
	default:
		return Armed
	}
}

// Press is a press of an answer key, read at a time. It counts when the prompt
// was armed then and the key came alone. It is kept either way, since it may
// be the start of typing. typed is the text of a key that was pressed just
// before it: then both are typing, and neither is kept.
func (p *Prompt) Press(key string, at time.Time, alone bool) (counts bool, typed string) {
	counts = alone && p.State(at) == Armed
	if typed = p.Disturb(at); typed != "" {
		return false, typed
	}
	p.held = press{key: key, at: at, counts: counts}
	return counts, ""
}

// Accept holds a key that became an answer by another way than one press: the
// last letter of a code, whose first one was a press that counted.
func (p *Prompt) Accept(key string, at time.Time) {
	p.Disturb(at)
	p.held = press{key: key, at: at, counts: !p.drawn.IsZero()}
}

// Discount makes the last press no answer; it may still be typing.
func (p *Prompt) Discount() { p.held.counts = false }

// Drop forgets a press without taking it for typing.
func (p *Prompt) Drop() { p.held = press{} }

// Due says which key, if any, has become an answer. read is when bytes were
// read last, heard when the last ones that were told to this prompt were read:
// while they differ something is on its way that may take the press back. wait
// is when to ask again, 0 for never.
func (p *Prompt) Due(now, read, heard time.Time) (key string, wait time.Duration) {
	switch {
	case p.held.key == "":
		return "", 0
	case !p.held.counts:
		if now.Sub(p.held.at) >= Hold {
			p.held = press{}
		}
		return "", 0
	case now.Sub(p.held.at) < Hold:
		return "", Hold - now.Sub(p.held.at)
	case read.After(heard):
		return "", 10 * time.Millisecond
	}
	key = p.held.key
	p.held = press{}
	return key, 0
}
