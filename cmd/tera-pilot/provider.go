package main

import (
	"errors"
	"os"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/fit"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/keystore"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// scripted is the provider that plays a scenario file.
const scripted = "scripted"

// smallWindow is the context, in tokens, below which a model gets the short
// prompt and the few tools.
const smallWindow = fit.SmallWindow

// errNoModel says that nothing was configured that could answer.
var errNoModel = errors.New("no model is configured: set a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY, or the address of a local server in OPENAI_BASE_URL, and name a model with --model; `tera-pilot demo` needs none")

// provider is the model that a session talks to. The zero provider is none.
type provider struct {
	model.Provider
	model  string
	price  func(model.Usage) *int64
	window int64
	output int64 // the longest answer, in tokens; 0 when unknown
	small  bool
	images bool // it takes pictures
}

// mind is the model as a session takes it.
func (p provider) mind() agent.Mind {
	return agent.Mind{Provider: p.Provider, Model: p.model, Price: p.price, Window: p.window, MaxOutput: p.output, Small: p.small, Images: p.images}
}

// another opens a model for a session that runs: a provider by its id, with
// the key and the address that the settings and the environment hold for it.
func (a *app) another(p place, redactor *secret.Redactor, id, name string) (agent.Mind, error) {
	if id == scripted || a.flags.script != "" {
		return agent.Mind{}, errors.New("a script is played to its end by the model that it began with")
	}
	p.settings.Provider, p.settings.Model = id, name
	prov, err := a.provider(p, redactor)
	if err != nil {
		return agent.Mind{}, err
	}
	return prov.mind(), nil
}

// provider chooses the model by flags, settings and environment. A key that it
// resolves is given to the redactor before anything else sees it.
func (a *app) provider(p place, redactor *secret.Redactor) (provider, error) {
	if a.flags.script != "" && p.settings.Provider != "" && p.settings.Provider != scripted {
		return provider{}, usage("--script plays with the provider scripted, not %s", p.settings.Provider)
	}
	if p.settings.Provider == scripted || a.flags.script != "" {
		return a.script(p)
	}
	preset, ok, err := a.preset(p)
	if err != nil || !ok {
		return provider{}, err
	}
	cfg, err := preset.FromEnv(a.getenv)
	if err != nil {
		return provider{}, usage("%w", err)
	}
	mine := p.settings.Providers[preset.ID]
	if cfg.BaseURL == "" {
		cfg.BaseURL = mine.BaseURL
	}
	cfg.AllowRemote = mine.AllowRemote
	if err := a.key(&cfg, p, redactor); err != nil {
		return provider{}, err
	}
	name := p.settings.Model
	if name == "" {
		name = mine.Model
	}
	if name == "" {
		return provider{}, &exitError{exitModel, errors.New("no model is named for " + preset.ID + ": name one with --model, or active_model in config.json; `tera-pilot models list` shows those that are known")}
	}
	if cfg.Catalogue, err = model.Embedded(); err != nil {
		return provider{}, err
	}
	info, _ := cfg.Catalogue.Find(preset.ID, name)
	if mine.Context > 0 {
		info.Context = int64(mine.Context)
	}
	cfg.Profile.NumCtx = info.Context
	client, err := model.Open(cfg)
	if err != nil {
		return provider{}, &exitError{exitModel, err}
	}
	return provider{client, name, pricing(info, preset.Local), info.Context, info.MaxOutput, info.Context > 0 && info.Context < smallWindow, info.Images}, nil
}

// preset is the provider that is meant: the one that is named, else the first
// whose key or address stands in the environment.
func (a *app) preset(p place) (model.Preset, bool, error) {
	if id := p.settings.Provider; id != "" {
		preset, ok := model.PresetByID(id)
		if !ok {
			return preset, false, usage("no provider has the id %q: `tera-pilot models list` shows them", id)
		}
		return preset, true, nil
	}
	if a.getenv("OPENAI_BASE_URL") != "" {
		preset, ok := model.PresetByID("openai-chat")
		return preset, ok, nil
	}
	for _, preset := range model.Presets() {
		if preset.KeyEnv != "" && a.getenv(preset.KeyEnv) != "" {
			return preset, true, nil
		}
	}
	return model.Preset{}, false, nil
}

// key resolves the provider's key: the environment, the key store, and last
// the settings file of the original.
func (a *app) key(cfg *model.Config, p place, redactor *secret.Redactor) error {
	id := cfg.Provider
	preset, _ := model.PresetByID(id)
	text := ""
	if preset.KeyEnv != "" {
		text = a.getenv(preset.KeyEnv)
	}
	if pass := a.getenv(keystore.Passphrase); pass != "" {
		redactor.Add(pass)
	}
	if text == "" {
		var err error
		if text, err = a.keys(p.state).Get(id, a.getenv); err != nil {
			return &exitError{exitModel, err}
		}
	}
	if text == "" {
		text = p.settings.Providers[id].APIKey
	}
	if text == "" {
		return nil
	}
	redactor.Add(text)
	cfg.Key = model.NewKey(text)
	return nil
}

// pricing says what usage costs in millionths of a dollar. A local model costs
// nothing; a price that is not known gives nil, and never 0.
func pricing(info model.Info, local bool) func(model.Usage) *int64 {
	return func(u model.Usage) *int64 {
		if local {
			return new(int64)
		}
		cost, known := info.Cost(&u)
		if !known {
			return nil
		}
		return &cost
	}
}

// script is the provider that plays a file.
func (a *app) script(p place) (provider, error) {
	if a.flags.script == "" {
		return provider{}, usage("the provider scripted needs --script FILE")
	}
	if _, err := os.Stat(a.flags.script); err != nil {
		return provider{}, usage("the script cannot be read: %w", err)
	}
	s, err := scenario.Load(a.flags.script)
	if err != nil {
		return provider{}, usage("%w", err)
	}
	free := func(model.Usage) *int64 { return new(int64) }
	window := int64(p.settings.Providers[scripted].Context)
	return provider{model.NewScripted(s, p.root), "scenario", free, window, 0, window > 0 && window < smallWindow, false}, nil
}
