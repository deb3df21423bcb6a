package ossandbox

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
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
