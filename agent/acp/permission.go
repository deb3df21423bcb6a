package acp

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/acp/wire"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/strictjson"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Kinds of options.
const (
	allowOnce   = "allow_once"
	allowAlways = "allow_always"
	rejectOnce  = "reject_once"
)

// options are what a question offers, and what each would mean. An id stands
// for one option of one question.
func options(q event.Question) ([]permissionOption, map[string]event.Answer) {
	var out []permissionOption
	means := map[string]event.Answer{}
	add := func(kind, name string, a event.Answer) {
		id := rand.Text()
		out = append(out, permissionOption{id, name, kind})
		means[id] = a
	}
	switch {
	case q.Kind == event.AskUser:
		for _, o := range q.Options {
			add(allowOnce, visible.Once(o), event.Answer{Choice: event.Say, Text: o})
		}
	case q.Danger:
		add(allowOnce, "Allow this DANGEROUS act once", event.Answer{Choice: event.Once, Code: q.Code})
	default:
		add(allowOnce, "Allow once", event.Answer{Choice: event.Once})
		for _, s := range q.Scopes {
			add(allowAlways, "Allow from now on: "+visible.Once(s.Title), event.Answer{Choice: event.Keep, Scope: s.ID})
		}
	}
	add(rejectOnce, "Reject", event.Answer{Choice: event.Deny})
	return out, means
}

// chosen is what an answer of the client means. Whatever is not exactly the
// choice of an option that was offered is a no.
func chosen(result json.RawMessage, failed *wire.Error, means map[string]event.Answer) event.Answer {
	no := func(why string) event.Answer { return event.Answer{Choice: event.Deny, Reason: why} }
	if failed != nil {
		return no("the editor did not answer the question")
	}
	members, err := strictjson.Object(result)
	if err != nil {
		return no("the editor's answer could not be understood")
	}
	outcome := params(members).object("outcome")
	word, _ := stringOf(outcome["outcome"])
	id, _ := stringOf(outcome["optionId"])
	a, known := means[id]
	switch {
	case word == "cancelled":
		return no("the person dismissed the question")
	case word == "selected" && known:
		return a
	default:
		return no("the editor's answer was none of those that were offered")
	}
}

// An asked question is one that the client has not answered.
type asked struct {
	id     string
	cancel func()
}

// ask carries a question to the client.
func (s *session) ask(q event.Question) {
	opts, means := options(q)
	sent := time.Now()
	answer := func(a event.Answer) {
		a.Question, a.Digest, a.LinesHash = q.ID, q.Digest, q.LinesHash
		a.Unfenced, a.Millis = true, time.Since(sent).Milliseconds()
		_ = s.opened.Send(a) // a session that has ended has closed its question
	}
	if s.askForm(q, answer) {
		return
	}
	if s.server.deaf.Load() || len(opts) == 1 {
		answer(event.Answer{Choice: event.Deny, Reason: "this editor cannot put such a question: ask in your answer instead"})
		return
	}
	t := s.view.calls[q.Call]
	t.Update, t.ToolCallID, t.Title, t.Status = "", q.Call, visible.Once(q.Title), "pending"
	t.Content = append(t.Content[:len(t.Content):len(t.Content)], fenced(linesText(q))...)
	cancel := s.server.conn.Start("session/request_permission", permissionRequest{s.id, t, opts}, func(result json.RawMessage, failed *wire.Error) {
		if failed != nil && failed.Code == wire.CodeMethod {
			s.server.unattended(s)
		}
		answer(chosen(result, failed, means))
	})
	s.asked = asked{q.ID, cancel}
}

// closed gives up a question that was not answered by the client.
func (s *session) closed(c event.QuestionClosed) {
	if s.asked.id == c.ID && c.How != "answered" {
		s.asked.cancel()
	}
	if s.asked.id == c.ID {
		s.asked = asked{}
	}
}

// linesText are the lines of a question, as the core made them.
func linesText(q event.Question) string {
	var b strings.Builder
	for _, l := range q.Lines {
		switch l.Kind {
		case event.LineAdd:
			b.WriteString("+")
		case event.LineDelete:
			b.WriteString("-")
		case event.LineModel:
			b.WriteString("model: ")
		case event.LineWarn:
			b.WriteString("! ")
		case event.LineContext, event.LineLeft:
			b.WriteString(" ")
		case event.LineFact, event.LineFile, event.LineHunk, event.LineScript, event.LineBlank:
		}
		b.WriteString(visible.Once(l.Text))
		b.WriteString("\n")
	}
	return b.String()
}
