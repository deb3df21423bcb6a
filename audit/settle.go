package audit

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// openIntents are the intents without an outcome that fit, oldest first.
func (w *writer) openIntents(fit func(*openIntent) bool) []*openIntent {
	var out []*openIntent
	for _, in := range w.walk.intents {
		if fit(in) {
			out = append(out, in)
		}
	}
	slices.SortFunc(out, func(a, b *openIntent) int { return cmp.Compare(a.seq, b.seq) })
	return out
}

// orphan reports whether nobody is left who could write the outcome.
func (w *writer) orphan(in *openIntent) bool {
	m := w.walk.sids[in.sid]
	return m == nil || w.gone(m)
}

// OpenIntents are the intents without an outcome that processes which are gone
// left in the log, oldest first, whichever session they belong to.
func (s *Session) OpenIntents(ctx context.Context) ([]OpenIntent, error) {
	var out []OpenIntent
	err := s.l.withLog(func(w *writer) error {
		for _, in := range w.openIntents(w.orphan) {
			o, err := w.readIntent(in)
			if err != nil {
				return err
			}
			out = append(out, o)
		}
		return ctx.Err()
	})
	return out, err
}

// Settle writes the outcome of an intent that a dead process left open, marked
// as recovered. An intent that was settled meanwhile gives [ErrSettled].
func (s *Session) Settle(in OpenIntent, out Outcome) error {
	if !in.Intent.Decision.allows(out.Status) && out.Status != NotRun {
		return fmt.Errorf("an intent that was %s cannot end as %s", in.Intent.Decision, out.Status)
	}
	d, err := s.l.drafter.outcome(s, in.Hash, in.Intent.AID, out)
	if err != nil {
		return fmt.Errorf("the outcome cannot be recorded: %w", err)
	}
	d.body.True("recovered", true)
	return s.l.withLog(func(w *writer) error { return w.settle(in.Hash, d) })
}

func (w *writer) settle(hash string, d *draft) error {
	var of [32]byte
	if n, err := hex.Decode(of[:], []byte(hash)); err != nil || n != len(of) {
		return errors.New("not the hash of an intent")
	}
	switch open := w.walk.intents[of]; {
	case open == nil:
		return ErrSettled
	case !w.orphan(open):
		return errors.New("the process that wrote the intent is still there: the outcome is its to write")
	}
	if err := w.write([]*draft{d}, true); err != nil {
		return err
	}
	return errors.Join(d.err, w.breakOff(w.flushText()))
}
