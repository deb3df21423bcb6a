package tool

import (
	"context"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// gitPaths resolves names for git, which runs in the workspace and takes them
// literally. One that does not exist may be known to git.
func gitPaths(ctx context.Context, v View, names []string) ([]string, error) {
	out := make([]string, 0, len(names))
	for _, name := range names {
		p, err := v.Path(ctx, name)
		if err != nil {
			return nil, err
		}
		if p.Virtual || p.Outside {
			return nil, &ArgumentError{quote(name) + " is outside the workspace"}
		}
		out = append(out, spell(p))
	}
	return out, nil
}

// planGit plans one git call of a tool.
func planGit(ctx context.Context, v View, s Spec, title string, args ...string) (effect.Set, error) {
	x, err := v.Git(ctx, args)
	if err != nil {
		return effect.Set{}, err
	}
	return set(s, title, nil, x), nil
}

// runGit runs the git call of a tool; shape makes the text of a successful
// one, from its output.
func runGit(ctx context.Context, e Env, planned effect.Set, shape func(out string) string) (Result, error) {
	x, err := e.Git(ctx, planned.Effects[0])
	if err != nil {
		return failed("git", err)
	}
	if x.Code == 0 && x.Signal == "" && !x.TimedOut && !x.Cancelled && shape != nil {
		x.Output = []byte(shape(string(x.Output)))
	}
	return ended(x, planned.Effects[0]), nil
}
