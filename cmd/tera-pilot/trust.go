package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/guide"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/trust"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// projectListers are the listers of everything that a session may load from a
// repository. A room that loads something more adds its own here, and loads
// through the grant of the session (opened.grant).
// start is where the session begins, beneath the root: its notes are the nearest.
func projectListers(start string) []trust.Lister {
	return []trust.Lister{rulebook.Items, mcpItems, hookItems, guide.NoteItems(start), guide.CommandItems, guide.SkillItems}
}

// standing compares what the project holds with what the person let in. With
// --ignore-project-config nothing of the project is looked at.
func (a *app) standing(state, root, start string) (*trust.Project, trust.Standing, error) {
	if a.flags.ignoreProjectConfig {
		return nil, trust.Standing{}, nil
	}
	p, err := trust.Open(root)
	if err != nil {
		return nil, trust.Standing{}, err
	}
	s, err := trust.NewStore(state).Look(p, projectListers(start)...)
	if err != nil {
		return nil, trust.Standing{}, errors.Join(usage("%w\nmend the file, or start with --ignore-project-config, which loads none of the project's", err), p.Close())
	}
	return p, s, nil
}

// A review shows the person what a project holds and returns his word.
type review func(trust.Standing) (trust.Choice, error)

// letIn finds out what of the project's configuration may be loaded: what the
// person let in before, or says now. Where nobody can be asked, a project that
// would run, connect or loosen something is refused, and what is only text is
// left out.
func (a *app) letIn(ctx context.Context, p place, ask review) (*trust.Project, trust.Grant, error) {
	project, s, err := a.standing(p.state, p.root, p.start)
	if err != nil || project == nil || !s.Asks() {
		return project, s.Grant, err
	}
	if ask == nil {
		if len(s.Blocks()) > 0 {
			return nil, trust.Grant{}, errors.Join(untrusted(s), project.Close())
		}
		return project, s.Grant, nil
	}
	choice, err := ask(s)
	if err == nil {
		s.Grant, err = a.decideTrust(ctx, p.state, project, s, choice)
	}
	if err != nil {
		return nil, trust.Grant{}, errors.Join(err, project.Close())
	}
	return project, s.Grant, nil
}

// decideTrust keeps the person's word on a project, and states it in the log
// before it counts. A no of somebody who never said yes changes nothing, and is
// not kept: the next session asks again.
func (a *app) decideTrust(ctx context.Context, state string, p *trust.Project, s trust.Standing, c trust.Choice) (g trust.Grant, err error) {
	answer := map[trust.Choice]string{trust.All: "trusted", trust.WithoutExecutable: "trusted without executables", trust.No: "refused"}[c]
	err = a.recorded(ctx, state, audit.TrustDecision(s.Root, s.Digest(), answer, audit.ByCLI), func() error {
		g, err = trust.NewStore(state).Record(s, p, c, time.Now())
		return err
	})
	return g, err
}

// untrusted is the refusal where nobody can be asked about a folder.
func untrusted(s trust.Standing) error {
	var b strings.Builder
	fmt.Fprintf(&b, "the folder %s is not trusted: it holds settings that would run, connect or loosen rules:", visible.Strict(s.Root))
	for _, i := range s.Blocks() {
		fmt.Fprintf(&b, "\n  %s  %s  %s", visible.Strict(i.Path), i.Kind, visible.Strict(i.What))
	}
	b.WriteString("\nlook at them with `tera-pilot trust` in a terminal, or give --ignore-project-config to load none of them")
	return &exitError{exitUntrusted, errors.New(b.String())}
}
