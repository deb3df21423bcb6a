package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestACPNothingButAFittingYesIsAYes(t *testing.T) {
	answers := map[string]func(map[string]any) any{
		"null":             func(map[string]any) any { return nil },
		"empty":            func(map[string]any) any { return map[string]any{} },
		"text":             func(map[string]any) any { return "allow_once" },
		"true":             func(map[string]any) any { return true },
		"kind as id":       func(map[string]any) any { return selected("allow_once") },
		"name as id":       func(map[string]any) any { return selected("Allow once") },
		"empty id":         func(map[string]any) any { return selected("") },
		"null id":          func(map[string]any) any { return selected(nil) },
		"list of ids":      func(p map[string]any) any { return selected([]any{idOf(p)}) },
		"first of them":    func(map[string]any) any { return selected("0") },
		"other outcome":    func(p map[string]any) any { return outcome("approved", idOf(p)) },
		"cancelled and id": func(p map[string]any) any { return outcome("cancelled", idOf(p)) },
		"no outcome":       func(p map[string]any) any { return map[string]any{"optionId": idOf(p)} },
		"flat":             func(p map[string]any) any { return map[string]any{"outcome": "selected", "optionId": idOf(p)} },
		"other case": func(p map[string]any) any {
			return map[string]any{"Outcome": map[string]any{"Outcome": "selected", "OptionId": idOf(p)}}
		},
		"other case within": func(p map[string]any) any {
			return map[string]any{"outcome": map[string]any{"outcome": "selected", "OptionID": idOf(p)}}
		},
		"longer id": func(p map[string]any) any { return selected(fmt.Sprint(idOf(p), " ")) },
		"reject":    func(p map[string]any) any { return option(p, "reject_once") },
	}
	e := newEditor(t, writes(len(answers)+1))
	e.begin(nil)
	n := 0
	for name, answer := range answers {
		e.answer = answer
		if stop := e.turn("go"); stop != "end_turn" {
			t.Errorf("%s: the turn ended with %s", name, stop)
		}
		if e.exists(fmt.Sprintf("f%d.txt", n)) {
			t.Errorf("%s: counted as a yes", name)
		}
		n++
	}
	e.answer = allow
	e.turn("go")
	if !e.exists(fmt.Sprintf("f%d.txt", n)) {
		t.Error("a yes did not count")
	}
	if len(e.asked) != n+1 {
		t.Errorf("%d questions for %d writes", len(e.asked), n+1)
	}
}

func idOf(p map[string]any) any {
	return p["options"].([]any)[0].(map[string]any)["optionId"]
}

func outcome(word string, id any) any {
	return map[string]any{"outcome": map[string]any{"outcome": word, "optionId": id}}
}

func selected(id any) any { return outcome("selected", id) }

func TestACPOldOptionsAnswerNothing(t *testing.T) {
	e := newEditor(t, writes(2))
	e.begin(nil)
	e.answer = allow
	e.turn("go")
	old := option(e.asked[0], "allow_once")
	e.answer = func(map[string]any) any { return old }
	e.turn("go")
	if !e.exists("f0.txt") || e.exists("f1.txt") {
		t.Error("an option of another question was a yes")
	}
}

func TestACPUnaskedAnswersAreDropped(t *testing.T) {
	e := newEditor(t, writes(1))
	e.begin(nil)
	for i := range 20 { // before, and with ids that a counter would have
		e.send(map[string]any{"jsonrpc": "2.0", "id": i, "result": selected("allow_once")})
		e.send(map[string]any{"jsonrpc": "2.0", "id": fmt.Sprint(i), "result": selected("allow_once")})
	}
	e.answer = func(p map[string]any) any { return option(p, "reject_once") }
	e.turn("go")
	if e.exists("f0.txt") {
		t.Error("an answer that nobody waited for was a yes")
	}
}

func TestACPClientThatCannotAsk(t *testing.T) {
	e := newEditor(t, writes(2))
	e.begin(nil)
	e.answer = func(map[string]any) any { return errors.New("no such method") }
	for range 2 {
		if stop := e.turn("go"); stop != "end_turn" {
			t.Error(stop)
		}
	}
	if e.exists("f0.txt") || e.exists("f1.txt") {
		t.Error("written without an answer")
	}
	if len(e.asked) != 1 {
		t.Errorf("asked %d times", len(e.asked))
	}
}

