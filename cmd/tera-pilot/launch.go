package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/budget"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/fit"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/guide"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/trust"
	"github.com/tera-pilot/tera-pilot/mcp"
	"github.com/tera-pilot/tera-pilot/ossandbox"
	"github.com/tera-pilot/tera-pilot/websearch"
	"golang.org/x/term"
)

// A launch says what kind of session is wanted.
type launch struct {
	front   audit.Front
	dir     string // where it was started
	root    string // the root outright, in place of --root; "" for none
	says    string // what the person has to know when it opens
	env     []string
	last    bool         // go on with the last session of the folder
	resume  string       // go on with this one
	mind    *agent.Mind  // in place of the one that is configured
	tools   []string     // the only ones that are offered; nil: all
	editor  world.Editor // nil: none
	preview bool         // the front end shows the files of a call itself

	// The person.
	canAsk bool   // somebody answers questions
	optOut bool   // --no-confirm
	review review // asks about a folder that is not trusted; nil: nobody can be asked

	// What it may take.
	maxSteps   int           // 0: the setting
	limits     budget.Limits // of this run; 0: none
	mcpTimeout time.Duration // of calls of MCP servers; 0: the default

	// What it refuses to start without.
	needsSandbox, needsProvider bool
}

// place is where a session works and where its state lies.
type place struct {
	home, state, root string
	start             string // where it was started, beneath the root, with slashes
	settings          config.Settings
}

// opened is a session with what has to be closed after it.
type opened struct {
	*agent.Session
	place
	launch    launch
	options   agent.Options // until it begins
	world     *world.World
	web       *websearch.Web
	mcp       *mcp.Servers
	tools     *tool.Registry // that are offered
	evidence  *audit.Log
	mind      agent.Mind
	redactor  *secret.Redactor
	sessions  *session.Store
	undo      *undo.Store    // nil: it cannot be read
	diagnosis *diagnosis     // nil without --log
	project   *trust.Project // the repository's own configuration; nil with --ignore-project-config
	grant     trust.Grant    // what of it the person let in
	missed    []string       // what of the MCP servers was read past or left out
	read      []string       // what of it the model reads, and what was left out
}

