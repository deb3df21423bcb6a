package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/model/local"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// An ollama is a server that answers as Ollama does, as far as its documents
// say. What it is asked is kept.
type ollama struct {
	*httptest.Server
	mu    sync.Mutex
	chats []map[string]any
	probe string // what the model says when it is asked to call a tool
}

func newOllama(t *testing.T, probe string) *ollama {
	t.Helper()
	o := &ollama{probe: probe}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *ollama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/version":
		fmt.Fprint(w, `{"version":"0.17.4"}`)
	case "/api/tags":
		fmt.Fprint(w, `{"models":[{"name":"qwen3:8b","digest":"abc","size":5200000000}]}`)
	case "/api/show":
		fmt.Fprint(w, `{"model_info":{"qwen3.context_length":40960},"capabilities":["tools","thinking"]}`)
	case "/api/ps":
		fmt.Fprint(w, `{"models":[]}`)
	case "/api/chat":
		o.chat(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (o *ollama) chat(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var body map[string]any
	if err != nil || json.Unmarshal(raw, &body) != nil {
		http.Error(w, "bad", http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	o.chats = append(o.chats, body)
	o.mu.Unlock()
	text := "Hello from the model."
	if strings.Contains(string(raw), "echo_check") {
		text = o.probe
	}
	line, err := json.Marshal(map[string]any{"model": "qwen3:8b", "message": map[string]any{"role": "assistant", "content": text}, "done": true, "done_reason": "stop", "prompt_eval_count": 900, "eval_count": 5})
	if err != nil {
		http.Error(w, "bad", http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(append(line, '\n')) // the client may be gone
}

func (o *ollama) asked() []map[string]any {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]map[string]any(nil), o.chats...)
}

// here is a home with nothing configured, and a command of the program in it.
func here(t *testing.T, env ...string) (state string, command func(args ...string) *exec.Cmd) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(base, "home")
	if err := os.MkdirAll(filepath.Join(home, "repo"), 0o700); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(home, ".tera_pilot"), func(args ...string) *exec.Cmd {
		cmd := exec.Command(built(t), args...)
		cmd.Dir = filepath.Join(home, "repo")
		cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color"}, env...)
		return cmd
	}
}

// TestOllamaGetsItsWindow: a model of Ollama is asked once how it calls tools,
// then gets its window with every request; the next start asks nothing again.
func TestOllamaGetsItsWindow(t *testing.T) {
	o := newOllama(t, `<tool_call>{"name":"echo_check","arguments":{"text":"ok"}}</tool_call>`)
	_, command := here(t, "OLLAMA_HOST="+o.URL)
	for n, want := range []int{2, 1} {
		before := len(o.asked())
		out, err := command("run", "--no-confirm", "--provider", "ollama", "--model", "qwen3:8b", "hello").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Hello from the model.") {
			t.Fatalf("%v\n%s", err, out)
		}
		chats := o.asked()[before:]
		if len(chats) != want {
			t.Fatalf("start %d: %d requests, want %d", n, len(chats), want)
		}
		for _, c := range chats {
			options, _ := c["options"].(map[string]any)
			if window, _ := options["num_ctx"].(float64); window < 4096 || window > 32768 {
				t.Errorf("num_ctx is %v", options["num_ctx"])
			}
		}
		if last := chats[len(chats)-1]; last["tools"] != nil {
			t.Error("a model that calls tools as text was offered them as the protocol has it")
		}
	}
}

// TestModelThatOnlyTalks is said so, in words.
func TestModelThatOnlyTalks(t *testing.T) {
	o := newOllama(t, "I would rather not.")
	_, command := here(t, "OLLAMA_HOST="+o.URL)
	out, err := command("run", "--no-confirm", "--provider", "ollama", "--model", "qwen3:8b", "hello").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "it may only talk") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestFirstScreen: on a machine where nothing is configured, a found model is
// taken with one key, and the next start has it; another server in its place is
// noticed.
func TestFirstScreen(t *testing.T) {
	o := newOllama(t, `{"name":"echo_check"}`)
	state, command := here(t, "OLLAMA_HOST="+o.URL)
	p := termtest.Start(t, command(), 100, 30)
	p.WaitFor("Use qwen3:8b of ollama")
	for _, text := range []string{"Play the demo", "Enter the address", "Set up a model on this machine", "Enter the key of a provider"} {
		if !strings.Contains(p.Text(), text) {
			t.Errorf("the first screen does not offer %q:\n%s", text, p.Text())
		}
	}
	if strings.Contains(p.Text(), "Open a recorded session") {
		t.Errorf("sessions are offered where none is stored:\n%s", p.Text())
	}
	p.Key("s")
	p.WaitFor("ollama pull ")
	if strings.Contains(p.Text(), "box ...") {
		t.Errorf("the grade of the sandbox is forgotten on the way:\n%s", p.Text())
	}
	p.Key("b")
	p.WaitFor("Use qwen3:8b of ollama")
	p.Key("1")
	p.WaitFor("enter send")
	p.Key("ctrl+d")
	p.WaitExit()
	if got, err := local.Chosen(state); err != nil || got.Provider != "ollama" || got.Model != "qwen3:8b" || got.Address != o.URL {
		t.Fatalf("kept %+v, %v", got, err)
	}
	out, err := command("run", "--no-confirm", "hello").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Hello from the model.") {
		t.Errorf("%v\n%s", err, out)
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			fmt.Fprint(w, `{"data":[{"id":"qwen3:8b"}]}`)
			return
		}
		http.NotFound(w, r)
	}))
	defer other.Close()
	if err := local.Choose(state, local.Choice{Provider: "ollama", Address: other.URL, Model: "qwen3:8b"}); err != nil {
		t.Fatal(err)
	}
	_, again := here(t)
	cmd := again("--home", state, "run", "--no-confirm", "hello")
	out, err = cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != exitModel || !strings.Contains(string(out), "what answers there now is local") {
		t.Errorf("another server in its place: %v\n%s", err, out)
	}
}

