package model

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// ollama: GET /api/version has a version, /api/tags a list of models.
func (p *prober) ollama(ctx context.Context, f *Found) bool {
	var version struct {
		Version string `json:"version"`
	}
	var tags struct {
		Models *[]struct {
			Name   string `json:"name"`
			Digest string `json:"digest"`
			Size   count  `json:"size"`
		} `json:"models"`
	}
	p.get(ctx, "/api/version", &version)
	p.get(ctx, "/api/tags", &tags)
	if version.Version == "" || tags.Models == nil {
		return false
	}
	f.Kind, f.BaseURL, f.Version = "ollama", p.address, version.Version
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context count  `json:"context_length"`
		} `json:"models"`
	}
	p.get(ctx, "/api/ps", &running)
	inForce := map[string]int64{}
	for _, r := range running.Models {
		inForce[r.Name] = int64(r.Context)
	}
	list := *tags.Models
	for i, m := range list[:min(len(list), maxFound)] {
		found := FoundModel{Name: m.Name, Digest: m.Digest, Size: int64(m.Size)}
		if i < 40 {
			p.ollamaShow(ctx, &found)
		}
		if window, ok := inForce[m.Name]; ok {
			found.Window, found.Loaded = window, true
		}
		f.Models = append(f.Models, found)
	}
	return true
}

// ollamaShow asks what one model can do.
func (p *prober) ollamaShow(ctx context.Context, m *FoundModel) {
	var show struct {
		Info map[string]json.RawMessage `json:"model_info"`
		Can  []string                   `json:"capabilities"`
	}
	body, err := json.Marshal(map[string]string{"model": m.Name})
	if err != nil || p.ask(ctx, http.MethodPost, "/api/show", string(body), &show) != http.StatusOK {
		return
	}
	for key, raw := range show.Info {
		var n count
		if strings.HasSuffix(key, ".context_length") && json.Unmarshal(raw, &n) == nil {
			m.MaxWindow = int64(n)
		}
	}
	m.TokenBytes = tokenBytes(show.Info)
	if show.Can != nil {
		tools := slices.Contains(show.Can, "tools")
		m.Tools = &tools
		m.Images, m.Reasoning = slices.Contains(show.Can, "vision"), slices.Contains(show.Can, "thinking")
	}
}

// tokenBytes is what the keys and values of a token take, at two bytes each;
// 0 where the model does not say enough of itself.
func tokenBytes(info map[string]json.RawMessage) int64 {
	of := func(name string) int64 {
		for key, raw := range info {
			var n count
			if strings.HasSuffix(key, "."+name) && json.Unmarshal(raw, &n) == nil && n < 1<<20 {
				return int64(n)
			}
		}
		return 0
	}
	layers, heads, size := of("block_count"), of("attention.head_count_kv"), of("attention.key_length")
	if all := of("attention.head_count"); size == 0 && all > 0 {
		size = of("embedding_length") / all
	}
	return 2 * 2 * layers * heads * size
}

