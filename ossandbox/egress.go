package ossandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// Bounds of the proxy.
const (
	maxUpload      = 1 << 20 // bytes to a host over one connection
	maxUploadHost  = 8 << 20 // bytes to a host in one command
	maxConnections = 64
	maxRequests    = 4096 // of one command; each is evidence, and evidence takes room
	helloTimeout   = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHello       = 64 << 10
)

func noDial(context.Context, netip.AddrPort) (net.Conn, error) {
	return nil, errors.New("this guard does not dial")
}

// An egress is the proxy of one command in the profile net: the only way out
// of its network namespace. It forwards to the hosts of the profile, of which
// it resolves the names itself, and dials what it has checked.
type egress struct {
	rules  []hostRule
	token  string
	guard  *netguard.Guard
	tell   func(Request) error
	server *http.Server
	plain  *http.Transport
	done   chan struct{}

	ctx  context.Context //nolint:containedctx // lives as long as the command
	stop context.CancelFunc
	busy sync.WaitGroup // requests that are being answered

	mu      sync.Mutex
	closed  bool
	asked   int // requests so far
	sent    map[string]int64
	refused []string // hosts that were asked for and are not allowed
	open    map[net.Conn]bool
}

// newEgress serves on l until close. tell is called by nobody after that.
func newEgress(p Profile, o netguard.Options, l net.Listener, tell func(Request) error) (*egress, error) {
	rules, err := parseHosts(p.Hosts())
	if err != nil {
		return nil, err
	}
	ports := []uint16{443, 80}
	for _, r := range rules {
		if r.port != 0 {
			ports = append(ports, r.port)
		}
	}
	guard, err := netguard.New(netguard.Public().Ports(ports...), o)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	e := &egress{
		rules: rules, token: hex.EncodeToString(secret), guard: guard, tell: tell,
		done: make(chan struct{}), sent: map[string]int64{}, open: map[net.Conn]bool{},
	}
	e.ctx, e.stop = context.WithCancel(context.Background()) // ended by close, after the command and not with its start
	e.plain = &http.Transport{
		DisableKeepAlives: true, DisableCompression: true, ResponseHeaderTimeout: idleTimeout,
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			host, port, err := parseHostPort(address, 80)
			if err != nil {
				return nil, err
			}
			return guard.DialHost(ctx, host, port)
		},
	}
	e.server = &http.Server{Handler: e, ReadHeaderTimeout: helloTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 32 << 10, DisableGeneralOptionsHandler: true}
	go func() {
		defer close(e.done)
		e.server.Serve(limitListener{l, make(chan struct{}, maxConnections)})
	}()
	return e, nil
}

// close ends the proxy and every connection through it, and returns when the
// last request has been told of.
func (e *egress) close() {
	e.stop()
	e.server.Close()
	e.plain.CloseIdleConnections()
	e.mu.Lock()
	e.closed = true
	for c := range e.open {
		c.Close()
	}
	e.mu.Unlock()
	<-e.done
	e.busy.Wait()
}

// enter counts a request in, unless all is over.
func (e *egress) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.busy.Add(1)
	return true
}

// url is the proxy as the command's environment names it.
func (e *egress) url(address string) string { return "http://tera-pilot:" + e.token + "@" + address }

// ServeHTTP answers one request of the command.
func (e *egress) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !e.enter() {
		return
	}
	defer e.busy.Done()
	q := Request{Time: time.Now(), Method: quotedMethod(r.Method), Host: quoted(cut(r.Host, 80))}
	if first, over := e.count(); over {
		if first {
			e.refuse(w, q, http.StatusTooManyRequests, "one command makes no more than "+strconv.Itoa(maxRequests)+" requests")
			return
		}
		http.Error(w, "blocked by the sandbox: too many requests", http.StatusTooManyRequests) // told once
		return
	}
	if !e.authorised(r) {
		e.refuse(w, q, http.StatusProxyAuthRequired, "the token of this command is missing")
		return
	}
	standard := uint16(80)
	if r.Method == http.MethodConnect {
		standard = 443
	}
	target := r.URL.Host
	if r.Method == http.MethodConnect {
		target = r.Host
	}
	host, port, err := parseHostPort(target, standard)
	if err != nil {
		e.refuse(w, q, http.StatusBadRequest, err.Error())
		return
	}
	q.Host, q.Port = host, port
	if !e.allowed(host, port) {
		e.note(host)
		e.refuse(w, q, http.StatusForbidden, "the host is not in the list of this command")
		return
	}
	if r.Method == http.MethodConnect {
		e.tunnel(w, q)
		return
	}
	e.forward(w, r, q)
}

// count counts a request. over says that it is one too many, first that it is
// the first such one.
func (e *egress) count() (first, over bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked++
	return e.asked == maxRequests+1, e.asked > maxRequests
}