// open makes a session of flags, settings and the folder it was started in.
func (a *app) open(ctx context.Context, l launch) (*opened, error) {
	o, err := a.prepare(ctx, l)
	if err == nil {
		err = a.begin(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

// prepare does of open all that a person may have to be asked or told about
// before a screen is drawn. What takes its time comes in begin.
func (a *app) prepare(ctx context.Context, l launch) (*opened, error) {
	p, err := a.placeAt(l.dir, cmp.Or(l.root, a.flags.root))
	if err != nil {
		return nil, err
	}
	o := &opened{place: p, launch: l, redactor: secret.New()}
	a.registerSecrets(o.redactor)
	if l.mind != nil {
		o.mind = *l.mind
	} else if o.mind, err = a.mind(ctx, p, o.redactor); err != nil {
		return nil, err
	}
	if o.project, o.grant, err = a.letIn(ctx, p, l.review); err != nil {
		return nil, err
	}
	if o.diagnosis, err = openDiagnosis(a.flags.log, o.redactor); err != nil {
		return nil, errors.Join(err, o.leave())
	}
	if o.options, err = a.session(ctx, o, l); err != nil {
		return nil, errors.Join(err, o.leave())
	}
	return o, nil
}

// begin tries the sandbox, opens the audit log and begins the session. After an
// error nothing is left open.
func (a *app) begin(ctx context.Context, o *opened) error {
	opts := o.options
	o.options = agent.Options{} // a long past is not kept twice
	if err := a.build(ctx, o, o.launch, opts); err != nil {
		return errors.Join(err, o.undo.Close(), drop(opts.Store, opts.Log), o.leave())
	}
	if err := o.diagnosis.follow(o); err != nil {
		return errors.Join(err, o.Close(audit.CloseError))
	}
	return nil
}

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

// drop closes the log of a session that did not come about, and leaves nothing
// of one that holds nothing.
func drop(store *session.Store, log *session.Log) error {
	err := log.Close() // again, where the session has closed it
	if log.Empty() {
		err = errors.Join(err, store.Delete(log.ID()))
	}
	return err
}

// build opens the world, the audit log and the session on top of them.
func (a *app) build(ctx context.Context, o *opened, l launch, opts agent.Options) (err error) {
	setting, err := ossandbox.ParseSetting(o.settings.Sandbox)
	if err != nil {
		return usage("%w", err)
	}
	env := a.env
	if l.env != nil {
		env = l.env
	}
	hash := make(chan string, 1)
	go func() { hash <- binaryHash() }() // takes as long as it takes to try the sandbox
	o.world, err = world.Open(ctx, world.Options{
		Root: o.root, Home: o.home, State: o.state, OutDir: opts.Log.OutDir(), OpenOutput: opts.Log.OpenOutput, Env: env, Setting: setting, Seconds: o.settings.RunTimeout, Editor: l.editor, Web: o.web, MCP: o.mcp, Egress: a.egress,
	})
	if err != nil {
		return err
	}
	if l.needsSandbox {
		if err := refuseUnconfined(o.world, setting); err != nil {
			return errors.Join(err, o.world.Close())
		}
	}
	o.evidence, err = audit.Open(ctx, audit.Options{Dir: o.state, Redactor: opts.Redactor})
	if err != nil {
		return errors.Join(&exitError{exitNoEvidence, err}, o.world.Close())
	}
	opts.World, opts.Evidence, opts.Info, opts.Facts = o.world, o.evidence, a.info(ctx, o.world, o.settings, <-hash), facts(ctx, o.world)
	opts.Witness = witness{o.settings.Trailer, o.root, statedir.OpenAnswers(o.state, "audit_trailer.json")}
	o.Session, err = agent.Open(ctx, opts)
	if errors.Is(err, agent.ErrNoEvidence) {
		err = &exitError{exitNoEvidence, err}
	}
	if err != nil {
		return errors.Join(err, o.evidence.Close(), o.world.Close())
	}
	return nil
}

// refuseUnconfined refuses the opt-out where commands run without a sandbox.
func refuseUnconfined(w *world.World, setting ossandbox.Setting) error {
	why := strings.Join(w.Troubles(), "; ")
	switch {
	case setting == ossandbox.Off:
		why = "agent_os_sandbox is off"
	case w.Grade() != ossandbox.GradeNone.String():
		return nil
	}
	return &exitError{exitNoSandbox, fmt.Errorf("no sandbox, and with --no-confirm nothing runs without one: %s", why)}
}

// Close ends the session and what it stood on.
func (o *opened) Close(status audit.CloseStatus) error {
	return errors.Join(o.Session.Close(status), o.undo.Close(), o.evidence.Close(), o.world.Close(), o.mcp.Close(), o.leave())
}

// leave gives the project's folder back, and ends the file of --log.
func (o *opened) leave() error {
	err := o.diagnosis.Close()
	if o.project != nil {
		err = errors.Join(err, o.project.Close())
	}
	return err
}

// place finds the folders and reads the settings. Nothing is created.
func (a *app) place(dir string) (place, error) { return a.placeAt(dir, a.flags.root) }

// placeAt is place with the root named outright; "" for not at all.
func (a *app) placeAt(dir, root string) (place, error) {
	var p place
	var err error
	if p.state, err = a.stateHome(); err != nil {
		return p, err
	}
	if p.home, err = a.userHome(); err != nil {
		return p, err
	}
	if err := statedir.Check(p.state); err != nil {
		return p, usage("%w", err)
	}
	if p.settings, err = a.settings(p.state); err != nil {
		return p, err
	}
	if p.root, err = world.Root(dir, root, p.home, p.state); err != nil {
		return p, usage("%w", err)
	}
	p.start = startIn(dir, p.root)
	return p, nil
}

// startIn names a folder from the root; one that is not beneath it is the root.
func startIn(dir, root string) string {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "."
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "."
	}
	return filepath.ToSlash(rel)
}

// settings merges the file, the environment and the flags.
func (a *app) settings(state string) (config.Settings, error) {
	file, named := filepath.Join(state, "config.json"), false
	if a.flags.config != "" {
		file, named = a.flags.config, true
	}
	s, err := config.Load(file, named, a.getenv)
	if err == nil {
		err = s.SetAutonomy(a.flags.autonomy)
	}
	if err != nil {
		return config.Settings{}, usage("%w", err)
	}
	if a.flags.provider != "" {
		s.Provider = a.flags.provider
	}
	if a.flags.model != "" {
		s.Model = a.flags.model
	}
	return s, nil
}

func levels(s config.Settings) (gate.Level, gate.Setting, error) {
	level, err := gate.ParseLevel(s.Autonomy)
	if err != nil {
		return level, gate.SandboxUnset, err
	}
	setting, err := gate.ParseSetting(s.Sandbox)
	return level, setting, err
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

// info is what the audit log states of the program and the machine.
func (a *app) info(ctx context.Context, w *world.World, s config.Settings, hash string) audit.SessionInfo {
	info := audit.SessionInfo{Tool: "tera-pilot", Version: version(), Binary: hash, Settings: s.Digest()}
	info.Host, _ = os.Hostname() // an unnamed machine is stated without a name
	if u, err := user.Current(); err == nil {
		info.User = u.Username
	}
	info.Head, _ = w.Head(ctx)
	return info
}

// facts is what the model is told of the place, once.
func facts(ctx context.Context, w *world.World) agent.Facts {
	f := agent.Facts{
		Root: filepath.Base(w.Root()), OS: runtime.GOOS + "/" + runtime.GOARCH, Date: time.Now().Format("2006-01-02"),
		Sandbox: "sandbox " + w.Grade() + ", no network but the hosts that are granted",
	}
	if w.Grade() == ossandbox.GradeNone.String() {
		f.Sandbox = "not available: no sandbox on this machine"
	}
	if commit, branch := w.Head(ctx); commit != "" {
		f.Git = strings.TrimSpace(fmt.Sprintf("%s %.12s", branch, commit))
	}
	m := guide.Look(w.Root())
	f.Top, f.Languages, f.Manifests = m.Top, m.Languages, m.Manifests
	checks, err := w.View(func(string) (string, bool) { return "", false }).Checks(ctx)
	if err == nil {
		for _, c := range checks {
			f.Checks = append(f.Checks, c.Command)
		}
	}
	return f
}

// isTerminal says whether f is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
