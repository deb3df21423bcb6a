package model

import (
	"crypto/rand"
	"strings"
)

// idSource keeps the ids of calls unique in a session (R3).
type idSource struct{ used map[string]bool }

// newIDs knows the ids of the calls that the conversation holds already.
func newIDs(messages []Message) idSource {
	s := idSource{map[string]bool{}}
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Kind == PartCall {
				s.used[p.CallID] = true
			}
		}
	}
	return s
}

// take gives id back, or one that is made up if it is absent, taken, or could
// be mistaken for something else where ids are printed or used as names.
func (s idSource) take(id string) string {
	for s.used[id] || !plainID(id) {
		id = "call_" + strings.ToLower(rand.Text()[:12])
	}
	s.used[id] = true
	return id
}

func plainID(id string) bool {
	if len(id) > 256 || strings.Trim(id, ".") == "" {
		return false
	}
	for _, c := range []byte(id) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"'`\\/<>[]", c) >= 0 {
			return false
		}
	}
	return true
}