func TestACPStaleFileIsAskedAboutAgain(t *testing.T) {
	e := newEditor(t, `{"steps":[{"calls":[{"tool":"str_replace","args":{"path":"a.txt","old_str":"one","new_str":"two"}}]},{"say":"over"}]}`)
	file := filepath.Join(e.root, "a.txt")
	if err := os.WriteFile(file, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.begin(nil)
	e.answer = func(p map[string]any) any {
		if len(e.asked) == 1 { // in the middle of the question
			if err := os.WriteFile(file, []byte("one and more\n"), 0o600); err != nil {
				t.Error(err)
			}
			return allow(p)
		}
		return option(p, "reject_once")
	}
	e.turn("go")
	if b, err := os.ReadFile(file); err != nil || string(b) != "one and more\n" {
		t.Errorf("%q, %v: a yes to other content counted", b, err)
	}
	if len(e.asked) != 2 {
		t.Errorf("asked %d times", len(e.asked))
	}
}

func TestACPLeavingEndsEverything(t *testing.T) {
	for name, leave := range map[string]func(*editor){
		"stdin closed": func(e *editor) { e.in.Close() },
		"stdout closed": func(e *editor) {
			e.out.Close()
			e.notify("_wakes", nil)
			e.request("session/list", map[string]any{})
		},
		"terminated": func(e *editor) { _ = e.cmd.Process.Signal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditor(t, `{"steps":[{"calls":[{"tool":"execute_command","args":{"command":"echo begun > begun; (sleep 4; echo late > late) & sleep 60"}}]},{"say":"over"}]}`, "--no-confirm")
			e.begin(nil)
			e.request("session/prompt", e.promptParams("go"))
			for i := 0; !e.exists("begun"); i++ {
				if i == 200 {
					t.Skipf("the command did not begin: no sandbox here? %s", e.stderr)
				}
				time.Sleep(50 * time.Millisecond)
			}
			leave(e)
			if code := e.exit(5 * time.Second); code != 0 {
				t.Errorf("exit %d\n%s", code, e.stderr)
			}
			time.Sleep(5 * time.Second)
			if e.exists("late") {
				t.Error("a process of the command outlived the agent")
			}
			out, err := exec.Command(built(t), "--home", filepath.Join(e.home, ".tera_pilot"), "audit", "verify").CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestACPOpenQuestionDiesWithTheEditor(t *testing.T) {
	e := newEditor(t, writes(1))
	e.begin(nil)
	e.request("session/prompt", e.promptParams("go"))
	e.until("the question", func(m map[string]any) bool { return m["method"] == "session/request_permission" })
	e.in.Close()
	if code := e.exit(5 * time.Second); code != 0 {
		t.Errorf("exit %d\n%s", code, e.stderr)
	}
	if e.exists("f0.txt") {
		t.Error("written without an answer")
	}
}

func TestACPCancelWhileAQuestionIsOpen(t *testing.T) {
	e := newEditor(t, writes(1))
	e.begin(nil)
	id := e.request("session/prompt", e.promptParams("go"))
	q := e.until("the question", func(m map[string]any) bool { return m["method"] == "session/request_permission" })
	if r := e.call("session/prompt", e.promptParams("and more")); r["error"] == nil {
		t.Error("a second turn began while one is under way")
	}
	e.notify("session/cancel", map[string]any{"sessionId": e.session})
	given := false
	end := e.until("the end", func(m map[string]any) bool {
		given = given || m["method"] == "$/cancel_request"
		return m["id"] == id && m["method"] == nil
	})
	if result, ok := end["result"].(map[string]any); !ok || result["stopReason"] != "cancelled" {
		t.Errorf("%v", end)
	}
	if !given {
		t.Error("the open question was not given up")
	}
	e.reply(q["id"], allow(q["params"].(map[string]any)))
	e.call("session/info", map[string]any{"sessionId": e.session})
	if e.exists("f0.txt") {
		t.Error("a late yes counted")
	}
}
