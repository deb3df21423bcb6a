package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

	second := &editor{t: t, home: e.home, root: e.root, lines: make(chan map[string]any, 4096), stderr: &spoken{}}
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

// TestUndoAfterTheBranchChanged: the person stashes, brings back and changes
// branches between the turns. Undo makes nothing that is not there, puts back
// what came back, and needs no model that works.
func TestUndoAfterTheBranchChanged(t *testing.T) {
	p := withBug(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n"})
	p.serveAs("openai-chat", `{"steps":[
		{"calls":[{"tool":"str_replace","args":{"path":"a.txt","old_str":"two","new_str":"2"}},{"tool":"write_file","args":{"path":"new.txt","content":"x\n"}}]},{"say":"over"},
		{"calls":[{"tool":"str_replace","args":{"path":"b.txt","old_str":"b","new_str":"B"}}]},{"say":"over"}]}`)
	start := p.tree()
	turn := func(flags ...string) {
		t.Helper()
		if code, out, errs := p.run(append(append([]string{"run", "--no-confirm"}, flags...), "go")...); code != exitOK || !strings.Contains(errs, "tera-pilot undo --session") {
			t.Fatalf("exit %d\n%s%s", code, out, errs)
		}
	}
	undo := func(want int, said string) {
		t.Helper()
		good := p.env
		p.env = append(slices.Clone(good), "TERA_PILOT_PROVIDER=openai-chat", "OPENAI_BASE_URL=")
		code, out, errs := p.run("undo", "--all")
		if p.env = good; code != want || !strings.Contains(out+errs, said) {
			t.Errorf("undo: exit %d, and not %q\n%s%s", code, said, out, errs)
		}
	}
	turn()
	p.git("stash", "-q") // takes a.txt back; new.txt is not git's
	undo(exitOK, "removed new.txt")
	p.same(start, "a stash and undo")
	p.git("stash", "pop", "-q")
	undo(exitOK, "put back a.txt")
	p.same(start, "a stash that came back, and undo")

	p.git("switch", "-q", "-c", "other")
	p.replaceIn("b.txt", "b\n", "b\nmore\n")
	p.git("commit", "-qam", "more")
	p.git("switch", "-q", "main")
	turn("--continue")
	p.git("commit", "-qam", "of the agent")
	p.git("switch", "-q", "other")
	there := p.tree()
	undo(exitFailed, "")
	p.same(there, "undo on another branch")
	p.git("switch", "-q", "main")
	undo(exitOK, "put back b.txt")
	p.same(start, "undo on the branch of the change")
}

// TestAnotherVendorGoesOn: a session with reasoning, calls and results in it is
// gone on with by the next vendor's model, and so on.
func TestAnotherVendorGoesOn(t *testing.T) {
	p := withBug(t, map[string]string{"a.txt": "one\n"})
	for i, protocol := range []string{"anthropic", "openai", "gemini", "ollama", "openai-chat", "anthropic"} {
		served := p.serveAs(protocol, `{"steps":[{"think":"hm","say":"look","calls":[{"tool":"read_file","args":{"path":"a.txt"}},{"tool":"list_files","args":{"path":"."}}]},{"think":"so","say":"that is all"}]}`)
		args := []string{"run", "--continue", "go"}
		if i == 0 {
			args = []string{"run", "go"}
		}
		if code, out, errs := p.run(args...); code != exitOK || served.Left() != 0 {
			t.Fatalf("%s, turn %d: exit %d\n%s%s", protocol, i+1, code, out, errs)
		}
		if last := served.Requests()[1].Body; strings.Count(string(last), "one") < i+1 {
			t.Errorf("%s does not read what the others did:\n%s", protocol, last)
		}
	}
}

// TestAWorkspaceThatCannotBeWritten: reading goes on, and what fails says why.
// For root, whom no mode stops, the workspace is a mount that is read-only.
func TestAWorkspaceThatCannotBeWritten(t *testing.T) {
	p := withBug(t, map[string]string{"a.txt": "one\n"})
	p.serveAs("openai-chat", `{"steps":[{"calls":[{"tool":"read_file","args":{"path":"a.txt"}},{"tool":"write_file","args":{"path":"b.txt","content":"x\n"}},{"tool":"str_replace","args":{"path":"a.txt","old_str":"one","new_str":"1"}}]},{"say":"over"},{"say":"over"}]}`)
	start := p.tree()
	if os.Getuid() == 0 {
		const mounted = "#!/bin/sh\nexec unshare -m sh -c 'mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && cd \"$0\" && exec \"$@\"' \"$PWD\" \"$REAL\" \"$@\"\n"
		p.env = append(p.env, "REAL="+p.bin)
		p.bin = filepath.Join(t.TempDir(), "on-a-read-only-mount")
		if err := os.WriteFile(p.bin, []byte(mounted), 0o700); err != nil {
			t.Fatal(err)
		}
	} else {
		if err := errors.Join(os.Chmod(filepath.Join(p.repo, "a.txt"), 0o444), os.Chmod(p.repo, 0o555)); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Chmod(p.repo, 0o755) }() // so that it can be removed
		start = p.tree()
	}
	code, out, errs := p.run("run", "--no-confirm", "go")
	if !strings.Contains(errs, "ok  read_file") || !strings.Contains(errs, "read-only file system") && !strings.Contains(errs, "permission denied") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	t.Log(errs)
	p.same(start, "writes that could not be done")
}
