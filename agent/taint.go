package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
)

// taint says that a result brings text of a source that was not in the context
// before.
func (d *Dispatcher) taint(r event.CallResult) ([]event.Body, error) {
	if r.Untrusted == "" || r.Body == "" {
		return nil, nil
	}
	s, err := d.owner.state()
	from := event.Tainted{Source: r.Untrusted, What: clip(strings.ToValidUTF8(r.Title, "?"), 200)}
	known := slices.Contains(s.Taint, r.Untrusted) && (len(s.From) >= maxFrom || slices.Contains(s.From, from))
	if err != nil || known {
		return nil, err
	}
	return []event.Body{from}, nil
}

// maxFrom is how many origins of untrusted text are told apart in a session.
const maxFrom = 40

// taintNames are what a decision calls the untrusted text in the context: each
// source, with the newest things that came of it.
func taintNames(s session.State) []string {
	const shown = 3
	out := make([]string, len(s.Taint))
	for i, source := range s.Taint {
		var what []string
		for _, f := range slices.Backward(s.From) {
			if f.Source == source && f.What != "" {
				what = append(what, f.What)
			}
		}
		out[i] = source
		if len(what) > 0 {
			out[i] += ": " + strings.Join(what[:min(len(what), shown)], "; ")
		}
		if n := len(what) - shown; n > 0 {
			out[i] += fmt.Sprintf("; %d more", n)
		}
	}
	return out
}

// sources are the words of the sources alone, as the audit log states them.
func sources(named []string) []string {
	out := make([]string, len(named))
	for i, n := range named {
		out[i], _, _ = strings.Cut(n, ": ")
	}
	return out
}
