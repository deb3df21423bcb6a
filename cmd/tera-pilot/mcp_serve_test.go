package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	protocol "github.com/mark3labs/mcp-go/mcp"
)

// serving is the built program as an MCP server over a folder of its own, with
// the library's client at the other end.
type serving struct {
	t          *testing.T
	home, root string
	client     *client.Client
}

func serveOver(t *testing.T, args ...string) *serving {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &serving{t: t, home: base, root: filepath.Join(base, "repo")}
	if err := os.Mkdir(s.root, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.root, "a.txt"), []byte("the content\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	argv := append([]string{"--root", s.root, "mcp", "serve"}, args...)
	s.client, err = client.NewStdioMCPClient(built(t), []string{"HOME=" + s.home}, argv...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.client.Close() })
	var q protocol.InitializeRequest
	q.Params.ClientInfo = protocol.Implementation{Name: "test", Version: "1"}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := s.client.Initialize(ctx, q); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *serving) call(name string, args map[string]any) (text string, failed bool) {
	s.t.Helper()
	var q protocol.CallToolRequest
	q.Params.Name, q.Params.Arguments = name, args
	r, err := s.client.CallTool(s.t.Context(), q)
	if err != nil {
		return err.Error(), true
	}
	for _, c := range r.Content {
		if c, ok := c.(protocol.TextContent); ok {
			text += c.Text
		}
	}
	return text, r.IsError
}

