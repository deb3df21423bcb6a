package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type gitLog struct{}

type gitLogArgs struct {
	Limit int    `json:"limit,omitempty"`
	Path  string `json:"path,omitempty"`
}

// Spec implements Tool.
func (gitLog) Spec() Spec {
	return Spec{
		Name: "git_log", Category: "git",
		Description: "The latest commits, one a line: hash, date, author, subject.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"limit":{"type":"integer","minimum":1,"maximum":500,"description":"default 20"},
			"path":{"type":"string","minLength":1,"description":"only commits that touch this file or folder"}}}`),
	}
}

// Plan implements Tool.
func (t gitLog) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	a := gitLogArgs{Limit: 20}
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	argv := []string{"log", fmt.Sprintf("--max-count=%d", a.Limit), "--date=short", "--format=%h %ad %an: %s"}
	title := "git log"
	if a.Path != "" {
		paths, err := gitPaths(ctx, v, []string{a.Path})
		if err != nil {
			return effect.Set{}, err
		}
		argv, title = append(argv, "--", paths[0]), title+" of "+quote(paths[0])
	}
	return planGit(ctx, v, t.Spec(), title, argv...)
}

// Run implements Tool.
func (gitLog) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	return runGit(ctx, e, planned, func(out string) string {
		if out == "" {
			return "no commits\n"
		}
		return out
	})
}
