package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type glob struct{}

type globArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path,omitempty"`
	MaxResults int    `json:"max_results,omitempty"`
}

// Spec implements Tool.
func (glob) Spec() Spec {
	return Spec{
		Name: "glob", Aliases: []string{"find_files", "file_search"}, Category: "file",
		Description: "Find files by name, newest first: **/*_test.go, src/**/*.{ts,tsx}. A pattern without a slash matches at any depth.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["pattern"],"properties":{
			"pattern":{"type":"string","minLength":1,"description":"* ? ** [abc] {a,b}, relative to path"},
			"path":{"type":"string","minLength":1,"description":"folder, default the workspace"},
			"max_results":{"type":"integer","minimum":1,"maximum":1000,"description":"default 100"}}}`),
	}
}

// Plan implements Tool.
func (t glob) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a globArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if err := checkGlob(a.Pattern); err != nil {
		return effect.Set{}, err
	}
	p, err := folder(ctx, v, a.Path)
	if err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), fmt.Sprintf("find files %s in %s", quote(a.Pattern), quote(p.Name)), a, effect.Effect{Kind: effect.Walk, Path: &p}), nil
}

// Run implements Tool.
func (glob) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	a := globArgs{}
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	if a.MaxResults == 0 {
		a.MaxResults = 100
	}
	root := *planned.Effects[0].Path
	var files []Found
	left, err := e.Walk(ctx, planned.Effects[0], func(f Found) error {
		if f.Type != effect.Dir && globMatch(a.Pattern, below(root, f.Name)) {
			files = append(files, f)
		}
		return nil
	})
	if err != nil {
		return failed("find files", err)
	}
	sort.SliceStable(files, func(i, j int) bool { return files[i].ModTime > files[j].ModTime })
	var b strings.Builder
	for _, f := range files[:min(len(files), a.MaxResults)] {
		b.WriteString(quote(f.Name) + "\n")
	}
	switch {
	case len(files) == 0:
		b.WriteString("no file matches\n")
	case len(files) > a.MaxResults:
		fmt.Fprintf(&b, "[the newest %d of %d; narrow the pattern, or raise max_results]\n", a.MaxResults, len(files))
	}
	b.WriteString(left.String())
	return Result{Status: OK, Body: b.String(), Untrusted: fromFile}, nil
}
