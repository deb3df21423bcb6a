package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// redirectPath is where the browser comes back.
const redirectPath = "/callback"

// A landing is where the browser comes back: one address of this machine, for
// one login.
type landing struct {
	listener net.Listener
	server   *http.Server
	uri      string // exact
	state    string // that has to come back
	issuer   issuer
	codes    chan landed
}

// landed is what came back: a code, or the authorization server's refusal.
type landed struct {
	code string
	err  error
}

// land opens the landing.
func land(state string) (*landing, error) {
	listener, err := netguard.ListenHere()
	if err != nil {
		return nil, fmt.Errorf("no port of this machine can be listened on: %w", err)
	}
	l := &landing{listener: listener, uri: "http://" + listener.Addr().String() + redirectPath, state: state, codes: make(chan landed, 1)}
	l.server = &http.Server{Handler: l, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10}
	return l, nil
}

// open begins to listen for the answer of an authorization server.
func (l *landing) open(from issuer) {
	l.issuer = from
	go func() { _ = l.server.Serve(l.listener) }() // ends with close, and always in an error
}

// lastWord is how long the browser has to read the last answer.
const lastWord = time.Second

func (l *landing) close() {
	ctx, cancel := context.WithTimeout(context.Background(), lastWord)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close() // whoever does not read has to do without
	}
	_ = l.listener.Close() // closed with the server, where that was begun
}

// ServeHTTP implements http.Handler. It says back nothing of what it was sent.
func (l *landing) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	if q.Method != http.MethodGet || "http://"+q.Host+q.URL.Path != l.uri {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	text := "Done. You can close this page and go back to the terminal.\n"
	switch err := l.take(q.URL.RawQuery); {
	case errors.Is(err, errNotOurs):
		w.WriteHeader(http.StatusBadRequest)
		text = "This is not the answer that is waited for. Nothing was taken.\n"
	case err != nil:
		text = "The login did not succeed; the terminal says why. You can close this page.\n"
	}
	_, _ = io.WriteString(w, text) // the terminal tells a browser that has left
}

// errNotOurs is an answer that is passed over: anybody on this machine can send
// one, and none of those ends the login.
var errNotOurs = errors.New("it is not the answer that is waited for: its state, its issuer or its form is another")

// Paste takes a redirect address that the person copied from the browser.
func (l *landing) paste(text string) error {
	before, query, _ := strings.Cut(strings.TrimSpace(text), "?")
	if before != l.uri {
		return fmt.Errorf("that is not the address of the page that could not be opened: it begins with %s?", l.uri)
	}
	return l.take(query)
}

// take reads the answer of the authorization server, once.
func (l *landing) take(query string) error {
	got, err := url.ParseQuery(query)
	if err != nil {
		return errNotOurs
	}
	for _, values := range got {
		if len(values) != 1 {
			return errNotOurs
		}
	}
	iss, named := got["iss"]
	switch {
	case subtle.ConstantTimeCompare([]byte(got.Get("state")), []byte(l.state)) != 1:
		return errNotOurs
	case named && iss[0] != l.issuer.Issuer, !named && l.issuer.NamesItself:
		return errNotOurs
	}
	out := landed{code: got.Get("code")}
	switch {
	case got.Get("error") != "":
		out = landed{err: fmt.Errorf("the authorization server refused: %s", word(got.Get("error")))}
	case out.code == "" || len(out.code) > maxToken:
		return errNotOurs
	}
	select {
	case l.codes <- out:
		return out.err
	default:
		return errNotOurs // one was taken
	}
}

// wait waits for the answer, by the browser or pasted. said hears what was
// wrong with a pasted one.
func (l *landing) wait(ctx context.Context, pasted <-chan string, said func(string)) (string, error) {
	for {
		select {
		case got := <-l.codes:
			return got.code, got.err
		case text, ok := <-pasted:
			if !ok {
				pasted = nil
				continue
			}
			if err := l.paste(text); err != nil {
				said(err.Error())
			}
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return "", errors.New("nobody came back from the browser in time")
			}
			return "", ctx.Err()
		}
	}
}
