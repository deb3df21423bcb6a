package world

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/gitsafe"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// inside is what makes git inside a command safe.
type inside struct {
	env   []string
	binds []ossandbox.Bind
}

// folders are those in the workspace that a command names, be it to cd, to git
// or to a program that starts git: each may lie in a repository of its own.
func (v *env) folders(x *effect.Command) []string {
	place, err := v.Place(x.Dir)
	if err != nil {
		return nil // the command will not start either
	}
	a := commandpolicy.Parse(x.Script, place)
	var out []string
	for _, p := range a.Parts {
		for _, dir := range p.Effects.Reads {
			inside := dir == v.o.Root || strings.HasPrefix(dir, v.o.Root+"/")
			if info, err := os.Stat(dir); inside && err == nil && info.IsDir() && !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// gitInside prepares git for a command: a sanitised configuration and an empty
// folder of hooks over the own ones of each repository that it works in.
func (v *env) gitInside(ctx context.Context, x *effect.Command) (inside, func(), error) {
	none := func() {}
	if v.git == nil {
		return inside{}, none, nil
	}
	g, err := v.git.EnvironmentFor(ctx, x.Dir, v.folders(x)...)
	var refused *gitsafe.RefusedError
	if errors.As(err, &refused) {
		// Git finds no repository in such a command, and says by whom it was
		// refused; everything else of the command runs.
		return inside{env: g.Env}, none, nil
	}
	if err != nil {
		return inside{}, none, err
	}
	if v.copies() {
		return inside{env: g.Env}, none, nil // the copy is the command's own, and nothing of it is taken over
	}
	binds, cleanup, err := overlays(g.Overlays)
	return inside{env: g.Env, binds: binds}, cleanup, err
}
