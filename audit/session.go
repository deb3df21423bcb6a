package audit

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// A Session is one process working on one session.
type Session struct {
	l      *Log
	sid    string
	key    signer
	began  time.Time
	closed atomic.Bool // by whichever goroutine; calls of others fail from then on
}

// ID is the sid of this session: 128 random bits in hex.
func (s *Session) ID() string { return s.sid }

// Head is the end of the log as this process last saw it.
func (s *Session) Head() Head { return s.l.Head() }

// Intent writes the intent and returns when it is durable. On an error there
// is no Token, and the effect must not happen. Once the intent has been handed
// to the writer, ctx no longer counts: it waits for the disk.
func (s *Session) Intent(ctx context.Context, in Intent) (Token, error) {
	if err := ctx.Err(); err != nil {
		return Token{}, err
	}
	if s.closed.Load() {
		return Token{}, ErrClosed
	}
	if in.AID == "" {
		var err error
		if in.AID, err = s.l.NewAID(); err != nil {
			return Token{}, err
		}
	}
	d, err := s.l.drafter.intent(s, in)
	if err != nil {
		return Token{}, fmt.Errorf("the intent cannot be recorded: %w", err)
	}
	if err := s.l.submit(true, d); err != nil {
		return Token{}, err
	}
	p := &pending{session: s, aid: in.AID, hash: d.hash, digest: in.Digest, decision: in.Decision, taken: make(chan struct{}, 1)}
	p.taken <- struct{}{}
	return Token{p}, nil
}

// Outcome writes how the intent of t ended: exactly once. It returns when the
// record is written; it is durable at most 200 ms later, or with the next
// intent. The status must fit the decision: rejected for a denied intent,
// blocked for a blocked one.
func (s *Session) Outcome(t Token, out Outcome) error {
	if t.p == nil || t.p.session != s {
		return errors.New("the token is not of this session")
	}
	if !t.p.decision.allows(out.Status) {
		return fmt.Errorf("an intent that was %s cannot end as %s", t.p.decision, out.Status)
	}
	d, err := s.l.drafter.outcome(s, hashText(t.p.hash), t.p.aid, out)
	if err != nil {
		return fmt.Errorf("the outcome cannot be recorded: %w", err)
	}
	select {
	case <-t.p.taken:
	default:
		return ErrSettled
	}
	return s.l.submit(false, d)
}

// allows reports whether an intent with this decision may end so.
func (d Decision) allows(s Status) bool {
	switch d {
	case Denied:
		return s == Rejected || s == Unknown
	case Blocked:
		return s == StatusBlocked || s == Unknown
	case Allowed, Approved:
		return s != Rejected
	default:
		return false
	}
}

// Event writes anything else. Durable as an outcome is.
func (s *Session) Event(ctx context.Context, ev Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.closed.Load() {
		return ErrClosed
	}
	d, err := s.l.drafter.event(s, ev)
	if err != nil {
		return fmt.Errorf("the event cannot be recorded: %w", err)
	}
	return s.l.submit(false, d)
}

// Close writes the outcome "unknown" for every intent that has none, then the
// close record, and returns when both are durable.
func (s *Session) Close(status CloseStatus) error {
	switch status {
	case CloseOK, CloseCancelled, CloseError:
	default:
		return fmt.Errorf("%.80q is no way for a session to end", string(status))
	}
	if s.closed.Swap(true) {
		return ErrClosed
	}
	err := s.l.withLog(func(w *writer) error { return w.closeSession(s, status, nil) })
	s.l.setSession(s.sid, false)
	s.key.forget()
	return err
}

// closeSession writes last drafts, outcomes of what is open, and the close, and
// makes them durable.
func (w *writer) closeSession(s *Session, status CloseStatus, drafts []*draft) error {
	if w.walk.sids[s.sid] == nil {
		return ErrClosed
	}
	for _, in := range w.openIntents(func(in *openIntent) bool { return in.sid == s.sid }) {
		d, err := w.l.drafter.outcome(s, hashText(in.hash), in.aid, Outcome{Status: Unknown, Reason: "the session ended before the outcome was known"})
		if err != nil {
			return err
		}
		drafts = append(drafts, d)
	}
	last := &draft{session: s, typ: typeClose, must: true}
	last.body.Text("status", string(status))
	drafts = append(drafts, last)
	if err := w.write(drafts, true); err != nil {
		return err
	}
	for _, d := range drafts {
		if d.err != nil {
			return d.err
		}
	}
	if err := w.flushText(); err != nil {
		return w.breakOff(err)
	}
	return w.checkpoint(true)
}

// Session begins a session: makes the key if there is none, recovers what a
// crash left, and writes the open record (and recover, when there is something
// to state). It returns when they are durable.
func (l *Log) Session(ctx context.Context, info SessionInfo) (*Session, error) {
	s := &Session{l: l, began: l.o.Now()}
	b, err := l.drafter.sessionInfo(s, info)
	if err != nil {
		return nil, fmt.Errorf("the session cannot be recorded: %w", err)
	}
	if s.sid, err = randomHex(l.o.Rand, 16); err != nil {
		return nil, err
	}
	var seed []byte
	if s.key, seed, err = freshSigner(l.o.Rand); err != nil {
		return nil, err
	}
	clear(seed)
	me, err := l.o.processes.self()
	if err != nil {
		return nil, err
	}
	b.Int("pid", me.pid)
	b.Int("pstart", me.start)
	b.Text("boot", me.boot)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.setSession(s.sid, true)
	err = l.do(&request{run: func(w *writer) error { return w.begin(s, b) }})
	if err == nil {
		return s, nil
	}
	l.setSession(s.sid, false)
	if isFull(err) && !errors.Is(err, ErrFull) {
		err = fmt.Errorf("%w (%w)", ErrFull, err)
	}
	return nil, err
}
