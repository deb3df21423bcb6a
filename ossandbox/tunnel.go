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
	hello, name, err := clientHello(conn, early)
	switch {
	case err != nil:
		q.Reason = "what was sent is no TLS: " + err.Error()
	case !strings.EqualFold(name, q.Host):
		q.Reason = "the TLS name is " + quoted(cut(name, 80)) + ", not the host that was asked for"
	case !e.mayAlsoSend(q.Host, int64(len(hello))):
		q.Reason = "the command has sent enough to this host"
	}
	if q.Reason != "" {
		q.Ended = true
		_ = e.say(q)
		return
	}
	// Told before the look-up, which leaves the machine already.
	q.Allowed = true
	if e.say(q) != nil {
		q.Allowed, q.Reason, q.Ended = false, unseen, true
		_ = e.say(q)
		return
	}
	ctx, cancel := context.WithTimeout(e.ctx, helloTimeout)
	defer cancel()
	up, err := e.guard.DialHost(ctx, q.Host, q.Port)
	if err != nil {
		q.Allowed, q.Reason, q.Ended, q.Failed = false, err.Error(), true, !forbidden(err)
		_ = e.say(q)
		return
	}
	e.track(up)
	defer e.untrack(up)
	q.Address = up.RemoteAddr().String()
	q.Sent, q.Received = e.carry(conn, up, hello, q.Host)
	q.Ended = true
	_ = e.say(q)
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
		buf := make([]byte, 32<<10)
		for {
			conn.SetReadDeadline(time.Now().Add(idleTimeout))
			n, err := conn.Read(buf)
			if n > 0 {
				if total.Add(int64(n)) > maxUpload || !e.mayAlsoSend(host, int64(n)) {
					conn.Close()
					up.Close()
					return
				}
				if _, werr := up.Write(buf[:n]); werr != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	})
	both.Go(func() {
		defer halfClose(conn)
		buf := make([]byte, 32<<10)
		for {
			up.SetReadDeadline(time.Now().Add(idleTimeout))
			n, err := up.Read(buf)
			if n > 0 {
				back.Add(int64(n))
				conn.SetDeadline(time.Now().Add(idleTimeout))
				if _, werr := conn.Write(buf[:n]); werr != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	})
	both.Wait()
	return total.Load(), back.Load()
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
