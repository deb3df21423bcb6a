package snap

import (
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Net is what commands reach, and what left the machine.
type Net struct {
	Reach string // what the session's commands may reach, as it was opened
	Left  Egress

	call string          // that talks to a host now; "" for none
	host string          // that it talks to, and what came of it
	told map[string]bool // the hosts that the transcript names for this call
}

// Egress is what left the machine in this session.
type Egress struct {
	Times, Blocked int
	Sent, Received int64
}

// Now is whom a call talks to, and else what commands may reach.
func (n *Net) Now() string {
	if n.call != "" {
		return n.host
	}
	return n.Reach
}

// Talking says that Now is about a call that runs.
func (n *Net) Talking() bool { return n.call != "" }

// ended takes a call that has ended out of Now.
func (n *Net) ended(call string) {
	if call != "" && call == n.call {
		n.call, n.host, n.told = "", "", nil
	}
}

// left counts what left, and says what the transcript has to tell of it: each
// host once in a call, "" for one that it has told.
func (n *Net) left(b event.Egress) (tell string) {
	n.Left.Times++
	n.Left.Sent, n.Left.Received = n.Left.Sent+b.Sent, n.Left.Received+b.Received
	host := b.Host
	if b.Status != "ok" {
		n.Left.Blocked++
		host += " " + b.Status
	}
	if n.call != b.Call || n.told == nil {
		n.call, n.told = b.Call, map[string]bool{}
	}
	n.host = host
	if n.told[host] {
		return ""
	}
	n.told[host] = true
	if b.Reason != "" {
		host += ": " + b.Reason
	}
	return strings.TrimSpace(b.Method + " " + host)
}

// maxLeft is how much of what left for one call is kept by name.
const maxLeft = 64

// egress notes what left at the call that it belongs to, and in the transcript.
func (s *State) egress(b event.Egress, e event.Event) {
	if it := s.Talk.calls[b.Call]; it != nil && b.Call != "" && (it.Told == nil || len(it.Call.Left) < maxLeft) {
		if it.Told != nil {
			line := fmt.Sprintf("%s %s  %d bytes out, %d in", b.Method, b.Host, b.Sent, b.Received)
			if b.Status != "ok" {
				line = fmt.Sprintf("%s %s  %s: %s", b.Method, b.Host, b.Status, b.Reason)
			}
			it.Call.Left = append(it.Call.Left, strings.TrimSpace(line))
		}
		it.told(s.Talk.now)
		it.Rev++
	}
	if tell := s.Net.left(b); tell != "" {
		s.Talk.tell(e, "network", tell)
	}
}
