package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/doctor"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/session"
	ed "github.com/tera-pilot/tera-pilot/internal/editor"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	front "github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// A desk answers what the terminal asks besides the session. The terminal
// calls it from goroutines of its own.
type desk struct {
	a     *app
	ctx   context.Context
	place place
	use   agent.Mind
	store *session.Store
}

// desk is what the terminal of a session may ask.
func (a *app) desk(ctx context.Context, p *opening) front.Desk {
	d := desk{a, ctx, p.o.place, p.o.mind, p.o.sessions}
	return front.Desk{
		Sessions: d.sessions, Search: d.search, Rename: d.rename, Archive: d.archive, Fork: true, Delete: witnessedStore{d.store, a, ctx}.Delete,
		Models: d.models, Files: d.files, Checks: d.checks, Said: d.said, Edit: d.edit, Rules: p.rules,
		Branch: p.branch(ctx),
		WhatIf: func(rule string) (string, error) { return tryRule(ctx, p.o.state, rule) },
	}
}

func (d desk) sessions() ([]snap.SessionRow, error) {
	all, err := d.store.List()
	if err != nil {
		return nil, err
	}
	var out []snap.SessionRow
	gone := map[string]bool{}
	for _, s := range all {
		if _, looked := gone[s.Root]; !looked {
			info, err := os.Stat(s.Root)
			gone[s.Root] = s.Root != "" && (err != nil || !info.IsDir())
		}
		if s.Turns == 0 && s.Problem == "" || s.Aside() {
			continue // nothing was said in it, or nobody talks in it
		}
		out = append(out, snap.SessionRow{ID: s.ID, Title: s.Title, Root: s.Root, Updated: s.Updated, Turns: s.Turns, Files: s.Files,
			Parent: s.Forked, Turn: s.Turn, Archived: s.Archive, Gone: gone[s.Root], Problem: s.Problem})
	}
	return out, nil
}

// searchTime is how long a search in the sessions may take.
const searchTime = 5 * time.Second

// search finds a text in what was said and done in sessions, those used last
// first, for as long as it may take.
func (d desk) search(text string) ([]snap.SessionHit, error) {
	all, err := d.store.List()
	if err != nil {
		return nil, err
	}
	var out []snap.SessionHit
	end := time.Now().Add(searchTime)
	for n, s := range all {
		switch {
		case d.ctx.Err() != nil:
			return out, d.ctx.Err()
		case time.Now().After(end):
			return out, fmt.Errorf("only the last %d of %d sessions were looked into: `tera-pilot sessions list --find TEXT` takes its time", n, len(all))
		case s.Turns == 0 || s.Aside():
			continue
		}
		hits, err := d.store.Search(s.ID, text)
		if err != nil || len(hits) == 0 {
			continue // what cannot be read says so in the list
		}
		out = append(out, snap.SessionHit{ID: s.ID, Turn: hits[0].Turn, Who: hits[0].Who, Line: hits[0].Line, More: len(hits) - 1})
	}
	return out, nil
}

// rename names a session that nobody has open.
func (d desk) rename(id, title string) error {
	return d.store.Note(id, time.Now(), event.Renamed{Title: title})
}

func (d desk) archive(id string, archived bool) error {
	return d.store.Note(id, time.Now(), event.Archived{Archived: archived})
}

// models are those that the session can change to: of the provider in use, of
// servers on this machine, and of providers whose key is there.
func (d desk) models() ([]snap.ModelRow, error) {
	if d.use.Provider == nil {
		return nil, errors.New("this session has no model")
	}
	out := []snap.ModelRow{{Provider: d.use.Provider.ID(), Name: d.use.Model, Facts: "of the start"}}
	known, err := catalogue(d.place.state)
	if err != nil {
		return nil, err
	}
	ready := map[string]bool{d.use.Provider.ID(): true}
	for _, p := range model.Presets() {
		ready[p.ID] = ready[p.ID] || p.NeedsKey && d.a.hasKey(d.place, p)
	}
	out = append(out, d.configured(ready)...)
	for _, i := range known.Models {
		if i.Provider == d.use.Provider.ID() && i.Model == d.use.Model {
			continue
		}
		row := snap.ModelRow{Provider: i.Provider, Name: i.Model, Facts: windowText(i.Context) + "  " + priceText(i.Prices)}
		if !ready[i.Provider] {
			row.Note = "needs a key: tera-pilot keys set " + i.Provider + " --from stdin"
		}
		out = append(out, row)
	}
	ctx, cancel := context.WithTimeout(d.ctx, 2*time.Second)
	defer cancel()
	found, err := model.Discover(ctx, d.a.lookAround(d.place))
	for _, server := range found {
		for _, m := range server.Models {
			out = append(out, d.here(server, m))
		}
	}
	// What can be taken now comes first.
	slices.SortStableFunc(out, func(a, b snap.ModelRow) int { return min(1, len(a.Note)) - min(1, len(b.Note)) })
	return out, err
}

