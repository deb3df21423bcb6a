package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/model/wire"
	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// Complete implements Provider: it sends the request, and sends it again where
// the rules of retry.go allow that.
func (c *Client) Complete(ctx context.Context, req Request, onDelta func(Delta)) (Reply, error) {
	if onDelta == nil {
		onDelta = func(Delta) {}
	}
	req, tools, err := c.ready(req)
	if err != nil {
		return failedReply(c.preset.ID, asError(err)), err
	}
	breaker := c.breaker(req.Model)
	for try := newTries(c.tries, c.first); ; {
		if err := breaker.allow(time.Now()); err != nil {
			return failedReply(c.preset.ID, err), err
		}
		reply, got := c.attempt(ctx, req, tools, onDelta)
		reply.Provider = c.preset.ID
		if ctx.Err() != nil {
			breaker.cancelled()
			return reply, fmt.Errorf("model: %w", context.Cause(ctx))
		}
		breaker.record(reply.Err, time.Now())
		if reply.Err == nil {
			return reply, nil
		}
		again, wait := try.next(reply.Err, got)
		if c.tries > 1 && c.adapt(req, reply.Err) {
			again, wait = true, 0
		}
		if !again {
			return reply, reply.Err
		}
		onDelta(Delta{Kind: DeltaRetry, Retry: &Retry{Attempt: try.made + 1, Wait: wait, Cause: reply.Err}})
		if err := sleep(ctx, wait); err != nil {
			return reply, fmt.Errorf("model: %w", err)
		}
	}
}

// adapt learns from a refusal how the model wants to be asked. It says whether
// it is worth asking again that way.
func (c *Client) adapt(req Request, e *Error) bool {
	switch {
	case e.Class == ClassToolsUnsupported && len(req.Tools) > 0:
		return c.learn(req.Model, func(h *habit) bool {
			known := h.textTools
			h.textTools = true
			return !known
		})
	case e.Class == ClassBadRequest && e.Status == http.StatusBadRequest && wantsFolding(e.Message):
		return c.learn(req.Model, func(h *habit) bool {
			known := h.folded
			h.folded = true
			return !known
		})
	}
	return false
}

func failedReply(provider string, e *Error) Reply {
	return Reply{Stop: StopError, Err: e, Provider: provider}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// attempt sends the request once.
func (c *Client) attempt(ctx context.Context, req Request, tools *toolset, onDelta func(Delta)) (Reply, progress) {
	set, habit := c.settingsFor(req.Model)
	a := newAssembly(tools, set.profile, newIDs(req.Messages))
	sent := req
	if habit.textTools {
		sent = describeTools(req)
		a.warn(WarnTextTools)
		onDelta(Delta{Kind: DeltaWarning, Text: WarnTextTools})
	}
	live := newLive(onDelta, len(req.Tools) > 0 && c.profile.TextCalls != TextCallsOff)
	failed := c.exchange(ctx, sent, set, a, live)
	reply := a.reply(failed)
	live.end(reply)
	if slices.Contains(reply.Warnings, WarnPromptTruncated) {
		onDelta(Delta{Kind: DeltaWarning, Text: WarnPromptTruncated}) // known at the end only
	}
	c.stamp(&reply, req.Model)
	return reply, progress{shown: live.shown, call: a.group.complete()}
}

// stamp marks opaque blocks with who made them.
func (c *Client) stamp(r *Reply, model string) {
	for i := range r.Opaque {
		r.Opaque[i].Provider, r.Opaque[i].Model = c.preset.ID, model
	}
	for _, p := range r.Parts {
		if p.Kind == PartOpaque {
			p.Opaque.Provider, p.Opaque.Model = c.preset.ID, model
		}
	}
}

// exchange does one request and feeds the assembly; nil: the reply is whole as
// far as the network can tell.
func (c *Client) exchange(ctx context.Context, req Request, set settings, a *assembly, live *live) *Error {
	path, header, body, err := c.adapter.request(req, set)
	if err != nil {
		return refused(ClassBadRequest, err.Error(), "")
	}
	ctx, watch := newWatch(ctx, c.first, c.idle, c.whole)
	defer watch.stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url(path), bytes.NewReader(body))
	if err != nil {
		return refused(ClassBadRequest, "the address cannot be used", "")
	}
	c.headers(r, header)
	resp, err := c.http.Do(r)
	if err != nil {
		return c.networkError(ctx, err)
	}
	defer resp.Body.Close()
	if e := c.checkStatus(resp); e != nil {
		return e
	}
	return c.read(ctx, &watchedBody{resp.Body, watch}, a, live)
}

func (c *Client) headers(r *http.Request, extra http.Header) {
	r.Header = extra
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream, application/x-ndjson, application/json")
	r.Header.Set("User-Agent", "tera-pilot")
}

