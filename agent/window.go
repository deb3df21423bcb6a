package agent

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/audit"
)

// The longest windows, and those of a command without a time.
const (
	longestTrust, usualTrust   = time.Hour, 10 * time.Minute
	longestUnsafe, usualUnsafe = 15 * time.Minute, 5 * time.Minute
)

// An openWindow is a timed window and where it ends. The zero value is none.
type openWindow struct {
	kind  gate.WindowKind
	mode  string
	grade gate.Grade
	until time.Time // with the monotonic clock, where the session's has one
	timer *time.Timer
}

// left is what is left of it at a time: the less by the monotonic clock, which
// nobody can set back, and by the wall clock, which goes on while the machine
// sleeps.
func (w openWindow) left(now time.Time) time.Duration {
	return min(w.until.Sub(now), w.until.Round(0).Sub(now.Round(0)))
}

// window is the window in force.
func (s *Session) window(o *owned) gate.Window {
	if o.window.kind == gate.NoWindow {
		return gate.Window{}
	}
	if left := o.window.left(s.o.Now()); left > 0 {
		if gate.ParseGrade(s.o.World.Grade()) >= o.window.grade {
			return gate.Window{Kind: o.window.kind, Grade: o.window.grade, Left: left.Truncate(time.Second)}
		}
		s.endWindow(o, "grade")
		return gate.Window{}
	}
	s.endWindow(o, "over")
	return gate.Window{}
}

// openTimed opens a window, or ends it with "strict".
func (s *Session) openTimed(o *owned, c event.Window) {
	refuse := func(text string) { o.tell(event.Notice{Severity: "warn", Key: "window", Text: text}) }
	if c.Mode == "strict" {
		if o.window.kind == gate.NoWindow {
			refuse("no window is open: everything is asked as usual")
		}
		s.endWindow(o, "strict")
		return
	}
	w := openWindow{mode: c.Mode, grade: gate.ParseGrade(s.o.World.Grade())}
	var usual, longest time.Duration
	switch c.Mode {
	case "trust":
		w.kind, usual, longest = gate.TrustWindow, usualTrust, longestTrust
	case "unsafe":
		w.kind, usual, longest = gate.UnsafeWindow, usualUnsafe, longestUnsafe
	default:
		refuse("there is no window of that name: /trust 10m, /unsafe 5m and /strict")
		return
	}
	c.For = cmp.Or(c.For, usual)
	switch {
	case !s.o.Interactive:
		refuse("windows are opened in the interactive terminal only")
	case c.For < time.Second || c.For > longest:
		refuse(fmt.Sprintf("/%s takes from 1s to %s", c.Mode, longest))
	case w.grade == gate.NoGrade:
		refuse("no sandbox works here, so there is nothing that a window could cover: tera-pilot doctor --sandbox")
	default:
		s.startWindow(o, w, c.For)
	}
}

// startWindow puts a window in force, once that stands in the audit log: no
// evidence, no window.
func (s *Session) startWindow(o *owned, w openWindow, lasts time.Duration) {
	if err := s.record(audit.WindowChange(w.mode, s.o.Now().Add(lasts), "")); err != nil {
		o.tell(event.AuditHead{Broken: err.Error()})
		return
	}
	if o.window.timer != nil {
		o.window.timer.Stop()
	}
	w.until = s.o.Now().Add(lasts)
	o.windows++
	this := o.windows
	w.timer = time.AfterFunc(lasts, func() {
		_ = s.owner.post(func(o *owned) { // an ended session has no window
			if o.windows == this {
				s.endWindow(o, "over")
			}
		})
	})
	o.window = w
	o.tell(event.WindowChanged{Mode: w.mode, Until: w.until.UTC()})
}

// endWindow ends the open window, if one is.
func (s *Session) endWindow(o *owned, why string) {
	if o.window.kind == gate.NoWindow {
		return
	}
	mode := o.window.mode
	o.window.timer.Stop()
	o.window = openWindow{}
	o.tell(event.WindowChanged{Why: why})
	s.note(o, audit.WindowChange(mode, time.Time{}, why))
}
