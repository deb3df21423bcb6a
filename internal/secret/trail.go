package secret

import (
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Bounds of what is remembered of earlier requests, and looked at of one.
const (
	maxTrail = 256
	maxParts = 64
	minPart  = 6   // characters
	maxPart  = 512 // of more, data is no half of a key
)

// A trail is what left the machine, in pieces.
type trail struct {
	mu   sync.Mutex
	sent []string
}

// Sent remembers texts that leave the machine: addresses, queries, arguments.
// One trail is kept for all ways out.
func (r *Redactor) Sent(texts ...string) {
	parts := slices.DeleteFunc(carried(texts), func(s string) bool {
		return len(r.Find(s)) > 0 // whole ones were seen, and make a half of everything
	})
	r.trail.mu.Lock()
	defer r.trail.mu.Unlock()
	r.trail.sent = append(r.trail.sent, parts...)
	if over := len(r.trail.sent) - maxTrail; over > 0 {
		r.trail.sent = slices.Clone(r.trail.sent[over:])
	}
}

// Completes says that texts which would leave hold a secret in two parts, in
// either order: both of them here, or one of them in what was sent before.
func (r *Redactor) Completes(texts ...string) bool {
	parts := carried(texts)
	r.trail.mu.Lock()
	before := slices.Clone(r.trail.sent)
	r.trail.mu.Unlock()
	for i, now := range parts {
		for _, other := range slices.Concat(before, parts[:i]) {
			if other != now && (len(r.Find(other+now)) > 0 || len(r.Find(now+other)) > 0) {
				return true
			}
		}
	}
	return false
}

// carried are the parts of addresses and the words of texts that could hold a
// half of something.
func carried(texts []string) []string {
	var out []string
	keep := func(parts ...string) {
		for _, s := range parts {
			if len(s) >= minPart && len(s) <= maxPart && !slices.Contains(out, s) && len(out) < maxParts {
				out = append(out, s)
			}
		}
	}
	for _, text := range texts {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			keep(strings.Fields(text)...)
			continue
		}
		keep(strings.Split(u.Hostname(), ".")...)
		keep(strings.Split(u.Path, "/")...)
		for name, values := range u.Query() {
			keep(append(values, name)...)
		}
	}
	return out
}
