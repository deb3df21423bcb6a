package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/keystore"
	"github.com/tera-pilot/tera-pilot/mcp/oauth"
)

// realVersion is that of the protocol's own reference servers.
const realVersion = "2026.8.31"

// realServers installs the reference servers from npm into a folder of the
// user's cache, once. The error says why they are not to be had.
var realServers = sync.OnceValues(func() (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("npm is not installed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "tera-pilot-test", "mcp-"+realVersion)
	modules := filepath.Join(dir, "node_modules", "@modelcontextprotocol")
	if _, err := os.Stat(filepath.Join(dir, "whole")); err == nil {
		return modules, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir,
		"@modelcontextprotocol/server-everything@"+realVersion, "@modelcontextprotocol/server-filesystem@"+realVersion)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install: %w: %.500s", err, out)
	}
	return modules, os.WriteFile(filepath.Join(dir, "whole"), nil, 0o600)
})

func real(t *testing.T, name string) string {
	t.Helper()
	dir, err := realServers()
	if err != nil {
		t.Skipf("the reference servers are not to be had: %v", err)
	}
	file, err := filepath.EvalSymlinks(filepath.Join(dir, name, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// holdEverything tries what the reference server is for.
func holdEverything(t *testing.T, s *Server) {
	t.Helper()
	tools, refused, err := s.Tools(t.Context())
	if err != nil || len(tools) < 8 || len(refused) > 0 {
		t.Fatalf("%s, %v, %v", names(tools), refused, err)
	}
	if r, err := s.Call(t.Context(), tool(t, s, "echo"), json.RawMessage(`{"message":"hello there"}`)); err != nil || !strings.Contains(r.Text, "hello there") {
		t.Errorf("echo: %+v, %v", r, err)
	}
	if r, err := s.Call(t.Context(), tool(t, s, "get-sum"), json.RawMessage(`{"a":2,"b":40}`)); err != nil || !strings.Contains(r.Text, "42") {
		t.Errorf("get-sum: %+v, %v", r, err)
	}
	if r, err := s.Call(t.Context(), tool(t, s, "get-tiny-image"), nil); err != nil || !strings.Contains(r.Text, "not shown") {
		t.Errorf("get-tiny-image: %.200s, %v", r.Text, err)
	}
	if r, err := s.Call(t.Context(), tool(t, s, "get-sum"), json.RawMessage(`{"a":"x"}`)); err == nil && !r.Failed {
		t.Errorf("wrong arguments: %+v", r)
	}
}

// holdLibrary tries its resources and prompts.
func holdLibrary(t *testing.T, s *Server) {
	t.Helper()
	r, _, err := s.Ask(t.Context(), ListResources, Wanted{})
	uri, _, _ := strings.Cut(r.Text, "  ")
	if err != nil || !strings.Contains(uri, "://") {
		t.Fatalf("%s, %v", r.Text, err)
	}
	if r, _, err := s.Ask(t.Context(), ReadResource, Wanted{URI: uri}); err != nil || !strings.Contains(r.Text, "[resource "+uri) {
		t.Errorf("%s: %.200s, %v", uri, r.Text, err)
	}
	_, prompts, err := s.Ask(t.Context(), ListPrompts, Wanted{})
	if err != nil || len(prompts) < 2 {
		t.Fatalf("%v, %v", prompts, err)
	}
	for _, p := range prompts {
		w := Wanted{Name: p.Name, Arguments: map[string]string{}}
		for _, a := range p.Args {
			w.Arguments[a.Name] = "1"
		}
		if r, _, err := s.Ask(t.Context(), GetPrompt, w); err == nil && r.Text == "" {
			t.Errorf("%s is empty", p.Name)
		}
	}
}

func TestServerEverything(t *testing.T) {
	p := newPlace(t)
	s := serve(t, p, Entry{Name: "everything", Command: []string{"node", real(t, "server-everything"), "stdio"}, Sandbox: Work}, func(o *Options) { o.Roots, o.Forms = true, true })
	holdEverything(t, s)
	holdLibrary(t, s)
}

func TestServerEverythingOverHTTP(t *testing.T) {
	file := real(t, "server-everything")
	port := freePort(t)
	listening(t, exec.Command("node", file, "streamableHttp"), []string{"PORT=" + port}, port)
	holdEverything(t, serve(t, newPlace(t), Entry{Name: "everything", URL: "http://127.0.0.1:" + port + "/mcp"}))
}

// freePort is a port of this machine that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// listening starts a server and waits until it listens on the ports.
func listening(t *testing.T, cmd *exec.Cmd, env []string, ports ...string) {
	t.Helper()
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	for _, port := range ports {
		waitFor(t, "the server", func() bool {
			c, err := net.Dial("tcp", "localhost:"+port)
			if err != nil {
				return false
			}
			return c.Close() == nil
		})
	}
}

// The protocol's own server and authorization server, which give tokens for the
// server alone: registered, logged in, called.
func TestLoginAtTheReferenceServer(t *testing.T) {
	sdk := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(real(t, "server-everything")))), "sdk", "dist", "esm", "examples", "server", "simpleStreamableHttp.js")
	port, as := freePort(t), freePort(t)
	listening(t, exec.Command("node", sdk, "--oauth", "--oauth-strict"), []string{"MCP_PORT=" + port, "MCP_AUTH_PORT=" + as}, port, as)
	p := newPlace(t)
	e := Entry{Name: "issues", URL: "http://localhost:" + port + "/mcp"}
	s := NewServers(Setup{Entries: []Entry{e}, Workspace: p.root, Pins: OpenPins(p.state), Version: "test", Logins: keystore.OpenLogins(p.state)})
	t.Cleanup(func() { _ = s.Close() })
	if r, err := s.Probe(t.Context(), e.Name); err != nil || !strings.Contains(fmt.Sprint(r.Problems), "tera-pilot mcp login issues") {
		t.Fatalf("%+v, %v", r, err)
	}
	k, err := s.Keeper(e.Name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	hosts := ""
	login := oauth.Login{
		Config: k.Config, Say: func(string) {}, Told: func(string, string) error { return nil },
		Approve: func(_ context.Context, origin, _ string) error { hosts += origin; return nil },
		Show: func(address string, _ []string) {
			go func() {
				if r, err := http.Get(address); err == nil {
					_ = r.Body.Close()
				}
			}()
		},
	}
	grant, err := login.Run(ctx)
	if err != nil || hosts != "http://localhost:"+as {
		t.Fatalf("%v, hosts %s", err, hosts)
	}
	if err := k.Keep(grant); err != nil {
		t.Fatal(err)
	}
	r, err := s.Probe(ctx, e.Name)
	if err != nil || len(r.Tools) == 0 || len(r.Problems) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The file server works in the workspace, and the sandbox holds beneath its own
// limits: told to serve the state folder, it does not come to it.
func TestServerFilesystem(t *testing.T) {
	p := newPlace(t)
	file := real(t, "server-filesystem")
	s := serve(t, p, Entry{Name: "files", Command: []string{"node", file, p.root}, Sandbox: Work})
	args := func(v map[string]string) json.RawMessage {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	name := filepath.Join(p.root, "new.txt")
	if r, err := s.Call(t.Context(), tool(t, s, "write_file"), args(map[string]string{"path": name, "content": "words"})); err != nil || r.Failed {
		t.Fatalf("%+v, %v", r, err)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "words" {
		t.Errorf("%q, %v", b, err)
	}
	if r, err := s.Call(t.Context(), tool(t, s, "read_text_file"), args(map[string]string{"path": name})); err != nil || r.Text != "words" {
		t.Errorf("%+v, %v", r, err)
	}
	secret := filepath.Join(p.state, "audit_key")
	if err := os.WriteFile(secret, []byte("hush"), 0o600); err != nil {
		t.Fatal(err)
	}
	wide := serve(t, p, Entry{Name: "wide", Command: []string{"node", file, p.root, p.state}, Sandbox: Work})
	if tools, _, err := wide.Tools(t.Context()); err == nil && len(tools) > 0 {
		r, err := wide.Call(t.Context(), tool(t, wide, "read_text_file"), args(map[string]string{"path": secret}))
		if err == nil && !r.Failed || strings.Contains(r.Text, "hush") {
			t.Errorf("%+v, %v", r, err)
		}
	}
	// In the sandbox observe the same server writes nothing.
	tight := serve(t, p, Entry{Name: "tight", Command: []string{"node", file, p.root}, Sandbox: Observe})
	other := filepath.Join(p.root, "other.txt")
	r, err := tight.Call(t.Context(), tool(t, tight, "write_file"), args(map[string]string{"path": other, "content": "x"}))
	if _, statErr := os.Stat(other); statErr == nil || err == nil && !r.Failed {
		t.Errorf("%+v, %v", r, err)
	}
}

// typescript is a client on the protocol's own library.
const typescript = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const [bin, root, home] = process.argv.slice(2);
const transport = new StdioClientTransport({ command: bin, args: ["--root", root, "mcp", "serve", "--allow-writes"], env: { HOME: home, PATH: process.env.PATH }, stderr: "ignore" });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);
const names = (await client.listTools()).tools.map((t) => t.name);
const read = await client.callTool({ name: "read_file", arguments: { path: "a.txt" } });
const write = await client.callTool({ name: "write_file", arguments: { path: "b.txt", content: "x" } });
await client.close();
console.log(JSON.stringify({ names, read, write }));
`

// The official client speaks with tera-pilot as a server.
func TestTheTypeScriptClient(t *testing.T) {
	modules := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(real(t, "server-everything")))))
	p := newPlace(t)
	bin := filepath.Join(p.home, "tera-pilot")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/tera-pilot").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(p.root, "a.txt"), []byte("the content\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(filepath.Dir(modules), fmt.Sprintf("client-%d.mjs", os.Getpid()))
	if err := os.WriteFile(script, []byte(typescript), 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(script) }()
	cmd := exec.Command("node", script, bin, p.root, p.home)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v: %s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var got struct {
		Names       []string
		Read, Write struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(got.Names) < 15 || got.Read.IsError || len(got.Read.Content) != 1 || !strings.Contains(got.Read.Content[0].Text, "the content") {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(filepath.Join(p.root, "b.txt")); err == nil || !got.Write.IsError {
		t.Errorf("it wrote: %s", out)
	}
}
