package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small is a server in a few lines, for what the suite's has no mode for. What
// it does beside answering stands in place of %s, with m the message.
const small = `import json, os, sys
def answer(m, r): print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    method = m.get("method")
    %s
    if "id" not in m: continue
    if method == "initialize": answer(m, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "small", "version": "1"}})
    elif method == "tools/list": answer(m, {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})
    elif method == "tools/call": answer(m, {"content": [{"type": "text", "text": json.dumps(m["params"]["arguments"])}]})
    else: print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
`

// written puts a small server into the workspace.
func (p place) written(t *testing.T, more string) Entry {
	t.Helper()
	file := filepath.Join(p.root, "server.py")
	if err := os.WriteFile(file, []byte(fmt.Sprintf(small, more)), 0o600); err != nil {
		t.Fatal(err)
	}
	return Entry{Name: "small", Command: []string{"python3", "-u", "server.py"}, Sandbox: Work}
}

// servers are those of a session with one entry.
func (p place) servers(entries ...Entry) *Servers {
	return NewServers(Setup{
		Entries: entries, Workspace: p.root, Pins: OpenPins(p.state), Path: os.Getenv("PATH"), Box: p.box, Version: "test",
		Env: func(name string) (string, bool) { v, ok := map[string]string{"TOKEN": "hush-hush"}[name]; return v, ok },
	})
}

// approve pins all that a server offers.
func (p place) approve(t *testing.T, e Entry) {
	t.Helper()
	r, err := p.servers(e).Probe(t.Context(), e.Name)
	if err != nil || r.Hash == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := OpenPins(p.state).Set(Key(e, p.root), r.Pin); err != nil {
		t.Fatal(err)
	}
}

