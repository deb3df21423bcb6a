package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

func (a *app) modelsRefreshCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "refresh [PROVIDER]",
		Short: "Ask a provider once for its models, and keep what it says; recorded in the log",
		Long: "Asks the provider in use, or PROVIDER, for its list of models: one request, with its key, at its address; nothing else of yours is sent.\n" +
			"What it says of windows and prices is kept in models_refreshed.json of the state folder, with the day. Nothing is ever asked by itself.",
		Example: "  tera-pilot models refresh openrouter",
		Args:    modelsArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return a.refreshModels(c.Context(), id)
		},
	}
}

func (a *app) refreshModels(ctx context.Context, id string) error {
	p, err := a.place(".")
	if err != nil {
		return err
	}
	if id != "" {
		p.settings.Provider = id
	}
	preset, chosen, err := a.meant(p)
	switch {
	case err != nil:
		return err
	case preset.ID == "":
		return usage("no provider is configured: name one, `tera-pilot models list` shows them")
	case preset.Local:
		return usage("%s runs on this machine and is asked at each start: see `tera-pilot models probe`", preset.ID)
	}
	p.settings.Model = "-" // the list is asked for no model
	cfg, _, err := a.configure(p, preset, chosen, secret.New())
	if err != nil {
		return err
	}
	client, err := model.Open(cfg)
	if err != nil {
		return &exitError{exitModel, err}
	}
	if err := statedir.Ensure(p.state); err != nil {
		return usage("%w", err)
	}
	where := client.ListURL()
	if u, err := url.Parse(where); err == nil {
		where = u.Host
	}
	fmt.Fprintf(a.stderr, "asking %s for its models\n", where)
	e := audit.Event{Kind: audit.KindProxy, Category: audit.CategoryWeb, Title: "models of " + preset.ID + " asked for by a person", Data: map[string]any{"door": "models", "what": "refresh", "provider": preset.ID, "host": where}}
	return a.recorded(ctx, p.state, e, func() error { return a.keepModels(ctx, p, preset, client, where) })
}

func (a *app) keepModels(ctx context.Context, p place, preset model.Preset, client *model.Client, where string) error {
	day := time.Now().UTC().Format(time.DateOnly)
	list, err := client.List(ctx, day)
	if err != nil {
		return &exitError{exitModel, err}
	}
	err = statedir.Update(filepath.Join(p.state, refreshedModels), func(old []byte) ([]byte, error) {
		c := model.Catalogue{Date: day, Source: "what the providers said when they were asked"}
		if len(old) > 0 {
			if c, err = model.ParseCatalogue(old); err != nil {
				return nil, err
			}
		}
		c.Date = day
		c.Models = append(slices.DeleteFunc(c.Models, func(i model.Info) bool { return i.Provider == preset.ID }), list...)
		return json.MarshalIndent(c, "", " ")
	})
	if err != nil {
		return fmt.Errorf("the list is not kept: %w", err)
	}
	priced := 0
	for _, i := range list {
		if i.Prices != nil {
			priced++
		}
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %d models, %d with prices, kept in %s\n", preset.ID, len(list), priced, refreshedModels)
	return err
}
