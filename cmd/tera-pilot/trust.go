package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/internal/trust"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// projectListers are the listers of everything that a session may load from a
// repository. A room that loads something more adds its own here, and loads
// through the grant of the session (opened.grant).
func projectListers() []trust.Lister {
	return []trust.Lister{projectPolicyItems}
}

// projectPolicies are the project's files of rules, and how they are read.
var projectPolicies = []struct {
	name string
	load func(io.Reader, string, commandpolicy.Layer) (*commandpolicy.File, error)
}{
	{".tera_pilot/policy.toml", commandpolicy.Load},
	{".tera_pilot/commands.json", commandpolicy.LoadCommandsJSON},
}

// projectPolicyItems lists the files of rules that would loosen something.
// Those that only tighten are in force at once, and need nobody's word.
func projectPolicyItems(p *trust.Project) ([]trust.Item, error) {
	var out []trust.Item
	for _, x := range projectPolicies {
		data, file, err := projectPolicy(p, x.name)
		if err != nil {
			return nil, err
		}
		if file == nil {
			continue
		}
		var allows []string
		for i := range file.Rules {
			if r := &file.Rules[i]; r.Decision == commandpolicy.Allow {
				allows = append(allows, r.Summary())
			}
		}
		if len(allows) > 0 {
			item := p.Item(trust.Policy, x.name, data, "would allow without a question: "+strings.Join(allows, "; "))
			item.Loosens = true
			out = append(out, item)
		}
	}
	return out, nil
}

// projectPolicy reads one of the project's files of rules; nil when it is not
// there. A file with a fault is an error: a rule that was meant to forbid must
// not vanish.
func projectPolicy(p *trust.Project, name string) ([]byte, *commandpolicy.File, error) {
	for _, x := range projectPolicies {
		if x.name != name {
			continue
		}
		data, err := p.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		file, err := x.load(bytes.NewReader(data), p.Root()+"/"+name, commandpolicy.LayerProject)
		return data, file, err
	}
	return nil, nil, fmt.Errorf("%s is no file of rules", name)
}

// projectRules are the project's rules: those that tighten, and the others
// marked as approved where the grant lets just these bytes in.
func projectRules(p *trust.Project, grant trust.Grant) ([]*commandpolicy.File, error) {
	var out []*commandpolicy.File
	for _, x := range projectPolicies {
		_, file, err := projectPolicy(p, x.name)
		if err != nil {
			return nil, err
		}
		if file == nil {
			continue
		}
		file.Approved = grant.Permits(trust.Item{Kind: trust.Policy, Path: x.name, Hash: file.Digest})
		out = append(out, file)
	}
	return out, nil
}

// standing compares what the project holds with what the person let in. With
// --ignore-project-config nothing of the project is looked at.
func (a *app) standing(state, root string) (*trust.Project, trust.Standing, error) {
	if a.flags.ignoreProjectConfig {
		return nil, trust.Standing{}, nil
	}
	p, err := trust.Open(root)
	if err != nil {
		return nil, trust.Standing{}, err
	}
	s, err := trust.NewStore(state).Look(p, projectListers()...)
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
func (a *app) letIn(p place, ask review) (*trust.Project, trust.Grant, error) {
	project, s, err := a.standing(p.state, p.root)
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
	if err == nil && choice != trust.No {
		s.Grant, err = trust.NewStore(p.state).Record(s, project, choice, time.Now())
	}
	if err != nil {
		return nil, trust.Grant{}, errors.Join(err, project.Close())
	}
	return project, s.Grant, nil
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
