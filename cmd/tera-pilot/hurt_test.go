package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A hurt is a throw-away home and repository in which something is wrong.
type hurt struct {
	t                 *testing.T
	home, state, repo string
	env               []string
	script            string   // of the model
	before            []string // a program and arguments that start ours
	args              []string
	in                *exec.Cmd // while it runs
}

func newHurt(t *testing.T) *hurt {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &hurt{t: t, home: filepath.Join(base, "home"), script: act}
	h.state, h.repo = filepath.Join(h.home, ".tera_pilot"), filepath.Join(h.home, "repo")
	for _, dir := range []string{h.state, h.repo} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.put(h.repo, "keep.txt", kept)
	h.env = append(os.Environ(), "HOME="+h.home, "TERA_PILOT_HOME=", "TERA_PILOT_PROVIDER=scripted", "TERA_PILOT_MODEL=", "OPENAI_API_KEY=sk-test-000000000000000000000000")
	return h
}

func (h *hurt) put(dir, name, content string) string {
	h.t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return file
}

// must runs the program with other arguments before the injury, and gives its
// output.
func (h *hurt) must(args ...string) string {
	h.t.Helper()
	cmd := exec.Command(built(h.t), args...)
	cmd.Dir, cmd.Env = h.repo, h.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// past makes a log, a key and a session that holds nothing but words.
func (h *hurt) past() {
	h.t.Helper()
	h.must("run", "--script", h.put(h.home, "past.json", `{"steps": [{"say": "Hello."}]}`), "hello")
}

// session is the id of the one session of the past.
func (h *hurt) session() string {
	h.t.Helper()
	all, err := os.ReadDir(filepath.Join(h.state, "sessions"))
	for _, d := range all {
		if d.IsDir() {
			return d.Name()
		}
	}
	h.t.Fatalf("no session: %v", err)
	return ""
}

// serve is a model behind HTTP that answers like this.
func (h *hurt) serve(answer http.HandlerFunc) {
	s := httptest.NewServer(answer)
	h.t.Cleanup(s.Close)
	h.env = append(h.env, "TERA_PILOT_PROVIDER=openai-chat", "TERA_PILOT_MODEL=m", "OPENAI_BASE_URL="+s.URL+"/v1")
	h.script = ""
}

func status(code int, body string) func(*hurt) {
	return func(h *hurt) {
		h.serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		})
	}
}

// rules, hook and settings write files of the person.
func rules(text string) func(*hurt) { return func(h *hurt) { h.put(h.state, "policy.toml", text) } }

func hookRuns(run, more string) func(*hurt) {
	return func(h *hurt) {
		h.put(h.state, "hooks.toml", "[[hook]]\nname = \"guard\"\nevents = [\"before_call\"]\nrun = "+strconv.Quote(run)+"\n"+more)
	}
}

func settings(text string) func(*hurt) { return func(h *hurt) { h.put(h.state, "config.json", text) } }

func flags(words ...string) func(*hurt) { return func(h *hurt) { h.args = append(h.args, words...) } }

func says(script string, more ...func(*hurt)) func(*hurt) {
	return func(h *hurt) {
		h.script = script
		for _, m := range more {
			m(h)
		}
	}
}

func all(steps ...func(*hurt)) func(*hurt) {
	return func(h *hurt) {
		for _, s := range steps {
			s(h)
		}
	}
}

// when sends a signal as soon as the file is there.
func signalled(sig syscall.Signal, file string) func(*hurt) {
	return func(h *hurt) {
		h.waitFor(file)
		if err := h.in.Process.Signal(sig); err != nil {
			h.t.Error(err)
		}
	}
}

func (h *hurt) waitFor(file string) {
	h.t.Helper()
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(h.repo, file)); err == nil {
			return
		}
	}
	h.t.Errorf("%s did not come", file)
}

