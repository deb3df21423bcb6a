package acp

import (
	"crypto/rand"
	"slices"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/acp/wire"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// A session is one that a client has open.
type session struct {
	server *server
	id     string
	opened Opened
	folder folder
	ended  chan struct{} // closed when no update comes any more

	mu          sync.Mutex
	mode, model string
	thought     string
	prompt      *wire.Request // that waits for the end of its turn
	doing       string        // the slash command that it is, "" for a turn
	stopped     bool          // the client wants its end

	// Of the goroutine that follows the events.
	view  *view
	asked asked
}

// maxReplay is how many events are shown of a session that is loaded.
const maxReplay = 10_000

// replay shows what was said and done so far.
func (s *session) replay(past []event.Event) {
	v := newView(s.update, s.folder, 0)
	if left := len(past) - maxReplay; left > 0 {
		past = past[left:]
		v.say("(the beginning of this session is not shown: it is long)")
	}
	for _, e := range past {
		switch b := e.Body.(type) {
		case event.TurnStarted:
			text := b.Text
			for range b.Images {
				text += "\n(a picture)"
			}
			s.update(chunk{"user_message_chunk", textBlock{"text", visible.Prose(text)}, rand.Text()})
		case event.CallStarted:
			v.take(b)
		case event.CallDecided, event.Notice:
			// Over; the result says how.
		default:
			v.take(b)
		}
	}
	for _, t := range v.calls { // a crash left them open
		v.send(toolCall{Update: "tool_call_update", ToolCallID: t.ToolCallID, Status: "failed"})
	}
}

// follow shows events until the session ends. Falling behind, it goes on from
// the last one that it saw.
func (s *session) follow(live <-chan event.Event, last uint64) {
	defer close(s.ended)
	defer s.answer("cancelled")
	for {
		for e := range live {
			s.take(e, &last)
		}
		backlog, next, _, err := s.opened.Subscribe(last)
		if err != nil {
			return
		}
		for _, e := range backlog {
			s.take(e, &last)
		}
		live = next
	}
}

func (s *session) take(e event.Event, last *uint64) {
	if e.Seq != 0 {
		if e.Seq <= *last {
			return
		}
		*last = e.Seq
	}
	switch b := e.Body.(type) {
	case event.QuestionOpened:
		s.ask(b.Question)
	case event.QuestionClosed:
		s.closed(b)
	case event.LevelChanged:
		s.update(map[string]any{"sessionUpdate": "current_mode_update", "currentModeId": modeOf(b.To)})
		s.tellOptions()
	case event.ModelChanged:
		s.view.window = b.Window
		s.tellOptions()
	case event.ThoughtChanged:
		s.mu.Lock()
		s.thought = b.Level
		s.mu.Unlock()
		s.tellOptions()
	case event.Offered:
		s.offer(b.Commands)
	case event.TurnEnded:
		s.turnEnded(b)
	case event.Notice, event.Working, event.Compacted, event.Uncompacted:
		if !s.done(b) {
			s.view.take(e.Body)
		}
	default:
		s.view.take(e.Body)
	}
}

func (s *session) tellOptions() {
	s.mu.Lock()
	options := s.configOptions()
	s.mu.Unlock()
	s.update(map[string]any{"sessionUpdate": "config_option_update", "configOptions": options})
}

// update sends a notification. A client that is gone is noticed elsewhere.
func (s *session) update(update any) {
	_ = s.server.conn.Notify("session/update", notification{s.id, update})
}

// turnEnded answers the prompt, after all updates of its turn.
func (s *session) turnEnded(e event.TurnEnded) {
	if state, err := s.opened.State(); err == nil && e.Turn == 1 {
		s.view.title(state.Title)
	}
	switch {
	case e.Status == "done":
		s.answer("end_turn")
	case e.Status == "cancelled":
		s.answer("cancelled")
	case e.Status == "incomplete" && s.view.stop == "length":
		s.answer("max_tokens")
	case e.Status == "incomplete":
		s.view.say(e.Message)
		s.answer("max_turn_requests")
	case s.view.stop == "filter":
		s.answer("refusal")
	default:
		s.view.say(e.Message)
		s.fail(turnError(e.Code))
	}
	s.view.stop = ""
}

// turnError is a turn's failure in words without anything from outside.
func turnError(code int) string {
	switch code {
	case 7:
		return "the audit log cannot be written, so nothing more is done"
	case 9:
		return "the model gave no usable answer"
	default:
		return "the turn failed"
	}
}

// answer ends the prompt that waits, if one does.
func (s *session) answer(reason string) {
	if r := s.taken(); r != nil {
		r.Reply(map[string]string{"stopReason": reason})
	}
}

func (s *session) fail(why string) {
	if r := s.taken(); r != nil {
		r.Fail(wire.CodeInternal, why)
	}
}

func (s *session) taken() *wire.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.prompt
	s.prompt, s.doing, s.stopped = nil, "", false
	return r
}

// busy says that a turn is under way; with an id, the turn of that request.
func (s *session) busy(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompt != nil && (id == "" || string(s.prompt.ID) == id)
}

// submit starts a turn.
func (s *session) submit(r *wire.Request, text said) error {
	s.mu.Lock()
	s.prompt = r
	s.mu.Unlock()
	var err error
	if len(text.attached) > 0 {
		err = s.opened.Send(event.Attached{Source: "file", What: text.attached[0]})
	}
	if err == nil {
		err = s.opened.Send(event.Submit{Text: text.text, Images: text.images})
	}
	if err != nil {
		s.taken()
	}
	return err
}

// setMode changes the mode to a listed one.
func (s *session) setMode(mode, param string) error {
	c, ok := s.server.o.Launch.command(mode)
	if !ok {
		return &paramError{param, "no such mode, or the launch does not allow it"}
	}
	s.mu.Lock()
	s.mode = mode
	s.mu.Unlock()
	return s.opened.Send(c)
}

// setModel changes the model to a listed one.
func (s *session) setModel(name string) error {
	s.mu.Lock()
	ok := s.model != "" && slices.Contains(s.models(), name)
	same := s.model == name
	if ok {
		s.model = name
	}
	s.mu.Unlock()
	switch {
	case !ok:
		return &paramError{"value", "no such model"}
	case same:
		return nil
	}
	return s.opened.Send(event.SetModel{Model: name})
}

// setThought changes how much the model may think.
func (s *session) setThought(id string) error {
	for _, t := range thoughts {
		if t.id == id {
			s.mu.Lock()
			s.thought = t.word
			s.mu.Unlock()
			return s.opened.Send(event.SetThought{Level: t.word})
		}
	}
	return &paramError{"value", "no such level of thought"}
}

// end stops what runs, stores the session and waits for both.
func (s *session) end(status audit.CloseStatus) error {
	err := s.opened.Close(status)
	<-s.ended
	return err
}
