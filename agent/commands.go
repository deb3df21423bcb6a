package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
)

// handle carries out a front end's command, in the owner's goroutine.
func (s *Session) handle(o *owned, c event.Command) {
	switch c := c.(type) {
	case event.Submit:
		s.submit(o, saying{c.Text, s.attach(o, c.Images)})
	case event.Interject:
		s.interject(o, c.Text)
	case event.Withdraw:
		o.withdraw()
	case event.Cancel:
		s.endWindow(o, "cancel")
		o.stop()
	case event.Window:
		s.openTimed(o, c)
	case event.Forget:
		s.forget(o, c.Rule)
	case event.Reload:
		s.reload(o)
	case event.Answer:
		o.answer(c)
	case event.Revise:
		o.revise(c)
	case event.Settle:
		s.settleUnknown(o, c)
	case event.SetLevel:
		s.setLevel(o, c)
	case event.Attached:
		if !slices.Contains(o.state.Taint, c.Source) {
			o.tell(event.Tainted(c))
		}
	case event.Unattended:
		o.canAsk = false
	case event.Compact:
		s.start(o, task{compact: &c})
	case event.SetThought:
		s.setThought(o, c)
	case event.StopJob:
		s.stopJob(o, c)
	case event.SetModel:
		s.setModel(o, c)
	case event.Seen:
		s.seen(o, c)
	case event.Rename:
		o.tell(event.Renamed(c))
	case event.Undo:
		s.takeBack(o, c)
	case event.Servers:
		s.askServers(o, c)
	case event.ListUndo:
		s.listUndo(o)
	default:
		o.tell(event.Notice{Severity: "warn", Text: fmt.Sprintf("the session does not know the command %T", c)})
	}
}

// A saying is one message of the person.
type saying struct {
	text   string
	images []event.ImageRef
}

// A task is what the worker does next: a turn, a compaction, an undo, or what is
// asked of an MCP server.
type task struct {
	saying  saying
	undo    *event.Undo
	asking  *asking // of an MCP server
	approve string  // the name of an MCP server
	compact *event.Compact
}

// submit starts a turn, or queues the text while one runs.
func (s *Session) submit(o *owned, said saying) {
	if o.closing {
		return
	}
	o.passUnknown()
	if o.busy {
		o.queue = append(slices.Clip(o.queue), said)
		o.tell(event.Queued{Texts: o.waiting()})
		return
	}
	s.start(o, task{saying: said})
}

// start hands a task to the resting worker. A compaction that is asked for in a
// turn waits for the turn's next request.
func (s *Session) start(o *owned, t task) {
	switch {
	case o.closing:
	case o.busy && t.compact != nil && o.state.TurnOpen:
		o.compact = t.compact
	case o.busy && t.compact != nil: // an undo that is about to end, or a turn that is about to begin
		o.later(func(o *owned) { s.start(o, t) })
	default:
		o.busy = true
		s.tasks <- t // has room for one: only one is under way
	}
}

// interject gives the running turn a message. One that begins with ! stops the
// turn, and is the next one.
func (s *Session) interject(o *owned, text string) {
	now, interrupts := strings.CutPrefix(text, "!")
	now = strings.TrimSpace(now)
	switch {
	case !o.busy && interrupts:
		s.submit(o, saying{text: now})
	case !o.busy:
		s.submit(o, saying{text: text})
	case o.closing:
	case s.isPrompt(text):
		s.submit(o, saying{text: text}) // its own turn: it is asked for before the model is
	case interrupts && now != "":
		o.queue = slices.Insert(slices.Clone(o.queue), 0, saying{text: now})
		o.tell(event.Queued{Texts: o.waiting()})
		o.stop()
	case interrupts:
		o.stop()
	default:
		o.interjected = append(slices.Clip(o.interjected), text)
		o.tell(event.Queued{Texts: o.waiting()})
	}
}

// waiting is what the person typed and nobody has read yet, oldest first.
func (o *owned) waiting() []string {
	out := slices.Clone(o.interjected)
	for _, q := range o.queue {
		out = append(out, q.text)
	}
	return out
}

// withdraw takes the newest of it back.
func (o *owned) withdraw() {
	switch q, i := len(o.queue), len(o.interjected); {
	case q > 0:
		o.queue = slices.Clone(o.queue[:q-1])
	case i > 0:
		o.interjected = slices.Clone(o.interjected[:i-1])
	default:
		return
	}
	o.tell(event.Queued{Texts: o.waiting()})
}

