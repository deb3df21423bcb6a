package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestACPSuite drives the program with the official client SDK. It checks
// every line of the agent against the schema of the protocol.
func TestACPSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a minute")
	}
	dir := clientSDK(t)
	drive := exec.Command("node", "drive.mjs", "--tools", "tools.tera-pilot.json", "--env", "TERA_PILOT_MODEL=mock", "--", built(t), "acp")
	drive.Dir = dir
	out, err := drive.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\n26 passed, 0 failed") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// spoken is what a program that runs has written so far.
type spoken struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *spoken) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *spoken) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// An editor is a client that says exactly what it is told to.
type editor struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      *os.File
	out     io.Closer
	lines   chan map[string]any
	seen    []map[string]any
	stderr  *spoken
	home    string
	root    string
	session string
	answer  func(params map[string]any) any // of a permission request: result, or an error value; nil: none comes
	files   func(message map[string]any)    // serves files; nil: not at all
	asked   []map[string]any
	last    int
}

// newEditor starts the program with a scripted model.
func newEditor(t *testing.T, script string, args ...string) *editor {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, home: filepath.Join(base, "home"), lines: make(chan map[string]any, 4096), stderr: &spoken{}}
	e.root = filepath.Join(e.home, "repo")
	if err := os.MkdirAll(e.root, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(base, "script.json")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	e.launch(append([]string{"acp", "--script", file}, args...)...)
	return e
}

func (e *editor) launch(args ...string) { e.launchWith("", args...) }

// launchWith is launch with a value of the variable for the opt-out.
func (e *editor) launchWith(optOut string, args ...string) {
	e.t.Helper()
	e.cmd = exec.Command(built(e.t), args...)
	e.cmd.Env = append(os.Environ(), "HOME="+e.home, "TERA_PILOT_HOME=", "TERA_PILOT_ACP_NO_CONFIRM="+optOut)
	e.cmd.Stderr = e.stderr
	in, w, err := os.Pipe()
	if err != nil {
		e.t.Fatal(err)
	}
	e.cmd.Stdin, e.in = in, w
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	in.Close()
	e.out = out
	e.t.Cleanup(func() { e.in.Close(); _ = e.cmd.Process.Kill(); _ = e.cmd.Wait() })
	go func() {
		defer close(e.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			var m map[string]any
			if json.Unmarshal(s.Bytes(), &m) != nil {
				m = map[string]any{"noise": s.Text()}
			}
			e.lines <- m
		}
	}()
}

func (e *editor) write(text string) {
	e.t.Helper()
	if _, err := e.in.WriteString(text); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) send(v any) {
	e.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		e.t.Fatal(err)
	}
	e.write(string(b) + "\n")
}

// request sends a request and returns its id.
func (e *editor) request(method string, params any) float64 {
	e.t.Helper()
	e.last++
	e.send(map[string]any{"jsonrpc": "2.0", "id": e.last, "method": method, "params": params})
	return float64(e.last)
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// until reads messages, answering questions, until one fits.
func (e *editor) until(what string, fits func(map[string]any) bool) map[string]any {
	e.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case m, ok := <-e.lines:
			if !ok && strings.Contains(e.stderr.String(), "no sandbox") {
				e.t.Skipf("needs a sandbox: %s", e.stderr)
			}
			if !ok {
				e.t.Fatalf("the agent ended before %s\n%s", what, e.stderr)
			}
			if m["noise"] != nil {
				e.t.Fatalf("noise on stdout: %v", m["noise"])
			}
			e.seen = append(e.seen, m)
			if m["method"] == "session/request_permission" {
				params := m["params"].(map[string]any)
				e.asked = append(e.asked, params)
				if e.answer != nil {
					e.reply(m["id"], e.answer(params))
				}
			}
			if method, _ := m["method"].(string); e.files != nil && strings.HasPrefix(method, "fs/") {
				e.files(m)
			}
			if fits(m) {
				return m
			}
		case <-deadline:
			e.t.Fatalf("no %s within 30 s\n%s", what, e.stderr)
		}
	}
}

func (e *editor) reply(id, result any) {
	e.t.Helper()
	m := map[string]any{"jsonrpc": "2.0", "id": id, "result": result}
	if err, ok := result.(error); ok {
		delete(m, "result")
		m["error"] = map[string]any{"code": -32601, "message": err.Error()}
	}
	e.send(m)
}

func (e *editor) call(method string, params any) map[string]any {
	e.t.Helper()
	id := e.request(method, params)
	return e.until("the answer to "+method, func(m map[string]any) bool { return m["id"] == id && m["method"] == nil })
}

// begin does the handshake and opens a session.
func (e *editor) begin(capabilities map[string]any) {
	e.t.Helper()
	e.call("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": capabilities})
	r := e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": []any{}})
	result, ok := r["result"].(map[string]any)
	if !ok {
		e.t.Fatalf("session/new: %v\n%s", r, e.stderr)
	}
	e.session = result["sessionId"].(string)
}

func (e *editor) promptParams(text string) map[string]any {
	return map[string]any{"sessionId": e.session, "prompt": []any{map[string]any{"type": "text", "text": text}}}
}

