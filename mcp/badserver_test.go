package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// badserver builds the misbehaving server of the suite, once.
var badserver = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "badserver")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "badserver")
	cmd := exec.Command("go", "build", "-o", bin, ".")
	cmd.Dir = "../testdata/suites/mcp/badserver"
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return bin, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := badserver(); err == nil {
		_ = os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code)
}

// place is a workspace with a home and a state folder.
type place struct{ root, home, state string }

func newPlace(t *testing.T) place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{base + "/ws", base + "/home", base + "/home/.tera_pilot"}
	for _, dir := range []string{p.root, p.state} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// box makes the real sandbox of a server.
func (p place) box(id Identity) (Box, error) {
	return ossandbox.New(context.Background(), ossandbox.Config{
		Root: p.root, Home: p.home, State: p.state, Env: os.Environ(), Setting: ossandbox.Auto, Untested: true,
		ReadOnly: id.Reads(p.home),
	})
}

// bad makes a server of the suite in one of its modes.
func bad(t *testing.T, p place, mode string, change ...func(*Options)) *Server {
	t.Helper()
	bin, err := badserver()
	if err != nil {
		t.Fatal(err)
	}
	e := Entry{Name: "bad", Command: []string{bin, "-mode", mode, "-log", p.root + "/log", "-state", p.root + "/state"}, Sandbox: Work}
	return serve(t, p, e, change...)
}

func serve(t *testing.T, p place, e Entry, change ...func(*Options)) *Server {
	t.Helper()
	id, err := Identify(e, os.Getenv("PATH"), p.root)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Entry: e, Identity: id, Workspace: p.root, Box: p.box, Timeout: 20 * time.Second, Version: "test"}
	for _, c := range change {
		c(&o)
	}
	s := NewServer(o)
	t.Cleanup(func() {
		began := time.Now()
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("the close took %s", took)
		}
	})
	return s
}

// tool lists, and gives the tool of a name.
func tool(t *testing.T, s *Server, name string) Definition {
	t.Helper()
	tools, refused, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tools {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no tool %s in %v (%v)", name, tools, refused)
	return Definition{}
}

func callEcho(t *testing.T, s *Server) (Result, error) {
	t.Helper()
	return s.Call(t.Context(), tool(t, s, "echo"), json.RawMessage(`{"text":"hello"}`))
}

func names(tools []Definition) string {
	var out []string
	for _, d := range tools {
		out = append(out, d.Name)
	}
	return strings.Join(out, " ")
}

// sent is what the server received.
func (p place) sent() string {
	b, _ := os.ReadFile(p.root + "/log")
	return string(b)
}

// TestServersThatAnswer are the modes in which a call succeeds in the end.
func TestServersThatAnswer(t *testing.T) {
	for mode, want := range map[string]string{
		"good": "echo: hello", "poison-description": "echo: hello", "poison-schema": "echo: hello", "instructions-poison": "echo: hello",
		"stderr-flood": "echo: hello", "notification-flood": "echo: hello", "list-changed-flood": "echo: hello",
		"ask-roots": "echo: hello", "ask-sampling": "echo: hello", "ask-elicitation": "echo: hello", "unknown-requests": "echo: hello",
		"cursor-loop": "echo: hello", "stdout-noise": "echo: hello", "wrong-id": "echo: hello", "double-answer": "first",
		"result-injection": "approvals are off", "schema-mismatch": "ok", "ignore-eof": "echo: hello", "shadow": "echo: hello",
		"bad-names": "echo: hello", "ansi-names": "echo: hello",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := bad(t, p, mode)
			r, err := callEcho(t, s)
			if err != nil || !strings.Contains(r.Text, want) {
				t.Errorf("%q, %v", r.Text, err)
			}
			switch mode {
			case "stdout-noise":
				if s.Noise() != 3 {
					t.Errorf("%d lines of noise", s.Noise())
				}
			case "ask-roots", "ask-sampling", "ask-elicitation", "unknown-requests":
				waitFor(t, "an answer -32601", func() bool { return strings.Contains(p.sent(), "-32601") })
			case "schema-mismatch":
				if !r.Failed {
					t.Error("what is no word for an error counts as one")
				}
			}
		})
	}
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// TestServersThatFail are the modes that end in an error, which names the
// server and says what happened.
func TestServersThatFail(t *testing.T) {
	for mode, want := range map[string]string{
		"hang-initialize": "handshake failed", "crash-initialize": "exit status 3", "no-read": "handshake failed",
		"version-garbage": "handshake failed", "hang-list": "cannot be listed", "list-wrong-type": "", "huge-description": "over 16 MiB",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := bad(t, newPlace(t), mode)
			_, _, err := s.Tools(t.Context())
			var failed *Error
			if !errors.As(err, &failed) || failed.Server != "bad" || !strings.Contains(err.Error(), want) {
				t.Errorf("%v", err)
			}
			if mode == "crash-initialize" && !strings.Contains(err.Error(), "fatal: cannot start") {
				t.Errorf("no last words: %v", err)
			}
		})
	}
}

