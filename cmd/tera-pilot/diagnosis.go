package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"syscall"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// A diagnosis is the file of --log: what happened when, one JSON object a
// line, for finding out why something went wrong. It holds no message, answer,
// file or output (notices may name a call), and what it holds went through the
// redactor. It is no evidence: that is the audit log.
type diagnosis struct {
	file *os.File
	mask *secret.Redactor
	log  *slog.Logger
	done chan struct{}
	stop func()
}

// openDiagnosis opens the file to append, readable by its owner only. It
// returns nil when none was named.
func openDiagnosis(path string, mask *secret.Redactor) (*diagnosis, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, usage("--log: %w", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", path)
	case info.Mode().Perm()&0o077 != 0:
		err = fmt.Errorf("%s can be read or written by others: chmod 600 it, or name another file", path)
	}
	if err != nil {
		return nil, usage("--log: %w", errors.Join(err, f.Close()))
	}
	d := &diagnosis{file: f, mask: mask, done: make(chan struct{})}
	d.log = slog.New(slog.NewJSONHandler(f, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindString {
			a.Value = slog.StringValue(mask.Text(a.Value.String()))
		}
		return a
	}}))
	return d, nil
}

// follower is what a diagnosis needs of a session.
type follower interface {
	ID() string
	Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error)
}

// follow writes what happens in a session until it ends.
func (d *diagnosis) follow(s follower) error {
	if d == nil {
		return nil
	}
	past, live, stop, err := s.Subscribe(0)
	if err != nil {
		return err
	}
	d.stop = stop
	d.log.Info("session", "id", s.ID(), "version", version(), "pid", os.Getpid(), "stored", len(past))
	go func() { // Close waits for its end
		defer close(d.done)
		for e := range live {
			d.event(e)
		}
	}()
	return nil
}

// Close ends the file, when the session has ended.
func (d *diagnosis) Close() error {
	if d == nil {
		return nil
	}
	if d.stop != nil {
		d.stop()
		<-d.done
	}
	return d.file.Close()
}

// event writes one event, by what it is and how it went.
func (d *diagnosis) event(e event.Event) {
	facts := []any{"seq", e.Seq}
	switch b := e.Body.(type) {
	case event.TextDelta, event.ReasoningDelta, event.OutputDelta:
		return // content
	case event.Reply:
		facts = append(facts, "provider", b.Provider, "model", b.Model, "stop", b.Stop, "calls", len(b.Calls), "input", b.Usage.Input, "output", b.Usage.Output)
	case event.CallStarted:
		facts = append(facts, "call", b.Call, "tool", b.Tool, "effects", len(b.Effects))
	case event.CallDecided:
		facts = append(facts, "call", b.Call, "decision", b.Decision, "by", b.By, "rule", b.Rule)
	case event.CallResult:
		facts = append(facts, "call", b.Call, "tool", b.Tool, "status", b.Status, "bytes", len(b.Body))
	case event.QuestionOpened:
		facts = append(facts, "question", b.Question.ID, "kind", string(b.Question.Kind), "lines", len(b.Question.Lines))
	case event.QuestionClosed:
		facts = append(facts, "question", b.ID, "how", b.How)
	case event.TurnEnded:
		facts = append(facts, "turn", b.Turn, "status", b.Status, "code", b.Code, "why", b.Message)
	case event.Notice:
		facts = append(facts, "severity", b.Severity, "text", b.Text)
	case event.AuditHead:
		facts = append(facts, "size", b.Size, "head", b.Head, "broken", b.Broken)
	case event.Working:
		facts = append(facts, "on", b.On)
	}
	d.log.Info(e.Body.Type(), facts...)
}
