package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type gitStage struct{}

type gitStageArgs struct {
	Paths []string `json:"paths"`
}

// Spec implements Tool.
func (gitStage) Spec() Spec {
	return Spec{
		Name: "git_stage", Aliases: []string{"git_add"}, Category: "git",
		Description: "Stage files, or deletions of files, for the next commit.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["paths"],"properties":{
			"paths":{"type":"array","minItems":1,"maxItems":500,"description":"files or folders, relative to the workspace","items":{"type":"string","minLength":1}}}}`),
	}
}

// Plan implements Tool.
func (t gitStage) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a gitStageArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	paths, err := gitPaths(ctx, v, a.Paths)
	if err != nil {
		return effect.Set{}, err
	}
	return planGit(ctx, v, t.Spec(), "git add "+names(paths), append([]string{"add", "--"}, paths...)...)
}

// names lists paths in a title.
func names(paths []string) string {
	const most = 3
	var out []string
	for _, p := range paths[:min(len(paths), most)] {
		out = append(out, quote(p))
	}
	if len(paths) > most {
		out = append(out, fmt.Sprintf("and %d more", len(paths)-most))
	}
	return strings.Join(out, " ")
}

// Run implements Tool.
func (gitStage) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	return runGit(ctx, e, planned, func(out string) string {
		if out == "" {
			return "staged\n"
		}
		return out
	})
}
