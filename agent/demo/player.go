package demo

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Session is what a Player needs of a session.
type Session interface {
	Send(event.Command) error
	Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error)
	Recall(seqs []uint64) ([]event.Event, error)
}

// Player stands between a session and a front end, and answers questions in
// the person's place: yes to all but the dangerous ones, and each answer is
// labelled as played. It stops the front end when the turn has ended.
type Player struct {
	Session
	Done func() // called once, when there is nothing more to see

	mu       sync.Mutex // guards the members below: feeds may overlap when a front end falls behind
	answered map[string]bool
	ended    bool
	err      error
}

// Subscribe passes the session's events on and answers on the way.
func (p *Player) Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error) {
	backlog, live, cancel, err := p.Session.Subscribe(seq)
	if err != nil {
		return nil, nil, nil, err
	}
	out, stop := make(chan event.Event, cap(live)), make(chan struct{})
	tell := func(e event.Event) {
		select {
		case out <- e:
		case <-stop:
		}
	}
	go func() {
		defer close(out)
		for _, e := range backlog {
			p.react(e, tell)
		}
		for e := range live {
			tell(e)
			p.react(e, tell)
		}
	}()
	return backlog, out, func() { close(stop); cancel() }, nil
}

// Err is how the turn ended, nil when it was done.
func (p *Player) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended && p.err == nil {
		return errors.New("the demo's turn did not end")
	}
	return p.err
}

func (p *Player) react(e event.Event, tell func(event.Event)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch b := e.Body.(type) {
	case event.QuestionOpened:
		if !p.answered[b.Question.ID] {
			p.answer(b.Question, e, tell)
		}
	case event.TurnEnded:
		if p.ended {
			return
		}
		p.ended = true
		if b.Status != "done" {
			p.err = fmt.Errorf("the demo's turn ended with %s: %s", b.Status, b.Message)
		}
		p.Done()
	}
}

func (p *Player) answer(q event.Question, e event.Event, tell func(event.Event)) {
	a := event.Answer{Question: q.ID, Digest: q.Digest, LinesHash: q.LinesHash, By: "demo", Choice: event.Once}
	says := "DEMO answers yes (played, nobody was asked)"
	if q.Danger {
		a.Choice, a.Reason, says = event.Deny, "the demo says no to danger", "DEMO answers no (played, nobody was asked)"
	}
	tell(event.Event{Time: e.Time, Session: e.Session, Body: event.Notice{Severity: "info", Text: says}})
	if p.answered == nil {
		p.answered = map[string]bool{}
	}
	p.answered[q.ID] = true
	if err := p.Session.Send(a); err != nil {
		p.err = err
	}
}
