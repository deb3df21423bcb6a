package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/fit"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Shares of the window that stay as they are when the rest is summed up, in
// percent.
const (
	keepAuto   = 25
	keepForced = 12 // the person wants it, or the server refused the length
	keepMost   = 30 // of the conversation itself, however large the window is
)

// errNothing says that there is nothing that a summary could take the place of.
var errNothing = errors.New("there is nothing that could be summed up: the conversation is short, or all of it is one step")

// fitted is the request of the state as it is now, after older results were
// masked and the older part was summed up where the window asks for it.
func (s *Session) fitted(ctx context.Context, m mind) (model.Request, error) {
	state, req, tokens, err := s.measure(m)
	if err != nil || s.o.KeepAll {
		return req, err
	}
	if fit.Over(tokens, m.window(), fit.MaskAt) {
		done, err := s.mask(state, m)
		if err != nil {
			return req, err
		}
		if done {
			if state, req, tokens, err = s.measure(m); err != nil {
				return req, err
			}
		}
	}
	limit := int64(fit.CompactAt)
	if m.small() {
		limit = fit.CompactSmallAt
	}
	if state.Held || !fit.Over(tokens, m.window(), limit) {
		return req, nil
	}
	if err := s.compact(ctx, m, keepAuto); err != nil && !errors.Is(err, errNothing) {
		return req, err
	}
	_, req, _, err = s.measure(m)
	return req, err
}

// measure is the state with its request and the estimate of that.
func (s *Session) measure(m mind) (session.State, model.Request, int64, error) {
	state, err := s.owner.state()
	if err != nil {
		return state, model.Request{}, 0, err
	}
	req, err := request(state, s.o.Tools, m.small(), s.o.Overlay, s.sees(m))
	req.Model = m.Model
	return state, req, m.tokens(req), err
}

// mask takes old results out of what is sent. They are put where read_file
// finds them first.
func (s *Session) mask(state session.State, m mind) (bool, error) {
	sent := state.Sent()
	calls, freed := fit.Mask(sent, m.known, m.window(), s.sizes(m))
	if len(calls) == 0 {
		return false, nil
	}
	chosen := map[string]bool{}
	for _, c := range calls {
		chosen[c] = true
	}
	for _, x := range sent {
		if x.Call != nil && chosen[x.Call.Call] {
			if err := s.spill(*x.Call); err != nil {
				return false, err
			}
		}
	}
	return true, s.owner.emit(event.Masked{Calls: calls, Freed: freed})
}

// spill stores the body of a result under its own name. One that was cut has
// all of it there already.
func (s *Session) spill(r event.CallResult) error {
	if s.o.Log.HasOutput(outFile(r.Call)) {
		return nil
	}
	return s.o.Log.KeepOutput(outFile(r.Call), []byte(r.Body))
}

// compact puts a summary in the place of all but the newest messages, which
// have keep percent of the window. errNothing says that nothing was gained.
func (s *Session) compact(ctx context.Context, m mind, keep int64) error {
	state, req, from, err := s.measure(m)
	if err != nil {
		return err
	}
	window, sent := m.window(), state.Sent()
	n := fit.Cut(sent, m.known, min(window*keep/100, from*keepMost/100), s.sizes(m))
	if n == 0 {
		return errNothing
	}
	gone := sent[:n]
	kept, left := fit.Kept(state, gone, m.known, window)
	left = append(left, fit.Named(gone)...)
	summary, by, usage, err := s.summary(ctx, m, state, gone)
	if err != nil {
		return err
	}
	done := event.Compacted{
		After: gone[n-1].Seq, Summary: fit.Brief(kept, left, summary, newBoundary()), Kept: kept, Dropped: left,
		From: from, Tainted: len(state.Taint) > 0, By: by, Usage: usage,
	}
	next := state
	next.Compaction = &session.Compaction{Compacted: done}
	next.NotesFirst = state.Notes
	after, err := request(next, s.o.Tools, m.small(), s.o.Overlay, s.sees(m))
	if err != nil {
		return err
	}
	if done.To = m.tokens(after); done.To >= from {
		return errNothing
	}
	if done.SHA256, err = hashOf(req.Messages[:len(req.Messages)-(len(sent)-n)]); err != nil {
		return err
	}
	if err := s.record(audit.Compaction(done.After, done.SHA256, done.From, done.To, false)); err != nil {
		return err
	}
	return s.owner.emit(done)
}

// sizes estimates messages of the session, with their pictures.
func (s *Session) sizes(m mind) func(session.Message) int64 {
	see, pictures := s.sees(m), m.pictures()
	return func(x session.Message) int64 {
		msg, err := message(x, see)
		if err != nil {
			return 0 // the request that is made of it next says what is wrong
		}
		return fit.Message(msg, pictures)
	}
}

