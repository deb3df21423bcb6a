package tool

import (
	"context"
	"encoding/json"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type deleteFile struct{}

// Spec implements Tool.
func (deleteFile) Spec() Spec {
	return Spec{
		Name: "delete_file", Aliases: []string{"delete", "rm", "remove_file"}, Category: "file",
		Description: "Delete one file, link (not what it leads to) or empty folder.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path"],"properties":{
			"path":{"type":"string","minLength":1,"description":"relative to the workspace"}}}`),
	}
}

// Plan implements Tool.
func (t deleteFile) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a pathArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	p, err := itself(ctx, v, a.Path)
	if err != nil {
		return effect.Set{}, err
	}
	what := ""
	if p.Type != effect.Regular {
		what = "the " + p.Type.String() + " "
	}
	return set(t.Spec(), "delete "+what+quote(p.Name), nil, effect.Effect{Kind: effect.Delete, Path: &p}), nil
}

// itself resolves what is to be taken away or moved: a link is the thing
// itself, and a file comes with its content, so that nothing else can take its
// place.
func itself(ctx context.Context, v View, name string) (effect.Path, error) {
	p, err := v.Path(ctx, name)
	if err != nil {
		return p, err
	}
	if p.Type != effect.Special { // a pipe or socket may be deleted
		if err := changeable(p); err != nil {
			return p, err
		}
	} else if p.Outside {
		return p, changeable(p)
	}
	if err := missing(p); err != nil {
		return p, err
	}
	if p.Type != effect.Regular || p.Size > MaxFile {
		return p, nil
	}
	return v.File(ctx, spell(p))
}

// Run implements Tool.
func (deleteFile) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	if planned.Effects[0].Kind != effect.Delete { // the person left some of it
		return checker{}.write(ctx, e, planned, "")
	}
	return act(ctx, e, planned, "deleted "+quote(planned.Effects[0].Path.Name))
}

// act carries out planned effects that have no content to show.
func act(ctx context.Context, e Env, planned effect.Set, done string) (Result, error) {
	posts, err := e.ApplyAll(ctx, planned.Effects)
	if err != nil {
		return undone(planned, err)
	}
	r := Result{Status: OK, Title: done, Body: done + "\n"}
	for i, x := range planned.Effects {
		r.done(x, posts[i])
	}
	return r, nil
}
