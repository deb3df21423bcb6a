package agent

import (
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// A call that a crash left open, and of which nobody can know whether it
// happened, is put before the person: it was done, do it again, or look first.
// Nothing is run by the answer; what the person says becomes the next message,
// and a repetition is a new call with a new decision.

// openUnknown puts the oldest such call before the person, in the owner's
// goroutine. A message that is typed instead closes the question.
func (s *Session) openUnknown(o *owned) {
	if len(o.unknown) == 0 || o.question != nil || o.busy || !s.o.CanAsk {
		return
	}
	q := s.unknownQuestion(o.unknown[0])
	if o.emit(event.QuestionOpened{Question: q}) == nil {
		o.question = &openQuestion{Question: q, answer: make(chan reply, 1)}
	}
}

func (s *Session) unknownQuestion(c event.CallStarted) event.Question {
	var w lines
	w.fact("call", c.Title)
	for _, e := range c.Effects {
		w.words(event.LineFact, "effect", e)
	}
	w.fact("state", "the program ended while it ran: nobody knows whether it happened, or how far it came")
	w.fact("now", "it was not run again, and nothing is run by your answer")
	return event.Question{
		ID: randomHex(8), Digest: c.Digest, Call: c.Call, Tool: c.Tool, Kind: event.AskUnknown,
		Title: visible.Strict(c.Title), Lines: w.out, LinesHash: event.HashLines(w.out), Opened: s.o.Now().UTC(),
	} // it has no deadline: nothing waits for the answer
}

// settleUnknown takes the person's word on such a call.
func (s *Session) settleUnknown(o *owned, c event.Settle) {
	if o.question == nil || o.question.Kind != event.AskUnknown || o.question.Call != c.Call {
		return
	}
	call := o.unknown[0]
	o.unknown = o.unknown[1:]
	o.closeQuestion("answered", nil)
	switch c.How {
	case "done":
		s.submit(o, saying{text: "About the call that was interrupted (" + call.Title + "): it did happen. Go on from there."})
	case "again":
		s.submit(o, saying{text: "About the call that was interrupted (" + call.Title + "): look how far it came, then do what is left of it."})
	default:
		s.openUnknown(o)
	}
}

// passUnknown closes such a question because the person types instead.
func (o *owned) passUnknown() {
	if o.question != nil && o.question.Kind == event.AskUnknown {
		o.unknown = nil
		o.closeQuestion("cancelled", nil)
	}
}
