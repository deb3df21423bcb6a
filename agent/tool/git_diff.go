package tool

import (
	"context"
	"encoding/json"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type gitDiff struct{}

type gitDiffArgs struct {
	Staged bool   `json:"staged,omitempty"`
	Path   string `json:"path,omitempty"`
}

// Spec implements Tool.
func (gitDiff) Spec() Spec {
	return Spec{
		Name: "git_diff", Category: "git",
		Description: "The changes that are not staged, or the staged ones, as a unified diff. Untracked files are in git_status.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"staged":{"type":"boolean","description":"the staged changes instead"},
			"path":{"type":"string","minLength":1,"description":"only this file or folder"}}}`),
	}
}

// Plan implements Tool.
func (t gitDiff) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a gitDiffArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	argv, title := []string{"diff"}, "git diff"
	if a.Staged {
		argv, title = append(argv, "--cached"), "git diff of what is staged"
	}
	if a.Path != "" {
		paths, err := gitPaths(ctx, v, []string{a.Path})
		if err != nil {
			return effect.Set{}, err
		}
		argv, title = append(argv, "--", paths[0]), title+", "+quote(paths[0])
	}
	return planGit(ctx, v, t.Spec(), title, argv...)
}

// Run implements Tool.
func (gitDiff) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	return runGit(ctx, e, planned, func(out string) string {
		if out == "" {
			return "no changes\n"
		}
		return out
	})
}
