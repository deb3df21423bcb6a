package world

import (
	"context"
	"errors"
	"slices"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// ApplyAll is tool.Env's: a row of effects, all of them or none. Taking back is
// held to the states that the row itself left: what somebody else changed
// meanwhile stays as he left it, and is named.
func (v FileEnv) ApplyAll(ctx context.Context, row []effect.Effect) ([]effect.Path, error) {
	var posts []effect.Path
	for _, e := range row {
		post, err := v.Apply(ctx, e)
		if err == nil {
			posts = append(posts, post)
			continue
		}
		// What is begun is taken back also in a turn that was stopped.
		if left := v.takeBack(context.WithoutCancel(ctx), row[:len(posts)], posts); len(left) > 0 {
			return nil, &tool.PartialError{Err: err, Left: left}
		}
		return nil, err
	}
	return posts, nil
}

// takeBack undoes a row from its end, and says what of it stays.
func (v FileEnv) takeBack(ctx context.Context, row []effect.Effect, posts []effect.Path) []tool.Remains {
	var left []tool.Remains
	now := map[string]effect.Path{} // places that taking back has written anew
	for i, e := range slices.Backward(row) {
		post := posts[i]
		if p, ok := now[post.Abs]; ok {
			post = p
		}
		back, err := inverse(e, post)
		if err == nil {
			var p effect.Path
			p, err = v.act(ctx, back)
			now[p.Abs] = p
		}
		if err != nil {
			left = append(left, tool.Remains{Effect: e, Post: posts[i], Why: err})
		}
	}
	return left
}

// inverse is the effect that takes e back, given the state that e left.
func inverse(e effect.Effect, post effect.Path) (effect.Effect, error) {
	before, was := e.Path.Before, *e.Path
	known := was.Type == effect.Regular && was.SHA256 == roots.Hash(before)
	old := &effect.Bytes{Data: before, SHA256: was.SHA256, Size: int64(len(before))}
	gone := effect.Path{Name: was.Name, Abs: was.Abs}
	switch {
	case e.Kind == effect.Create, e.Kind == effect.Mkdir:
		return effect.Effect{Kind: effect.Delete, Path: &post}, nil
	case (e.Kind == effect.Write || e.Kind == effect.Memory) && known:
		return effect.Effect{Kind: effect.Write, Path: &post, After: old, Mode: was.Mode}, nil
	case e.Kind == effect.Delete && known:
		return effect.Effect{Kind: effect.Create, Path: &gone, After: old, Mode: was.Mode}, nil
	case e.Kind == effect.Delete && was.Type == effect.Dir:
		return effect.Effect{Kind: effect.Mkdir, Path: &gone, Mode: was.Mode}, nil
	case e.Kind == effect.Rename:
		return effect.Effect{Kind: effect.Rename, Path: &post, To: &gone}, nil
	case e.Kind == effect.Chmod:
		return effect.Effect{Kind: effect.Chmod, Path: &post, Mode: was.Mode}, nil
	}
	return effect.Effect{}, errors.New("its former content is not known")
}
