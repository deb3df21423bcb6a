package main

import (
	"context"
	"errors"
	"time"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/budget"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/fit"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// session gathers what a session is made of, in the order in which a person
// would want to hear what is wrong.
func (a *app) session(ctx context.Context, o *opened, l launch) (agent.Options, error) {
	p := o.place
	opts := agent.Options{
		Person:  agent.Person{Front: l.front, CanAsk: l.canAsk, Interactive: l.front == audit.FrontTUI || l.front == audit.FrontDemo, OptOut: l.optOut, Preview: l.preview},
		Allowed: agent.Allowed{ConfirmReads: p.settings.ConfirmReads, TextAsNative: p.settings.TextCalls == "as_native"},
		Place:   agent.Place{Home: p.home, State: p.state, Redactor: o.redactor, Now: time.Now},
		Thinking: agent.Thinking{
			Mind: o.mind, MaxSteps: l.steps(p.settings), Learnt: fit.NewStore(p.state), KeepAll: p.settings.Compaction == "off",
			Switch: func(id, name string) (agent.Mind, error) { return a.another(ctx, p, o.redactor, id, name) },
		},
	}
	if err := a.allowed(ctx, o, l, &opts); err != nil {
		return opts, err
	}
	if err := a.kept(o, l, &opts); err != nil {
		return opts, err
	}
	if err := o.toolsOf(l, &opts); err != nil {
		return opts, errors.Join(err, o.undo.Close(), drop(opts.Store, opts.Log))
	}
	return opts, nil
}

// allowed reads what decides: levels, rules, servers, the guardian and hooks.
func (a *app) allowed(ctx context.Context, o *opened, l launch, opts *agent.Options) (err error) {
	p := o.place
	if opts.Level, opts.Sandbox, err = levels(p.settings); err != nil {
		return usage("%w", err)
	}
	opts.Book = &rulebook.Book{State: p.state, Project: o.project, Grant: o.grant}
	if opts.Rules, err = opts.Book.Rules(); err != nil {
		return usage("%w", err)
	}
	if o.web, err = a.web(p.settings, p.state, o.redactor); err != nil {
		return err
	}
	if err := a.openMCP(o, l); err != nil {
		return err
	}
	if l.needsProvider && o.mind.Provider == nil {
		return &exitError{exitModel, errNoModel}
	}
	if opts.Guard, err = a.guard(ctx, p, o.redactor, o.mind); err != nil {
		return err
	}
	if opts.Hooks, err = a.hooks(p.state, o.project, o.grant); err != nil {
		return usage("%w", err)
	}
	return nil
}

// kept opens what the session writes to: its log, undo, the budgets.
func (a *app) kept(o *opened, l launch, opts *agent.Options) (err error) {
	p := o.place
	if err := statedir.Ensure(p.state); err != nil {
		return usage("%w", err)
	}
	if opts.Overlay, err = a.addition(p.state); err != nil {
		return err
	}
	if o.sessions, err = a.sessions(p.state); err != nil {
		return err
	}
	opts.Store = o.sessions
	a.registerSecrets(o.redactor)
	if opts.Log, opts.Past, err = openLog(opts.Store, l, p.root); err != nil {
		return err
	}
	if o.undo, err = a.undoStore(p, opts.Store, opts.Log.ID()); err != nil {
		opts.UndoProblem = err.Error() + "; nothing is kept in this session"
	}
	opts.Undo, opts.Budget = o.undo, spending(l, p, opts.Past)
	return nil
}

// toolsOf makes the tools, with those that the project and servers add.
func (o *opened) toolsOf(l launch, opts *agent.Options) (err error) {
	s := o.settings
	skills := o.guided(opts)
	servers, problems := mcpTools(o.mcp)
	o.missed = append(o.missed, problems...)
	opts.Problems, o.read = append(opts.Problems, o.missed...), append(o.read, o.missed...)
	opts.Tools = tool.New(tool.Options{Syntax: world.Syntax, Fetch: fetches(s), Search: s.Web.Search.Backend != "", MCP: servers, Skills: skills})
	if l.tools != nil {
		opts.Tools, err = opts.Tools.Only(l.tools...)
	}
	o.tools = opts.Tools
	if l.tools == nil {
		opts.Retool = func() []tool.MCPTool {
			now, _ := mcpTools(o.mcp) // what is left out is told by /mcp
			return now
		}
	}
	return err
}

// spending is the budget of a session: what is asked for at the launch counts
// from now on, budget_usd counts what the session has spent before as well, and
// the limits of a day count all sessions.
func spending(l launch, p place, past []event.Event) *budget.Budget {
	day := budget.NewDay(p.state, budget.Limits{Cost: p.settings.DayMicros, Tokens: int64(p.settings.DayTokens)}, time.Now)
	used := session.Fold(past).Usage
	before := budget.Spent{Tokens: used.Input + used.Output + used.CacheRead + used.CacheWrite}
	if used.Cost != nil {
		before.Cost = *used.Cost
	}
	b := budget.New(budget.Limits{Cost: p.settings.BudgetMicros}, before, day, time.Now)
	b.Raise = "budget_usd in config.json is the limit"
	if l.limits == (budget.Limits{}) {
		return b
	}
	run := b.Child(l.limits)
	run.Whose, run.Raise = "this run", "raise --max-cost, --max-tokens or --max-minutes, or go on with --continue"
	return run
}

func (l launch) steps(s config.Settings) int {
	if l.maxSteps > 0 {
		return l.maxSteps
	}
	return s.MaxSteps
}

// openLog starts a session's log or goes on with one.
func openLog(store *session.Store, l launch, root string) (*session.Log, []event.Event, error) {
	id := l.resume
	if l.last {
		var err error
		if id, err = store.Latest(root); err != nil {
			return nil, nil, usage("%w", err)
		}
	}
	if id == "" {
		log, err := store.Create(time.Now())
		return log, nil, unlocked(err)
	}
	log, past, _, err := store.Resume(id)
	if err != nil {
		return nil, nil, usage("%w", err)
	}
	if was := session.Fold(past).Root; was != "" && was != root {
		return nil, nil, errors.Join(usage("session %s belongs to %s: start there to go on with it", id, was), log.Close())
	}
	return log, past, nil
}
