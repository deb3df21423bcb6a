package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/model/local"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// leastWindow is a context, in tokens, in which no work can be done.
const leastWindow = 2 << 10

// patience is how long a server that was named may take for one question.
const patience = 2 * time.Second

// localProvider opens a model of this machine: with the window that is really
// in force, and with what was found of how it calls tools.
func (a *app) localProvider(ctx context.Context, p place, preset model.Preset, cfg model.Config, info model.Info, chosen local.Choice) (agent.Mind, error) {
	found, there, err := serverAt(ctx, preset, cfg.BaseURL)
	if err != nil {
		return agent.Mind{}, err
	}
	if there && chosen.Provider != "" && found.Kind != chosen.Provider {
		return agent.Mind{}, &exitError{exitModel, fmt.Errorf("at %s you chose %s, and what answers there now is %s: stop it, or choose again with --provider and --model", found.Address, chosen.Provider, kindOf(found))}
	}
	m, known := found.Model(info.Model)
	if there && !known && len(found.Models) > 0 {
		return agent.Mind{}, &exitError{exitModel, fmt.Errorf("%s at %s has no model %s; it has %s", kindOf(found), found.Address, visible.Strict(info.Model), someNames(found))}
	}
	window := local.Window(found, m, info.Context, freeMemory())
	if window < leastWindow {
		return agent.Mind{}, &exitError{exitModel, fmt.Errorf("the window of %s is %d tokens, and the instructions and tools alone take about %d: load the model with a larger one, or take another", visible.Strict(info.Model), window, leastWindow)}
	}
	if known {
		over := found.Info(m)
		over.Provider, over.Model, over.Context = preset.ID, info.Model, window
		cfg.Catalogue = cfg.Catalogue.With(model.Catalogue{Models: []model.Info{over}})
	}
	cfg.Profile.NumCtx = window
	client, err := model.Open(cfg)
	if err != nil {
		return agent.Mind{}, &exitError{exitModel, err}
	}
	if !there {
		found.Address = cfg.BaseURL
	}
	key, tools := local.Key(found, m), local.OpenTools(p.state)
	mode := tools.Get(key)
	if mode == "" && m.Tools != nil && !*m.Tools {
		mode = model.ToolsText // the server says so itself
	}
	probed := model.NewProbed(client, map[string]model.ToolMode{info.Model: mode}, func(_ string, m model.ToolMode) error { return tools.Keep(key, m) })
	return agent.Mind{
		Provider: probed, Model: info.Model, Host: client.Host(), Price: pricing(info, true), Window: window, MaxOutput: info.MaxOutput,
		Small: window < smallWindow, Images: info.Images || m.Images,
	}, nil
}

// serverAt looks at one address of this machine; there is false when nothing
// answers, and for another machine, which is not asked.
func serverAt(ctx context.Context, preset model.Preset, base string) (f model.Found, there bool, err error) {
	if base == "" {
		base = preset.BaseURL
	}
	u, err := url.Parse(base)
	if err != nil {
		return model.Found{Kind: preset.ID}, false, nil // model.Open says what is wrong with it
	}
	found, err := model.Discover(ctx, model.Discovery{Addresses: []string{u.Scheme + "://" + u.Host}, Only: true, Timeout: patience})
	if err != nil || len(found) == 0 {
		return model.Found{Kind: preset.ID}, false, err
	}
	return found[0], true, nil
}

// kindOf names what answers at an address.
func kindOf(f model.Found) string {
	if f.Kind == "" {
		return "no model server that tera-pilot knows"
	}
	return f.Kind
}

// someNames are the first models of a server.
func someNames(f model.Found) string {
	const most = 8
	text := ""
	for i, m := range f.Models {
		if i == most {
			return text + fmt.Sprintf(" and %d more", len(f.Models)-most)
		}
		if i > 0 {
			text += ", "
		}
		text += visible.Strict(m.Name)
	}
	return text
}

// freeMemory and totalMemory are what this machine says of its memory, in
// bytes; 0 where it does not.
func freeMemory() int64  { return local.FreeMemory(meminfo()) }
func totalMemory() int64 { return local.TotalMemory(meminfo()) }

func meminfo() string {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return "" // other systems do not say
	}
	return string(b)
}