func (s *serving) tools() (names []string) {
	s.t.Helper()
	r, err := s.client.ListTools(s.t.Context(), protocol.ListToolsRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

func (s *serving) exists(name string) bool {
	_, err := os.Stat(filepath.Join(s.root, name))
	return err == nil
}

// audit closes the connection and gives what the log says, verified.
func (s *serving) audit() string {
	s.t.Helper()
	if err := s.client.Close(); err != nil {
		s.t.Errorf("close: %v", err)
	}
	out := ""
	for _, args := range [][]string{{"audit", "verify"}, {"audit", "show"}} {
		cmd := exec.Command(built(s.t), args...)
		cmd.Env = append(os.Environ(), "HOME="+s.home)
		b, err := cmd.CombinedOutput()
		if err != nil {
			s.t.Errorf("%v: %v: %s", args, err, b)
		}
		out += string(b)
	}
	return out
}

// By default the tools that read are offered, and no other can be called.
func TestServeReads(t *testing.T) {
	s := serveOver(t)
	if names := s.tools(); len(names) != len(servedReads) || strings.Contains(fmt.Sprint(names), "write") {
		t.Errorf("offered: %v", names)
	}
	for range 5 { // the same call again and again goes in no circle: each is a turn
		if text, failed := s.call("read_file", map[string]any{"path": "a.txt"}); failed || !strings.Contains(text, "the content") || !strings.Contains(text, "<untrusted from=file") {
			t.Fatalf("%v %s", failed, text)
		}
	}
	for name, args := range map[string]map[string]any{
		"write_file": {"path": "b.txt", "content": "x"}, "execute_command": {"command": "touch b.txt"},
		"mcp__x__y": {}, "web_fetch": {"url": "https://example.org/"},
	} {
		if text, failed := s.call(name, args); !failed || s.exists("b.txt") {
			t.Errorf("%s: %v %s", name, failed, text)
		}
	}
	for _, path := range []string{"../.tera_pilot/audit_key", "/etc/shadow", ".env"} {
		if path == ".env" {
			if err := os.WriteFile(filepath.Join(s.root, path), []byte("KEY=hush\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if text, failed := s.call("read_file", map[string]any{"path": path}); !failed || strings.Contains(text, "hush") {
			t.Errorf("%s: %s", path, text)
		}
	}
	if log := s.audit(); !strings.Contains(log, "read_file") && !strings.Contains(log, "a.txt") {
		t.Errorf("the log has nothing of it:\n%s", log)
	}
}

// With --allow-writes what would be asked about is denied, with the rule that
// would allow it; what the rules allow is done.
func TestServeWrites(t *testing.T) {
	write := map[string]any{"path": "new.txt", "content": "new\n"}
	s := serveOver(t, "--allow-writes")
	text, failed := s.call("write_file", write)
	if !failed || s.exists("new.txt") || !strings.Contains(text, "would allow it") || !strings.Contains(text, "[[path]]") {
		t.Errorf("%v %s", failed, text)
	}
	if text, failed := s.call("execute_command", map[string]any{"command": "touch made.txt"}); !failed || s.exists("made.txt") {
		t.Errorf("%v %s", failed, text)
	}
	s.audit()
	s = serveOver(t, "--allow-writes", "--autonomy", "new_files_only")
	if text, failed := s.call("write_file", write); failed || !s.exists("new.txt") {
		t.Errorf("%v %s", failed, text)
	}
	if text, failed := s.call("delete_file", map[string]any{"path": "a.txt"}); !failed || !s.exists("a.txt") {
		t.Errorf("%v %s", failed, text)
	}
	s.audit()
	// never_ask without its opt-out is always_ask: there is nobody to take it back from.
	s = serveOver(t, "--allow-writes", "--autonomy", "never_ask")
	if text, failed := s.call("execute_command", map[string]any{"command": "touch made.txt"}); !failed || s.exists("made.txt") {
		t.Errorf("%v %s", failed, text)
	}
	s.audit()
}

// Whatever a client sends, the server answers or passes over it, and ends with
// its input.
func TestServeHostileClients(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "repo")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(built(t), "--root", root, "mcp", "serve")
	cmd.Env = append(os.Environ(), "HOME="+base)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	out := bufio.NewReaderSize(stdout, 1<<20)
	answer := func(send string) map[string]any {
		t.Helper()
		if _, err := io.WriteString(in, send+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatalf("after %.100s: %v", send, err)
		}
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("stdout has %q", line)
		}
		return m
	}
	for _, send := range []string{
		"nonsense", "[]", `"text"`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"nothing"}`,
		strings.Repeat("x", 17<<20), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"no_such","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[]}`,
	} {
		if m := answer(send); m["error"] == nil {
			t.Errorf("%.100s is answered %v", send, m)
		}
	}
	if m := answer(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"list_files","arguments":{"directory":5}}}`); !strings.Contains(fmt.Sprint(m), "isError:true") {
		t.Errorf("%v", m)
	}
	if m := answer(`{"jsonrpc":"2.0","id":5,"method":"ping"}`); m["result"] == nil {
		t.Errorf("%v", m)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(out); len(rest) > 0 {
		t.Errorf("stdout has more: %s", rest)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the end of its input is no failure: %v", err)
	}
}

// A call that is cancelled is stopped, and the next one is made.
func TestServeCancels(t *testing.T) {
	s := serveOver(t, "--allow-writes")
	rule := "[[rule]]\ncmd = [\"sleep\"]\ndecision = \"allow\"\n"
	if err := s.client.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.home, ".tera_pilot", "policy.toml"), []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	s.client, err = client.NewStdioMCPClient(built(t), []string{"HOME=" + s.home}, "--root", s.root, "mcp", "serve", "--allow-writes")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.client.Close() }()
	if _, err := s.client.Initialize(t.Context(), protocol.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var q protocol.CallToolRequest
	q.Params.Name, q.Params.Arguments = "execute_command", map[string]any{"command": "sleep 1000"}
	if _, err := s.client.CallTool(ctx, q); err == nil {
		t.Error("the sleep has ended")
	}
	if text, failed := s.call("read_file", map[string]any{"path": "a.txt"}); failed {
		t.Error(text)
	}
	if log := s.audit(); !strings.Contains(log, "sleep 1000") || !strings.Contains(log, "cancelled") {
		t.Errorf("%s", log)
	}
}
