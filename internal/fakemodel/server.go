package fakemodel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

// A Server is a Model that listens on loopback.
type Server struct {
	*Model
	URL  string // http://127.0.0.1:PORT; the OpenAI paths lie below /v1
	http *http.Server
	done chan struct{}
}

// Start serves the scenario on a free port of 127.0.0.1 until Close.
func Start(s *scenario.Scenario, o Options) (*Server, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("fake model: %w", err)
	}
	m := New(s, o)
	srv := &Server{
		Model: m, URL: "http://" + l.Addr().String(), done: make(chan struct{}),
		http: &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second},
	}
	go func() {
		defer close(srv.done)
		_ = srv.http.Serve(l) // ends with Close
	}()
	return srv, nil
}

// Close ends the server and every reply that is on its way.
func (s *Server) Close() {
	_ = s.http.Close() // the listener is closed either way
	<-s.done
}

// Transport plays the scenario in process, without a connection.
func (m *Model) Transport() http.RoundTripper { return inProcess{m} }

type inProcess struct{ model *Model }

// RoundTrip runs the handler in a goroutine of its own, which ends when the
// body is closed or the request is cancelled.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	read, write := io.Pipe()
	w := &pipeWriter{body: write, header: http.Header{}, ready: make(chan struct{})}
	go func() {
		defer cancel()
		defer func() {
			w.WriteHeader(http.StatusOK)
			err := io.EOF
			if p := recover(); p != nil {
				err = io.ErrUnexpectedEOF // the handler cut the connection
				if cause := context.Cause(r.Context()); cause != nil {
					err = cause // or the client did
				}
				if p != http.ErrAbortHandler {
					defer panic(p)
				}
			}
			_ = write.CloseWithError(err) // never fails
		}()
		t.model.ServeHTTP(w, r.WithContext(ctx))
	}()
	select {
	case <-w.ready:
	case <-ctx.Done():
		if r.Context().Err() != nil {
			_ = read.Close() // never fails
			return nil, context.Cause(r.Context())
		}
		<-w.ready
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: &pipeBody{read, cancel}, ContentLength: -1, Request: r,
	}, nil
}

// pipeWriter is the handler's end of a reply in process.
type pipeWriter struct {
	body   *io.PipeWriter
	header http.Header
	status int
	ready  chan struct{}
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		close(w.ready)
	}
}

func (w *pipeWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush does nothing: a pipe holds nothing back.
func (w *pipeWriter) Flush() {}

type pipeBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close ends the handler too.
func (b *pipeBody) Close() error {
	b.cancel()
	return errors.Join(b.PipeReader.Close())
}