// turn prompts and returns the stop reason, or the error.
func (e *editor) turn(text string) string {
	e.t.Helper()
	r := e.call("session/prompt", e.promptParams(text))
	if result, ok := r["result"].(map[string]any); ok {
		return result["stopReason"].(string)
	}
	return fmt.Sprint(r["error"])
}

// exit waits for the end of the process and says with what status.
func (e *editor) exit(limit time.Duration) int {
	e.t.Helper()
	done := make(chan error, 1)
	go func() {
		for range e.lines { // nobody reads them any more
		}
		done <- e.cmd.Wait()
	}()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode()
		}
		return 0
	case <-time.After(limit):
		e.t.Fatalf("still running after %s\n%s", limit, e.stderr)
		return -1
	}
}

// option chooses the first option of a kind.
func option(params map[string]any, kind string) any {
	for _, o := range params["options"].([]any) {
		if o := o.(map[string]any); o["kind"] == kind {
			return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": o["optionId"]}}
		}
	}
	return nil
}

func allow(params map[string]any) any { return option(params, "allow_once") }

func (e *editor) exists(name string) bool {
	_, err := os.Stat(filepath.Join(e.root, name))
	return err == nil
}

// writes is a model that writes a file in each of n turns.
func writes(n int) string {
	var steps []string
	for i := range n {
		steps = append(steps, fmt.Sprintf(`{"calls":[{"tool":"write_file","args":{"path":"f%d.txt","content":"x\n"}}]},{"say":"over"}`, i))
	}
	return `{"steps":[` + strings.Join(steps, ",") + `]}`
}

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

func TestACPModesEndAtTheLaunch(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		modes string
		first string
	}{
		{nil, "plan ask", "ask"},
		{[]string{"--autonomy", "new_files_only"}, "plan ask auto-new-files", "auto-new-files"},
		{[]string{"--autonomy", "never_ask"}, "plan ask", "ask"},
		{[]string{"--no-confirm"}, "plan ask auto-new-files no-confirm", "no-confirm"},
	} {
		e := newEditor(t, writes(2), tt.args...)
		e.call("initialize", map[string]any{"protocolVersion": 1})
		r := e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": []any{}})
		if r["error"] != nil {
			t.Skipf("no session here: %s", e.stderr)
		}
		result := r["result"].(map[string]any)
		modes := result["modes"].(map[string]any)
		var ids []string
		for _, m := range modes["availableModes"].([]any) {
			ids = append(ids, m.(map[string]any)["id"].(string))
		}
		if got := strings.Join(ids, " "); got != tt.modes || modes["currentModeId"] != tt.first {
			t.Errorf("%v: %s, first %v", tt.args, got, modes["currentModeId"])
		}
		e.session = result["sessionId"].(string)
		for _, mode := range []string{"plan", "ask", "auto-new-files", "no-confirm", "never_ask", "bypassPermissions", ""} {
			r := e.call("session/set_mode", map[string]any{"sessionId": e.session, "modeId": mode})
			if listed := mode != "" && strings.Contains(" "+tt.modes+" ", " "+mode+" "); listed != (r["error"] == nil) {
				t.Errorf("%v: mode %s: %v", tt.args, mode, r)
			}
		}
		e.call("session/set_mode", map[string]any{"sessionId": e.session, "modeId": "plan"})
		e.turn("go")
		if e.exists("f0.txt") || len(e.asked) > 0 {
			t.Errorf("%v: plan mode wrote, or asked", tt.args)
		}
		e.answer = func(p map[string]any) any { return option(p, "reject_once") }
		e.call("session/set_config_option", map[string]any{"sessionId": e.session, "configId": "mode", "value": "ask"})
		e.turn("go")
		if e.exists("f1.txt") || len(e.asked) != 1 {
			t.Errorf("%v: mode ask wrote unasked", tt.args)
		}
	}
}

func TestACPTheVariableCountsExactly(t *testing.T) {
	for value, modes := range map[string]int{"1": 4, "true": 2, "01": 2, "yes": 2, " 1": 2, "0": 2} {
		e := &editor{t: t, home: t.TempDir(), lines: make(chan map[string]any, 64), stderr: &spoken{}}
		e.root = filepath.Join(e.home, "repo")
		if err := os.Mkdir(e.root, 0o700); err != nil {
			t.Fatal(err)
		}
		e.launchWith(value, "acp")
		e.call("initialize", map[string]any{"protocolVersion": 1})
		r := e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": []any{}})
		result, ok := r["result"].(map[string]any)
		if !ok {
			t.Skipf("no session here: %s", e.stderr)
		}
		if got := len(result["modes"].(map[string]any)["availableModes"].([]any)); got != modes {
			t.Errorf("%q: %d modes", value, got)
		}
	}
}

func TestACPNeedsASandboxForTheOptOut(t *testing.T) {
	cmd := exec.Command(built(t), "acp", "--no-confirm")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERA_PILOT_HOME=", "TERA_PILOT_OS_SANDBOX=off")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitNoSandbox {
		t.Errorf("%v\n%s", err, out)
	}
}
