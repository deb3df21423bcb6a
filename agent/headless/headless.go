package headless

import (
	"context"
	"io"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
)

// Session is what a run needs of the session.
type Session interface {
	ID() string
	Send(event.Command) error
	Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error)
	State() (session.State, error)
	Head() audit.Head
}

// Options of a run.
type Options struct {
	Session Session
	Prompt  string
	JSON    bool // one event a line, then the result
	Sandbox bool // commands have a sandbox of an accepted grade
	OptOut  bool // --no-confirm was given
	Out     io.Writer
	Err     io.Writer

	// Schema is what the last message is held against; nil: nothing.
	Schema *Schema

	// OutOfTime says that the run was stopped by its time limit and not by a
	// person. nil: there is none.
	OutOfTime func() bool
}

// Run does one turn and says what came of it. The error is about the output
// alone; how the turn ended stands in the result.
func Run(ctx context.Context, o Options) (Result, error) {
	state, err := o.Session.State()
	if err != nil {
		return Result{}, err
	}
	r := &run{Options: o, started: map[string]event.CallStarted{}, last: state.Seq}
	if err := r.follow(ctx, o.Schema.asked(o.Prompt)); err != nil {
		return Result{}, err
	}
	if r.hold(); r.misfit != "" {
		if err := r.follow(ctx, o.Schema.again(r.misfit)); err != nil {
			return Result{}, err
		}
		r.hold()
	}
	return r.result()
}

// hold holds the message of a turn that came to its end against the schema.
func (r *run) hold() {
	r.misfit = ""
	if r.Schema != nil && r.end.Status == "done" {
		r.answer, r.misfit = r.Schema.hold(r.said)
	}
}

type run struct {
	Options
	last    uint64 // the last event that was seen, or is not of this run
	said    string // the text of the turn's last reply
	answer  string // the message that fits the schema
	misfit  string
	checks  []Checked
	started map[string]event.CallStarted
	denied  []Denial
	found   []string // what commands left
	boxless bool     // a command was refused for want of a sandbox
	end     event.TurnEnded
}

// follow sends a message and reads events until its turn has ended. It listens
// before it speaks, so that no end is missed. Falling behind, it goes on from
// the last event it saw.
func (r *run) follow(ctx context.Context, text string) error {
	r.said = ""
	for first := true; ; first = false {
		backlog, live, cancel, err := r.Session.Subscribe(r.last)
		if err != nil {
			return err
		}
		if first {
			if err := r.Session.Send(event.Submit{Text: text}); err != nil {
				cancel()
				return err
			}
		}
		done, err := r.read(ctx, backlog, live)
		cancel()
		if done || err != nil {
			return err
		}
	}
}

func (r *run) read(ctx context.Context, backlog []event.Event, live <-chan event.Event) (done bool, err error) {
	for _, e := range backlog {
		if done, err := r.take(e); done || err != nil {
			return done, err
		}
	}
	stop := ctx.Done()
	for {
		select {
		case e, ok := <-live:
			if !ok {
				return false, nil
			}
			if done, err := r.take(e); done || err != nil {
				return done, err
			}
		case <-stop:
			stop = nil // the turn still ends by itself, and says that it was stopped
			if err := r.Session.Send(event.Cancel{}); err != nil {
				return true, err
			}
		}
	}
}

// take shows one event and remembers what the result needs of it.
func (r *run) take(e event.Event) (done bool, err error) {
	if e.Seq != 0 {
		if e.Seq <= r.last {
			return false, nil
		}
		r.last = e.Seq
	}
	if r.JSON {
		err = r.line(e)
	} else {
		err = r.progress(e)
	}
	switch b := e.Body.(type) {
	case event.Reply:
		r.said = b.Text
	case event.CallStarted:
		r.started[b.Call] = b
	case event.CallDecided:
		r.ledger(b)
	case event.Notice:
		if strings.HasPrefix(b.Key, event.FoundKey) {
			r.found = append(r.found, b.Text)
		}
	case event.Refused:
		r.below(b)
	case event.CallResult:
		r.checked(b)
		r.unplanned(b)
	case event.TurnEnded:
		if b.Code == exitCancelled && r.OutOfTime != nil && r.OutOfTime() {
			b.Status, b.Code, b.Message = "incomplete", exitBudget, "stopped at the time limit: raise --max-minutes, or go on with --continue"
		}
		r.end = b
		return true, err
	}
	return false, err
}