// mcpServer approves a server whose one tool does something, and then adds a
// text to its program.
func mcpServer(more, does string) func(*hurt) {
	return func(h *hurt) {
		h.script = calls(`{"tool": "mcp__s__act", "args": {}}`)
		program := h.put(h.home, "server.sh", `#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"act","description":"acts","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
  *'"tools/call"'*) `+does+` ;;
  *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
`)
		h.must("mcp", "add", "s", "--", "/bin/sh", program)
		m := regexp.MustCompile(`"hash": *"(\w+)"`).FindStringSubmatch(h.told("mcp", "probe", "s", "--json"))
		if m == nil {
			h.t.Fatal("the server gives no hash")
		}
		h.must("mcp", "approve", "s", "--hash", m[1])
		if more != "" {
			text, err := os.ReadFile(program)
			if err != nil {
				h.t.Fatal(err)
			}
			h.put(h.home, "server.sh", string(text)+more)
			rules(mcpRule)(h)
		}
	}
}

// told is what a command prints, however it ends.
func (h *hurt) told(args ...string) string {
	h.t.Helper()
	cmd := exec.Command(built(h.t), args...)
	cmd.Dir, cmd.Env = h.repo, h.env
	out, _ := cmd.CombinedOutput() // its exit code says that something is new
	return string(out)
}

// run runs the program to its end.
func (h *hurt) run(then func(*hurt)) (code int, out string) {
	h.t.Helper()
	args := append([]string{built(h.t)}, h.args...)
	if h.script != "" {
		args = append(args, "--script", h.put(h.home, "script.json", h.script))
	}
	if args[len(args)-1] != "-" && h.args[len(h.args)-1] != "-" {
		args = append(args, "do it")
	}
	args = append(append([]string{}, h.before...), args...)
	var b bytes.Buffer
	h.in = exec.CommandContext(h.t.Context(), args[0], args[1:]...)
	h.in.Dir, h.in.Env, h.in.Stdout, h.in.Stderr = h.repo, h.env, &b, &b
	h.in.WaitDelay = 5 * time.Second
	if err := h.in.Start(); err != nil {
		h.t.Fatal(err)
	}
	late := time.AfterFunc(100*time.Second, func() { _ = h.in.Process.Kill() }) // it may be over
	if then != nil {
		then(h)
	}
	err := h.in.Wait()
	if !late.Stop() {
		h.t.Errorf("it did not end by itself: %v", err)
	}
	return h.in.ProcessState.ExitCode(), b.String()
}

// untouched says that nothing was done.
func (h *hurt) untouched() {
	h.t.Helper()
	for _, name := range []string{"made.txt", "cmd.txt", "../outside.txt", "../out/made.txt", ".git/hooks/pre-commit"} {
		if _, err := os.Lstat(filepath.Join(h.repo, name)); err == nil {
			h.t.Errorf("%s was made", name)
		}
	}
	if got, err := os.ReadFile(filepath.Join(h.repo, "keep.txt")); err != nil || string(got) != kept {
		h.t.Errorf("keep.txt is %q, %v", got, err)
	}
}

// resultFits: where a session came about, the last line is the result, its code
// is the program's, and each line of the ledger says what and why.
func (h *hurt) resultFits(code int, out string) {
	h.t.Helper()
	for line := range strings.SplitSeq(out, "\n") {
		var r struct {
			Type, Status string
			Exit         int
			Denied       []struct{ Tool, Effect, Decision, Reason string }
		}
		if !strings.HasPrefix(line, `{"type":"result"`) {
			continue
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Exit != code || (r.Status == "done") != (code == exitOK) {
			h.t.Errorf("%v: %s", err, line)
		}
		for _, d := range r.Denied {
			if d.Tool == "" || d.Decision != "denied" && d.Decision != "blocked" || d.Reason == "" {
				h.t.Errorf("ledger: %+v", d)
			}
		}
	}
}

// locked holds the lock of a file for the test, as another program would.
func (h *hurt) locked(file string) {
	h.t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { f.Close() })
}

// killChildren kills what the program started: its sandbox.
func (h *hurt) killChildren() {
	h.t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		h.t.Fatal(err)
	}
	killed := 0
	for _, file := range all {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it is over
		}
		name := bytes.LastIndexByte(stat, ')') // a name may hold anything; state and parent follow, proc(5)
		fields := strings.Fields(string(stat[name+1:]))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(h.in.Process.Pid) && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed == 0 {
		h.t.Error("there was no sandbox to be killed")
	}
}
