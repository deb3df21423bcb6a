package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// local serves fixed answers by path, and notes what was asked.
type local struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func serve(t *testing.T, answers map[string]string) *local {
	t.Helper()
	l := &local{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		l.mu.Lock()
		l.asked = append(l.asked, r.Method+" "+r.URL.Path+" "+string(body))
		l.mu.Unlock()
		answer, ok := answers[r.URL.Path]
		if status, rest, cut := strings.Cut(answer, " "); cut && len(status) == 3 {
			w.WriteHeader(map[string]int{"503": 503, "401": 401}[status])
			answer = rest
		}
		if !ok {
			w.WriteHeader(404)
		}
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(l.Close)
	return l
}

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

func TestDiscover(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers map[string]string
		want    Found
		base    string
	}{
		{"Ollama", map[string]string{
			"/api/version": `{"version":"0.12"}`,
			"/api/tags":    `{"models":[{"name":"a:7b"},{"name":"b:3b"}]}`,
			"/api/ps":      `{"models":[{"name":"a:7b","context_length":4096}]}`,
			"/api/show":    `{"model_info":{"llama.context_length":131072},"capabilities":["completion","tools","thinking"]}`,
		}, Found{Kind: "ollama", Version: "0.12", Models: []FoundModel{
			{Name: "a:7b", Window: 4096, MaxWindow: 131072, Tools: yes(), Reasoning: true, Loaded: true},
			{Name: "b:3b", MaxWindow: 131072, Tools: yes(), Reasoning: true},
		}}, ""},
		{"LM Studio", map[string]string{
			"/api/v1/models": `{"models":[{"type":"llm","key":"q","max_context_length":32768,"loaded_instances":[{"config":{"context_length":8192}}],"capabilities":{"trained_for_tool_use":true,"vision":true}},{"type":"embedding","key":"e"}]}`,
			"/v1/models":     `{"data":[{"id":"q"}]}`,
		}, Found{Kind: "lmstudio", Models: []FoundModel{{Name: "q", Window: 8192, MaxWindow: 32768, Tools: yes(), Images: true, Loaded: true}}}, "/v1"},
		{"LM Studio of old", map[string]string{
			"/api/v0/models": `{"data":[{"id":"q","type":"llm","state":"not-loaded","max_context_length":32768},{"id":"e","type":"embeddings"}]}`,
		}, Found{Kind: "lmstudio", Models: []FoundModel{{Name: "q", MaxWindow: 32768, Tools: no()}}}, "/v1"},
		{"llama-server", map[string]string{
			"/props":     `{"build_info":"b6000","total_slots":1,"default_generation_settings":{"n_ctx":4096},"chat_template_caps":{"supports_tools":true}}`,
			"/v1/models": `{"data":[{"id":"q.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":32768}}]}`,
		}, Found{Kind: "llama-server", Version: "b6000", Models: []FoundModel{{Name: "q.gguf", Window: 4096, MaxWindow: 32768, Tools: yes(), Loaded: true}}}, "/v1"},
		{"llama-server that loads", map[string]string{"/props": "503 {}", "/health": "503 {}"}, Found{Kind: "llama-server", Loading: true}, "/v1"},
		{"vLLM", map[string]string{
			"/version": `{"version":"0.11"}`, "/v1/models": `{"data":[{"id":"q","owned_by":"vllm","max_model_len":16384}]}`,
		}, Found{Kind: "vllm", Version: "0.11", Models: []FoundModel{{Name: "q", Window: 16384, Loaded: true}}}, "/v1"},
		{"another compatible one", map[string]string{"/v1/models": `{"data":[{"id":"q\u001b[2J"}]}`}, Found{Kind: "local", Models: []FoundModel{{Name: "q[2J", Loaded: true}}}, "/v1"},
		{"something else on 8080", map[string]string{"/api/version": `{"version":"7"}`, "/": "<html>"}, Found{}, "-"},
		{"a server that wants a key", map[string]string{"/v1/models": "401 {}"}, Found{}, "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := serve(t, c.answers)
			found, err := Discover(t.Context(), Discovery{Addresses: []string{srv.URL}, Only: true, Timeout: 5 * time.Second})
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			c.want.Address = srv.URL
			if c.base != "-" {
				c.want.BaseURL = srv.URL + c.base
			}
			if diff := cmp.Diff(c.want, found[0]); diff != "" {
				t.Error(diff)
			}
			if c.want.Kind != "" {
				if _, err := Open(Config{Provider: found[0].Kind, BaseURL: found[0].BaseURL}); err != nil {
					t.Errorf("what was found cannot be opened: %v", err)
				}
			}
		})
	}
}