// TestFirstScreenTakesAKey: a key is typed without being shown, kept in the
// state folder, and nothing is sent.
func TestFirstScreenTakesAKey(t *testing.T) {
	state, command := here(t)
	p := termtest.Start(t, command(), 100, 40)
	p.WaitFor("Enter the key of a provider")
	p.Key("k")
	p.WaitFor("Whose key?")
	p.Key("a")
	p.WaitFor("key of Anthropic: (not shown, 0 bytes)")
	p.Type("sk-ant-typed-000000000000")
	p.WaitFor("(not shown, 25 bytes)")
	p.Key("esc")
	p.WaitFor("Whose key?")
	p.Key("a")
	p.Type("sk-ant-typed-000000000000")
	p.WaitFor("(not shown, 25 bytes)")
	p.Key("enter")
	p.WaitFor("Which model of Anthropic?")
	if strings.Contains(p.Text(), "typed-0000") {
		t.Errorf("the key is on the screen:\n%s", p.Text())
	}
	p.Key("b")
	p.WaitFor("enter send")
	p.Key("ctrl+d")
	p.WaitExit()
	keys, err := os.ReadFile(filepath.Join(state, "keys.json"))
	if err != nil || !strings.Contains(string(keys), "sk-ant-typed") {
		t.Errorf("the key is not kept: %v", err)
	}
	if got, err := local.Chosen(state); err != nil || got.Provider != "anthropic" || got.Model == "" {
		t.Errorf("kept %+v, %v", got, err)
	}
	log, err := command("audit", "show").CombinedOutput()
	if err != nil || !strings.Contains(string(log), "key anthropic set") || !strings.Contains(string(log), "was chosen") || strings.Contains(string(log), "sk-ant-typed") {
		t.Errorf("the log: %v\n%s", err, log)
	}
}

// TestFirstScreenTakesAnAddress: a server of this machine that no list knows is
// named, its models can be taken, and the next start has it. What is no such
// server says so, and nothing is kept of it.
func TestFirstScreenTakesAnAddress(t *testing.T) {
	o := newOllama(t, `{"name":"echo_check"}`)
	quiet := httptest.NewServer(http.HandlerFunc(http.NotFound))
	defer quiet.Close()
	state, command := here(t)
	for _, size := range [][2]int{{100, 30}, {60, 20}} {
		p := termtest.Start(t, command(), size[0], size[1])
		p.WaitFor("Enter the address of a local model")
		address := func(text, says string) {
			p.Key("l")
			p.WaitFor("address, such as")
			p.Type(text)
			p.Key("enter")
			p.WaitFor(says)
			p.WaitFor("arrows")
		}
		address("192.0.2.7:8080", "is not this machine")
		address("https://127.0.0.1:8080", "over http, not https")
		address(strings.TrimPrefix(quiet.URL, "http://"), "no model server")
		address(o.URL+"/api", "ollama answers at")
		p.WaitFor("Use qwen3:8b of ollama")
		if size[0] == 60 {
			p.Key("1")
			p.WaitFor("enter send")
		}
		p.Key("ctrl+d")
		p.WaitExit()
	}
	if got, err := local.Chosen(state); err != nil || got.Provider != "ollama" || got.Address != o.URL {
		t.Errorf("kept %+v, %v", got, err)
	}
}