// TestCallsThatFail are the modes in which the call itself fails.
func TestCallsThatFail(t *testing.T) {
	for mode, want := range map[string]string{
		"hang-call": "deadline", "progress-forever": "deadline", "crash-call": "exit status 9", "half-answer-crash": "exit status 9",
		"big-result": "over 16 MiB", "endless-line": "over 16 MiB", "deep-json": "nested deeper",
	} {
		t.Run(mode, func(t *testing.T) {
			p := newPlace(t)
			s := bad(t, p, mode, func(o *Options) {
				if strings.Contains(want, "deadline") {
					o.Timeout = time.Second
				}
			})
			d := tool(t, s, "echo")
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			_, err := s.Call(t.Context(), d, nil)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "bad") {
				t.Errorf("%v", err)
			}
			if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
			switch mode {
			case "hang-call", "progress-forever":
				waitFor(t, "the word that the call is cancelled", func() bool { return strings.Contains(p.sent(), "notifications/cancelled") })
			case "crash-call":
				if n := strings.Count(p.sent(), `"tools/call"`); n != 1 {
					t.Errorf("the call was made %d times", n)
				}
				if _, err := s.Call(t.Context(), d, nil); err == nil || strings.Count(p.sent(), `"tools/call"`) != 2 {
					t.Errorf("the next call: %v", err)
				}
			}
		})
	}
}

func TestVersionFuture(t *testing.T) {
	if _, _, err := bad(t, newPlace(t), "version-future").Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "bad") {
		t.Errorf("%v", err)
	}
}

func TestListNullIsEmpty(t *testing.T) {
	if tools, _, err := bad(t, newPlace(t), "list-null").Tools(t.Context()); err != nil || len(tools) != 0 {
		t.Errorf("%v, %v", tools, err)
	}
}

func TestNamesAndNumbers(t *testing.T) {
	for mode, want := range map[string]struct{ tools, refused string }{
		"duplicate-names": {"", "two tools have this name"},
		"bad-names":       {"echo", "two underscores"},
		"ansi-names":      {"echo", "its name is not"},
		"shadow":          {"read_file bash echo", ""},
	} {
		tools, refused, err := bad(t, newPlace(t), mode).Tools(t.Context())
		if err != nil || names(tools) != want.tools || !strings.Contains(fmt.Sprint(refused), want.refused) {
			t.Errorf("%s: %s, %v, %v", mode, names(tools), refused, err)
		}
	}
	for mode, most := range map[string]int{"many-tools": maxTools, "cursor-endless": maxPages} {
		tools, refused, err := bad(t, newPlace(t), mode).Tools(t.Context())
		if err != nil || len(tools) != most || mode == "many-tools" && len(refused) == 0 {
			t.Errorf("%s: %d tools, %v, %v", mode, len(tools), refused, err)
		}
	}
}

func TestRestartsAreBounded(t *testing.T) {
	p := newPlace(t)
	s := bad(t, p, "crash-call")
	d := tool(t, s, "echo")
	for range 6 {
		_, err := s.Call(t.Context(), d, nil)
		if err == nil {
			t.Fatal("the server lives")
		}
		if strings.Contains(err.Error(), "is not started again") {
			if n := strings.Count(p.sent(), `"initialize"`); n != maxStarts {
				t.Errorf("%d starts", n)
			}
			return
		}
	}
	t.Error("it was started for ever")
}

// What changes after the approval is not called.
func TestRugPulls(t *testing.T) {
	for _, mode := range []string{"rugpull-description", "rugpull-schema"} {
		p := newPlace(t)
		first := bad(t, p, mode)
		d := tool(t, first, "echo")
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := bad(t, p, mode).Call(t.Context(), d, nil)
		var changed *ChangedError
		if !errors.As(err, &changed) || changed.State != Changed || len(changed.Changes) != 1 || strings.Contains(p.sent(), "tools/call") {
			t.Errorf("%s: %v", mode, err)
		}
	}
	p := newPlace(t)
	s := bad(t, p, "rugpull-live")
	d := tool(t, s, "echo")
	if _, err := s.Call(t.Context(), d, nil); err != nil {
		t.Fatal(err)
	}
	var changed *ChangedError
	if _, err := s.Call(t.Context(), d, nil); !errors.As(err, &changed) {
		t.Errorf("live: %v", err)
	}
	later := bad(t, newPlace(t), "new-tool-later")
	pin := Pin{Identity: later.Identity(), Tools: map[string]string{"echo": tool(t, later, "echo").JSON}}
	if _, err := callEcho(t, later); err != nil {
		t.Fatal(err)
	}
	if state, _ := pin.Judge(later.Identity(), tool(t, later, "delete_everything")); state != New {
		t.Errorf("a new tool is %s", state)
	}
}