// TestDiscoverAsksThisMachineOnly: other addresses are passed over, a redirect
// is not followed, and silence ends in time.
func TestDiscoverAsksThisMachineOnly(t *testing.T) {
	secret := serve(t, map[string]string{"/v1/models": `{"data":[{"id":"secret"}]}`})
	away := httptest.NewServer(http.RedirectHandler(secret.URL+"/v1/models", http.StatusFound))
	defer away.Close()
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hang.Close()
	start := time.Now()
	found, err := Discover(t.Context(), Discovery{Only: true, Addresses: []string{"http://192.168.1.5:11434", "https://127.0.0.1:1", "http://example.com:80", "file:///etc/passwd", "http://127.0.0.1.nip.io:80", away.URL, hang.URL}})
	if err != nil || len(found) != 1 || found[0].Address != away.URL || found[0].Kind != "" {
		t.Errorf("%+v, %v", found, err)
	}
	if len(secret.asked) != 0 || time.Since(start) > 5*time.Second {
		t.Errorf("asked %v in %s", secret.asked, time.Since(start))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Discover(ctx, Discovery{Only: true, Addresses: []string{secret.URL}}); err == nil {
		t.Error("a cancelled search gives no error")
	}
}

func TestProbeTools(t *testing.T) {
	for body, want := range map[string]ToolMode{
		call("echo_check", `{"text":"ok"}`):                                           ToolsNative,
		say(`<tool_call>{"name":"echo_check","arguments":{"text":"ok"}}</tool_call>`): ToolsText,
		say("ok"):           ToolsNone,
		call("other", `{}`): ToolsNone,
	} {
		c := client(t, &answers{statuses: []int{200}, bodies: []string{body}})
		if got, err := ProbeTools(t.Context(), c, "m"); err != nil || got != want {
			t.Errorf("%s: %q, %v", body, got, err)
		}
	}
	c := client(t, &answers{statuses: []int{400, 200}, bodies: []string{`{"error":"does not support tools"}`, say(`<tool_call>{"name":"echo_check","arguments":{"text":"ok"}}</tool_call>`)}})
	if got, err := ProbeTools(t.Context(), c, "m"); err != nil || got != ToolsText {
		t.Errorf("%q, %v", got, err)
	}
	c = client(t, &answers{statuses: []int{401}, bodies: []string{`{}`}})
	if got, err := ProbeTools(t.Context(), c, "m"); err == nil || got != "" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestOllamaHost(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "0.0.0.0": "http://127.0.0.1:11434", "0.0.0.0:9000": "http://127.0.0.1:9000", ":9000": "http://127.0.0.1:9000",
		"localhost": "http://localhost:11434", "192.168.1.5:80": "http://192.168.1.5:80", "http://127.0.0.1:9/": "http://127.0.0.1:9",
		"::1": "http://[::1]:11434", "[::1]:9": "http://[::1]:9", "a b": "-", "host:port": "-", "u@host": "-",
	} {
		p, _ := PresetByID("ollama")
		c, err := p.FromEnv(func(string) string { return text })
		got := c.BaseURL
		if err != nil {
			got = "-"
		}
		if got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestCatalogue(t *testing.T) {
	c, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range c.Models {
		key := m.Provider + "/" + m.Model
		if _, ok := PresetByID(m.Provider); !ok || seen[key] {
			t.Errorf("%s: no such provider, or twice", key)
		}
		seen[key] = true
		if m.Context < 1000 || m.Prices != nil && (m.Prices.Input == 0 || m.Prices.Output < m.Prices.Input || m.Prices.Date != c.Date) {
			t.Errorf("%s: %+v", key, m)
		}
	}
	if len(c.Models) < 50 || c.Date == "" || c.Source == "" {
		t.Errorf("%d models of %q from %q", len(c.Models), c.Date, c.Source)
	}
	user, err := ParseCatalogue([]byte(`{"models":[{"provider":"openai","model":"gpt-5","context":7},{"provider":"local","model":"mine"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	merged := c.With(user)
	if i, ok := merged.Find("openai", "gpt-5"); !ok || i.Context != 7 || i.Prices != nil {
		t.Errorf("the user's file does not win: %+v", i)
	}
	if i, ok := merged.Find("openai", "unheard-of"); ok || i.Context != 0 || i.Prices != nil {
		t.Errorf("an unknown model is known: %+v", i)
	}
	if i, _ := c.Find("openai", "gpt-5"); i.Context == 7 {
		t.Error("With changed the catalogue that it was called on")
	}
	for _, bad := range []string{``, `{"models":[{}]}`, `{"models":[{"provider":"a","model":"b","contxt":1}]}`, `{"models":[{"provider":"a","model":"b","prices":{"input":-1,"output":1}}]}`} {
		if _, err := ParseCatalogue([]byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func TestCost(t *testing.T) {
	price := func(n int64) *int64 { return &n }
	full := Info{Prices: &Prices{Input: 3_000_000, CacheRead: price(300_000), CacheWrite: price(3_750_000), Output: 15_000_000}}
	part := Info{Prices: &Prices{Input: 3_000_000, Output: 15_000_000}}
	for _, c := range []struct {
		info  Info
		usage *Usage
		want  int64
		known bool
	}{
		{full, &Usage{Input: 1000, CacheRead: 2000, CacheWrite: 100, Output: 500, Reasoning: 400}, 3000 + 600 + 375 + 7500, true},
		{full, &Usage{Input: 1}, 3, true},
		{full, &Usage{CacheRead: 1}, 1, true}, // 0.3, rounded up
		{full, &Usage{}, 0, true},
		{full, &Usage{Output: 1 << 62}, 0, false},
		{full, nil, 0, false},
		{part, &Usage{Input: 1}, 3, true},
		{part, &Usage{Input: 1, CacheRead: 1}, 0, false},
		{Info{}, &Usage{Input: 1}, 0, false},
	} {
		if got, known := c.info.Cost(c.usage); got != c.want || known != c.known {
			t.Errorf("%+v: %d, %v", c.usage, got, known)
		}
	}
}

// TestRequestShapes looks at what each protocol makes of one conversation that
// has everything in it.
func TestRequestShapes(t *testing.T) {
	half := 0.5
	req := Request{
		Model: "m", System: "S", MaxTokens: 9, Temperature: &half,
		Tools: []ToolSpec{{Name: "t", Description: "D", Schema: json.RawMessage(`{ "type": "object" }`)}},
		Messages: []Message{
			{Role: RoleUser, Parts: []Part{{Kind: PartText, Text: "u<&"}, {Kind: PartImage, Image: &Image{"image/png", []byte("png")}}}},
			{Role: RoleAssistant, Parts: []Part{{Kind: PartReasoning, Text: "r"}, {Kind: PartText, Text: "a"}, {Kind: PartCall, CallID: "c.1", Name: "t", Args: json.RawMessage(`{"x":1}`)}}},
			ToolResult("c.1", "t", "res", true),
		},
	}
	want := map[string]string{
		"openai-chat": `{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,"temperature":0.5,"tools":[{"type":"function","function":{"name":"t","description":"D","parameters":{"type":"object"}}}],"messages":[{"role":"system","content":"S"},{"role":"user","content":[{"type":"text","text":"u<&"},{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}]},{"role":"assistant","content":"a","tool_calls":[{"id":"c.1","type":"function","function":{"name":"t","arguments":"{\"x\":1}"}}]},{"role":"tool","content":"res","tool_call_id":"c.1"}]}`,
		"ollama":      `{"model":"m","stream":true,"keep_alive":"30m","options":{"num_ctx":4096,"num_predict":9,"temperature":0.5},"tools":[{"type":"function","function":{"name":"t","description":"D","parameters":{"type":"object"}}}],"messages":[{"role":"system","content":"S"},{"role":"user","content":"u<&","images":["cG5n"]},{"role":"assistant","content":"a","thinking":"r","tool_calls":[{"function":{"name":"t","arguments":{"x":1}}}]},{"role":"tool","content":"res","tool_name":"t"}]}`,
		"gemini":      `{"tools":[{"functionDeclarations":[{"name":"t","description":"D","parametersJsonSchema":{"type":"object"}}]}],"systemInstruction":{"parts":[{"text":"S"}]},"generationConfig":{"maxOutputTokens":9,"temperature":0.5},"contents":[{"role":"user","parts":[{"text":"u<&"},{"inlineData":{"mimeType":"image/png","data":"cG5n"}}]},{"role":"model","parts":[{"text":"a"},{"functionCall":{"name":"t","args":{"x":1}}}]},{"role":"user","parts":[{"functionResponse":{"name":"t","response":{"error":"res"}}}]}]}`,
		"openai":      `{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"max_output_tokens":9,"temperature":0.5,"tools":[{"type":"function","name":"t","description":"D","parameters":{"type":"object"},"strict":false}],"instructions":"S","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"u<&"},{"type":"input_image","image_url":"data:image/png;base64,cG5n"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]},{"type":"function_call","call_id":"` + safeID("c.1") + `","name":"t","arguments":"{\"x\":1}"},{"type":"function_call_output","call_id":"` + safeID("c.1") + `","output":"res"}]}`,
		"anthropic":   `{"model":"m","max_tokens":9,"stream":true,"temperature":0.5,"tools":[{"name":"t","description":"D","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"u<&"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"},"cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"` + safeID("c.1") + `","name":"t","input":{"x":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + safeID("c.1") + `","content":[{"type":"text","text":"res"}],"is_error":true,"cache_control":{"type":"ephemeral"}}]}]}`,
	}
	for id, body := range want {
		p, _ := PresetByID(id)
		_, _, got, err := p.Protocol.adapter().request(req, settings{preset: p, profile: Profile{NumCtx: 4096}})
		if err != nil || string(got) != body {
			t.Errorf("%s: %v\n%s\nwant\n%s", id, err, got, body)
		}
	}
}

func TestEffort(t *testing.T) {
	for _, c := range []struct{ provider, model, want string }{
		{"openai-chat", "m", `"reasoning_effort":"high"`},
		{"openai", "m", `"reasoning":{"effort":"high","summary":"auto"}`},
		{"anthropic", "claude-opus-5", `"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`},
		{"anthropic", "claude-sonnet-4-5-20250929", `"thinking":{"type":"enabled","budget_tokens":24576}`},
		{"gemini", "gemini-3-pro-preview", `"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"high"}`},
		{"gemini", "gemini-2.5-pro", `"thinkingConfig":{"includeThoughts":true,"thinkingBudget":24576}`},
		{"ollama", "m", `"think":true`},
	} {
		p, _ := PresetByID(c.provider)
		one := 1.0
		_, _, got, err := p.Protocol.adapter().request(Request{Model: c.model, Effort: EffortHigh, Temperature: &one, MaxTokens: 32000}, settings{preset: p})
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s %s: %s, %v", c.provider, c.model, got, err)
		}
		if c.provider == "anthropic" && strings.Contains(string(got), "temperature") {
			t.Errorf("%s gets a temperature beside reasoning", c.model)
		}
	}
}
