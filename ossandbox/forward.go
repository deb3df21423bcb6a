package ossandbox

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
)

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
	_ = e.say(q) // what has left cannot be held back
}
