package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// rules loads the person's own rules from the state folder. A file that is not
// there holds none; one with a fault refuses, since a rule that cannot be read
// must not be a rule that is not there. No file of a project is loaded yet.
func (a *app) rules(state string) (gate.Rules, error) {
	var files []*commandpolicy.File
	for _, f := range []struct {
		name  string
		layer commandpolicy.Layer
		load  func(io.Reader, string, commandpolicy.Layer) (*commandpolicy.File, error)
	}{
		{"policy.toml", commandpolicy.LayerUser, commandpolicy.Load},
		{"commands.json", commandpolicy.LayerUser, commandpolicy.LoadCommandsJSON},
		{"remembered.toml", commandpolicy.LayerRemembered, commandpolicy.Load},
	} {
		name := filepath.Join(state, f.name)
		if err := statedir.CheckFile(name, false); err != nil {
			return gate.Rules{}, err
		}
		r, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return gate.Rules{}, err
		}
		file, err := f.load(r, name, f.layer)
		if err = errors.Join(err, r.Close()); err != nil {
			return gate.Rules{}, err
		}
		files = append(files, file)
	}
	return gate.NewRules(files...), nil
}
