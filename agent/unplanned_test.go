package agent

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
)

// What is refused before there is a plan is in the log like any other no, with
// what was tried, and without what must not stand there.
func TestWhatHasNoPlanIsStated(t *testing.T) {
	cases := []struct {
		call   call
		title  string
		status string
	}{
		{call{"web_fetch", map[string]any{"url": "http://169.254.169.254/latest"}}, "fetch http://169.254.169.254/latest", "blocked"},
		{call{"web_fetch", map[string]any{"url": "http://127.0.0.1/"}}, "fetch http://127.0.0.1/", "blocked"},
		{call{"web_fetch", map[string]any{"url": "https://user:pw@example.org/x"}}, "fetch https://…@example.org/x", "blocked"},
		{call{"write_file", map[string]any{"path": "../outside.txt", "content": "x"}}, "write ../outside.txt", "blocked"},
		{call{"write_file", map[string]any{"path": "~/.tera_pilot/policy.toml", "content": "x"}}, "write ~/.tera_pilot/policy.toml", "blocked"},
		{call{"delete_file", map[string]any{"path": "../\u202eoutside.txt"}}, "delete ../<U+202E>outside.txt", "blocked"},
		{call{"execute_command", map[string]any{"command": "git push --receive-pack=sh"}}, "run git push --receive-pack=sh", "blocked"},
		{call{"str_replace", map[string]any{"path": "a.txt", "old": "two", "new": "three"}}, "edit a.txt", "error"},
		{call{"no_such_tool", map[string]any{"path": "a.txt"}}, "no_such_tool a.txt", "error"},
		{call{"execute_command", map[string]any{"command": ""}}, `run {"command":""}`, "error"},
		{call{"read_file", map[string]any{"path": strings.Repeat("long/", 100)}}, "", "error"},
	}
	steps := []step{}
	for _, c := range cases {
		steps = append(steps, step{Say: "on", Calls: []call{c.call}})
	}
	r := newRig(t, append(steps, step{Say: "done"}), func(o *Options) { o.Level = gate.NeverAsk })
	r.opts.Tools, r.internet = tool.New(tool.Options{Fetch: true}), &internet{answer: searchAnswer}
	prepare(r)
	r.start("")
	for len(r.results()) < len(cases) { // a turn ends early where too much of it fails
		before := len(r.results())
		if r.turn("go"); len(r.results()) == before {
			t.Fatal("the turn did nothing")
		}
	}
	r.stop()
	r.verify()
	var stated []audit.Entry
	reader, err := audit.OpenReader(t.Context(), audit.Options{Dir: r.state})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range reader.Entries(t.Context(), audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == "intent" {
			stated = append(stated, e)
		}
	}
	if len(stated) != len(cases) {
		t.Fatalf("%d records of %d calls", len(stated), len(cases))
	}
	for i, c := range cases {
		e, res := stated[i], r.results()[i]
		if e.Decision != audit.Blocked || e.Status != audit.StatusBlocked || e.By != audit.ByFloor || e.Reason == "" || strings.Contains(e.Reason+e.Title, ":pw@") {
			t.Errorf("%s: stated as %s by %s, %s: %q", c.title, e.Decision, e.By, e.Status, e.Reason)
		}
		if e.Title != res.Title || c.title != "" && e.Title != c.title || len(e.Title) > maxTried+40 || strings.ContainsRune(e.Title, '\n') {
			t.Errorf("title %q, in the log %q, want %q", res.Title, e.Title, c.title)
		}
		if res.Status != c.status || res.Decision != string(audit.Blocked) {
			t.Errorf("%s: %s, %s: %s", res.Title, res.Status, res.Decision, res.Body)
		}
	}
}

// A call of a turn that was stopped before it began is in the log too.
func TestWhatNeverBeganIsStated(t *testing.T) {
	r := newRig(t, []step{{Calls: []call{{"write_file", map[string]any{"path": "new.txt", "content": "x"}}, {"delete_file", map[string]any{"path": "a.txt"}}}}}, nil)
	r.write("a.txt", "one\n")
	r.silent = func(event.Question) bool { _ = r.session.Send(event.Cancel{}); return true }
	r.start("")
	r.turn("go")
	r.stop()
	if got := r.results(); len(got) != 2 || got[1].Title != "delete a.txt" || got[1].Status != "cancelled" {
		t.Errorf("results %+v", got)
	}
	r.verify()
}
