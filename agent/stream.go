package agent

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// maskedText is a text that arrives in pieces and leaves without secrets.
type maskedText struct {
	in  *secret.Writer
	out *bytes.Buffer
}

func newMaskedText(r *secret.Redactor) maskedText {
	out := &bytes.Buffer{}
	return maskedText{r.Writer(out), out}
}

func (m maskedText) add(s string) { _, _ = m.in.Write([]byte(s)) } // a buffer takes everything

// ready is what cannot be a part of a secret any more.
func (m maskedText) ready() string {
	s := m.out.String()
	m.out.Reset()
	return s
}

// outputs shows a running command's output on the front ends, masked, thirty
// times a second at most. Nobody stores it: the result has it all.
type outputs struct {
	owner *owner
	call  string
	mask  *secret.Redactor

	mu      sync.Mutex // a command's two streams are read by two goroutines; held while it is told, so that pieces keep their order
	streams map[string]maskedText
	last    time.Time   // when something was told
	next    *time.Timer // tells what came since; nil when nothing did
	ended   bool
}

func (d *Dispatcher) newOutputs(call string) *outputs {
	return &outputs{owner: d.owner, call: call, mask: d.redactor, streams: map[string]maskedText{}}
}

// write takes a piece of one stream.
func (o *outputs) write(stream string, b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m, ok := o.streams[stream]
	if !ok {
		m = newMaskedText(o.mask)
		o.streams[stream] = m
	}
	m.add(string(b))
	if o.next == nil {
		o.next = time.AfterFunc(frameTime-time.Since(o.last), o.tell)
	}
}

// tell hands on what came since the last time.
func (o *outputs) tell() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	for stream, m := range o.streams {
		if text := m.ready(); text != "" {
			_ = o.owner.emit(event.OutputDelta{Call: o.call, Stream: stream, Text: text}) // transient
		}
	}
	o.next, o.last = nil, time.Now()
}

// end tells what is left; nothing is told after it.
func (o *outputs) end() {
	o.tell()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
}

// deltas hands the pieces of a reply on, thirty times a second at most. A
// secret is masked also where it is split between two pieces, so what could be
// the beginning of one is held back.
type deltas struct {
	s               *Session
	model           string
	text, reasoning maskedText
	last            time.Time
	writing         event.Working // the call that is on its way; Writes is "" while there is none
	index           int           // of it in the reply
	told            time.Time     // when it was told of
}

// frameTime is the least time between two pieces on a front end.
const frameTime = time.Second / 30

// callTime is the least time between two words about a call that the model
// writes. Its text is not shown: nothing of it counts before it is whole.
const callTime = time.Second / 2

func newDeltas(s *Session, model string) *deltas {
	now := s.o.Now()
	d := &deltas{s: s, model: model, told: now, writing: event.Working{On: "model", Since: now}}
	d.restart()
	return d
}

func (d *deltas) restart() {
	d.text, d.reasoning = newMaskedText(d.s.o.Redactor), newMaskedText(d.s.o.Redactor)
	d.writing.Writes, d.writing.Bytes = "", 0
}

// write takes a piece of a call.
func (d *deltas) write(p *model.CallPart) {
	if p.Name != "" {
		d.writing.Writes = p.Name
	}
	other := p.Index != nil && *p.Index != d.index
	if other {
		d.index = *p.Index
	}
	if other || p.New || p.Whole {
		d.writing.Bytes = 0
	}
	d.writing.Bytes += len(p.Args)
}

func (d *deltas) take(m model.Delta) {
	switch m.Kind {
	case model.DeltaText:
		d.text.add(m.Text)
	case model.DeltaReasoning:
		d.reasoning.add(m.Text)
	case model.DeltaCall:
		d.write(m.Call)
	case model.DeltaWarning:
		d.s.hint(d.model, m.Text)
	case model.DeltaRetry:
		d.restart()
		_ = d.s.owner.emit(event.Notice{Severity: "warn", Key: "retry", Text: fmt.Sprintf("the model's server failed (%s): trying again%s, attempt %d", m.Retry.Cause, after(m.Retry.Wait), m.Retry.Attempt)}) // the turn's end says more
	}
	now := d.s.o.Now()
	if now.Sub(d.last) >= frameTime {
		d.flush()
		d.last = now
	}
	if d.writing.Writes != "" && now.Sub(d.told) >= callTime {
		_ = d.s.owner.emit(d.writing) // transient
		d.told = now
	}
}

// after says how long is waited, where a person would notice.
func after(wait time.Duration) string {
	if wait < time.Second {
		return ""
	}
	return " in " + wait.Round(time.Second).String()
}

// flush hands on what is ready. The deltas are transient: the whole reply
// follows them.
func (d *deltas) flush() {
	if text := d.reasoning.ready(); text != "" {
		_ = d.s.owner.emit(event.ReasoningDelta{Text: text}) // transient
	}
	if text := d.text.ready(); text != "" {
		_ = d.s.owner.emit(event.TextDelta{Text: text}) // transient
	}
}
