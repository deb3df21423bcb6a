package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/mcp/oauth"
)

// An Attendance is who looks after one request to a server while it is under way.
type Attendance struct {
	// Fill puts a form of the server to the person. nil: nobody can be asked, and
	// the server hears that the form was put away.
	Fill func(context.Context, Form) (Filled, error)
	// Renews is told before a login is renewed at its authorization server; an error
	// means that nothing may leave. nil: nobody is told.
	Renews func(host string) error
	// Refused is told why a form of the server was not put to the person. nil: nobody.
	Refused func(why string)
}

type attendKey struct{}

// Attended gives the context of a request that somebody looks after.
func Attended(ctx context.Context, a Attendance) context.Context {
	return context.WithValue(oauth.Telling(ctx, a.Renews), attendKey{}, a)
}

// attended is one call under way: who looks after it, and how much of its time
// is left. What a person needs for a form is not the server's time.
type attended struct {
	Attendance
	ctx    context.Context
	server *Server
	cancel context.CancelCauseFunc

	turn  chan struct{} // holds one element: one form after the other
	mu    sync.Mutex    // of what follows
	timer *time.Timer
	began time.Time // of the stretch that runs
	left  time.Duration
	forms int // that were put
	open  int // that wait for the person, or are before them
}

// attend begins the time of one call.
func (s *Server) attend(ctx context.Context) (context.Context, *attended) {
	a, _ := ctx.Value(attendKey{}).(Attendance)
	ctx, cancel := context.WithCancelCause(ctx)
	call := &attended{Attendance: a, ctx: ctx, server: s, cancel: cancel, left: s.o.Timeout, began: time.Now(), turn: make(chan struct{}, 1)}
	call.timer = time.AfterFunc(call.left, func() { cancel(context.DeadlineExceeded) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attended = append(s.attended, call)
	return ctx, call
}

// end is the end of the call, whatever came of it.
func (a *attended) end() {
	a.timer.Stop()
	a.cancel(nil)
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	a.server.attended = slices.DeleteFunc(a.server.attended, func(x *attended) bool { return x == a })
}

// why is an error of the call, told as the end of its time where that is it.
func (a *attended) why(err error) error {
	if err != nil && errors.Is(err, context.Canceled) && errors.Is(context.Cause(a.ctx), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

// attending is the newest call that somebody looks after; nil when there is
// none.
func (s *Server) attending() *attended {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range slices.Backward(s.attended) {
		if a.Fill != nil || a.Refused != nil {
			return a
		}
	}
	return nil
}

// refused tells whoever looks after the call why a form was not put.
func (a *attended) refused(why string) {
	if a != nil && a.Refused != nil {
		a.Refused(why)
	}
}

// maxForms is how many forms a server may put during one call.
const maxForms = 5

// fill puts a form to the person, one after the other; the call's time stands
// still meanwhile.
func (a *attended) fill(f Form) (Filled, error) {
	if why := a.hold(); why != "" {
		a.refused(why)
		return Filled{Action: Decline}, nil
	}
	defer a.goOn()
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-a.ctx.Done():
		return Filled{}, nil
	}
	return a.Fill(a.ctx, f)
}

// hold stops the call's time for one more form, or says why there is none.
func (a *attended) hold() (why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.forms == maxForms:
		return fmt.Sprintf("it put over %d forms in one call", maxForms)
	case a.open == 0 && !a.timer.Stop():
		return "it came when the call had ended, or its time was over"
	}
	if a.open == 0 {
		a.left -= time.Since(a.began)
	}
	a.forms, a.open = a.forms+1, a.open+1
	return ""
}

// goOn lets the call's time run on after the last form that was open.
func (a *attended) goOn() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open--; a.open == 0 {
		a.began = time.Now()
		a.timer.Reset(max(a.left, time.Second)) // to take the answer
	}
}
