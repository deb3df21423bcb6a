package main

import (
	"path/filepath"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// place is where a session works and where its state lies.
type place struct {
	home, state, root string
	start             string // where it was started, beneath the root, with slashes
	settings          config.Settings
}

// place finds the folders and reads the settings. Nothing is created.
func (a *app) place(dir string) (place, error) { return a.placeAt(dir, a.flags.root) }

// placeAt is place with the root named outright; "" for not at all.
func (a *app) placeAt(dir, root string) (place, error) {
	var p place
	var err error
	if p.state, err = a.stateHome(); err != nil {
		return p, err
	}
	if p.home, err = a.userHome(); err != nil {
		return p, err
	}
	if err := statedir.Check(p.state); err != nil {
		return p, usage("%w", err)
	}
	if p.settings, err = a.settings(p.state); err != nil {
		return p, err
	}
	if p.root, err = world.Root(dir, root, p.home, p.state); err != nil {
		return p, usage("%w", err)
	}
	p.start = startIn(dir, p.root)
	return p, nil
}

// startIn names a folder from the root; one that is not beneath it is the root.
func startIn(dir, root string) string {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "."
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "."
	}
	return filepath.ToSlash(rel)
}

// settings merges the file, the environment and the flags.
func (a *app) settings(state string) (config.Settings, error) {
	file, named := filepath.Join(state, "config.json"), false
	if a.flags.config != "" {
		file, named = a.flags.config, true
	}
	s, err := config.Load(file, named, a.getenv)
	if err == nil {
		err = s.SetAutonomy(a.flags.autonomy)
	}
	if err != nil {
		return config.Settings{}, usage("%w", err)
	}
	if a.flags.provider != "" {
		s.Provider = a.flags.provider
	}
	if a.flags.model != "" {
		s.Model = a.flags.model
	}
	return s, nil
}

func levels(s config.Settings) (gate.Level, gate.Setting, error) {
	level, err := gate.ParseLevel(s.Autonomy)
	if err != nil {
		return level, gate.SandboxUnset, err
	}
	setting, err := gate.ParseSetting(s.Sandbox)
	return level, setting, err
}
