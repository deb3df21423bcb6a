package local

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/model"
)

func TestChoiceIsKept(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if c, err := Chosen(state); err != nil || !c.IsZero() {
		t.Fatalf("of nothing: %+v, %v", c, err)
	}
	want := Choice{Provider: "llama-server", Address: "http://127.0.0.1:9090/v1", Model: "m"}
	if err := Choose(state, want); err != nil {
		t.Fatal(err)
	}
	if c, err := Chosen(state); err != nil || c != want {
		t.Errorf("%+v, %v", c, err)
	}
	for _, text := range []string{`{`, `{"provider":"x"}`, `{"provider":"x","model":"m","run":"rm"}`, `[]`} {
		if err := os.WriteFile(choiceFile(state), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := Chosen(state); err == nil || !c.IsZero() {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
	}
}

// TestToolsBelongToTheWeights: what was found counts for the very server,
// version and digest, and a broken file counts as nothing.
func TestToolsBelongToTheWeights(t *testing.T) {
	state := t.TempDir()
	tools := OpenTools(state)
	f := model.Found{Kind: "ollama", Address: "http://127.0.0.1:11434", Version: "1"}
	m := model.FoundModel{Name: "m", Digest: "abc"}
	key := Key(f, m)
	if got := tools.Get(key); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	if err := tools.Keep(key, model.ToolsText); err != nil {
		t.Fatal(err)
	}
	if got := tools.Get(key); got != model.ToolsText {
		t.Errorf("%q", got)
	}
	other := m
	other.Digest = "abd"
	g := f
	g.Version = "2"
	for _, k := range []string{Key(f, other), Key(g, m), Key(model.Found{Kind: "local", Address: f.Address, Version: "1"}, m)} {
		if k == key || tools.Get(k) != "" {
			t.Errorf("another model's answer counts: %q", tools.Get(k))
		}
	}
	for _, text := range []string{"{", "null", `{"` + key + `":"maybe"}`, "[]"} {
		if err := os.WriteFile(filepath.Join(state, "model_tools.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := tools.Get(key); got != "" {
			t.Errorf("%s: %q", text, got)
		}
	}
	if err := tools.Keep(key, model.ToolsNone); err != nil || tools.Get(key) != model.ToolsNone {
		t.Errorf("after a broken file: %q, %v", tools.Get(key), err)
	}
}

func TestWindow(t *testing.T) {
	ollama, other := model.Found{Kind: "ollama"}, model.Found{Kind: "vllm"}
	const gib = 1 << 30
	for _, c := range []struct {
		name      string
		f         model.Found
		m         model.FoundModel
		set, free int64
		want      int64
	}{
		{"the person's word", ollama, model.FoundModel{MaxWindow: 131072}, 12000, 0, 12000},
		{"Ollama, at most 32k", ollama, model.FoundModel{MaxWindow: 131072}, 0, 0, 32768},
		{"the model's own maximum", ollama, model.FoundModel{MaxWindow: 8192}, 0, 0, 8192},
		{"little memory", ollama, model.FoundModel{MaxWindow: 131072, TokenBytes: 128 << 10}, 0, 4 * gib, 16384},
		{"hardly any memory", ollama, model.FoundModel{MaxWindow: 131072, TokenBytes: 128 << 10}, 0, gib / 8, 4096},
		{"a small model", ollama, model.FoundModel{MaxWindow: 2048, TokenBytes: 128 << 10}, 0, gib / 8, 2048},
		{"loaded with more", ollama, model.FoundModel{MaxWindow: 131072, Window: 65536, Loaded: true}, 0, 0, 65536},
		{"loaded with Ollama's default", ollama, model.FoundModel{MaxWindow: 131072, Window: 4096, Loaded: true}, 0, 0, 32768},
		{"in force", other, model.FoundModel{Window: 20000, MaxWindow: 40000}, 0, 0, 20000},
		{"not loaded", other, model.FoundModel{MaxWindow: 1 << 20}, 0, 0, 32768},
		{"unknown", other, model.FoundModel{}, 0, 0, 8192},
		{"Ollama that says nothing", ollama, model.FoundModel{}, 0, 0, 8192},
	} {
		if got := Window(c.f, c.m, c.set, c.free); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestMemory(t *testing.T) {
	const text = "MemTotal:       16384 kB\nMemFree:          100 kB\nMemAvailable:    8192 kB\n"
	if got := FreeMemory(text); got != 8<<20 {
		t.Errorf("free %d", got)
	}
	if got := TotalMemory(text); got != 16<<20 {
		t.Errorf("total %d", got)
	}
	for _, bad := range []string{"", "MemAvailable: x kB\n", "MemAvailable: -1 kB\n", "MemAvailable: 1 MB\n", "MemAvailable: 99999999999999999999 kB\n"} {
		if got := FreeMemory(bad); got != 0 {
			t.Errorf("%q: %d", bad, got)
		}
	}
}
