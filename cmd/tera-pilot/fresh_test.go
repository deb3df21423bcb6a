package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inRepo writes a file of the workspace.
func (e *editor) inRepo(name, text string) {
	e.t.Helper()
	if err := os.WriteFile(filepath.Join(e.root, name), []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) text(name string) string {
	e.t.Helper()
	b, err := os.ReadFile(filepath.Join(e.root, name))
	if err != nil {
		return "<" + err.Error() + ">"
	}
	return string(b)
}

const oneEdit = `{"steps":[{"calls":[{"tool":"read_file","args":{"path":"a.txt"}},{"tool":"str_replace","args":{"path":"a.txt","old_str":"two","new_str":"2"}}]},{"say":"over"},{"say":"over"}]}`

// TestTheFileChangesUnderTheQuestion: what the person does to the file while
// the question is open is never lost, and nothing but what was shown is done.
func TestTheFileChangesUnderTheQuestion(t *testing.T) {
	const before = "one\ntwo\nthree\n"
	for name, c := range map[string]struct {
		meanwhile func(*editor)
		want      string
		questions int
	}{
		"nothing": {func(*editor) {}, "one\n2\nthree\n", 1},
		"touched": {func(e *editor) {
			now := time.Now().Add(time.Hour)
			_ = os.Chtimes(filepath.Join(e.root, "a.txt"), now, now)
		}, "one\n2\nthree\n", 1},
		"saved the same": {func(e *editor) { e.inRepo("a.txt", before) }, "one\n2\nthree\n", 1},
		"another line":   {func(e *editor) { e.inRepo("a.txt", "ONE\ntwo\nthree\n") }, "ONE\ntwo\nthree\n", 1},
		"saved by a rename": {func(e *editor) {
			e.inRepo("a.tmp", "ONE\ntwo\nthree\n")
			_ = os.Rename(filepath.Join(e.root, "a.tmp"), filepath.Join(e.root, "a.txt"))
		}, "ONE\ntwo\nthree\n", 1},
		"the same line":             {func(e *editor) { e.inRepo("a.txt", "one\nTWO\nthree\n") }, "one\nTWO\nthree\n", 1},
		"what was proposed, itself": {func(e *editor) { e.inRepo("a.txt", "one\n2\nthree\n") }, "one\n2\nthree\n", 1},
		"removed":                   {func(e *editor) { _ = os.Remove(filepath.Join(e.root, "a.txt")) }, "<", 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditor(t, oneEdit)
			e.inRepo("a.txt", before)
			e.begin(nil)
			done := false
			e.answer = func(p map[string]any) any {
				if !done {
					done = true
					c.meanwhile(e)
				}
				return allow(p)
			}
			e.turn("go")
			if got := e.text("a.txt"); got != c.want && !(c.want == "<" && strings.HasPrefix(got, "<")) {
				t.Errorf("the file is %q, want %q", got, c.want)
			}
			if len(e.asked) != c.questions {
				t.Errorf("%d questions, want %d", len(e.asked), c.questions)
			}
		})
	}
}

// TestTheEditorDiesInAQuestion: nothing is done, the agent ends, and the next
// editor has the session; a second one at the same time is told who has it.
func TestTheEditorDiesInAQuestion(t *testing.T) {
	e := newEditor(t, oneEdit)
	e.inRepo("a.txt", "one\ntwo\n")
	e.begin(nil)
	e.request("session/prompt", e.promptParams("go"))
	e.until("a question", func(m map[string]any) bool { return m["method"] == "session/request_permission" })

	second := &editor{t: t, home: e.home, root: e.root, lines: make(chan map[string]any, 4096), stderr: &strings.Builder{}}
	second.launch(e.cmd.Args[1:]...)
	second.call("initialize", map[string]any{"protocolVersion": 1})
	load := map[string]any{"sessionId": e.session, "cwd": e.root, "mcpServers": []any{}}
	r := second.call("session/load", load)
	t.Logf("second: %v\n%s", r, second.stderr)
	if r["error"] == nil {
		t.Error("two editors have one session")
	}

	e.out.Close()
	e.in.Close()
	e.exit(20 * time.Second)
	if got := e.text("a.txt"); got != "one\ntwo\n" {
		t.Errorf("the file is %q", got)
	}
	second.session = e.session
	if r = second.call("session/load", load); r["error"] != nil {
		t.Fatalf("the session is not to be had again: %v\n%s", r, second.stderr)
	}
	second.answer = allow
	if stop := second.turn("once more"); stop != "end_turn" || second.text("a.txt") != "one\n2\n" {
		t.Errorf("%s, %q", stop, second.text("a.txt"))
	}
}

// TestTheWorkspaceIsMoved: a session whose folder is moved away, or has another
// in its place, writes into neither behind the person's back.
func TestTheWorkspaceIsMoved(t *testing.T) {
	for name, then := range map[string]func(*editor){
		"away": func(*editor) {},
		"another in its place": func(e *editor) {
			if err := os.Mkdir(e.root, 0o755); err != nil {
				e.t.Fatal(err)
			}
			e.inRepo("a.txt", "one\ntwo\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditor(t, `{"steps":[{"say":"hello"},{"calls":[{"tool":"read_file","args":{"path":"a.txt"}},{"tool":"str_replace","args":{"path":"a.txt","old_str":"two","new_str":"2"}},{"tool":"execute_command","args":{"command":"echo x > made.txt"}}]},{"say":"over"},{"say":"over"}]}`)
			e.inRepo("a.txt", "one\ntwo\n")
			e.begin(nil)
			e.answer = allow
			e.turn("hi")
			if err := os.Rename(e.root, e.root+"-moved"); err != nil {
				t.Fatal(err)
			}
			then(e)
			if stop := e.turn("go"); stop != "end_turn" {
				t.Errorf("the turn ended with %s", stop)
			}
			if len(e.asked) > 0 {
				t.Errorf("asked about a folder that is not the session's: %v", e.asked)
			}
			for _, name := range []string{"a.txt", "../repo-moved/a.txt"} {
				if got := e.text(name); got != "one\ntwo\n" && !strings.HasPrefix(got, "<") {
					t.Errorf("%s is %q", name, got)
				}
			}
			if e.exists("made.txt") || e.exists("../repo-moved/made.txt") {
				t.Error("the command ran")
			}
			if seen := fmt.Sprint(e.seen); strings.Count(seen, "was moved, removed or replaced since the session began") < 3 {
				t.Errorf("the three calls were not told why:\n%s", seen)
			}
		})
	}
}