// quotedMethod is a method as it was written, where it is a plain one.
func quotedMethod(m string) string {
	if len(m) <= 16 && strings.Trim(m, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return m
	}
	return quoted(cut(m, 16))
}

func (e *egress) authorised(r *http.Request) bool {
	const scheme = "Basic "
	auth := r.Header.Get("Proxy-Authorization")
	if len(auth) < len(scheme) || !strings.EqualFold(auth[:len(scheme)], scheme) {
		return false
	}
	b, err := base64.StdEncoding.DecodeString(auth[len(scheme):])
	_, password, _ := strings.Cut(string(b), ":")
	return err == nil && subtle.ConstantTimeCompare([]byte(password), []byte(e.token)) == 1
}

func (e *egress) allowed(host string, port uint16) bool {
	for _, r := range e.rules {
		if r.allows(host, port) {
			return true
		}
	}
	return false
}

func (e *egress) note(host string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.refused) < maxDenials {
		e.refused = append(e.refused, host)
	}
}

// denied are the hosts that the command asked for in vain.
func (e *egress) denied() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.refused...)
}

// say tells of a request. An error means that it must not go on. Of one that has
// ended nothing can be held back any more: a log that does not take that word
// takes no outcome of the command either, and that fails the call.
func (e *egress) say(q Request) error {
	if e.tell == nil {
		return nil
	}
	return e.tell(q)
}

// unseen is why a request that cannot be told of is refused.
const unseen = "the request could not be recorded"

// refuse answers with a reason that the command's own program will show.
func (e *egress) refuse(w http.ResponseWriter, q Request, status int, reason string) {
	q.Allowed, q.Reason, q.Ended = false, reason, true
	_ = e.say(q) // it is refused already
	if status == http.StatusProxyAuthRequired {
		w.Header().Set("Proxy-Authenticate", `Basic realm="tera-pilot"`)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
	fmt.Fprintf(w, "blocked by the sandbox: %s (%s)\n", q.Host, reason)
}

// hopHeaders are for the proxy, not for the host. RFC 9110, 7.6.1.
var hopHeaders = []string{"Proxy-Authorization", "Proxy-Connection", "Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// forward carries a plain request that reads.
func (e *egress) forward(w http.ResponseWriter, r *http.Request, q Request) {
	if r.URL.Scheme != "http" || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
		e.refuse(w, q, http.StatusMethodNotAllowed, "only GET and HEAD go out without TLS")
		return
	}
	if r.ContentLength != 0 {
		e.refuse(w, q, http.StatusRequestEntityTooLarge, "a request that reads has no body")
		return
	}
	size := int64(len(r.URL.String()))
	for name, values := range r.Header {
		size += int64(len(name) + len(strings.Join(values, "")))
	}
	if !e.mayAlsoSend(q.Host, size) {
		e.refuse(w, q, http.StatusForbidden, "the command has sent enough to this host")
		return
	}
	out := r.Clone(r.Context())
	out.RequestURI, out.Host, out.Body = "", q.Host, nil
	for _, h := range hopHeaders {
		out.Header.Del(h)
	}
	q.Allowed = true
	if e.say(q) != nil {
		e.refuse(w, q, http.StatusForbidden, unseen)
		return
	}
	out = out.WithContext(httptrace.WithClientTrace(out.Context(), &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) { q.Address = c.Conn.RemoteAddr().String() },
	}))
	res, err := e.plain.RoundTrip(out)
	if err != nil {
		q.Failed = !forbidden(err)
		e.refuse(w, q, http.StatusBadGateway, err.Error())
		return
	}
	defer res.Body.Close()
	for _, h := range hopHeaders {
		res.Header.Del(h)
	}
	for k, v := range res.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(res.StatusCode)
	q.Received, _ = io.Copy(w, res.Body) // the command's program sees that it is short
	q.Sent, q.Ended = size, true
	_ = e.say(q)
}

// forbidden says that a host was not dialled because of its address.
func forbidden(err error) bool {
	_, ok := errors.AsType[*netguard.RefusedError](err)
	return ok
}

// mayAlsoSend counts what goes to a host, and says whether n more may.
func (e *egress) mayAlsoSend(host string, n int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sent[host]+n > maxUploadHost {
		return false
	}
	e.sent[host] += n
	return true
}

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

func (e *egress) track(c net.Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		c.Close()
	}
	e.open[c] = true
}

func (e *egress) untrack(c net.Conn) {
	c.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.open, c)
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
func (r *recorder) Close() error                { return nil }

// limitListener bounds the connections that are open at once.
type limitListener struct {
	net.Listener
	slots chan struct{}
}

func (l limitListener) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{Conn: c, release: sync.OnceFunc(func() { <-l.slots })}, nil
}

type limitedConn struct {
	net.Conn
	release func()
}

func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

func (c *limitedConn) CloseWrite() error {
	if h, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return nil
}
