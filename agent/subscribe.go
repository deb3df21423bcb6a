package agent

import (
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// A subscriber gets every event. One that does not read is cut off, and asks
// for the events that it missed.
type subscriber struct{ events chan event.Event }

// subscriberRoom is how far a front end may fall behind, in events.
const subscriberRoom = 4096

func (o *owned) fanOut(e event.Event) {
	for s := range o.subscribers {
		select {
		case s.events <- e:
		default:
			close(s.events)
			delete(o.subscribers, s)
		}
	}
}

// Subscribe returns the stored events after seq and a channel with those that
// follow. The channel is closed when the session ends, and when the caller
// reads too slowly: then he subscribes again with the last number he saw.
func (w *owner) Subscribe(seq uint64) (backlog []event.Event, live <-chan event.Event, cancel func(), err error) {
	s := &subscriber{events: make(chan event.Event, subscriberRoom)}
	doErr := w.do(func(o *owned) {
		all := o.early
		if o.early = nil; all == nil {
			if all, err = o.read(); err != nil {
				return
			}
		}
		backlog = all[min(seq, uint64(len(all))):]
		for i, e := range backlog {
			if b, ok := e.Body.(event.QuestionOpened); ok && o.question != nil && b.Question.ID == o.question.ID {
				backlog[i].Body = event.QuestionOpened{Question: o.question.Question}
			}
		}
		for _, body := range []event.Body{o.working, event.Queued{Texts: o.waiting()}, event.Offered{Commands: o.offers}} {
			s.events <- event.Event{Time: o.now(), Session: o.log.ID(), Body: body}
		}
		o.subscribers[s] = true
	})
	if err = errors.Join(doErr, err); err != nil {
		return nil, nil, nil, fmt.Errorf("events of the session: %w", err)
	}
	cancel = func() {
		_ = w.post(func(o *owned) { // an ended session has closed the channel already
			if o.subscribers[s] {
				delete(o.subscribers, s)
				close(s.events)
			}
		})
	}
	return backlog, s.events, cancel, nil
}