// configured are the models that the settings name for other providers: what no
// list knows.
func (d desk) configured(ready map[string]bool) (out []snap.ModelRow) {
	for _, id := range slices.Sorted(maps.Keys(d.place.settings.Providers)) {
		mine := d.place.settings.Providers[id]
		preset, ok := model.PresetByID(id)
		if !ok || mine.Model == "" || id == d.use.Provider.ID() && mine.Model == d.use.Model {
			continue
		}
		row := snap.ModelRow{Provider: id, Name: mine.Model, Facts: "of config.json"}
		if preset.NeedsKey && !ready[id] {
			row.Note = "needs a key: tera-pilot keys set " + id + " --from stdin"
		}
		out = append(out, row)
	}
	return out
}

// here is a model of this machine as a row. It can be taken where its server
// stands at the address that its provider has.
func (d desk) here(server model.Found, m model.FoundModel) snap.ModelRow {
	row := snap.ModelRow{Provider: server.Kind, Name: m.Name, Facts: describeFound(m)}
	preset, ok := model.PresetByID(server.Kind)
	p := d.place
	p.settings.Provider, p.settings.Model = server.Kind, m.Name
	cfg, _, err := d.a.configure(p, preset, d.a.choiceOf(p, server.Kind), secret.New())
	if !ok || err != nil || cmp.Or(cfg.BaseURL, preset.BaseURL) != server.BaseURL {
		row.Note = "at " + server.Address + ": name it as base_url of " + server.Kind + " in config.json"
	}
	return row
}

// maxFiles is how many names are offered for completion.
const maxFiles = 100_000

// files are the names of the workspace, without what is hidden, and what others
// wrote. The upper folders come first, so that of too many names it is the
// deepest that are left out, and not those that an alphabet puts last.
func (d desk) files() ([]string, error) { return d.upTo(maxFiles) }

func (d desk) upTo(most int) ([]string, error) {
	root, err := os.OpenRoot(d.place.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []string
	for level := []string{"."}; len(level) > 0; {
		var below []string
		for _, dir := range level {
			if err := d.ctx.Err(); err != nil {
				return nil, err
			}
			entries, err := fs.ReadDir(root.FS(), dir)
			if err != nil {
				continue // a folder that cannot be read offers nothing
			}
			for _, e := range entries {
				switch name := path.Join(dir, e.Name()); {
				case e.Name()[0] == '.' || e.Name() == "node_modules" || e.Name() == "vendor":
				case e.IsDir():
					below = append(below, name)
				case !e.Type().IsRegular():
				case len(out) == most:
					return out, nil
				default:
					out = append(out, name)
				}
			}
		}
		level = below
	}
	return out, nil
}

func (d desk) checks() ([]snap.CheckRow, error) {
	where, err := d.a.patient(d.ctx, d.place.root)
	if err != nil {
		return nil, err
	}
	report := doctor.Look(d.ctx, where, time.Now())
	out := make([]snap.CheckRow, len(report.Checks))
	for i, c := range report.Checks {
		out[i] = snap.CheckRow{Name: c.Name, Status: c.Status.String(), Detail: c.Detail, Hint: c.Hint}
	}
	// It cannot be asked while it shows screens.
	return append(out, snap.CheckRow{Name: "terminal", Status: "ok", Detail: "shows this; its own test: tera-pilot doctor --terminal"}), nil
}

// Bounds of what is looked through for earlier messages.
const (
	maxPast = 8   // sessions of the folder, the last used ones
	maxSaid = 200 // messages
)

// said are the messages of earlier sessions in this folder, oldest first. They
// stand in the sessions alone: who deletes a session deletes them.
func (d desk) said() ([]string, error) {
	all, err := d.store.List()
	if err != nil {
		return nil, err
	}
	var out []string
	looked := 0
	for _, s := range all {
		if s.Root != d.place.root || s.Problem != "" || looked == maxPast {
			continue
		}
		looked++
		here, err := d.store.Said(s.ID)
		if err != nil {
			continue // the list of sessions says so
		}
		out = append(here, out...)
	}
	return out[max(0, len(out)-maxSaid):], nil
}

func (d desk) edit(name, text string) (front.Editing, error) {
	s, err := ed.Open(d.a.env, name, text, d.a.stdin)
	if err != nil {
		return nil, fmt.Errorf("editor: %w", err)
	}
	return s, nil
}
