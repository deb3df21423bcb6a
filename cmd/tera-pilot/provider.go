package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/fit"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/model/local"
	"github.com/tera-pilot/tera-pilot/internal/keystore"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// scripted is the provider that plays a scenario file.
const scripted = "scripted"

// smallWindow is the context, in tokens, below which a model gets the short
// prompt and the few tools.
const smallWindow = fit.SmallWindow

// errNoModel says that nothing was configured that could answer.
var errNoModel = errors.New("no model is configured: set a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY, or the address of a local server in OPENAI_BASE_URL, and name a model with --model; `tera-pilot demo` needs none, and `tera-pilot models probe` looks for servers on this machine")

// another opens a model for a session that runs: a provider by its id, with
// the key and the address that the settings and the environment hold for it.
func (a *app) another(ctx context.Context, p place, redactor *secret.Redactor, id, name string) (agent.Mind, error) {
	if id == scripted || a.flags.script != "" {
		return agent.Mind{}, errors.New("a script is played to its end by the model that it began with")
	}
	p.settings.Provider, p.settings.Model = id, name
	return a.mind(ctx, p, redactor)
}

// mind chooses the model by flags, settings and environment, and last by what
// the person chose on the start screen; the zero Mind is none. A key that it
// resolves is given to the redactor before anything else sees it.
func (a *app) mind(ctx context.Context, p place, redactor *secret.Redactor) (agent.Mind, error) {
	if a.flags.script != "" && p.settings.Provider != "" && p.settings.Provider != scripted {
		return agent.Mind{}, usage("--script plays with the provider scripted, not %s", p.settings.Provider)
	}
	if p.settings.Provider == scripted || a.flags.script != "" {
		return a.script(p)
	}
	preset, chosen, err := a.meant(p)
	if err != nil || preset.ID == "" {
		return agent.Mind{}, err
	}
	cfg, name, err := a.configure(p, preset, chosen, redactor)
	if err != nil {
		return agent.Mind{}, err
	}
	info, _ := cfg.Catalogue.Find(preset.ID, name)
	if set := p.settings.Providers[preset.ID].Context; set > 0 {
		info.Context = int64(set)
	}
	if preset.Local {
		return a.localProvider(ctx, p, preset, cfg, info, chosen)
	}
	cfg.Profile.NumCtx = info.Context
	client, err := model.Open(cfg)
	if err != nil {
		return agent.Mind{}, &exitError{exitModel, err}
	}
	return agent.Mind{
		Provider: client, Model: name, Host: client.Host(), Price: pricing(info, false), Window: info.Context, MaxOutput: info.MaxOutput,
		Small: info.Context > 0 && info.Context < smallWindow, Images: info.Images,
	}, nil
}

// configure is the endpoint of a provider and the name of its model.
func (a *app) configure(p place, preset model.Preset, chosen local.Choice, redactor *secret.Redactor) (model.Config, string, error) {
	cfg, err := preset.FromEnv(a.getenv)
	if err != nil {
		return cfg, "", usage("%w", err)
	}
	mine := p.settings.Providers[preset.ID]
	cfg.BaseURL = cmp.Or(cfg.BaseURL, mine.BaseURL, chosen.Address)
	cfg.AllowRemote = mine.AllowRemote && cfg.BaseURL == mine.BaseURL // this very address, and no other
	if err := a.key(&cfg, p, redactor); err != nil {
		return cfg, "", err
	}
	name := cmp.Or(p.settings.Model, mine.Model, chosen.Model)
	if name == "" {
		return cfg, "", &exitError{exitModel, &unnamedError{preset}}
	}
	cfg.Catalogue, err = catalogue(p.state)
	return cfg, name, err
}

// Files of what is known of models, beside the built-in list: what the
// providers said when they were asked, and the person's own word, which counts
// more.
const (
	refreshedModels = "models_refreshed.json"
	ownModels       = "models.json"
)

// catalogue is what is known of models. A state folder of "" has no files.
func catalogue(state string) (model.Catalogue, error) {
	c, err := model.Embedded()
	if err != nil || state == "" {
		return c, err
	}
	for _, name := range []string{refreshedModels, ownModels} {
		file := filepath.Join(state, name)
		data, err := statedir.Read(file, false)
		if err != nil {
			return c, usage("%w", err)
		}
		if len(data) == 0 {
			continue
		}
		more, err := model.ParseCatalogue(data)
		if err != nil {
			return c, usage("%s: %w", file, err)
		}
		c = c.Knowing(more)
	}
	return c, nil
}

// meant is the provider that is meant: the one that is named, else the one that
// the person chose on the start screen, else the first whose key stands in the
// environment. The preset has no ID when there is none.
func (a *app) meant(p place) (model.Preset, local.Choice, error) {
	chosen, err := local.Chosen(p.state)
	if err != nil {
		return model.Preset{}, chosen, usage("%w", err)
	}
	id := p.settings.Provider
	if id == "" && a.getenv("OPENAI_BASE_URL") != "" {
		id = "openai-chat"
	}
	if id != "" {
		preset, ok := model.PresetByID(id)
		if !ok {
			return preset, chosen, usage("no provider has the id %q: `tera-pilot models list` shows them", id)
		}
		if chosen.Provider != id {
			chosen = local.Choice{}
		}
		chosen.Provider = "" // named by the person: whatever stands at its address is meant
		return preset, chosen, nil
	}
	if preset, ok := model.PresetByID(chosen.Provider); ok {
		return preset, chosen, nil
	}
	for _, preset := range model.Presets() {
		if preset.KeyEnv != "" && a.getenv(preset.KeyEnv) != "" {
			return preset, local.Choice{}, nil
		}
	}
	return model.Preset{}, local.Choice{}, nil
}

// An unnamedError says that a provider is there, and no model of it is named.
type unnamedError struct{ preset model.Preset }

func (e *unnamedError) Error() string {
	return "no model is named for " + e.preset.ID + ": name one with --model, or active_model in config.json; `tera-pilot models list` shows those that are known, `tera-pilot models probe` those of this machine"
}

// choiceOf is the person's choice where it is of this provider.
func (a *app) choiceOf(p place, id string) local.Choice {
	c, err := local.Chosen(p.state)
	if err != nil || c.Provider != id {
		return local.Choice{}
	}
	return c
}

// hasKey says that a key of the provider can be found.
func (a *app) hasKey(p place, preset model.Preset) bool {
	cfg := model.Config{Provider: preset.ID}
	return a.key(&cfg, p, secret.New()) == nil && !cfg.Key.IsZero()
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
func (a *app) script(p place) (agent.Mind, error) {
	if a.flags.script == "" {
		return agent.Mind{}, usage("the provider scripted needs --script FILE")
	}
	if _, err := os.Stat(a.flags.script); err != nil {
		return agent.Mind{}, usage("the script cannot be read: %w", err)
	}
	s, err := scenario.Load(a.flags.script)
	if err != nil {
		return agent.Mind{}, usage("%w", err)
	}
	free := func(model.Usage) *int64 { return new(int64) }
	window := int64(p.settings.Providers[scripted].Context)
	return agent.Mind{
		Provider: model.NewScripted(s, p.root), Model: "scenario", Price: free, Window: window,
		Small: window > 0 && window < smallWindow,
	}, nil
}