// lmStudio from 0.4 on: GET /api/v1/models has models with a key.
func (p *prober) lmStudio(ctx context.Context, f *Found) bool {
	var list struct {
		Models *[]struct {
			Type     string `json:"type"`
			Key      string `json:"key"`
			Max      count  `json:"max_context_length"`
			Size     count  `json:"size_bytes"`
			Instance []struct {
				Config struct {
					Context count `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
			Can struct {
				Tools  *bool `json:"trained_for_tool_use"`
				Vision bool  `json:"vision"`
			} `json:"capabilities"`
		} `json:"models"`
	}
	if p.get(ctx, "/api/v1/models", &list) != http.StatusOK || list.Models == nil {
		return false
	}
	f.Kind, f.BaseURL = "lmstudio", p.address+"/v1"
	for _, m := range *list.Models {
		if m.Type == "embedding" || m.Type == "embeddings" {
			continue
		}
		found := FoundModel{Name: m.Key, MaxWindow: int64(m.Max), Size: int64(m.Size), Tools: m.Can.Tools, Images: m.Can.Vision}
		if len(m.Instance) > 0 {
			found.Window, found.Loaded = int64(m.Instance[0].Config.Context), true
		}
		f.Models = append(f.Models, found)
	}
	return true
}

// lmStudioOld: GET /api/v0/models has data with a state.
func (p *prober) lmStudioOld(ctx context.Context, f *Found) bool {
	var list struct {
		Data *[]struct {
			ID     string   `json:"id"`
			Type   string   `json:"type"`
			State  string   `json:"state"`
			Max    count    `json:"max_context_length"`
			Loaded count    `json:"loaded_context_length"`
			Can    []string `json:"capabilities"`
		} `json:"data"`
	}
	if p.get(ctx, "/api/v0/models", &list) != http.StatusOK || list.Data == nil {
		return false
	}
	f.Kind, f.BaseURL = "lmstudio", p.address+"/v1"
	for _, m := range *list.Data {
		if strings.HasPrefix(m.Type, "embedding") {
			continue
		}
		tools := slices.Contains(m.Can, "tool_use")
		f.Models = append(f.Models, FoundModel{
			Name: m.ID, MaxWindow: int64(m.Max), Window: int64(m.Loaded), Loaded: m.State == "loaded",
			Tools: &tools, Images: m.Type == "vlm",
		})
	}
	return true
}

// models is GET /v1/models, with what servers add to it.
type modelList struct {
	Data *[]struct {
		ID     string `json:"id"`
		Owner  string `json:"owned_by"`
		MaxLen count  `json:"max_model_len"`
		Meta   struct {
			Ctx   count `json:"n_ctx"`
			Train count `json:"n_ctx_train"`
		} `json:"meta"`
	} `json:"data"`
}

// llamaServer: GET /props has slots and a build; while it loads, /health says
// so with 503.
func (p *prober) llamaServer(ctx context.Context, f *Found) bool {
	var props struct {
		Build    string `json:"build_info"`
		Slots    *count `json:"total_slots"`
		Settings struct {
			Ctx count `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Caps     map[string]any `json:"chat_template_caps"`
		Template string         `json:"chat_template"`
	}
	var health struct{}
	status := p.get(ctx, "/props", &props)
	loading := status == http.StatusServiceUnavailable && p.get(ctx, "/health", &health) == http.StatusServiceUnavailable
	if props.Slots == nil && !loading {
		return false
	}
	f.Kind, f.BaseURL, f.Version, f.Loading = "llama-server", p.address+"/v1", props.Build, loading
	var list modelList
	p.get(ctx, "/v1/models", &list)
	if list.Data == nil {
		return true
	}
	for _, m := range *list.Data {
		found := FoundModel{Name: m.ID, Window: int64(props.Settings.Ctx), MaxWindow: int64(m.Meta.Train), Loaded: true}
		if props.Template != "" {
			found.Digest = hashID(props.Template, 16)
		}
		if found.Window == 0 {
			found.Window = int64(m.Meta.Ctx)
		}
		if tools, ok := props.Caps["supports_tools"].(bool); ok {
			found.Tools = &tools
		}
		f.Models = append(f.Models, found)
	}
	return true
}

// vllm: GET /version, and models that it owns.
func (p *prober) vllm(ctx context.Context, f *Found) bool {
	var version struct {
		Version string `json:"version"`
	}
	var list modelList
	p.get(ctx, "/version", &version)
	if version.Version == "" || p.get(ctx, "/v1/models", &list) != http.StatusOK || list.Data == nil || len(*list.Data) == 0 || (*list.Data)[0].Owner != "vllm" {
		return false
	}
	f.Kind, f.BaseURL, f.Version = "vllm", p.address+"/v1", version.Version
	f.addModels(list)
	return true
}

// compatible: GET /v1/models and nothing that tells more.
func (p *prober) compatible(ctx context.Context, f *Found) bool {
	var list modelList
	if p.get(ctx, "/v1/models", &list) != http.StatusOK || list.Data == nil {
		return false
	}
	f.Kind, f.BaseURL = "local", p.address+"/v1"
	f.addModels(list)
	return true
}

func (f *Found) addModels(list modelList) {
	for _, m := range *list.Data {
		f.Models = append(f.Models, FoundModel{
			Name: m.ID, Window: max(int64(m.MaxLen), int64(m.Meta.Ctx)), MaxWindow: int64(m.Meta.Train), Loaded: true,
		})
	}
}