// next is what the worker does after a task: what was interjected too late for
// its turn, the oldest queued text, or rest. When the session's own context
// has ended nothing more is begun: what waits is named, and let go.
func (o *owned) next(ended bool) (t task, ok bool) {
	o.cancel = nil
	late := make([]saying, len(o.interjected))
	for i, text := range o.interjected {
		late[i] = saying{text: text}
	}
	o.queue, o.interjected = slices.Concat(late, o.queue), nil
	if n := len(o.queue); n > 0 && ended && !o.closing {
		o.queue = nil
		o.tell(event.Queued{}, event.Notice{Severity: "warn", Text: fmt.Sprintf("%d messages that waited were not begun: the session is ending", n)})
	}
	if len(o.queue) == 0 || o.closing {
		o.busy = false
		o.goOn()
		return task{}, false
	}
	t.saying, o.queue = o.queue[0], slices.Clone(o.queue[1:])
	o.tell(event.Queued{Texts: o.waiting()})
	return t, true
}

// later puts something off until it is known what the busy worker does: until a
// turn has begun, or the worker rests.
func (o *owned) later(f func(*owned)) { o.putOff = append(o.putOff, f) }

// goOn does what was put off. What cannot be done yet puts itself off again.
func (o *owned) goOn() {
	now := o.putOff
	o.putOff = nil
	for _, f := range now {
		f(o)
	}
}

// stoppedBy says what stops the task that the worker begins, which was stopped
// already if the person was that quick.
func (o *owned) stoppedBy(cancel func()) {
	if o.cancel = cancel; o.stopped {
		cancel()
	}
	o.stopped = false
}

// stop cancels the running turn, or the one that is about to run. What was
// queued behind it is kept.
func (o *owned) stop() {
	if o.cancel != nil {
		o.cancel()
	}
	o.stopped = o.busy && o.cancel == nil
}

// tell emits what nobody waits for. A log that takes nothing more stops the
// next call, and the screen says so.
func (o *owned) tell(bodies ...event.Body) { _ = o.emit(bodies...) }

// setLevel changes the autonomy level. Away from the terminal no front end
// gets above the level of the launch; never_ask there is the opt-out, which
// ends with any other level and comes back with this one.
func (s *Session) setLevel(o *owned, c event.SetLevel) {
	level, err := gate.ParseLevel(c.Level)
	if err == nil && !s.o.Interactive && level > s.ceiling() {
		err = fmt.Errorf("the level %s was not allowed at the launch, so no front end can set it", level)
	}
	if err != nil {
		o.tell(event.Notice{Severity: "warn", Text: err.Error(), Key: "level"})
		return
	}
	from, planned := s.levelWord(o), o.limits.Plan
	o.limits.Level, o.limits.Plan, o.optOut = level, c.Plan, s.o.OptOut && level == gate.NeverAsk
	to := s.levelWord(o)
	if from == to {
		return
	}
	o.tell(event.LevelChanged{From: from, To: to, By: "user:" + string(s.o.Front)})
	if c.Plan != planned {
		o.tell(planNudge(c.Plan, o.state.Turn))
	}
	s.note(o, audit.LevelChange(from, to))
}

// planOn goes on in plan mode where the session was left in it: what was held
// back does not come loose by starting again. Where nobody could leave it, the
// level of the launch is the person's word.
func (s *Session) planOn(o *owned, past session.State) {
	if past.Level == planWord && s.o.CanAsk {
		o.limits.Plan = true
		from := s.effective(o.limits.Level, o.optOut).String()
		o.tell(event.LevelChanged{From: from, To: planWord, By: "resume"})
		s.note(o, audit.LevelChange(from, planWord))
	}
}

// planWord is what plan mode is called where levels are named.
const planWord = "plan"

// levelWord is what the level in force is called.
func (s *Session) levelWord(o *owned) string {
	if o.limits.Plan {
		return planWord
	}
	return s.effective(o.limits.Level, o.optOut).String()
}

// seen states that the person looked at, exported or cleared something.
// Clearing a view deletes nothing.
func (s *Session) seen(o *owned, c event.Seen) {
	switch c.What {
	case "audit.viewed":
		s.note(o, audit.Seen(audit.KindViewed, "the log was looked at", c.Detail))
	case "audit.exported":
		s.note(o, audit.Seen(audit.KindExported, "the log was exported", c.Detail))
	case "view.cleared":
		s.note(o, audit.Seen(audit.KindCleared, "the view was cleared; nothing was deleted", c.Detail))
	default:
		o.tell(event.Notice{Severity: "warn", Text: fmt.Sprintf("nothing is known that was %q", c.What)})
	}
}

// note writes an audit event that belongs to a command of the person.
func (s *Session) note(o *owned, e audit.Event) {
	if err := s.record(e); err != nil {
		o.tell(event.AuditHead{Broken: err.Error()})
	}
}
