package model

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// A Preset is a provider that is known by name.
type Preset struct {
	ID       string
	Title    string
	Protocol Protocol
	BaseURL  string // empty: the user must name the address
	KeyEnv   string // variable of the user's environment that may hold the key
	BaseEnv  string // variable that may hold the address
	Local    bool   // runs on this machine; another address must be named by the user
	NeedsKey bool
	quirks   quirks
}

// quirks are what a server of the chat protocol does differently.
type quirks struct {
	reasoningBack bool // reasoning_content of earlier turns is to be sent back
	shortIDs      bool // ids of calls have exactly nine letters or digits
	noUsage       bool // stream_options is refused
}

// Presets are the providers that need no more than a key, or not even that.
func Presets() []Preset {
	hosted := func(id, title, base string, q quirks) Preset {
		return Preset{ID: id, Title: title, Protocol: ProtocolChat, BaseURL: base, NeedsKey: true, quirks: q}
	}
	local := func(id, title, base string) Preset {
		return Preset{ID: id, Title: title, Protocol: ProtocolChat, BaseURL: base, Local: true}
	}
	return []Preset{
		{ID: "anthropic", Title: "Anthropic", Protocol: ProtocolAnthropic, BaseURL: "https://api.anthropic.com", KeyEnv: "ANTHROPIC_API_KEY", BaseEnv: "ANTHROPIC_BASE_URL", NeedsKey: true},
		{ID: "openai", Title: "OpenAI", Protocol: ProtocolResponses, BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", BaseEnv: "OPENAI_BASE_URL", NeedsKey: true},
		{ID: "openai-chat", Title: "OpenAI-compatible chat", Protocol: ProtocolChat, KeyEnv: "OPENAI_API_KEY", BaseEnv: "OPENAI_BASE_URL"},
		{ID: "gemini", Title: "Google Gemini", Protocol: ProtocolGemini, BaseURL: "https://generativelanguage.googleapis.com/v1beta", KeyEnv: "GEMINI_API_KEY", NeedsKey: true},
		hosted("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", quirks{}),
		hosted("deepseek", "DeepSeek", "https://api.deepseek.com/v1", quirks{reasoningBack: true}),
		hosted("groq", "Groq", "https://api.groq.com/openai/v1", quirks{}),
		hosted("xai", "xAI", "https://api.x.ai/v1", quirks{}),
		hosted("mistral", "Mistral", "https://api.mistral.ai/v1", quirks{shortIDs: true, noUsage: true}),
		hosted("together", "Together", "https://api.together.xyz/v1", quirks{}),
		hosted("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", quirks{}),
		hosted("cerebras", "Cerebras", "https://api.cerebras.ai/v1", quirks{}),
		hosted("sambanova", "SambaNova", "https://api.sambanova.ai/v1", quirks{}),
		hosted("nvidia", "NVIDIA NIM", "https://integrate.api.nvidia.com/v1", quirks{}),
		hosted("zai", "z.ai", "https://api.z.ai/api/paas/v4", quirks{reasoningBack: true}),
		{ID: "ollama", Title: "Ollama", Protocol: ProtocolOllama, BaseURL: "http://127.0.0.1:11434", BaseEnv: "OLLAMA_HOST", Local: true},
		local("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"),
		local("llama-server", "llama-server", "http://127.0.0.1:8080/v1"),
		local("vllm", "vLLM", "http://127.0.0.1:8000/v1"),
		local("local", "Any server on this machine", "http://127.0.0.1:11434/v1"),
	}
}

// PresetByID finds a preset.
func PresetByID(id string) (Preset, bool) {
	all := Presets()
	i := slices.IndexFunc(all, func(p Preset) bool { return p.ID == id })
	if i < 0 {
		return Preset{}, false
	}
	return all[i], true
}

// FromEnv gives a Config of the preset with what the user's environment says
// about it. getenv is handed in; nothing else of the environment is looked at.
func (p Preset) FromEnv(getenv func(string) string) (Config, error) {
	c := Config{Provider: p.ID}
	if p.KeyEnv != "" {
		c.Key = NewKey(getenv(p.KeyEnv))
	}
	if p.BaseEnv == "" {
		return c, nil
	}
	base := strings.TrimSpace(getenv(p.BaseEnv))
	if p.ID == "ollama" && base != "" {
		var err error
		if base, err = ollamaBase(base); err != nil {
			return Config{}, err
		}
	}
	c.BaseURL = base
	return c, nil
}

// ollamaBase reads OLLAMA_HOST, which is made for the server: a host, a port,
// both, or a URL; 0.0.0.0 means that it listens everywhere, and is reached at
// loopback.
func ollamaBase(text string) (string, error) {
	if strings.Contains(text, "://") {
		return strings.TrimRight(text, "/"), nil
	}
	host, port, ok := strings.Cut(text, ":")
	if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		host, port, ok = addr.String(), "", false
	} else if ap, err := netip.ParseAddrPort(text); err == nil {
		host, port, ok = ap.Addr().String(), fmt.Sprint(ap.Port()), true
	}
	if !ok || port == "" {
		port = "11434"
	}
	switch host {
	case "", "0.0.0.0", "::":
		host = "127.0.0.1"
	}
	if strings.ContainsAny(host, "/@ ") || strings.Trim(port, "0123456789") != "" {
		return "", fmt.Errorf("OLLAMA_HOST is %q, which is no host and port", text)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return "http://" + host + ":" + port, nil
}
