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

func (e *editor) exists(name string) bool {
	_, err := os.Stat(filepath.Join(e.root, name))
	return err == nil
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

// writes is a model that writes a file in each of n turns.
func writes(n int) string {
	var steps []string
	for i := range n {
		steps = append(steps, fmt.Sprintf(`{"calls":[{"tool":"write_file","args":{"path":"f%d.txt","content":"x\n"}}]},{"say":"over"}`, i))
	}
	return `{"steps":[` + strings.Join(steps, ",") + `]}`
}

func code(m map[string]any) float64 {
	if e, ok := m["error"].(map[string]any); ok {
		return e["code"].(float64)
	}
	return 0
}

// kindsOf are the kinds of the updates that came after the first n messages.
func (e *editor) kindsOf(n int) string {
	var out []string
	for _, m := range e.seen[n:] {
		if m["method"] != "session/update" {
			continue
		}
		// The commands are told when a session begins to be followed, whatever it shows.
		if kind := m["params"].(map[string]any)["update"].(map[string]any)["sessionUpdate"].(string); kind != "available_commands_update" {
			out = append(out, kind)
		}
	}
	return strings.Join(out, " ")
}

// serveFiles answers the calls of the agent for files.
func (e *editor) serveFiles(fail bool) func() []string {
	var calls []string
	e.files = func(m map[string]any) {
		method, p := m["method"].(string), m["params"].(map[string]any)
		path := p["path"].(string)
		calls = append(calls, strings.TrimPrefix(method, "fs/")+" "+filepath.Base(path))
		switch {
		case fail:
			e.reply(m["id"], errors.New("no"))
		case method == "fs/read_text_file":
			b, err := os.ReadFile(path)
			if err != nil {
				e.reply(m["id"], err)
				return
			}
			e.reply(m["id"], map[string]any{"content": string(b)})
		default:
			if err := os.WriteFile(path, []byte(p["content"].(string)), 0o600); err != nil {
				e.t.Error(err)
			}
			e.reply(m["id"], nil)
		}
	}
	return func() []string { return calls }
}

// said are the texts of the agent's messages so far.
func (e *editor) said() string {
	var b strings.Builder
	for _, m := range e.seen {
		params, _ := m["params"].(map[string]any)
		update, _ := params["update"].(map[string]any)
		if content, ok := update["content"].(map[string]any); ok && strings.HasSuffix(fmt.Sprint(update["sessionUpdate"]), "_chunk") {
			fmt.Fprintln(&b, content["text"])
		}
	}
	return b.String()
}

// updates are those of a kind.
func (e *editor) updates(kind string) (out []map[string]any) {
	for _, m := range e.seen {
		params, _ := m["params"].(map[string]any)
		if update, ok := params["update"].(map[string]any); ok && update["sessionUpdate"] == kind {
			out = append(out, update)
		}
	}
	return out
}