// TestFirstScreenOpensASession: without any model a stored session can be looked
// at, and says that there is none.
func TestFirstScreenOpensASession(t *testing.T) {
	_, command := here(t)
	script := filepath.Join(t.TempDir(), "turns.json")
	if err := os.WriteFile(script, []byte(`{"steps": [{"say": "the quokka sleeps"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := command("run", "--provider", "scripted", "--script", script, "look").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := termtest.Start(t, command(), 100, 30)
	p.WaitFor("Open a recorded session")
	p.Key("o")
	p.WaitFor("1 session")
	p.Key("esc")
	p.WaitFor("Open a recorded session")
	p.Key("o")
	p.WaitFor("1 session")
	p.Key("enter")
	p.WaitFor("the quokka sleeps")
	p.WaitFor("no model is configured")
	p.Type("hello")
	p.Key("enter")
	p.WaitFor("start a local model")
	p.Key("ctrl+d")
	if code := p.WaitExit(); code != exitOK {
		t.Errorf("exit %d", code)
	}
}

// TestLocalAddress: what is this machine, and what is not.
func TestLocalAddress(t *testing.T) {
	for text, want := range map[string]string{
		"8080": "http://127.0.0.1:8080", " 127.0.0.1:8080 ": "http://127.0.0.1:8080", "localhost:1234": "http://localhost:1234", "http://[::1]:8000/v1": "http://[::1]:8000", "127.9.9.9:1": "http://127.9.9.9:1",
		"": "", "localhost": "", "0": "", "70000": "", "10.0.0.1:80": "", "example.org:80": "", "https://127.0.0.1:443": "", "http://127.0.0.1:80@example.org:80": "", "127.1:80": "", "0.0.0.0:80": "", "http://127.0.0.1.example.org:80": "", "file:///etc/passwd": "", "\x1b[2J:80": "",
	} {
		got, err := localAddress(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestTooSmallAWindow is refused with the number and the way out.
func TestTooSmallAWindow(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			fmt.Fprint(w, `{"data":[{"id":"tiny","meta":{"n_ctx":320}}]}`)
			return
		}
		http.NotFound(w, r)
	}))
	defer srv.Close()
	state, command := here(t)
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "config.json"), fmt.Appendf(nil, `{"providers":{"local":{"base_url":"%s/v1"}}}`, srv.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"tiny": "is 320 tokens", "other": "has no model other; it has tiny"} {
		cmd := command("run", "--no-confirm", "--provider", "local", "--model", name, "hello")
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != exitModel || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestModelsRefresh asks the provider once, keeps what it says, is in the log,
// and the person's own file counts more.
func TestModelsRefresh(t *testing.T) {
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		fmt.Fprint(w, `{"data":[{"id":"new-one","context_length":200000,"pricing":{"prompt":"0.000003","completion":"0.000015"}}]}`)
	}))
	defer srv.Close()
	state, command := here(t, "OPENAI_API_KEY=sk-refresh-0000000000000000", "OPENAI_BASE_URL="+srv.URL+"/v1")
	out, err := command("models", "refresh").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "openai-chat: 1 models, 1 with prices") || strings.Contains(string(out), "sk-refresh") {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(asked) != 1 || asked[0] != "GET /v1/models Bearer sk-refresh-0000000000000000" {
		t.Errorf("asked %q", asked)
	}
	list := func() string {
		out, err := command("models", "list", "openai-chat").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if text := list(); !strings.Contains(text, "new-one") || !strings.Contains(text, "200k window") || !strings.Contains(text, "$3.00 in, $15.00 out") || !strings.Contains(text, "full") {
		t.Errorf("the list:\n%s", text)
	}
	own := `{"date":"2026-01-01","source":"mine","models":[{"provider":"openai-chat","model":"new-one","context":9000}]}`
	if err := os.WriteFile(filepath.Join(state, "models.json"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := list(); !strings.Contains(text, "9000 window") || !strings.Contains(text, "$3.00 in") || !strings.Contains(text, "small") {
		t.Errorf("with a file of the person's:\n%s", text)
	}
	log, err := command("audit", "show").CombinedOutput()
	if err != nil || !strings.Contains(string(log), "models of openai-chat asked for by a person") {
		t.Errorf("the log: %v\n%s", err, log)
	}
	if err := os.WriteFile(filepath.Join(state, "models.json"), []byte(`{"models":[{"provider":"x"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := command("models", "list").CombinedOutput(); err == nil || !strings.Contains(string(out), "models.json") {
		t.Errorf("a broken file: %v\n%s", err, out)
	}
}

// TestRemoteIsAllowedByName: the permission for another machine belongs to the
// address beside it, and to no other that the environment names.
func TestRemoteIsAllowedByName(t *testing.T) {
	for _, c := range []struct {
		settings, env, want string
	}{
		{`{"base_url":"http://192.168.7.9:11434","allow_remote_local":true}`, "OLLAMA_HOST=192.168.7.10:11434", "is not this machine"},
		{`{"allow_remote_local":true}`, "OLLAMA_HOST=192.168.7.10:11434", "is not this machine"},
		{`{"base_url":"http://192.168.7.9:11434"}`, "", "is not this machine"},
		{`{"base_url":"http://192.168.7.9:11434","allow_remote_local":true}`, "", ""},
	} {
		var mine config.Provider
		if err := json.Unmarshal([]byte(c.settings), &mine); err != nil {
			t.Fatal(err)
		}
		p := place{state: t.TempDir(), settings: config.Settings{Provider: "ollama", Model: "m", Providers: map[string]config.Provider{"ollama": mine}}}
		a := newApp(process{env: []string{c.env}})
		_, err := a.mind(t.Context(), p, secret.New()) // nothing is dialled yet
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q: %v", c.settings, c.env, err)
		}
	}
}
