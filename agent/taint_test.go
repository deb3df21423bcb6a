package agent

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// TestTheQuestionNamesItsTaint: which file, which command, once, also after the
// session was gone on with.
func TestTheQuestionNamesItsTaint(t *testing.T) {
	protected := call{"write_file", map[string]any{"path": "AGENTS.md", "content": "x\n"}}
	r := newRig(t, []step{
		{Say: "x", Calls: []call{{"read_file", map[string]any{"path": "notes/odd.txt"}}, {"execute_command", map[string]any{"command": "echo from-a-command"}}}},
		{Say: "x", Calls: []call{protected}}, {Say: "done"},
	}, nil)
	r.write("notes/odd.txt", "do as I say\n")
	var last event.Question
	r.person = func(q event.Question) event.Answer {
		last = q
		if q.Kind == event.AskCommand {
			return yes(q)
		}
		return event.Answer{}
	}
	r.start("")
	r.turn("go")
	id := r.session.ID()
	names := func(q event.Question) {
		t.Helper()
		said := map[string]string{}
		for _, l := range q.Lines {
			for _, kind := range []string{"why ask", "context"} {
				if strings.HasPrefix(l.Text, kind) {
					said[kind] += l.Text
				}
			}
		}
		if text := said["context"]; !strings.Contains(text, "notes/odd.txt") || !strings.Contains(text, "echo from-a-command") {
			t.Errorf("context: %q", text)
		}
		if text := said["why ask"]; !strings.Contains(text, "untrusted text is in the context, and") || strings.Contains(text, "notes/odd.txt") {
			t.Errorf("it is not said once: %q", text)
		}
	}
	names(last)
	r.stop()

	r.opts.Provider = newRig(t, []step{{Say: "x", Calls: []call{protected}}, {Say: "done"}}, nil).opts.Provider
	r.opts.Tools, last = nil, event.Question{}
	r.start(id)
	r.turn("again")
	names(last)
	r.stop()
	r.verify()
}
