package websearch

import (
	"net/url"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// Bounds of what is remembered of earlier requests.
const (
	maxPieces = 64
	minPiece  = 6 // characters
)

// pieces remembers what the last requests of a session carried out, so that a
// secret in two halves is seen when the second would leave. One in three is not.
type pieces struct {
	mu   sync.Mutex
	sent []string
}

// add remembers a request that leaves.
func (p *pieces) add(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, carried(text)...)
	if over := len(p.sent) - maxPieces; over > 0 {
		p.sent = append([]string(nil), p.sent[over:]...)
	}
}

// complete says that a request would complete a secret that an earlier one
// began.
func (p *pieces) complete(text string, known *secret.Redactor) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, now := range carried(text) {
		for _, before := range p.sent {
			if before != now && (len(find(known, before+now)) > 0 || len(find(known, now+before)) > 0) {
				return true
			}
		}
	}
	return false
}

// carried are the parts of an address, or the words of a search, that could
// hold a half of something.
func carried(text string) []string {
	var out []string
	keep := func(s string) {
		if len(s) >= minPiece && len(s) <= 512 {
			out = append(out, s)
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		for _, word := range strings.Fields(text) {
			keep(word)
		}
		return out
	}
	for _, label := range strings.Split(u.Hostname(), ".") {
		keep(label)
	}
	for _, part := range strings.Split(u.Path, "/") {
		keep(part)
	}
	for name, values := range u.Query() {
		for _, v := range append(values, name) {
			keep(v)
		}
	}
	return out
}

// scan is Scan, and what a request says together with an earlier one.
func (w *Web) scan(text string) []string {
	out := Scan(text, w.o.Secrets)
	if len(out) == 0 && w.pieces.complete(text, w.o.Secrets) {
		out = []string{"together with an earlier request it holds something that looks like a secret"}
	}
	return out
}
