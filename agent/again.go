package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/guardian"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// What happens to an open question besides its answer: the person wants another
// version of it, the world changes beneath it, or it was answered with no
// before.

// revised is the proposal that the person wants instead. What cannot be done is
// told, and the question is put as it was.
func (d *Dispatcher) revised(ctx context.Context, p proposal, want event.Revise) (proposal, error) {
	next, err := p.next(want)
	if err == nil {
		var again proposal
		if again, err = d.judged(ctx, p.call, next, p.keptReview(want)); err == nil {
			again.news = p.news
			return again, d.owner.emit(event.Notice{Key: noticeRevise})
		}
	}
	if lost(err) {
		return p, err
	}
	if ctx.Err() != nil {
		return p, nil // the next question ends at once
	}
	p.refs = map[int]lineRef{}
	return p, d.owner.emit(event.Notice{Severity: "warn", Key: noticeRevise, Text: "your change of the proposal was not taken: " + visible.Strict(err.Error())})
}

// keptReview is the guardian's verdict where the person only leaves out some of what
// was reviewed; what he writes himself is reviewed anew.
func (p proposal) keptReview(want event.Revise) *guardian.Verdict {
	for _, w := range want.Files {
		if w.Text != nil {
			return nil
		}
	}
	return p.heard.review
}

// noticeRevise is the key of what is told about a revision.
const noticeRevise = "revise"

// watchEvery is how often the files of an open question are looked at. The
// looking takes a twentieth of the time at most.
const watchEvery = 500 * time.Millisecond

// watch says when the files that an edit is about are not what its question
// shows any more. stop ends the watching, and waits for its end.
func (d *Dispatcher) watch(ctx context.Context, p proposal) (changed <-chan struct{}, stop func()) {
	if !slices.ContainsFunc(p.model.Effects, func(e effect.Effect) bool { return e.Kind.ChangesFiles() }) {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	out, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for wait := watchEvery; ; {
			timer := time.NewTimer(wait)
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
			began := time.Now()
			model, _, err := d.plan(ctx, p.tool, p.call, p.revision)
			if ctx.Err() == nil && (err != nil || model.Digest() != p.model.Digest()) {
				close(out)
				return
			}
			wait = max(watchEvery, 20*time.Since(began))
		}
	}()
	return out, func() { cancel(); <-ended }
}

// reloaded plans a call again whose files changed while its question was open.
// What the person chose is kept for files that are as they were. A call that no
// longer fits them is an *unfitError, which shows the change.
func (d *Dispatcher) reloaded(ctx context.Context, p proposal) (proposal, error) {
	again, problem := d.judged(ctx, p.call, p.revision, nil)
	if lost(problem) {
		return p, problem
	}
	if ctx.Err() != nil {
		return p, nil // the next question ends at once
	}
	news := d.news(ctx, p)
	if problem != nil {
		err := d.owner.emit(event.Notice{
			Severity: "warn", Key: noticeRevise,
			Text: "a file changed on disk while you looked: nothing was done, and the model was told; " + visible.Strict(describe(p.model.Effects[0])),
		})
		return p, errors.Join(err, &unfitError{&changedError{problem, news}})
	}
	again.news = append([]event.Line{{Kind: event.LineWarn, Text: "changed   on disk while you looked: this is what is there now, with the proposal on top of it"}}, news...)
	return again, nil
}

// anew plans and decides about a call again whose question died because the
// policy was read again.
func (d *Dispatcher) anew(ctx context.Context, p proposal) (proposal, error) {
	again, problem := d.judged(ctx, p.call, p.revision, nil)
	switch {
	case lost(problem):
		return p, problem
	case ctx.Err() != nil:
		return p, nil // the next question ends at once
	case problem != nil:
		return p, &unfitError{problem}
	}
	again.news = []event.Line{{Kind: event.LineWarn, Text: "policy    it was read again while you looked: the earlier question is void"}}
	return again, nil
}

// A changedError is a problem with a call whose files changed, with the change.
type changedError struct {
	error
	news []event.Line
}

func (e *changedError) Unwrap() error { return e.error }

// text is the change for the model.
func (e *changedError) text() string {
	out := e.Error()
	for _, l := range e.news {
		out += "\n" + l.Text
	}
	return out
}

// news shows how the files of p differ from what it was planned with. None of
// its lines looks like a line of the proposal.
func (d *Dispatcher) news(ctx context.Context, p proposal) []event.Line {
	var out []event.Line
	for _, e := range p.model.Effects {
		if e.Path == nil || !e.Kind.ChangesFiles() {
			continue
		}
		now, err := d.world.View(d.seen).File(ctx, e.Path.Abs)
		if err != nil {
			out = append(out, event.Line{Kind: event.LineWarn, Text: visible.Strict("now       " + err.Error())})
			continue
		}
		r, ok := readBoth(e.Path.Before, now.Before)
		if now.SHA256 == e.Path.SHA256 || !ok {
			continue
		}
		for _, l := range diffFiles([]byte(r.before), []byte(r.after)).lines {
			out = append(out, event.Line{Kind: event.LineWarn, Text: "disk      " + l.Text})
		}
	}
	return out
}

// rejections are the calls that the person said no to since he last spoke: those
// of a session, and of its sub-agents.
type rejections struct {
	said    int // messages of the person by then
	reasons map[[32]byte]string
}

// keys are by what a call is known again: by what it would do, and by what the
// model asked for, which may come to something else by then.
func (p proposal) keys() [][32]byte {
	args, err := json.Marshal(p.call.Args)
	if err != nil {
		args = p.call.Args
	}
	asked := sha256.Sum256([]byte("asked\n" + p.model.Tool + "\n" + indented(args)))
	return [][32]byte{asked, p.model.Digest(), p.set.Digest()}
}

// reject remembers that the person said no to a call.
func (d *Dispatcher) reject(p proposal, reason string) error {
	said, err := d.spoken()
	if err != nil {
		return err
	}
	if d.no.said != said || d.no.reasons == nil {
		*d.no = rejections{said, map[[32]byte]string{}}
	}
	for _, k := range p.keys() {
		d.no.reasons[k] = cmp.Or(reason, saidNo)
	}
	return nil
}

// rejected is the verdict on a call to which the person said no before in this
// turn. The zero verdict says that he did not.
func (d *Dispatcher) rejected(p proposal) (verdict, error) {
	if len(d.no.reasons) == 0 || p.revision != nil || p.input.Typed { // who typed it again changed his mind
		return verdict{}, nil
	}
	said, err := d.spoken()
	if err != nil || said != d.no.said {
		return verdict{}, err
	}
	for _, k := range p.keys() {
		if reason, ok := d.no.reasons[k]; ok {
			return verdict{decision: audit.Denied, by: d.person(), reason: "already rejected in this turn: " + reason}, nil
		}
	}
	return verdict{}, nil
}

// spoken counts the messages of the person so far: to a sub-agent he says none.
func (d *Dispatcher) spoken() (n int, err error) {
	s, err := d.asks.state()
	for _, m := range s.Messages {
		if m.User != "" {
			n++
		}
	}
	return n, err
}
