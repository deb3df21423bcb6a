package agent

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
)

// TestUndoSaysWhatItDid: one line, without line breaks, that names the paths,
// all conflicts, and the commits that no undo reaches.
func TestUndoSaysWhatItDid(t *testing.T) {
	call := func(id, tool, title, status string) session.Message {
		return session.Message{Call: &event.CallResult{Call: id, Tool: tool, Title: title, Status: status}}
	}
	state := session.State{Talk: session.Talk{Messages: []session.Message{
		call("0", "git_commit", "git commit: before", "ok"), {User: "go on"},
		call("1", "str_replace", "edit a", "ok"), call("2", "git_commit", "git commit: x", "error"),
		call("3", "execute_command", "run git commit -am y", "ok"), call("4", "git_commit", "git commit: z", "ok"),
	}}}
	for _, c := range []struct {
		calls     []string
		body      string
		conflicts []string
		text, tip string
	}{
		{[]string{"1"}, "put back a\n", nil, "put back a; 2 commits of the agent stay in git", "git reset HEAD~2 takes them"},
		{[]string{"4"}, "put back a\nremoved b\n", nil, "put back a; removed b; 1 commit of the agent stays in git", "git reset HEAD~1 takes it"},
		{nil, "put back a\nput back b\nput back c\nput back d\nremoved e\n", nil, "put back a; put back b; put back c; 2 more", ""},
		{nil, "put back a\nput back b\nput back c\nput back d\nconflict, left as it is: \"e\" why\n", []string{"e"}, "put back a; put back b; put back c; put back d; conflict, left as it is: \"e\" why", ""},
	} {
		n := undone(event.CallResult{Status: "ok", Body: c.body, Conflicts: c.conflicts}, commitsSince(state, c.calls))
		if n.Text != c.text || n.Hint != c.tip && (c.tip == "" || !strings.HasPrefix(n.Hint, c.tip)) {
			t.Errorf("%q of %v: %q, %q", c.body, c.calls, n.Text, n.Hint)
		}
	}
	for name, want := range map[string]string{"a/b.go": "a/b.go", "a b": `"a b"`, "a;b": `"a;b"`, "\xff": `"\xff"`, "a\nremoved b": `"a\nremoved b"`} {
		if got := plainName(name); got != want {
			t.Errorf("%q is written %s", name, got)
		}
	}
}
