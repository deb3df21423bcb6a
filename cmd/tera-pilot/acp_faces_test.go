package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/fakemodel"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func picture(mime, data string) map[string]any {
	return map[string]any{"type": "image", "mimeType": mime, "data": data}
}

// TestACPPictures: a picture goes from the editor to the model, byte for byte,
// where the model takes pictures; elsewhere it is not offered and not taken. A
// picture that is none leaves the message as it is.
func TestACPPictures(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"steps": [{"say": "A dot."}, {"say": "Nothing."}, {"say": "Over."}]}`))
	if err != nil {
		t.Fatal(err)
	}
	model := fakemodel.New(s, fakemodel.Options{})
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	t.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", "sk-test-000000000000000000000000")
	e := newEditor(t, writes(1))
	e.in.Close()
	e.exit(10 * time.Second)
	e.lines = make(chan map[string]any, 4096)
	e.launch("acp", "--provider", "openai", "--model", "gpt-4o")
	init := e.call("initialize", map[string]any{"protocolVersion": 1})
	can := init["result"].(map[string]any)["agentCapabilities"].(map[string]any)["promptCapabilities"].(map[string]any)
	if can["image"] != true {
		t.Fatalf("%v", can)
	}
	e.session = e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": []any{}})["result"].(map[string]any)["sessionId"].(string)
	ask := func(blocks ...any) map[string]any {
		return e.call("session/prompt", map[string]any{"sessionId": e.session, "prompt": append([]any{map[string]any{"type": "text", "text": "what is it?"}}, blocks...)})
	}
	if r := ask(picture("image/png", dot)); code(r) != 0 {
		t.Fatalf("%v\n%s", r, e.stderr)
	}
	if got := model.Requests(); len(got) == 0 || !strings.Contains(string(got[len(got)-1].Body), dot) {
		t.Error("the model got no picture")
	}
	for name, block := range map[string]map[string]any{
		"another kind": picture("image/svg+xml", dot), "no base64": picture("image/png", "*"), "line breaks": picture("image/png", dot[:10]+"\n"+dot[10:]),
		"no data": {"type": "image", "mimeType": "image/png"}, "a number": {"type": "image", "mimeType": "image/png", "data": 5},
		"huge": picture("image/png", base64.StdEncoding.EncodeToString(make([]byte, 5<<20))),
	} {
		if c := code(ask(block)); c != -32602 {
			t.Errorf("%s: %v", name, c)
		}
	}
	if r := ask(picture("image/jpeg", dot)); code(r) != 0 || !strings.Contains(e.said(), "is not sent") {
		t.Errorf("%v\n%s", r, e.said())
	}
	kept, err := filepath.Glob(filepath.Join(e.home, ".tera_pilot", "sessions", e.session, "blobs", "*"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept: %v %v", kept, err)
	}

	blind := newEditor(t, writes(1))
	init = blind.call("initialize", map[string]any{"protocolVersion": 1})
	if can := init["result"].(map[string]any)["agentCapabilities"].(map[string]any)["promptCapabilities"].(map[string]any); can["image"] != nil {
		t.Errorf("%v", can)
	}
}

// TestACPForms: what the model asks is put as a form where the editor has
// forms; only a form that was filled in as it was asked for is an answer, and
// a permission is never asked for that way.
func TestACPForms(t *testing.T) {
	ask := `{"calls":[{"tool":"ask_user","args":{"question":"Which colour?","options":["red","blue"]}}]}`
	e := newEditor(t, `{"steps":[`+ask+`,{"when":{"contains":"blue"},"say":"Blue it is."},`+ask+`,{"when":{"contains":"did not want to answer"},"say":"No word."},
		{"calls":[{"tool":"write_file","args":{"path":"f.txt","content":"x"}}]},{"say":"over"}]}`)
	e.begin(map[string]any{"elicitation": map[string]any{"form": map[string]any{}}})
	turn := func(reply any) map[string]any {
		t.Helper()
		id := e.request("session/prompt", e.promptParams("go"))
		var form map[string]any
		e.until("the end of the turn", func(m map[string]any) bool {
			if m["method"] == "elicitation/create" {
				form = m["params"].(map[string]any)
				e.reply(m["id"], reply)
			}
			return m["id"] == id && m["method"] == nil
		})
		return form
	}
	form := turn(map[string]any{"action": "accept", "content": map[string]any{"choice": "blue"}})
	if form == nil || form["mode"] != "form" || form["sessionId"] != e.session || !strings.Contains(fmt.Sprint(form["message"]), "Which colour?") || len(e.asked) != 0 {
		t.Errorf("%v", form)
	}
	if !strings.Contains(e.said(), "Blue it is.") {
		t.Errorf("%s", e.said())
	}
	turn(map[string]any{"action": "accept", "content": map[string]any{"choice": "blue", "allow": true}})
	if !strings.Contains(e.said(), "No word.") {
		t.Errorf("more than was asked for is an answer: %s", e.said())
	}
	e.answer = func(p map[string]any) any { return option(p, "reject_once") }
	if form := turn(map[string]any{"action": "accept", "content": map[string]any{"answer": "yes"}}); form != nil || len(e.asked) != 1 || e.exists("f.txt") {
		t.Errorf("a permission was asked for by a form: %v", form)
	}
}

// TestACPFormsAnsweredTwice: the first answer to a form counts, for that form
// alone: not a second one, nor one to a form that is over, nor by another id.
func TestACPFormsAnsweredTwice(t *testing.T) {
	ask := `{"calls":[{"tool":"ask_user","args":{"question":"Which colour?"}}]}`
	e := newEditor(t, `{"steps":[`+ask+`,{"when":{"contains":"did not want to answer"},"say":"No word."},`+ask+`,{"when":{"contains":"green"},"say":"Green it is."}]}`)
	e.begin(map[string]any{"elicitation": map[string]any{"form": map[string]any{}}})
	accept := func(text string) map[string]any {
		return map[string]any{"action": "accept", "content": map[string]any{"answer": text}}
	}
	var old any
	turn := func(answers func(id any)) {
		t.Helper()
		id := e.request("session/prompt", e.promptParams("go"))
		e.until("the end of the turn", func(m map[string]any) bool {
			if m["method"] == "elicitation/create" {
				answers(m["id"])
				old = m["id"]
			}
			return m["id"] == id && m["method"] == nil
		})
	}
	turn(func(id any) {
		e.reply(id, map[string]any{"action": "decline"})
		e.reply(id, accept("red"))
	})
	turn(func(id any) {
		e.reply(old, accept("red"))
		e.reply(strings.TrimSuffix(fmt.Sprint(id), "2")+"3", accept("red"))
		e.reply([]any{id}, accept("red"))
		e.reply(id, accept("green"))
		e.reply(id, accept("red"))
	})
	if said := e.said(); !strings.Contains(said, "No word.") || !strings.Contains(said, "Green it is.") {
		t.Errorf("%s", said)
	}
}

// TestACPCommands: the editor is told the slash commands, and they do what they
// say: undo puts back, and only that.
func TestACPCommands(t *testing.T) {
	e := newEditor(t, writes(1))
	e.answer = allow
	e.begin(nil)
	if e.turn("go"); !e.exists("f0.txt") {
		t.Fatal("nothing was written")
	}
	offered := e.updates("available_commands_update")
	if len(offered) == 0 || !strings.Contains(fmt.Sprint(offered[0]["availableCommands"]), "undo") {
		t.Errorf("%v", offered)
	}
	if err := os.WriteFile(filepath.Join(e.root, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if stop := e.turn("/undo"); stop != "end_turn" || e.exists("f0.txt") || !e.exists("mine.txt") {
		t.Errorf("%s, %s", stop, e.said())
	}
	if stop := e.turn("/undo all"); stop != "end_turn" {
		t.Errorf("%s", stop)
	}
	if stop := e.turn("/compact"); stop != "end_turn" {
		t.Errorf("%s", stop)
	}
	if len(e.asked) != 1 {
		t.Errorf("%d questions", len(e.asked))
	}
}

// TestACPThought: the level of thought is an option that the model's requests
// follow, also after the session is loaded again.
func TestACPThought(t *testing.T) {
	e := newEditor(t, writes(2))
	e.answer = allow
	e.begin(nil)
	set := func(value string) map[string]any {
		return e.call("session/set_config_option", map[string]any{"sessionId": e.session, "configId": "thought", "value": value})
	}
	if c := code(set("enormous")); c != -32602 {
		t.Errorf("%v", c)
	}
	current := func(r map[string]any) string {
		for _, o := range r["result"].(map[string]any)["configOptions"].([]any) {
			if o := o.(map[string]any); o["id"] == "thought" {
				return o["currentValue"].(string) + " " + o["category"].(string)
			}
		}
		return ""
	}
	if got := current(set("high")); got != "high thought_level" {
		t.Errorf("%q", got)
	}
	e.turn("go")
	e.call("session/close", map[string]any{"sessionId": e.session})
	if got := current(e.call("session/load", map[string]any{"sessionId": e.session, "cwd": e.root, "mcpServers": []any{}})); got != "high thought_level" {
		t.Errorf("after loading: %q", got)
	}
}

// TestACPServersOfAnEditor are named, and not started.
func TestACPServersOfAnEditor(t *testing.T) {
	e := newEditor(t, writes(1))
	e.call("initialize", map[string]any{"protocolVersion": 1})
	mark := filepath.Join(e.home, "started")
	reached := make(chan string, 8)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	t.Cleanup(server.Close)
	r := e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": []any{
		map[string]any{"name": "evil\x1b[2J", "command": "/usr/bin/touch", "args": []any{mark}, "env": []any{}},
		map[string]any{"type": "http", "name": "web", "url": server.URL, "headers": []any{}},
	}})
	e.session = r["result"].(map[string]any)["sessionId"].(string)
	e.answer = allow
	if e.turn("go"); !strings.Contains(e.said(), "passed 2 MCP servers (evil<x1B>[2J, web): they are not started") {
		t.Errorf("%s", e.said())
	}
	if _, err := os.Stat(mark); err == nil || len(reached) > 0 {
		t.Error("a server of the editor was started or reached")
	}
}

// TestACPParametersOfASession are read strictly, also of a session that is open
// already.
func TestACPParametersOfASession(t *testing.T) {
	e := newEditor(t, writes(1))
	e.call("initialize", map[string]any{"protocolVersion": 1})
	for _, servers := range []any{nil, map[string]any{}, "x", []any{5}, []any{"nonsense"}, []any{map[string]any{"name": "a"}},
		[]any{map[string]any{"name": "a", "command": "/bin/true", "args": "x", "env": []any{}}}, []any{map[string]any{"name": "a", "type": "http", "url": 5}}} {
		if c := code(e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": servers})); c != -32602 {
			t.Errorf("servers %v: %v", servers, c)
		}
	}
	if c := code(e.call("session/new", map[string]any{"cwd": e.root})); c != -32602 {
		t.Errorf("no servers: %v", c)
	}
	r := e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": []any{}})
	id := r["result"].(map[string]any)["sessionId"]
	for _, dir := range []string{"relative", filepath.Dir(e.root), filepath.Join(e.root, "none")} {
		for _, method := range []string{"session/load", "session/resume"} {
			if c := code(e.call(method, map[string]any{"sessionId": id, "cwd": dir, "mcpServers": []any{}})); c != -32602 {
				t.Errorf("%s in %s: %v", method, dir, c)
			}
		}
	}
	if c := code(e.call("session/resume", map[string]any{"sessionId": id, "cwd": e.root})); c != 0 {
		t.Errorf("resume without servers, which the schema lets be: %v", c)
	}
}

// TestACPEnvironment: the variables of the original bound and inform, and
// loosen nothing.
func TestACPEnvironment(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TERA_PILOT_WORKSPACE", base)
	t.Setenv("TERA_PILOT_ACP_LOG_LEVEL", "debug")
	e := newEditor(t, writes(1))
	e.call("initialize", map[string]any{"protocolVersion": 1})
	if c := code(e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": []any{}})); c != -32602 {
		t.Errorf("a folder elsewhere: %v", c)
	}
	inside := filepath.Join(base, "project")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if c := code(e.call("session/new", map[string]any{"cwd": inside, "mcpServers": []any{}})); c != 0 {
		t.Errorf("a folder within: %v", c)
	}
	e.in.Close()
	e.exit(10 * time.Second)
	if !strings.Contains(e.stderr.String(), "request session/new") {
		t.Errorf("%s", e.stderr)
	}
}

// TestACPStorms: cancels that come in hundreds, prompts while a session is
// loaded and prompts on top of each other leave one answer for each request.
func TestACPStorms(t *testing.T) {
	var steps []string
	for range 20 {
		steps = append(steps, `{"say":"words","delay_ms":300,"chunk":1}`)
	}
	e := newEditor(t, `{"steps":[`+strings.Join(steps, ",")+`]}`)
	e.begin(nil)
	first := e.request("session/prompt", e.promptParams("go"))
	for range 300 {
		e.notify("session/cancel", map[string]any{"sessionId": e.session})
		e.notify("$/cancel_request", map[string]any{"requestId": first})
	}
	second := e.request("session/prompt", e.promptParams("again"))
	loaded := e.request("session/load", map[string]any{"sessionId": e.session, "cwd": e.root, "mcpServers": []any{}})
	third := e.request("session/prompt", e.promptParams("and again"))
	for range 300 {
		e.notify("session/cancel", map[string]any{"sessionId": e.session})
	}
	left := map[float64]bool{first: true, second: true, loaded: true, third: true}
	e.until("an answer to each", func(m map[string]any) bool {
		if id, ok := m["id"].(float64); ok && m["method"] == nil {
			if !left[id] {
				t.Errorf("two answers: %v", m)
			}
			delete(left, id)
		}
		return len(left) == 0
	})
	if ended := e.call("session/close", map[string]any{"sessionId": e.session}); code(ended) != 0 {
		t.Errorf("%v", ended)
	}
}
