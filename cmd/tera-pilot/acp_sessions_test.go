package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestACPBeforeAndTwice(t *testing.T) {
	e := newEditor(t, writes(1))
	for _, method := range []string{"session/new", "session/list", "logout", "session/prompt"} {
		if c := code(e.call(method, map[string]any{"cwd": e.root, "mcpServers": []any{}})); c != -32600 {
			t.Errorf("%s before initialize: %v", method, c)
		}
	}
	for _, version := range []any{nil, "1", 1.5, -1, map[string]any{}} {
		if c := code(e.call("initialize", map[string]any{"protocolVersion": version})); c != -32602 {
			t.Errorf("version %v: %v", version, c)
		}
	}
	e.begin(nil)
	if c := code(e.call("initialize", map[string]any{"protocolVersion": 1})); c != -32600 {
		t.Errorf("initialize twice: %v", c)
	}
	if c := code(e.call("authenticate", map[string]any{"methodId": "x"})); c != -32602 {
		t.Errorf("authenticate: %v", c)
	}
	if c := code(e.call("logout", map[string]any{})); c != 0 {
		t.Errorf("logout: %v", c)
	}
}

func TestACPFoldersThatAreNoWorkspace(t *testing.T) {
	e := newEditor(t, writes(1))
	e.begin(nil)
	link := filepath.Join(e.root, "link")
	if err := os.Symlink(e.home, link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(e.root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []any{"", "repo", "./repo", nil, 7, []any{}, "/", e.home, filepath.Dir(e.home), link, file, filepath.Join(e.home, ".tera_pilot"), filepath.Join(e.home, ".tera_pilot", "sessions"), filepath.Join(e.root, "no")} {
		r := e.call("session/new", map[string]any{"cwd": dir, "mcpServers": []any{}})
		if code(r) != -32602 {
			t.Errorf("cwd %v: %v", dir, r)
		}
		if text, _ := r["error"].(map[string]any)["message"].(string); strings.Contains(text, e.home) {
			t.Errorf("cwd %v: a path in %s", dir, text)
		}
	}
	for _, more := range []map[string]any{{"mcpServers": "x"}, {"mcpServers": []any{}, "additionalDirectories": []any{"/etc"}}} {
		more["cwd"] = e.root
		if r := e.call("session/new", more); code(r) != -32602 {
			t.Errorf("%v: %v", more, r)
		}
	}
}

func TestACPRootKeepsAnEditorIn(t *testing.T) {
	e := newEditor(t, writes(1))
	e.in.Close()
	e.exit(10 * time.Second)
	inner := filepath.Join(e.root, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	e.lines = make(chan map[string]any, 64)
	e.launch("acp", "--root", inner)
	e.call("initialize", map[string]any{"protocolVersion": 1})
	for dir, want := range map[string]float64{inner: 0, e.root: -32602} {
		if c := code(e.call("session/new", map[string]any{"cwd": dir, "mcpServers": []any{}})); c != want {
			t.Errorf("%s: %v", dir, c)
		}
	}
}

func TestACPStoredSessions(t *testing.T) {
	e := newEditor(t, writes(2))
	e.begin(nil)
	e.answer = allow
	e.turn("first words")
	id, root := e.session, e.root
	params := map[string]any{"sessionId": id, "cwd": root, "mcpServers": []any{}}

	other := &editor{t: t, home: e.home, root: root, lines: make(chan map[string]any, 256), stderr: &spoken{}}
	other.launch("acp")
	other.call("initialize", map[string]any{"protocolVersion": 1})
	if c := code(other.call("session/load", params)); c != -32603 {
		t.Errorf("a session that is open elsewhere: %v", c)
	}
	if c := code(other.call("session/delete", map[string]any{"sessionId": id})); c != -32603 {
		t.Errorf("deleting a session that is open elsewhere: %v", c)
	}
	if r := e.call("session/close", map[string]any{"sessionId": id}); code(r) != 0 {
		t.Errorf("close: %v", r)
	}
	if c := code(e.call("session/prompt", e.promptParams("again"))); c != -32002 {
		t.Errorf("a closed session takes prompts: %v", c)
	}

	list := other.call("session/list", map[string]any{"cwd": root})["result"].(map[string]any)["sessions"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["sessionId"] != id || list[0].(map[string]any)["title"] != "first words" {
		t.Errorf("list: %v", list)
	}
	if list := other.call("session/list", map[string]any{"cwd": "/elsewhere"})["result"].(map[string]any)["sessions"].([]any); len(list) != 0 {
		t.Errorf("list of another folder: %v", list)
	}

	for bad, want := range map[string]float64{"../" + id: -32002, "/etc": -32002, "20260101-000000000000": -32002, "": -32602} {
		p := map[string]any{"sessionId": bad, "cwd": root, "mcpServers": []any{}}
		if c := code(other.call("session/load", p)); c != want {
			t.Errorf("load %q: %v", bad, c)
		}
		if c := code(other.call("session/delete", p)); c != want {
			t.Errorf("delete %q: %v", bad, c)
		}
	}
	elsewhere := filepath.Join(e.home, "elsewhere")
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	if c := code(other.call("session/load", map[string]any{"sessionId": id, "cwd": elsewhere, "mcpServers": []any{}})); c != -32602 {
		t.Errorf("load in another folder: %v", c)
	}

	n := len(other.seen)
	if c := code(other.call("session/resume", params)); c != 0 {
		t.Fatalf("resume: %v\n%s", c, other.stderr)
	}
	if kinds := other.kindsOf(n); kinds != "" {
		t.Errorf("resume showed %s", kinds)
	}
	n = len(other.seen)
	if c := code(other.call("session/load", params)); c != 0 {
		t.Errorf("load of a session that is open here: %v", c)
	}
	if kinds := other.kindsOf(n); kinds != "user_message_chunk tool_call tool_call_update agent_message_chunk" {
		t.Errorf("load showed %s", kinds)
	}
	if c := code(other.call("session/delete", map[string]any{"sessionId": id})); c != 0 {
		t.Errorf("delete: %v", c)
	}
	if c := code(other.call("session/load", params)); c != -32002 {
		t.Errorf("a deleted session is there: %v", c)
	}
}

var bothWays = map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}

func TestACPFilesGoThroughTheEditorAfterAYes(t *testing.T) {
	e := newEditor(t, writes(3))
	calls := e.serveFiles(false)
	e.begin(bothWays)
	e.answer = func(p map[string]any) any { return option(p, "reject_once") }
	e.turn("go")
	if len(calls()) > 0 {
		t.Errorf("after a no: %v", calls())
	}
	e.answer = allow
	e.turn("go")
	if got := strings.Join(calls(), ", "); got != "write_text_file f1.txt" || !e.exists("f1.txt") {
		t.Errorf("after a yes: %s", got)
	}
	e.serveFiles(true)
	e.turn("go")
	if e.exists("f2.txt") {
		t.Error("written behind the back of an editor that refused")
	}
}

func TestACPOptOutLiftsNoDeny(t *testing.T) {
	e := newEditor(t, `{"steps":[{"calls":[
		{"tool":"write_file","args":{"path":"../out.txt","content":"x\n"}},
		{"tool":"write_file","args":{"path":"~/out.txt","content":"x\n"}},
		{"tool":"write_file","args":{"path":".git/hooks/pre-commit","content":"x\n"}},
		{"tool":"write_file","args":{"path":".github/workflows/x.yml","content":"x\n"}},
		{"tool":"read_file","args":{"path":"/etc/hostname"}},
		{"tool":"write_file","args":{"path":"in.txt","content":"x\n"}}]},{"say":"over"}]}`, "--no-confirm")
	calls := e.serveFiles(false)
	e.begin(bothWays)
	e.turn("go")
	if got := strings.Join(calls(), ", "); got != "write_text_file in.txt" {
		t.Errorf("the editor was asked for %s", got)
	}
	if len(e.asked) > 0 {
		t.Errorf("asked %d times", len(e.asked))
	}
	for _, name := range []string{"../out.txt", ".git", ".github"} {
		if e.exists(name) {
			t.Errorf("%s was written", name)
		}
	}
}

func TestACPFilesHaveTheNamesThatTheEditorKnows(t *testing.T) {
	e := newEditor(t, writes(1))
	calls := e.serveFiles(false)
	serve := e.files
	e.files = func(m map[string]any) {
		if path := m["params"].(map[string]any)["path"]; path != filepath.Join(e.home, "link", "f0.txt") {
			t.Errorf("the editor was asked for %v", path)
		}
		serve(m)
	}
	real := e.root
	e.root = filepath.Join(e.home, "link")
	if err := os.Symlink(real, e.root); err != nil {
		t.Fatal(err)
	}
	e.begin(bothWays)
	e.answer = func(p map[string]any) any {
		place := p["toolCall"].(map[string]any)["locations"].([]any)[0].(map[string]any)["path"]
		if place != filepath.Join(e.root, "f0.txt") {
			t.Errorf("asked about %v", place)
		}
		return allow(p)
	}
	e.turn("go")
	if len(calls()) != 1 || !e.exists("f0.txt") {
		t.Errorf("%v", calls())
	}
}
