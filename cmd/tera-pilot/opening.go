package main

import (
	"context"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// An opening is a session on its way: the sandbox is tried and the audit log
// opened while the terminal already takes keys. Whoever asks it for something
// waits until the session is there.
type opening struct {
	o     *opened
	log   *activityLog
	drawn func() // the first frame is there, or none comes
	done  chan struct{}
	err   error // why there is no session; read after done
}

// firstFrame is how long the session waits for the first frame. It wants the
// same processors, and a terminal may be slow.
const firstFrame = 500 * time.Millisecond

// opening begins the session that was prepared, when the first frame is drawn.
func (a *app) opening(ctx context.Context, o *opened) *opening {
	first := make(chan struct{})
	p := &opening{o: o, drawn: sync.OnceFunc(func() { close(first) }), done: make(chan struct{})}
	go func() { // ready waits for its end
		defer close(p.done)
		select {
		case <-first:
		case <-ctx.Done():
		case <-time.After(firstFrame):
		}
		if p.err = a.begin(ctx, o); p.err == nil {
			p.log = a.activityLog(ctx, o)
		}
	}()
	return p
}

// ready waits for the session.
func (p *opening) ready() error {
	<-p.done
	return p.err
}

// Send implements tui.Session.
func (p *opening) Send(c event.Command) error {
	if err := p.ready(); err != nil {
		return err
	}
	return p.o.Send(c)
}

// Subscribe implements tui.Session.
func (p *opening) Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error) {
	if err := p.ready(); err != nil {
		return nil, nil, nil, err
	}
	return p.o.Subscribe(seq)
}

// Recall implements tui.Session.
func (p *opening) Recall(seqs []uint64) ([]event.Event, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	return p.o.Recall(seqs)
}

// Load implements activity.Source.
func (p *opening) Load(after int64) (activity.Page, error) {
	if err := p.ready(); err != nil {
		return activity.Page{}, err
	}
	return p.log.Load(after)
}

// Record implements activity.Source.
func (p *opening) Record(seq int64) ([]string, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	return p.log.Record(seq)
}

// Verify implements activity.Source.
func (p *opening) Verify(full bool) activity.Chain {
	if err := p.ready(); err != nil {
		return activity.Chain{Failed: err.Error()}
	}
	return p.log.Verify(full)
}

// Export implements activity.Source.
func (p *opening) Export() (string, error) {
	if err := p.ready(); err != nil {
		return "", err
	}
	return p.log.Export()
}

// rules are the rules that were remembered.
func (p *opening) rules() ([]snap.RuleRow, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	return ruleRows(p.o)
}

// branch reads what is checked out in the workspace.
func (p *opening) branch(ctx context.Context) func() (string, error) {
	return func() (string, error) {
		if err := p.ready(); err != nil {
			return "", err
		}
		return p.o.world.Checkout(ctx), nil
	}
}

// first is what is known of a session before it begins: its sandbox is not
// tried yet.
func (o *opened) first() event.Opened {
	out := event.Opened{Root: o.root, Level: o.options.Level.String(), Sandbox: o.settings.Sandbox + " ?", Network: "off", Model: o.mind.Model, Host: o.mind.Host}
	if o.mind.Provider != nil {
		out.Provider = o.mind.Provider.ID()
	}
	return out
}
