package snap

import (
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// TestNet: while a call runs the status line says whom it talks to, and then
// again what the session may reach, whatever else left the machine meanwhile.
// The transcript names each host once in a call.
func TestNet(t *testing.T) {
	out := func(call, host, status string) event.Egress {
		return event.Egress{Call: call, Host: host, Method: "CONNECT", Status: status, Sent: 1}
	}
	s := &State{}
	for i, c := range []struct {
		body  event.Body
		now   string
		talks bool
		items int // of the transcript, in all
	}{
		{event.Opened{Network: "off"}, "off", false, 0},
		{event.CallStarted{Call: "1"}, "off", false, 1},
		{out("1", "a", "ok"), "a", true, 2},
		{out("1", "a", "ok"), "a", true, 2},
		{out("1", "b", "blocked"), "b blocked", true, 3},
		{out("", "model", "ok"), "off", false, 4},
		{event.CallResult{Call: "1", Status: "ok"}, "off", false, 4},
		{event.CallStarted{Call: "2"}, "off", false, 5},
		{out("2", "a", "ok"), "a", true, 6},
		{event.CallResult{Call: "1", Status: "ok"}, "a", true, 7}, // not the one that talks
		{event.Opened{Network: "a list"}, "a list", false, 7},     // it died with the process before
	} {
		s.Apply(event.Event{Seq: uint64(i + 1), Body: c.body})
		if s.Net.Now() != c.now || s.Net.Talking() != c.talks || len(s.Talk.Items) != c.items {
			t.Errorf("%d, after %s: net %q, talking %v, %d items; want %q, %v, %d", i, c.body.Type(), s.Net.Now(), s.Net.Talking(), len(s.Talk.Items), c.now, c.talks, c.items)
		}
	}
	if s.Net.Left != (Egress{Times: 5, Blocked: 1, Sent: 5}) {
		t.Errorf("what left: %+v", s.Net.Left)
	}
}