func TestResultsAreText(t *testing.T) {
	p := newPlace(t)
	r, err := callEcho(t, bad(t, p, "unknown-content"))
	if err != nil || !strings.Contains(r.Text, "hologram") || !strings.Contains(r.Text, "not followed: http://169.254.169.254/") || !strings.Contains(r.Text, "not shown") {
		t.Errorf("%q, %v", r.Text, err)
	}
	if r, err := callEcho(t, bad(t, newPlace(t), "is-error")); err != nil || !r.Failed || r.Text != "disk full" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestEnvironmentAndFolder(t *testing.T) {
	t.Setenv("SECRET_API_KEY", "sk-hidden")
	t.Setenv("SSH_AUTH_SOCK", "/tmp/agent.sock")
	p := newPlace(t)
	bin, err := badserver()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, p, Entry{Name: "bad", Command: []string{bin, "-mode", "env-dump"}, Sandbox: Work, Env: map[string]string{"MINE": "yes"}})
	r, err := callEcho(t, s)
	if err != nil || strings.Contains(r.Text, "hidden") || strings.Contains(r.Text, "SSH_AUTH_SOCK") || !strings.Contains(r.Text, "MINE=yes") || !strings.Contains(r.Text, "PATH=") {
		t.Errorf("%q, %v", r.Text, err)
	}
	if r, err := callEcho(t, bad(t, newPlaceAt(t, p), "cwd-dump")); err != nil || r.Text != p.root {
		t.Errorf("%q, %v", r.Text, err)
	}
}

func newPlaceAt(_ *testing.T, p place) place { return p }

// A server that is told of roots hears of the workspace alone.
func TestRootsWhereTheyAreOn(t *testing.T) {
	p := newPlace(t)
	if _, err := callEcho(t, bad(t, p, "ask-roots", func(o *Options) { o.Roots = true })); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the answer", func() bool { return strings.Contains(p.sent(), "file://"+p.root) })
}

// A form that asks for a key is declined before anybody sees it.
func TestFormsForSecretsAreDeclined(t *testing.T) {
	p := newPlace(t)
	s := bad(t, p, "ask-elicitation", func(o *Options) { o.Forms = true })
	ctx := Attended(t.Context(), Attendance{Fill: func(context.Context, Form) (Filled, error) {
		t.Error("the person was asked for a key")
		return Filled{}, nil
	}})
	if _, err := s.Call(ctx, tool(t, s, "echo"), json.RawMessage(`{"text":"hello"}`)); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the answer", func() bool { return strings.Contains(p.sent(), "decline") })
}

// TestNothingSurvives starts a server that ignores every request to end.
func TestNothingSurvives(t *testing.T) {
	p := newPlace(t)
	marker := filepath.Base(p.root) + fmt.Sprint(os.Getpid(), time.Now().UnixNano())
	s := serve(t, p, Entry{Name: "sh", Sandbox: Work, Command: []string{"/bin/sh", "-c",
		`trap "" TERM HUP INT; (trap "" TERM HUP INT; setsid sh -c "trap '' TERM HUP INT; (while :; do sleep 1; done) & while :; do sleep 1; done # ` + marker + `" & wait) & while :; do sleep 1; done`}})
	running := func() bool {
		out, _ := exec.Command("pgrep", "-f", marker).Output() // exit 1: none
		return len(out) > 0
	}
	failed := make(chan error)
	go func() { _, _, err := s.Tools(t.Context()); failed <- err }()
	waitFor(t, "the server and what it started", running)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Error("it answers")
	}
	if running() {
		t.Error("still running")
	}
}

// over starts the suite's server on a port of this machine.
func over(t *testing.T, mode string) Entry {
	t.Helper()
	bin, err := badserver()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-mode", mode, "-http", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return Entry{Name: "bad", URL: strings.TrimSpace(line), Headers: map[string]string{"X-Api-Key": "k"}}
}

func TestOverHTTP(t *testing.T) {
	for mode, want := range map[string]string{
		"good": "", "result-injection": "", "http-redirect": "307", "http-401": "", "http-500": "", "http-hang": "deadline", "http-html": "", "http-sse-endless": "deadline",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			e := over(t, mode)
			s := serve(t, newPlace(t), e, func(o *Options) { o.Timeout = 2 * time.Second })
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			tools, _, err := s.Tools(ctx)
			if err == nil {
				_, err = s.Call(ctx, tools[0], nil)
			}
			ok := mode == "good" || mode == "result-injection"
			if (err == nil) != ok || err != nil && (!strings.Contains(err.Error(), want) || len(err.Error()) > 4000) {
				t.Errorf("%v", err)
			}
		})
	}
}
