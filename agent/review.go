package agent

import (
	"context"
	"errors"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/guardian"
)

// reviewer asks the guardian's model; nil where there is none.
func (s *Session) reviewer() guardian.Reviewer {
	if s.o.Guard.Mind.Provider == nil && !s.o.Guard.Own {
		return nil
	}
	return s.reviewed
}

// reviewed sends one review, which is a request like any: within the budget, on
// record, and counted for the session. One that the budget does not allow is no
// review, and what it was about is a person's to decide.
func (s *Session) reviewed(ctx context.Context, q guardian.Prompt) (string, error) {
	m := s.taught(s.o.Guard.Mind)
	if s.o.Guard.Own {
		var err error
		if m, err = s.mind(); err != nil {
			return "", err
		}
	}
	req := model.Request{Model: m.Model, System: q.System, Messages: []model.Message{model.UserText(q.User)}}
	if err := Outgoing(s.o.Redactor, "", req); err != nil {
		return "", err
	}
	hold, err := s.reserve(m, &req)
	if err != nil {
		return "", err
	}
	reply, askErr := m.Provider.Complete(ctx, req, nil)
	spent := took(m, req, reply, askErr)
	err = s.settleSpent(hold, spent)
	if askErr != nil && len(reply.Parts) == 0 {
		return "", errors.Join(askErr, err, s.recordFailed(ctx, m, askErr))
	}
	stored, replyErr := s.reply(m, reply, spent)
	if err = errors.Join(err, replyErr, s.owner.emit(event.Spent{For: "guardian", Usage: spent}), s.recordModel(stored)); err != nil {
		return "", errors.Join(askErr, err)
	}
	if len(reply.Calls) > 0 {
		return "", errors.New("it called tools instead of answering")
	}
	return reply.Text, askErr
}