// checkStatus makes an error of an answer that is none of success.
func (c *Client) checkStatus(resp *http.Response) *Error {
	kind := resp.Header.Get("Content-Type")
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return refused(ClassBadRequest, "the server redirects elsewhere, which is not followed", "set the address that it redirects to, if you trust it")
	case resp.StatusCode >= 400:
		const most = 64 << 10
		body, err := io.ReadAll(io.LimitReader(resp.Body, most))
		if err != nil && len(body) == 0 {
			body = nil // the status alone must tell
		}
		e := readComplaint(resp.StatusCode, body).toError()
		if after := retryAfter(resp.Header, time.Now()); after != nil && e.Retryable {
			e.RetryAfter = after
		}
		return c.withoutKey(e)
	case encoded(resp.Header.Get("Content-Encoding")):
		return &Error{Class: ClassServer, Message: "the reply is compressed, which was not asked for", Hint: "look at the proxy before the server"}
	case strings.HasPrefix(kind, "text/html"):
		return refused(ClassBadRequest, "the server answered with a web page", "check the address: the API often lies below /v1")
	}
	return nil
}

func encoded(encoding string) bool { return encoding != "" && !strings.EqualFold(encoding, "identity") }

// withoutKey takes the key out of what a server repeats, also where the message
// was cut in the middle of it, and in the spellings of URLs and of basic
// authorisation.
func (c *Client) withoutKey(e *Error) *Error {
	if c.key.IsZero() {
		return e
	}
	text, cut := strings.CutSuffix(e.Message, cutMark)
	for _, key := range []string{c.key.secret, url.QueryEscape(c.key.secret), base64Of([]byte(c.key.secret))} {
		text = strings.ReplaceAll(text, key, keyMark)
		if n := partial(text, key); cut && n >= shortLeak {
			text = text[:len(text)-n] + keyMark
		}
	}
	e.Message = text
	if cut {
		e.Message += cutMark
	}
	return e
}

// shortLeak is how many bytes of a key at the end of a text are no accident.
const shortLeak = 4

// networkError says what kept the request from being answered.
func (c *Client) networkError(ctx context.Context, err error) *Error {
	e := &Error{Class: ClassNetwork, Retryable: true, Hint: hints[ClassNetwork], cause: err}
	var refusal *netguard.RefusedError
	var dns *net.DNSError
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errFirst):
		e.Message = fmt.Sprintf("%s did not answer within %s", c.base.Host, c.first)
	case errors.As(err, &refusal):
		e.Message, e.Retryable = refusal.Reason, refusal.Code == netguard.CodeResolve
	case errors.As(err, &dns):
		e.Message = "the name " + c.base.Host + " could not be resolved"
	case isRefused(err):
		e.Message, e.Retryable = "nothing listens at "+c.base.Host, false
		if c.preset.Local {
			e.Hint = "start the server, or tera-pilot models probe to find another"
		}
	default:
		e.Message = "the connection to " + c.base.Host + " failed: " + printable(rootCause(err))
	}
	return c.withoutKey(e)
}

// rootCause is the innermost text of err: the outer ones repeat the URL.
func rootCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// read decodes the body. What comes behind the end marker is no part of the
// reply, but for counts; it is waited for a moment, so that the connection can
// be used again.
func (c *Client) read(ctx context.Context, body *watchedBody, a *assembly, live *live) *Error {
	reader, dec := wire.NewReader(body), c.adapter.decoder()
	var stopped error
	emit := func(d Delta) {
		if stopped == nil && (!a.ended || d.Kind == DeltaUsage) {
			stopped = a.add(d)
			live.add(d)
		}
	}
	for {
		event, err := reader.Next()
		if errors.Is(err, io.EOF) || err != nil && a.ended {
			return nil
		}
		if err != nil {
			return c.brokenOff(ctx, a, err)
		}
		after := a.ended
		err = dec.event(event, emit)
		if after {
			continue
		}
		if a.ended {
			body.watch.ended()
		}
		var bad *badEventError
		switch {
		case errors.As(err, &bad) && event.Open:
			if a.finished {
				return nil // the cut fell behind the end of the reply
			}
			return errTruncated()
		case err != nil:
			return c.withoutKey(asError(err))
		case errors.Is(stopped, errRepetition):
			a.warn(WarnRepetition)
			a.stop, a.finished = StopLength, true
			return nil
		case stopped != nil:
			return asError(stopped)
		}
	}
}

// brokenOff says what an error of reading means; a reply that was finished
// before is whole.
func (c *Client) brokenOff(ctx context.Context, a *assembly, err error) *Error {
	if errors.Is(err, wire.ErrTooLarge) || errors.Is(err, netguard.ErrTooLarge) {
		return &Error{Class: ClassServer, Message: err.Error(), Hint: "the server floods: look at its log"}
	}
	if a.finished {
		return nil
	}
	e := errTruncated()
	e.cause = err
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errFirst):
		e.Class, e.Message = ClassNetwork, fmt.Sprintf("%s sent nothing within %s", c.base.Host, c.first)
	case errors.Is(cause, errIdle):
		e.Message = fmt.Sprintf("%s sent nothing more for %s", c.base.Host, c.idle)
	case errors.Is(cause, errWhole):
		e.Message, e.Retryable = fmt.Sprintf("the reply of %s did not end within %s", c.base.Host, c.whole), false
	}
	return e
}

// isRefused says that the machine answered and nothing listens there.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