// hashOf commits to messages as they were sent.
func hashOf(m []model.Message) (string, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("messages that are left out: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// summary asks the model, without tools, to sum messages up. What it writes is
// checked; where it does not pass twice, or cannot be had, the program's own
// list stands in its place. Only a cancelled turn and a broken log are errors.
func (s *Session) summary(ctx context.Context, m mind, state session.State, gone []session.Message) (text, by string, total event.Usage, err error) {
	window := m.window()
	source := fit.Source(gone, state.Compaction, m.known, window)
	mark := newBoundary()
	order := fmt.Sprintf("<untrusted %s from=session>\n%s\n</untrusted %s>\nWrite the summary.", mark, source, mark)
	for _, t := range state.Todo {
		if t.Status != "done" {
			order += "\nName this open task in just these words: " + visible.Strict(t.Text)
		}
	}
	req := model.Request{Model: m.Model, System: fit.Order, Messages: []model.Message{model.UserText(order)}}
	for range 2 {
		s.working("model")
		reply, stored, failed := s.send(ctx, m, req, nil)
		if ctx.Err() != nil {
			return "", "", total, ctx.Err()
		}
		if errors.Is(failed, ErrNoEvidence) {
			return "", "", total, failed
		}
		total = total.Plus(stored.Usage)
		if failed != nil || reply.Stop != model.StopEnd {
			break
		}
		text = visible.Prose(reply.Text)
		wrong := fit.Check(text, source, state.Todo, m.known, window)
		if wrong == "" {
			return text, m.Model, total, nil
		}
		req.Messages = []model.Message{model.UserText(order + "\nYour last try was not taken: " + visible.Strict(wrong) + ".")}
	}
	return fit.Plain(state, gone), "", total, nil
}

// overflowed learns from a server that refused a request for its length, and
// makes the next one shorter. An error says that it cannot be.
func (s *Session) overflowed(ctx context.Context, m mind, req model.Request, e *model.Error) error {
	m = s.learn(m, m.known.Refused(e.Limit, e.Used, m.tokens(req)))
	if s.o.KeepAll {
		return fmt.Errorf("%w; agent_compaction is off: /compact sums the older part up, or begin a new session", e)
	}
	state, err := s.owner.state()
	if err != nil {
		return err
	}
	if _, err := s.mask(state, m); err != nil {
		return err
	}
	err = s.compact(ctx, m, keepForced)
	if errors.Is(err, errNothing) {
		return fmt.Errorf("%w; %w", e, errNothing)
	}
	return err
}

// compactNow is the person's own word, between two steps or turns.
func (s *Session) compactNow(ctx context.Context, back bool) error {
	if back {
		return s.uncompact()
	}
	m, err := s.mind()
	if err != nil || m.Provider == nil {
		return err
	}
	err = s.compact(ctx, m, keepForced)
	if errors.Is(err, errNothing) {
		return s.owner.emit(event.Notice{Severity: "info", Text: errNothing.Error(), Key: "compact"})
	}
	return err
}

// uncompact takes the last compaction back. From then on none is made unasked.
func (s *Session) uncompact() error {
	state, err := s.owner.state()
	if err != nil {
		return err
	}
	c := state.Compaction
	if c == nil {
		return s.owner.emit(event.Notice{Severity: "info", Text: "no compaction is in force", Key: "compact"})
	}
	if err := s.record(audit.Compaction(c.After, c.SHA256, c.To, c.From, true)); err != nil {
		return err
	}
	return s.owner.emit(event.Uncompacted{Of: c.Seq}, event.Notice{Severity: "info", Key: "compact", Text: "the compaction was taken back", Hint: "none is made unasked until the next /compact, or until the server refuses the length"})
}

// compactAlone is a compaction between two turns.
func (s *Session) compactAlone(ctx context.Context, c event.Compact) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := s.owner.do(func(o *owned) { o.stoppedBy(cancel) })
	if err == nil {
		err = s.compactNow(ctx, c.Back)
	}
	bodies := []event.Body{event.Working{}}
	if err != nil && ctx.Err() == nil {
		bodies = append(bodies, event.Notice{Severity: "warn", Text: "the conversation was not summed up: " + err.Error(), Key: "compact"})
	}
	_ = s.owner.do(func(o *owned) { o.tell(bodies...) }) // an ended session has nobody to tell
}

// compactIfAsked does a compaction that the person asked for in the middle of a turn.
func (s *Session) compactIfAsked(ctx context.Context) error {
	var c *event.Compact
	if err := s.owner.do(func(o *owned) { c, o.compact = o.compact, nil }); err != nil || c == nil {
		return err
	}
	return s.compactNow(ctx, c.Back)
}
