package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/budget"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/trust"
	"github.com/tera-pilot/tera-pilot/mcp"
	"github.com/tera-pilot/tera-pilot/ossandbox"
	"github.com/tera-pilot/tera-pilot/websearch"
)

// A launch says what kind of session is wanted.
type launch struct {
	front   audit.Front
	dir     string // where it was started
	root    string // the root outright, in place of --root; "" for none
	says    string // what the person has to know when it opens
	late    bool   // another session was to be opened: what was typed for it is not taken
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
	// It takes as long as it takes to try the sandbox. After an error nobody waits
	// for it: it reads one file, and ends.
	go func() { hash <- binaryHash() }()
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

// await sends a command, and gives take what the session says from then on until
// it is over.
func (o *opened) await(ctx context.Context, c event.Command, take func(event.Body) (over bool, err error)) error {
	state, err := o.State()
	if err != nil {
		return err
	}
	_, live, stop, err := o.Subscribe(state.Seq)
	if err != nil {
		return err
	}
	defer stop()
	if err := o.Send(c); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-live:
			if !ok {
				return errors.New("the session ended before an answer came")
			}
			if over, err := take(e.Body); over || err != nil {
				return err
			}
		}
	}
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
