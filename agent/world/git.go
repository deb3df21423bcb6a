package world

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/gitsafe"
)

// Git implements tool.View.
func (v *view) Git(ctx context.Context, args []string) (effect.Effect, error) {
	return v.gitIn(ctx, v.o.Root, args)
}

func (v *view) gitIn(ctx context.Context, dir string, args []string) (effect.Effect, error) {
	call, plan, err := v.planGit(ctx, dir, args)
	if err != nil {
		return effect.Effect{}, err
	}
	e, err := v.gitEffect(ctx, dir, call, plan, args)
	if err == nil {
		v.plans.keep(e.Digest(), plan)
	}
	return e, err
}

// gitPlans are the last plans, by the effects that they were told as. The plan
// of the recheck is the one that runs: gitsafe makes it anew right before that,
// and compares.
type gitPlans struct {
	mu   sync.Mutex
	last []keptPlan
}

type keptPlan struct {
	of   effect.Digest
	plan gitsafe.Plan
}

// maxKeptPlans is as many as calls that are planned side by side.
const maxKeptPlans = 16

func (g *gitPlans) keep(of effect.Digest, p gitsafe.Plan) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = slices.DeleteFunc(g.last, func(k keptPlan) bool { return k.of == of })
	if g.last = append(g.last, keptPlan{of, p}); len(g.last) > maxKeptPlans {
		g.last = g.last[1:]
	}
}

// take returns a plan once.
func (g *gitPlans) take(of effect.Digest) (gitsafe.Plan, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, k := range g.last {
		if k.of == of {
			g.last = slices.Delete(g.last, i, i+1)
			return k.plan, true
		}
	}
	return gitsafe.Plan{}, false
}

func (w *World) planGit(ctx context.Context, dir string, args []string) (gitsafe.Call, gitsafe.Plan, error) {
	if w.git == nil {
		return gitsafe.Call{}, gitsafe.Plan{}, w.gitErr
	}
	call, err := gitsafe.Check(args)
	if err != nil {
		return gitsafe.Call{}, gitsafe.Plan{}, refusedGit(err)
	}
	plan, err := w.git.Plan(ctx, dir, call)
	return call, plan, refusedGit(err)
}

// refusedGit says of an error whether gitsafe refused the call.
func refusedGit(err error) error {
	if _, ok := errors.AsType[*gitsafe.RefusedError](err); ok {
		return &tool.RefusedError{Err: err}
	}
	return err
}

// gitEffect says a gitsafe plan in the vocabulary of effects.
func (v *view) gitEffect(ctx context.Context, dir string, call gitsafe.Call, plan gitsafe.Plan, args []string) (effect.Effect, error) {
	g := &effect.GitCall{Args: args, Dir: dir, Class: gitClass(plan.Class), Notes: plan.Notes}
	for _, r := range plan.Remotes {
		g.Remotes = append(g.Remotes, r.URL)
	}
	for _, abs := range plan.Reads {
		if p, ok := v.notable(ctx, plan.Repo.Top, abs); ok {
			g.Reads = append(g.Reads, p)
		}
	}
	for _, object := range plan.Opaque {
		// What an object holds cannot be told by its name: it may be a secret.
		g.Reads = append(g.Reads, effect.Path{Name: "the object " + object, Abs: object, Secret: true, Exists: true, Type: effect.Regular})
	}
	for _, abs := range plan.Writes {
		if plan.Repo.GitDir != "" && beneath(plan.Repo.GitDir, abs) || plan.Repo.CommonDir != "" && beneath(plan.Repo.CommonDir, abs) {
			continue // what git itself must write, see gitsafe
		}
		p, err := v.Path(ctx, abs)
		if err != nil {
			return effect.Effect{}, err
		}
		g.Writes = append(g.Writes, p)
	}
	for _, l := range plan.Loses {
		g.Loses = append(g.Loses, lossText(l))
	}
	if v.gitBox() == nil {
		g.Notes = append(g.Notes, "git runs hardened, and without the sandbox")
	}
	return effect.Effect{Kind: effect.Git, Git: g}, nil
}

// notable resolves what a git call reads when the person must hear of it: a
// secret-like name, or a place outside. REV:PATH names a path of the
// repository.
func (v *view) notable(ctx context.Context, top, name string) (effect.Path, bool) {
	if _, path, ok := strings.Cut(name, ":"); ok && !filepath.IsAbs(name) {
		name = filepath.Join(top, path)
	}
	p, err := v.Path(ctx, name)
	if err != nil {
		return effect.Path{Name: name, Abs: name, Outside: true}, true
	}
	return p, p.Secret || p.Outside || p.Protected != ""
}

func gitClass(c gitsafe.Class) effect.GitClass {
	switch c {
	case gitsafe.Read:
		return effect.GitReads
	case gitsafe.Write:
		return effect.GitWrites
	case gitsafe.Net:
		return effect.GitNetwork
	default:
		return effect.GitUnknown
	}
}

func lossText(l gitsafe.Loss) string {
	text := l.Kind + " " + l.Name
	switch {
	case l.Added > 0 || l.Removed > 0:
		text += fmt.Sprintf("  +%d -%d lines", l.Added, l.Removed)
	case l.Bytes > 0:
		text += fmt.Sprintf("  %d bytes", l.Bytes)
	}
	if l.Detail != "" {
		text += "  " + l.Detail
	}
	if l.Saved {
		text += "  (saved first)"
	}
	return text
}

func beneath(dir, abs string) bool {
	return abs == dir || strings.HasPrefix(abs, dir+string(filepath.Separator))
}

// Git implements tool.Env.
func (v *env) Git(ctx context.Context, e effect.Effect) (tool.Exit, error) {
	if err := v.covers(e, effect.Git); err != nil {
		return tool.Exit{}, err
	}
	plan, ok := v.plans.take(e.Digest())
	if !ok {
		return tool.Exit{}, &tool.ChangedError{What: "the repository"}
	}
	res, err := v.git.Run(ctx, plan, gitsafe.Streams{})
	if err != nil {
		return tool.Exit{}, err
	}
	x := tool.Exit{Code: res.Code, TimedOut: res.TimedOut, Cancelled: ctx.Err() != nil}
	x.Output = append(append(x.Output, res.Stdout...), res.Stderr...)
	if res.Truncated {
		x.Hints = append(x.Hints, "the output was cut at its limit")
	}
	for _, note := range res.Notes {
		if found, ok := strings.CutPrefix(note, foundAfter); ok {
			x.Findings = append(x.Findings, found)
		} else {
			x.Hints = append(x.Hints, note)
		}
	}
	if res.Snapshot != nil {
		x.Snapshot = res.Snapshot.Recover
	}
	return x, nil
}
