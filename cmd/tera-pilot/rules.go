package main

import (
	"bytes"
	"io"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/trust"
)

// rules loads the person's own rules from the state folder, and those of the
// project (nil: none). A file that is not there holds none; one with a fault
// refuses, since a rule that cannot be read must not be a rule that is not
// there. What of the project's would loosen something stays pending unless the
// grant lets just these bytes in.
func (a *app) rules(state string, project *trust.Project, grant trust.Grant) (gate.Rules, error) {
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
		data, err := statedir.Read(name, false)
		if err != nil {
			return gate.Rules{}, err
		}
		if data == nil {
			continue
		}
		file, err := f.load(bytes.NewReader(data), name, f.layer)
		if err != nil {
			return gate.Rules{}, err
		}
		files = append(files, file)
	}
	if project != nil {
		own, err := projectRules(project, grant)
		if err != nil {
			return gate.Rules{}, err
		}
		files = append(files, own...)
	}
	return gate.NewRules(files...), nil
}
