package websearch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// userAgent is what servers see of us.
const userAgent = "tera-pilot (+a person's coding agent; reads one page at a time)"

// A Page is what a fetch brought back.
type Page struct {
	URL      string // that answered: the last of the hops
	Address  string // that was dialled, with its port; "" from the cache
	Status   int    // of HTTP
	Type     string // media type, as far as it is known
	Size     int64  // bytes of the body as sent
	Title    string
	Text     string // valid UTF-8; empty for what is no text
	Links    []Link
	More     int    // links that are not listed
	Cut      bool   // the body or the text was longer than is returned
	Redirect string // the other host's URL that the last hop leads to; the page is then empty
	Cached   bool
	Sent     int64 // bytes of the requests' first lines and headers, about
}

// A Link is one link of a page, absolute.
type Link struct{ Text, URL string }

// A RedirectError says why a redirect was not followed.
type RedirectError struct{ From, To, Why string }

func (e *RedirectError) Error() string {
	return fmt.Sprintf("%s redirects to %q, which is refused: %s", e.From, e.To, e.Why)
}

// Fetch reads the page at raw, with GET. A redirect to another host is no
// error: the page says where it leads. The caller has asked the gate; the
// address is checked again all the same, but for the scan, which a person can
// overrule.
func (w *Web) Fetch(ctx context.Context, raw string) (Page, error) {
	if _, err := w.Plan(raw); err != nil {
		return Page{}, err
	}
	if p, ok := w.cache.get(raw); ok {
		return p, nil
	}
	w.o.Secrets.Sent(raw)
	ctx, cancel := context.WithTimeout(ctx, w.o.Limits.Total)
	defer cancel()
	p, err := w.hops(ctx, raw)
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("the page did not come within %s: %w", w.o.Limits.Total, ctx.Err())
	}
	if err != nil {
		return p, err
	}
	if p.Status == http.StatusOK && p.Redirect == "" {
		w.cache.put(raw, p)
	}
	return p, nil
}

// hops follows redirects on one host.
func (w *Web) hops(ctx context.Context, raw string) (Page, error) {
	seen := map[string]bool{}
	for n := 0; ; n++ {
		seen[raw] = true
		p, next, err := w.hop(ctx, raw)
		if err != nil || next == "" {
			return p, err
		}
		to, err := w.redirect(raw, next)
		if err != nil {
			return p, err
		}
		switch {
		case to.host:
			p.Redirect = to.url
			return p, nil
		case seen[to.url]:
			return p, &RedirectError{raw, to.url, "it leads in a circle"}
		case n+1 > w.o.Limits.Redirects:
			return p, &RedirectError{raw, to.url, fmt.Sprintf("more than %d redirects", w.o.Limits.Redirects)}
		}
		raw = to.url
		w.o.Secrets.Sent(raw)
	}
}

// A turn is where a redirect leads.
type turn struct {
	url  string
	host bool // to another host, or another of its ports
}

// redirect judges the Location of an answer.
func (w *Web) redirect(from, location string) (turn, error) {
	refused := func(to, why string) (turn, error) { return turn{}, &RedirectError{from, clip(to), why} }
	base, err := url.Parse(from)
	if err != nil {
		return refused(location, "the address before it is not understood")
	}
	to, err := base.Parse(location)
	if err != nil {
		return refused(location, "the Location is no address")
	}
	to.Fragment = ""
	target, err := w.guard.Parse(to.String())
	if err != nil {
		return refused(to.String(), err.Error())
	}
	if base.Scheme == "https" && to.Scheme != "https" {
		return refused(to.String(), "it leads from https to http")
	}
	was, err := w.guard.Parse(from)
	if err != nil {
		return refused(to.String(), err.Error())
	}
	upgrade := was.Port == 80 && target.Port == 443
	other := was.Host != target.Host || was.Port != target.Port && !upgrade // another port is another service
	if reason := w.scan(to.String()); len(reason) > 0 && !other {
		return refused(to.String(), reason[0])
	}
	if other {
		w.redirects.add(target.Host)
	}
	return turn{to.String(), other}, nil
}

// hop is one request. next is the Location of a redirect.
func (w *Web) hop(ctx context.Context, raw string) (p Page, next string, err error) {
	p.URL = raw
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) { p.Address = c.Conn.RemoteAddr().String() },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, raw, nil)
	if err != nil {
		return p, "", fmt.Errorf("request: %w", err)
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "gzip")
	p.Sent = int64(len(raw) + 200)
	resp, err := w.client.Do(req)
	if err != nil {
		return p, "", plainError(raw, err)
	}
	defer func() { _ = resp.Body.Close() }() // read-only: nothing is lost by a failing close
	p.Status, p.Type = resp.StatusCode, mediaType(resp.Header.Get("Content-Type"))
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		location := resp.Header.Get("Location")
		if location == "" {
			return p, "", &RedirectError{raw, "", "the answer names no address"}
		}
		return p, location, nil
	case http.StatusSwitchingProtocols:
		return p, "", fmt.Errorf("%s wants to switch to another protocol, which nobody asked for", raw)
	}
	return p, "", w.read(ctx, resp, &p)
}

// plainError says an error of the client without the wrapping that repeats the
// request.
func plainError(raw string, err error) error {
	var refused *netguard.RefusedError
	if errors.As(err, &refused) {
		return refused
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the server closed the connection without an answer")
	}
	return fmt.Errorf("%s cannot be fetched: %w", clip(raw), err)
}

func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
