package ossandbox

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// tunnel carries TLS to the host that it was asked for, and to no other behind
// the same address: the name in the ClientHello must be that host.
func (e *egress) tunnel(w http.ResponseWriter, q Request) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		e.refuse(w, q, http.StatusInternalServerError, "the connection cannot be taken over")
		return
	}
	conn, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	e.track(conn)
	defer e.untrack(conn)
	conn.SetDeadline(time.Now().Add(helloTimeout))
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	early, _ := buffered.Reader.Peek(buffered.Reader.Buffered())
	hello, why := e.greeting(conn, early, q.Host)
	if q.Reason = why; why != "" {
		q.Ended = true
		_ = e.say(q) // nothing went out
		return
	}
	// Told before the look-up, which leaves the machine already.
	q.Allowed = true
	if e.say(q) != nil {
		q.Allowed, q.Reason, q.Ended = false, unseen, true
		_ = e.say(q) // it is refused already
		return
	}
	ctx, cancel := context.WithTimeout(e.ctx, helloTimeout)
	defer cancel()
	up, err := e.guard.DialHost(ctx, q.Host, q.Port)
	if err != nil {
		q.Allowed, q.Reason, q.Ended, q.Failed = false, err.Error(), true, !forbidden(err)
		_ = e.say(q) // it is refused already
		return
	}
	e.track(up)
	defer e.untrack(up)
	q.Address = up.RemoteAddr().String()
	q.Sent, q.Received = e.carry(conn, up, hello, q.Host)
	q.Ended = true
	_ = e.say(q) // what has left cannot be held back
}

// greeting is the ClientHello of a connection, and why it is not let through:
// "" where it is TLS to the host that was asked for.
func (e *egress) greeting(conn net.Conn, early []byte, host string) (hello []byte, why string) {
	hello, name, err := clientHello(conn, early)
	switch {
	case err != nil:
		return nil, "what was sent is no TLS: " + err.Error()
	case !strings.EqualFold(name, host):
		return nil, "the TLS name is " + quoted(cut(name, 80)) + ", not the host that was asked for"
	case !e.mayAlsoSend(host, int64(len(hello))):
		return nil, "the command has sent enough to this host"
	}
	return hello, ""
}

// carry copies both ways until one side ends, or too much was sent.
func (e *egress) carry(conn, up net.Conn, hello []byte, host string) (sent, received int64) {
	var total, back atomic.Int64
	var both sync.WaitGroup
	both.Go(func() {
		defer halfClose(up)
		if n, err := up.Write(hello); err != nil || n < len(hello) {
			return
		}
		total.Add(int64(len(hello)))
		pour(up, conn, func(n int64) bool {
			if total.Add(n) > maxUpload || !e.mayAlsoSend(host, n) {
				conn.Close()
				up.Close()
				return false
			}
			return true
		})
	})
	both.Go(func() {
		defer halfClose(conn)
		pour(conn, up, func(n int64) bool {
			back.Add(n)
			conn.SetDeadline(time.Now().Add(idleTimeout))
			return true
		})
	})
	both.Wait()
	return total.Load(), back.Load()
}

// pour copies from one side to the other until one ends, is silent for too long,
// or may says no to what is about to be passed on.
func pour(to, from net.Conn, may func(n int64) bool) {
	buf := make([]byte, 32<<10)
	for {
		from.SetReadDeadline(time.Now().Add(idleTimeout))
		n, err := from.Read(buf)
		if n > 0 {
			if !may(int64(n)) {
				return
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func halfClose(c net.Conn) {
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		h.CloseWrite()
		return
	}
	c.Close()
}

// errGotHello ends the handshake that is only there to read a ClientHello.
var errGotHello = errors.New("got it")

// clientHello reads the first flight of a TLS client with the standard
// library's own parser, and returns its bytes and the server name in it.
func clientHello(conn net.Conn, early []byte) (hello []byte, name string, err error) {
	rec := &recorder{Conn: conn, early: early}
	found := false
	err = tls.Server(rec, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		name, found = h.ServerName, true
		return nil, errGotHello
	}}).Handshake()
	if !found {
		return nil, "", fmt.Errorf("no ClientHello: %w", err)
	}
	if name == "" {
		return nil, "", errors.New("the ClientHello names no server")
	}
	return rec.read.Bytes(), name, nil
}

// recorder keeps what is read, and answers nothing.
type recorder struct {
	net.Conn
	early []byte
	read  bytes.Buffer
}

func (r *recorder) Read(p []byte) (n int, err error) {
	if r.read.Len() > maxHello {
		return 0, errors.New("the ClientHello is too long")
	}
	if len(r.early) > 0 {
		n = copy(p, r.early)
		r.early = r.early[n:]
	} else {
		n, err = r.Conn.Read(p)
	}
	r.read.Write(p[:n])
	return n, err
}

func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }

func (r *recorder) Close() error { return nil }
