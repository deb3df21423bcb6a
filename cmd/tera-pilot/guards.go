package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/hook"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/guardian"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/trust"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// auto is the setting that lets the session's own model review.
const auto = "auto"

// guard is the guardian of a session: the rules' score, and a model where the
// settings name one.
func (a *app) guard(ctx context.Context, p place, redactor *secret.Redactor, own agent.Mind) (agent.Guard, error) {
	level, err := guardian.ParseLevel(p.settings.Guardian)
	g := agent.Guard{Level: level}
	if err != nil || level == guardian.Off || p.settings.GuardianModel == "" || a.flags.script != "" {
		return g, err
	}
	if p.settings.GuardianModel == auto {
		g.Own = own.Provider != nil
		return g, nil
	}
	if id := p.settings.GuardianProvider; id != "" && id != auto {
		p.settings.Provider = id
	}
	p.settings.Model = p.settings.GuardianModel
	if g.Mind, err = a.mind(ctx, p, redactor); err != nil {
		return g, fmt.Errorf("guardian_model: %w", err)
	}
	return g, nil
}

// The files of hooks.
const (
	userHooks    = "hooks.toml"
	projectHooks = ".tera_pilot/hooks.toml"
)

// hooks are the user's own, then those of the project that the person let in by
// their content.
func (a *app) hooks(state string, project *trust.Project, grant trust.Grant) ([]hook.Hook, error) {
	own, err := ownHooks(state)
	if err == nil {
		err = hookTools(own)
	}
	if err != nil || project == nil {
		return own, err
	}
	data, err := grant.Read(project, trust.Hook, projectHooks)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, trust.ErrNotLetIn) {
		return own, nil
	}
	if err != nil {
		return nil, err
	}
	theirs, err := hook.Load(data, project.Root()+"/"+projectHooks, true, func(name string) ([]byte, error) {
		return grant.Read(project, trust.Hook, path.Join(path.Dir(projectHooks), name))
	})
	if err == nil {
		err = hookTools(theirs)
	}
	return append(own, theirs...), err
}

// hookTools holds the names of tools in hooks against the tools that there can
// be: a hook that listens for a tool of no such name would guard nothing, and
// nobody would be told.
func hookTools(hooks []hook.Hook) error {
	all, err := tool.New(tool.Options{Fetch: true, Search: true, Skills: []tool.Skill{{}}}).With(tool.AskMCP()...)
	if err != nil {
		return err
	}
	for _, h := range hooks {
		for _, name := range h.Tools {
			if name == "undo" || strings.HasPrefix(name, "mcp__") { // the session's own, and those of servers
				continue
			}
			t, err := all.Lookup(name)
			if err == nil && t.Spec().Name != name {
				err = fmt.Errorf("hooks name a tool by its own name: %s, not %s", t.Spec().Name, name)
			}
			if err != nil {
				return &hook.ConfigError{File: h.From, Line: h.Line, What: "hook " + h.Name + ": " + err.Error()}
			}
		}
	}
	return nil
}

func ownHooks(state string) ([]hook.Hook, error) {
	file := filepath.Join(state, userHooks)
	data, err := statedir.Read(file, false)
	if err != nil || data == nil {
		return nil, err
	}
	return hook.Load(data, file, false, func(name string) ([]byte, error) {
		data, err := statedir.Read(filepath.Join(state, filepath.FromSlash(name)), false)
		if err == nil && data == nil {
			err = fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return data, err
	})
}

// hookItems lists the hooks of a project: the file that names them, and each
// file that one of them stands in.
func hookItems(p *trust.Project) ([]trust.Item, error) {
	data, err := p.Read(projectHooks)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []trust.Item
	all, err := hook.Load(data, projectHooks, true, func(name string) ([]byte, error) {
		full := path.Join(path.Dir(projectHooks), name)
		text, err := p.Read(full)
		if err == nil {
			item := p.Item(trust.Hook, full, text, "runs as a hook")
			item.Runs = true
			files = append(files, item)
		}
		return text, err
	})
	what := "names no hooks"
	if err != nil {
		what = "cannot be understood: " + err.Error()
	}
	for i, h := range all {
		if i == 0 {
			what = ""
		}
		what += fmt.Sprintf("hook %s at %s runs %s; ", h.Name, eventWords(h), firstOf(h))
	}
	item := p.Item(trust.Hook, projectHooks, data, strings.TrimSuffix(what, "; "))
	item.Runs = true
	return append(files, item), nil
}

func eventWords(h hook.Hook) string {
	words := make([]string, len(h.Events))
	for i, e := range h.Events {
		words[i] = string(e)
	}
	return strings.Join(words, ", ")
}

// firstOf says what a hook runs, in a few words.
func firstOf(h hook.Hook) string {
	if h.Source != "" {
		return h.Language + " " + h.Source
	}
	line, rest, more := strings.Cut(strings.TrimSpace(h.Text), "\n")
	if more && strings.TrimSpace(rest) != "" {
		line += " ..."
	}
	return h.Language + ": " + line
}

// hooksCommand lists the hooks that a session here would start.
func (a *app) hooksCommand() *cobra.Command {
	return &cobra.Command{
		Use: "hooks [DIR]", Short: "List the hooks that a session here would start; starts nothing",
		Long:    "List the user's hooks (hooks.toml in the state folder) and those of a trusted project\n(.tera_pilot/hooks.toml), with what each runs, when, and its hash. See docs/hooks.md.",
		Example: "  tera-pilot hooks",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return a.listHooks(dir)
		},
	}
}

func (a *app) listHooks(dir string) (err error) {
	p, err := a.place(dir)
	if err != nil {
		return err
	}
	project, standing, err := a.standing(p.state, p.root, p.start)
	if err != nil {
		return err
	}
	if project != nil {
		defer func() { err = errors.Join(err, project.Close()) }()
	}
	all, err := a.hooks(p.state, project, standing.Grant)
	if err != nil {
		return usage("%w", err)
	}
	for _, h := range all {
		tools := "every tool"
		if len(h.Tools) > 0 {
			tools = strings.Join(h.Tools, ", ")
		}
		fmt.Fprintf(a.stdout, "%s  %s  %s  %s  sha256 %.12s\n    %s:%d\n", h.Name, eventWords(h), visible.Strict(tools), visible.Strict(firstOf(h)), h.Hash(), visible.Strict(h.From), h.Line)
	}
	waiting := 0
	for _, i := range standing.Items {
		if i.Kind == trust.Hook && !standing.Grant.Permits(i) {
			waiting++
			fmt.Fprintf(a.stdout, "not started: %s  %s\n", visible.Strict(i.Path), visible.Strict(i.What))
		}
	}
	if waiting > 0 {
		fmt.Fprintln(a.stdout, "`tera-pilot trust` shows what the project holds, and lets it in or not")
	}
	if len(all)+waiting == 0 {
		fmt.Fprintf(a.stdout, "no hooks: name some in %s\n", visible.Strict(filepath.Join(p.state, userHooks)))
	}
	return nil
}
