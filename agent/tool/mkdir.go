package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type mkdir struct{}

// Spec implements Tool.
func (mkdir) Spec() Spec {
	return Spec{
		Name: "mkdir", Aliases: []string{"make_dir", "create_directory"}, Category: "file",
		Description: "Make a folder, with the folders above it. write_file makes the folders that it needs by itself.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path"],"properties":{
			"path":{"type":"string","minLength":1,"description":"relative to the workspace"}}}`),
	}
}

// Plan implements Tool.
func (t mkdir) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a pathArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	p, err := own(ctx, v, a.Path)
	if err != nil {
		return effect.Set{}, err
	}
	if p.Exists {
		return effect.Set{}, &ArgumentError{fmt.Sprintf("%s exists already (a %s)", quote(p.Name), p.Type)}
	}
	effects, err := parents(ctx, v, p)
	if err != nil {
		return effect.Set{}, err
	}
	effects = append(effects, effect.Effect{Kind: effect.Mkdir, Path: &p, Mode: folderMode})
	return set(t.Spec(), "make the folder "+quote(p.Name), nil, effects...), nil
}

// Run implements Tool.
func (mkdir) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	return act(ctx, e, planned, "made the folder "+quote(planned.Effects[len(planned.Effects)-1].Path.Name))
}