// What cannot be put on record is not approved.
func TestAnApprovalIsStatedFirst(t *testing.T) {
	p := newPlace(t)
	s := p.servers(Entry{Name: "x", Command: []string{"x"}})
	r := Report{Entry: Entry{Name: "x", Command: []string{"x"}}, Pin: Pin{Tools: map[string]string{"echo": "{}"}}}
	full := errors.New("the log is full")
	key := Key(r.Entry, p.root)
	if err := s.Approve(r, func(string) error { return full }); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if pin, err := OpenPins(p.state).Get(key); err != nil || pin.Tools != nil {
		t.Errorf("it was approved: %+v, %v", pin, err)
	}
	olds := []string{}
	for range 2 {
		if err := s.Approve(r, func(old string) error { olds = append(olds, old); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if pin, err := OpenPins(p.state).Get(key); err != nil || olds[0] != "" || olds[1] != pin.Hash() {
		t.Errorf("%q, %+v, %v", olds, pin, err)
	}
}

// Definitions that two readers could read in two ways are refused; numbers are
// told apart as they are written.
func TestDefinitionsReadOneWay(t *testing.T) {
	for raw, why := range map[string]string{
		`{"name":"a","name":"b"}`:                                   "twice",
		`{"name":"a","description":"x","description":"y"}`:          "twice",
		`{"name":"a","inputSchema":{"properties":{"p":{},"p":{}}}}`: "twice",
		`{"name":"a","description":"\ud800"}`:                       "half a character",
		"{\"name\":\"a\",\"description\":\"\xff\"}":                 "UTF-8",
		`{"NAME":"a"}`: "its name is not",
		`{"name":1}`:   "its name is not",
		`[]`:           "its name is not",
		`{"name":"a","inputSchema":{"properties":{"p` + "\u200b" + `":{}}}}`: "hidden",
		// A model's server refuses a whole request for one of these.
		`{"name":"a","inputSchema":{"type":"array"}}`:                                             "not that of an object",
		`{"name":"a","inputSchema":{"type":["object","null"]}}`:                                   "not that of an object",
		`{"name":"a","inputSchema":{"properties":{"p":{"type":"strnig"}}}}`:                       "which is none",
		`{"name":"a","inputSchema":{"properties":{"p":{"anyOf":[{"type":[]}]}}}}`:                 "which is none",
		`{"name":"a","inputSchema":{"properties":["p"]}}`:                                         "no object",
		`{"name":"a","inputSchema":{"properties":{"p":"string"}}}`:                                "where a schema belongs",
		`{"name":"a","inputSchema":{"required":"p"}}`:                                             "no list of names",
		`{"name":"a","inputSchema":{"properties":{"p":{"items":{"$ref":"http://127.0.0.1/x"}}}}}`: "outside of it",
	} {
		good, refused := definitions([]json.RawMessage{json.RawMessage(raw)}, func(string) bool { return false })
		if len(good) != 0 || !strings.Contains(fmt.Sprint(refused), why) {
			t.Errorf("%s: %v, %v", raw, good, refused)
		}
	}
	for _, raw := range []string{
		`{"name":"a"}`, `{"name":"a","inputSchema":null}`, `{"name":"a","inputSchema":true}`, `{"name":"a","inputSchema":{"type":"object","additionalProperties":false}}`,
		`{"name":"a","inputSchema":{"properties":{"type":{"type":["string","null"]},"required":{"$ref":"#/$defs/x"},"items":{"items":[{},true]}},"$defs":{"x":{"not":{}}}}}`,
	} {
		if good, refused := definitions([]json.RawMessage{json.RawMessage(raw)}, func(string) bool { return false }); len(good) != 1 {
			t.Errorf("%s: %v", raw, refused)
		}
	}
	seen := map[string]string{}
	for _, number := range []string{"1", "1.0", "1e0", "1e400", "1e401", "9007199254740993", "9007199254740992", "-0", "0"} {
		raw := `{"name":"a","inputSchema":{"maximum":` + number + `}}`
		good, refused := definitions([]json.RawMessage{json.RawMessage(raw)}, func(string) bool { return false })
		if len(good) != 1 {
			t.Fatalf("%s: %v", number, refused)
		}
		if other, twice := seen[good[0].Hash()]; twice {
			t.Errorf("%s and %s have one pin", number, other)
		}
		seen[good[0].Hash()] = number
		if shown := harmless(good[0].Schema()); !strings.Contains(string(shown), number) {
			t.Errorf("the model is shown %s", shown)
		}
	}
}

// Two tools that come to one offered name are both left out, so that no call
// reaches another server than it names.
func TestOfferedNamesThatMeet(t *testing.T) {
	p := newPlace(t)
	dotted := Offered("a.b", "x")
	tool := strings.TrimPrefix(dotted, "mcp__a_b__")
	if Offered("a_b", tool) != dotted {
		t.Fatalf("%s and %s: the case is no case any more", Offered("a_b", tool), dotted)
	}
	entries := []Entry{{Name: "a.b", Command: []string{"x"}}, {Name: "a_b", Command: []string{"x"}}}
	for i, name := range []string{"x", tool} {
		pin := Pin{Tools: map[string]string{name: `{"name":"` + name + `"}`, "other": `{"name":"other"}`}}
		if err := OpenPins(p.state).Set(entries[i].Name, pin); err != nil {
			t.Fatal(err)
		}
	}
	offers, problems := p.servers(entries...).Offers()
	if len(offers) != 2 || len(problems) != 2 {
		t.Errorf("%v, %v", offers, problems)
	}
}

// The file of pins decides what is offered: one that is no file of ours, or is
// damaged, approves nothing.
func TestPinsThatWereTamperedWith(t *testing.T) {
	p := newPlace(t)
	e := p.written(t, "pass")
	p.approve(t, e)
	file := filepath.Join(p.state, "mcp_pins.json")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(p.root, "pins.json")
	for name, tamper := range map[string]func() error{
		"a link":             func() error { return os.Symlink(elsewhere, file) },
		"writable by others": func() error { return os.WriteFile(file, good, 0o600) },
		"damaged":            func() error { return os.WriteFile(file, good[:len(good)/2], 0o600) },
		"a folder":           func() error { return os.Mkdir(file, 0o700) },
	} {
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(elsewhere, good, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := tamper(); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "writable") {
			if err := os.Chmod(file, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s := p.servers(e)
		offers, problems := s.Offers()
		plan, err := s.Plan("small", "echo")
		if len(offers) != 0 || len(problems) == 0 || err == nil && plan.Pinned {
			t.Errorf("%s: %d offers, %v, %+v, %v", name, len(offers), problems, plan, err)
		}
	}
	// Another definition in the file is approved, and not what the server offers.
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(good), `\"type\":\"object\"`, `\"type\":\"array\"`, 1)
	if edited == string(good) {
		t.Fatal("the edit found nothing")
	}
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	s := p.servers(e)
	defer func() { _ = s.Close() }()
	plan, err := s.Plan("small", "echo")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Call(t.Context(), plan, nil); err == nil || !strings.Contains(err.Error(), "inputSchema") {
		t.Errorf("%v", err)
	}
}

// Whatever an entry says, and each file that its command names, is part of what
// was approved; the values of variables stand in none of it.
func TestWhatChangesAServer(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"server.py", "hook.py", "data.db"} {
		if err := os.WriteFile(filepath.Join(p.root, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	token := "one"
	hash := func(e Entry) string {
		t.Helper()
		x, err := e.Expand(func(string) (string, bool) { return token, true })
		if err != nil {
			t.Fatal(err)
		}
		id, err := Identify(x, os.Getenv("PATH"), p.root)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(canonical(id)) + id.String(); strings.Contains(text, token) {
			t.Errorf("the variable's value stands in %s", text)
		}
		return id.Hash()
	}
	base := func() Entry {
		return Entry{Name: "x", Sandbox: Work, Command: []string{"python3", "-W", "hook.py", "server.py", "data.db"}, Env: map[string]string{"A": "1", "KEY": "${TOKEN}"}}
	}
	before := hash(base())
	for name, change := range map[string]func(*Entry){
		"an argument":    func(e *Entry) { e.Command[4] = "other.db" },
		"the program":    func(e *Entry) { e.Command[0] = "sh" },
		"a name":         func(e *Entry) { e.Env["B"] = "" },
		"a value":        func(e *Entry) { e.Env["A"] = "2" },
		"which variable": func(e *Entry) { e.Env["KEY"] = "${OTHER}" },
		"the folder":     func(e *Entry) { e.Cwd = p.home },
		"the sandbox":    func(e *Entry) { e.Sandbox = Observe },
		"an address":     func(e *Entry) { e.Command, e.URL = nil, "https://a.example.org/" },
	} {
		e := base()
		change(&e)
		if hash(e) == before {
			t.Errorf("%s changes nothing", name)
		}
	}
	for _, name := range []string{"server.py", "hook.py"} {
		if err := os.WriteFile(filepath.Join(p.root, name), []byte("other"), 0o600); err != nil {
			t.Fatal(err)
		}
		if after := hash(base()); after == before {
			t.Errorf("%s was changed, and the server is the same", name)
		} else {
			before = after
		}
	}
	if err := os.WriteFile(filepath.Join(p.root, "data.db"), []byte("rows"), 0o600); err != nil {
		t.Fatal(err)
	}
	if hash(base()) != before {
		t.Error("what a script is given is no part of it")
	}
	token = "two"
	if hash(base()) != before {
		t.Error("a new token in the environment is no new server")
	}
	at := Entry{Name: "x", URL: "https://a.example.org/mcp?team=1"}
	one := hash(at)
	if at.URL = "https://a.example.org/mcp?team=2"; hash(at) == one {
		t.Error("another query is the same server")
	}
}

// A script that is another one by the time it runs is not spoken to.
func TestAScriptSwappedWhileItStarts(t *testing.T) {
	p := newPlace(t)
	e := p.written(t, "pass")
	p.approve(t, e)
	s := p.servers(e)
	defer func() { _ = s.Close() }()
	plan, err := s.Plan("small", "echo")
	if err != nil || !plan.Pinned || !plan.Starts {
		t.Fatalf("%+v, %v", plan, err)
	}
	p.written(t, `open("called", "a").write(str(method) + "\n")`)
	if _, err := s.Call(t.Context(), plan, nil); err == nil || !strings.Contains(err.Error(), "files") {
		t.Errorf("between plan and call: %v", err)
	}
	// From the look until the start: the process itself puts the other file there.
	e = p.written(t, `open("server.py", "a").write("#") if method == "initialize" else 0`)
	p.approveAsIs(t, e)
	plan, err = s.Plan("small", "echo")
	if err != nil || !plan.Pinned {
		t.Fatalf("%+v, %v", plan, err)
	}
	if _, err := s.Call(t.Context(), plan, nil); err == nil || !strings.Contains(err.Error(), "changed while it was started") {
		t.Errorf("between look and start: %v", err)
	}
}

// approveAsIs pins a server that is not started for it.
func (p place) approveAsIs(t *testing.T, e Entry) {
	t.Helper()
	id, err := Identify(e, os.Getenv("PATH"), p.root)
	if err != nil {
		t.Fatal(err)
	}
	pin := Pin{Identity: id, Tools: map[string]string{"echo": `{"inputSchema":{"type":"object"},"name":"echo"}`}}
	if err := OpenPins(p.state).Set(Key(e, p.root), pin); err != nil {
		t.Fatal(err)
	}
}

// A server that stops reading does not hold a call, however much is to be sent.
func TestADeafServer(t *testing.T) {
	p := newPlace(t)
	e := p.written(t, `if method == "tools/list": answer(m, {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}); __import__("time").sleep(1000)`)
	p.approveAsIs(t, e)
	s := p.servers(e)
	defer func() { _ = s.Close() }()
	plan, err := s.Plan("small", "echo")
	if err != nil {
		t.Fatal(err)
	}
	args := json.RawMessage(`{"text":"` + strings.Repeat("x", 8<<20) + `"}`)
	if _, err := s.Call(t.Context(), plan, args); err == nil || !strings.Contains(err.Error(), "does not read") {
		t.Errorf("%.300v", err)
	}
}

// Close waits for no start that hangs.
func TestCloseDuringAStart(t *testing.T) {
	p := newPlace(t)
	s := bad(t, p, "hang-initialize")
	failed := make(chan error)
	go func() { _, _, err := s.Tools(t.Context()); failed <- err }()
	waitFor(t, "the start", func() bool { return p.sent() != "" })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil || strings.Contains(err.Error(), "deadline") || !strings.Contains(err.Error(), "cancel") {
		t.Errorf("%v", err)
	}
}

// A command that fetches its package cannot do so without a network, and the
// error says what to do.
func TestFetchingAtTheStart(t *testing.T) {
	p := newPlace(t)
	npx := filepath.Join(p.root, "npx")
	if err := os.WriteFile(npx, []byte("#!/bin/sh\necho 'npm error network request failed' >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p, Entry{Name: "files", Command: []string{npx, "-y", "some-server@1.0.0"}, Sandbox: Work})
	_, _, err := s.Tools(t.Context())
	for _, want := range []string{"files", "network request failed", "install the package first", "sandbox net"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

// Entries that no process can be given as they are written are refused.
func TestEntriesThatSmuggle(t *testing.T) {
	for raw, why := range map[string]string{
		`{"command":"x","env":{"A":"1\nLD_PRELOAD=y"}}`:                   "line break",
		`{"command":"x","env":{"A":"1\u0000"}}`:                           "NUL",
		`{"command":"x","env":{"A=B":"1"}}`:                               "no name",
		`{"command":"x","args":["a\u0000b"]}`:                             "NUL",
		`{"url":"https://a.example.org/","headers":{"X":"1\r\nHost: y"}}`: "line break",
		`{"url":"https://u:p@a.example.org/"}`:                            "no address",
		`{"url":"file:///etc/passwd"}`:                                    "no address",
		`{"command":""}`:                                                  "empty",
		`{"command":"x","url":"https://a.example.org/"}`:                  "not both",
	} {
		_, _, err := Parse([]byte(`{"mcpServers":{"s":`+raw+`}}`), false)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	for name := range map[string]bool{"a__b": true, "_a": true, "a_": true, "а": true, "a b": true, "": true, strings.Repeat("a", 33): true} {
		if _, _, err := Parse([]byte(`{"mcpServers":{"`+name+`":{"command":"x"}}}`), false); err == nil {
			t.Errorf("the name %q is taken", name)
		}
	}
	if _, _, err := Parse([]byte(`{"mcpServers":{"Files":{"command":"x"},"files":{"command":"y"}}}`), false); err == nil {
		t.Error("two servers differ in case alone")
	}
	if _, _, err := Parse([]byte(`{"mcpServers":{"files":{"command":"x"},"files":{"command":"y"}}}`), true); err == nil {
		t.Error("one server stands there twice")
	}
	e := Entry{Command: []string{"x"}, Env: map[string]string{"A": "${V}"}}
	if _, err := e.Expand(func(string) (string, bool) { return "1\nB=2", true }); err == nil {
		t.Error("a variable brings a line break in")
	}
	if _, err := e.Expand(func(string) (string, bool) { return "", false }); err == nil || !strings.Contains(err.Error(), "V") {
		t.Errorf("a variable that is not set: %v", err)
	}
}

// A folder outside of what the sandbox shows is no place to work in.
func TestAFolderOutside(t *testing.T) {
	p := newPlace(t)
	e := p.written(t, "pass")
	e.Cwd, e.Command = p.state, []string{"python3", filepath.Join(p.root, "server.py")}
	r, err := p.servers(e).Probe(t.Context(), "small")
	if err != nil || r.State != Refused || len(r.Problems) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// lying is a server by HTTP whose answer to tools/call is another's.
func lying(t *testing.T, call func(w http.ResponseWriter, id string)) Entry {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "initialize":
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.ID)
		case "tools/list":
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`, m.ID)
		case "tools/call":
			call(w, string(m.ID))
		case "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		default:
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
		}
	}))
	t.Cleanup(srv.Close)
	return Entry{Name: "far", URL: srv.URL, Headers: map[string]string{"Authorization": "Bearer hush"}}
}

// An answer to another request, and a redirect that comes late, are errors, and
// the header of the entry goes nowhere else.
func TestLateLiesOverHTTP(t *testing.T) {
	visited := ""
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { visited += r.Header.Get("Authorization") + "!" }))
	defer other.Close()
	for name, call := range map[string]func(http.ResponseWriter, string){
		"another id": func(w http.ResponseWriter, _ string) {
			_, _ = fmt.Fprint(w, `{"jsonrpc":"2.0","id":"999","result":{"content":[{"type":"text","text":"lie"}]}}`)
		},
		"a redirect": func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", other.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"no JSON": func(w http.ResponseWriter, _ string) { _, _ = fmt.Fprint(w, `<html>`) },
	} {
		s := serve(t, newPlace(t), lying(t, call))
		r, err := s.Call(t.Context(), tool(t, s, "echo"), nil)
		if err == nil || strings.Contains(r.Text, "lie") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if visited != "" {
		t.Errorf("the other origin was visited: %s", visited)
	}
	s := serve(t, newPlace(t), lying(t, func(w http.ResponseWriter, id string) {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"true"}]}}`, id)
	}))
	if r, err := s.Call(t.Context(), tool(t, s, "echo"), nil); err != nil || r.Text != "true" {
		t.Errorf("the honest one: %+v, %v", r, err)
	}
}
