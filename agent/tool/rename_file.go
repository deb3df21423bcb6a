package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type renameFile struct{}

type renameArgs struct {
	OldPath string `json:"old_path"`
	NewPath string `json:"new_path"`
}

// Spec implements Tool.
func (renameFile) Spec() Spec {
	return Spec{
		Name: "rename_file", Aliases: []string{"rename", "mv", "move_file"}, Category: "file",
		Description: "Rename or move a file, link or folder. new_path must be free; missing folders are made.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["old_path","new_path"],"properties":{
			"old_path":{"type":"string","minLength":1},
			"new_path":{"type":"string","minLength":1,"description":"the whole new name, not only the folder"}}}`),
	}
}

// Plan implements Tool.
func (t renameFile) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a renameArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	from, err := itself(ctx, v, a.OldPath)
	if err != nil {
		return effect.Set{}, err
	}
	to, err := v.Path(ctx, a.NewPath)
	if err != nil {
		return effect.Set{}, err
	}
	if err := changeable(to); err != nil {
		return effect.Set{}, err
	}
	if to.Exists {
		return effect.Set{}, &ArgumentError{fmt.Sprintf("%s exists already (a %s): nothing is overwritten by a rename", quote(to.Name), to.Type)}
	}
	carried, err := v.Carries(ctx, from, to)
	if err != nil {
		return effect.Set{}, err
	}
	if from.Protected == "" {
		from.Protected = carried
	}
	effects, err := parents(ctx, v, to)
	if err != nil {
		return effect.Set{}, err
	}
	effects = append(effects, effect.Effect{Kind: effect.Rename, Path: &from, To: &to})
	return set(t.Spec(), fmt.Sprintf("rename %s to %s", quote(from.Name), quote(to.Name)), nil, effects...), nil
}

// Run implements Tool. A file that the model knew, it knows by its new name.
func (renameFile) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	last := planned.Effects[len(planned.Effects)-1]
	return act(ctx, e, planned, fmt.Sprintf("renamed %s to %s", quote(last.Path.Name), quote(last.To.Name)))
}
