package agent

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

func FuzzBound(f *testing.F) {
	f.Add("a\nb\nc", 10)
	f.Add(strings.Repeat("é", 100), 33)
	f.Fuzz(func(t *testing.T, body string, limit int) {
		limit = 10 + abs(limit)%200
		cut, hidden := bound(body, limit, "@out/x")
		if len(body) <= limit {
			if cut != body || hidden != 0 {
				t.Errorf("%q was changed to %q", body, cut)
			}
			return
		}
		if len(cut) > limit+120 {
			t.Errorf("%d bytes of a limit of %d", len(cut), limit)
		}
		if utf8.ValidString(body) && !utf8.ValidString(cut) {
			t.Errorf("%q was cut inside a character: %q", body, cut)
		}
		if !strings.Contains(cut, "@out/x") {
			t.Errorf("no word of what was left out: %q", cut)
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

func TestFrame(t *testing.T) {
	exit := 1
	for _, c := range []struct {
		r    event.CallResult
		want string
	}{
		{event.CallResult{Tool: "mkdir", Status: "ok", Decision: "approved"}, "[result tool=mkdir status=ok decision=approved]"},
		{
			event.CallResult{Tool: "execute_command", Status: "ok", Decision: "allowed", Exit: &exit, Body: "boom", Untrusted: "command", Boundary: "ab12"},
			"[result tool=execute_command status=ok decision=allowed exit=1]\n<untrusted ab12 from=command>\nboom\n</untrusted ab12>",
		},
		{event.CallResult{Tool: "write_file", Status: "rejected", Decision: "denied", Body: "the person said no"}, "[result tool=write_file status=rejected decision=denied]\nthe person said no"},
	} {
		if got := frame(c.r); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
