package netguard

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Limits bound one exchange. Zero fields have the defaults named beside them.
type Limits struct {
	Header    int64         // bytes of response headers; 64 KiB
	Body      int64         // bytes of response body on the wire; 64 MiB. Beyond: ErrTooLarge
	Total     time.Duration // the whole exchange, body included; none
	Response  time.Duration // until the response headers; none
	KeepAlive bool          // keep connections for the next request to the same origin
}

// ErrTooLarge is the error of reading beyond Limits.Body.
var ErrTooLarge = errors.New("the response is larger than allowed")

// Client gives an HTTP client whose every request is held against the policy
// and whose every connection is dialled by the guard. Redirects are returned
// as they are. Compressed bodies are not unpacked: the caller does it, under
// a cap of its own.
func (g *Guard) Client(l Limits) *http.Client {
	return &http.Client{
		Transport:     g.Transport(l),
		Timeout:       l.Total,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Transport is the round tripper under Client, for libraries that bring a
// client of their own. It follows no redirect by itself.
func (g *Guard) Transport(l Limits) http.RoundTripper {
	header, body := l.Header, l.Body
	if header <= 0 {
		header = 64 << 10
	}
	if body <= 0 {
		body = 64 << 20
	}
	return &transport{guard: g, body: body, http: &http.Transport{
		Proxy:                  nil, // a proxy would resolve names by itself
		DialContext:            g.dialAddress,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: g.roots},
		TLSHandshakeTimeout:    connectTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		DisableKeepAlives:      !l.KeepAlive,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: header,
		ResponseHeaderTimeout:  l.Response,
	}}
}

// dialAddress is what net/http calls with host:port.
func (g *Guard) dialAddress(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, refuse(CodeHost, "", "%q is no host and port", address)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, refuse(CodePort, host, "%q is no port", port)
	}
	return g.DialHost(ctx, host, uint16(n))
}

type transport struct {
	guard *Guard
	http  *http.Transport
	body  int64
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := t.guard.Parse(r.URL.String()); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	resp, err := t.http.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body.Close()
		return nil, refuse(CodeResponse, r.URL.Hostname(), "the server switched protocols unasked")
	}
	resp.Body = &cappedBody{ReadCloser: resp.Body, left: t.body}
	return resp, nil
}

// CloseIdleConnections closes what Limits.KeepAlive kept.
func (t *transport) CloseIdleConnections() { t.http.CloseIdleConnections() }

// cappedBody ends in ErrTooLarge, not in a silent cut, when the body goes on
// beyond the cap.
type cappedBody struct {
	io.ReadCloser
	left int64
}

func (b *cappedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, ErrTooLarge
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		return n - 1, ErrTooLarge
	}
	return n, err
}
