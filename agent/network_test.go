package agent

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// TestTheQuestionNamesEveryHost: what is granted is shown whole, each time.
func TestTheQuestionNamesEveryHost(t *testing.T) {
	hosts := []string{"a.example.org", "b.example.org:8443", "registry.example.net"}
	r := newRig(t, []step{
		{Say: "I fetch.", Calls: []call{{"execute_command", map[string]any{"command": "true", "hosts": hosts}}}},
		{Say: "Once more, with a secret.", Calls: []call{{"execute_command", map[string]any{"command": "cat .env", "hosts": hosts[:1]}}}},
		{Say: "done"},
	}, nil)
	r.write(".env", "TOKEN=1")
	var asked []event.Question
	r.person = func(q event.Question) event.Answer {
		asked = append(asked, q)
		return event.Answer{Choice: event.Once}
	}
	r.start("")
	r.turn("go")
	r.stop()
	if len(asked) != 2 {
		t.Fatalf("%d questions", len(asked))
	}
	for _, h := range hosts {
		if text := linesText(asked[0].Lines); !strings.Contains(text, h) {
			t.Errorf("%s is not in the question:\n%s", h, text)
		}
	}
	if asked[0].Danger || !asked[1].Danger {
		t.Errorf("danger: %t, and with a secret beside the network %t", asked[0].Danger, asked[1].Danger)
	}
	r.verify()
}

func linesText(lines []event.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

// TestAKeyInACommandWithANetworkIsRaised: what looks like a secret does not
// leave because the host is on a list.
func TestAKeyInACommandWithANetworkIsRaised(t *testing.T) {
	key := "ghp_" + strings.Repeat("a1B2", 9)
	r := newRig(t, []step{
		{Say: "I send.", Calls: []call{{"execute_command", map[string]any{"command": "echo " + key, "hosts": []string{"a.example.org"}}}}},
		{Say: "done"},
	}, nil)
	var asked event.Question
	r.person = func(q event.Question) event.Answer { asked = q; return event.Answer{Choice: event.Deny} }
	r.start("")
	r.turn("go")
	r.stop()
	if !asked.Raised || !strings.Contains(linesText(asked.Lines), "looks like a secret") {
		t.Errorf("raised %t:\n%s", asked.Raised, linesText(asked.Lines))
	}
}

// TestWithoutASandboxEachCommandIsAsked: the setting off runs a command after
// a yes in the terminal, says so in the question, and runs none without.
func TestWithoutASandboxEachCommandIsAsked(t *testing.T) {
	r := newRig(t, []step{
		{Say: "I run it.", Calls: []call{{"execute_command", map[string]any{"command": "echo hello > made.txt"}}}},
		{Say: "done"},
	}, func(o *Options) { o.Sandbox = gate.SandboxOff })
	r.setting = ossandbox.Off
	var asked event.Question
	r.person = func(q event.Question) event.Answer { asked = q; return event.Answer{Choice: event.Once} }
	r.start("")
	r.turn("go")
	r.stop()
	if text := linesText(asked.Lines); !asked.Raised || !strings.Contains(text, "NO SANDBOX") || !strings.Contains(text, "all of it") {
		t.Errorf("raised %t:\n%s", asked.Raised, text)
	}
	if got := r.read("made.txt"); got != "hello\n" {
		t.Errorf("made.txt holds %q: %+v", got, r.results())
	}
	r.verify()
}

// TestAFullLogLetsNothingLeave: a request that cannot be recorded is refused,
// although its host was granted.
func TestAFullLogLetsNothingLeave(t *testing.T) {
	r := newRig(t, []step{{Say: "nothing"}}, nil)
	r.start("")
	tell := r.session.disp.departs(t.Context(), proposal{call: event.Call{ID: "c"}})
	q := world.Request{Host: "good.example.org", Port: 443, Method: "CONNECT", Allowed: true}
	if err := tell(q); err != nil {
		t.Fatal(err)
	}
	if err := r.session.audit.Close(audit.CloseOK); err != nil {
		t.Fatal(err)
	}
	if err := tell(q); err == nil {
		t.Error("a log that is closed took the request")
	}
	_ = r.session.Close(audit.CloseError) // its part of the log is closed already
	for _, c := range []func() error{r.evidence.Close, r.opts.World.Close} {
		if err := c(); err != nil {
			t.Error(err)
		}
	}
}
