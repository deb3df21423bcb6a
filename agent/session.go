package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/budget"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
)

// Session is one conversation in one workspace.
type Session struct {
	o     Options
	owner *owner
	audit *audit.Session
	disp  *Dispatcher
	hand  *Dispatcher // what the person typed: its own yes
	above *lineage    // of a sub-agent; nil otherwise

	life    context.Context // of the session: what runs beside the turns ends with it
	lasting context.Context // for records that a cancelled turn must not lose
	besides sync.WaitGroup  // what runs beside the turns
	tasks   chan task       // for the worker
	worked  chan struct{}   // closed when the worker has ended
	once    sync.Once       // of Close
	closed  error

	// The worker's alone.
	left   int             // model calls that this turn may still make
	warned string          // what was last said about the budget
	hinted map[string]bool // what was said about a model, once each
}

// Open starts or resumes a session: opens its part of the audit log, settles
// what a crash left open, and says where things stand. The session lives until
// Close; ctx ends its turns.
func Open(ctx context.Context, o Options) (*Session, error) {
	if o.Step == nil {
		o.Step = func(string) {}
	}
	if o.Budget == nil {
		o.Budget = budget.New(budget.Limits{}, budget.Spent{}, nil, o.Now)
	}
	past := session.Fold(o.Past)
	s := &Session{o: o, above: o.above, tasks: make(chan task, 1), worked: make(chan struct{}), life: ctx, lasting: context.WithoutCancel(ctx)}
	info := s.info()
	var err error
	if o.Undo != nil && o.above == nil { // a sub-agent has its parent's
		if s.o.Tools, err = o.Tools.With(undoTool{o.Undo, o.World, false}); err != nil {
			return nil, err
		}
	}
	if s.audit, err = o.Evidence.Session(ctx, info); err != nil {
		return nil, noEvidence(err)
	}
	s.owner = newOwner(&owned{
		chronicle: chronicle{
			now: o.Now, log: o.Log, state: past, redact: redactEvent(o.Redactor.Bytes),
			read:  func() ([]event.Event, error) { return o.Store.Read(o.Log.ID()) },
			early: slices.Clip(o.Past),
		},
		rights:   rights{limits: gate.Limits{Level: o.Level, Rules: o.Rules}, canAsk: o.CanAsk, optOut: o.OptOut},
		audience: audience{offers: offered(o.Commands)},
		mind:     s.taught(o.Mind),
	})
	s.disp = s.dispatcher()
	if s.hand, err = s.byHand(); err != nil {
		return nil, err
	}
	go s.work(ctx) // Close waits for it
	if err := s.begin(ctx, info); err != nil {
		return nil, errors.Join(err, s.Close(audit.CloseError))
	}
	s.o.Past = nil // the owner has it
	return s, nil
}

// info is what the open record states.
func (s *Session) info() audit.SessionInfo {
	o, info := s.o, s.o.Info
	info.Session, info.Front, info.Workspace = o.Log.ID(), o.Front, o.World.Root()
	info.Level, info.NoConfirm = s.ceiling().String(), o.OptOut
	info.Sandbox = audit.SandboxInfo{Setting: o.Sandbox.String(), Grade: o.World.Grade()}
	info.Policy = o.Rules.Digest()
	return info
}

// effective is the level in force where l is the level that was set, with or
// without the opt-out.
func (s *Session) effective(l gate.Level, optOut bool) gate.Level {
	return gate.Effective(gate.Front(s.o.Front), s.o.Interactive, l, optOut)
}

// ceiling is the level of the launch, which a front end cannot leave upwards
// unless a person sits at the terminal.
func (s *Session) ceiling() gate.Level { return s.effective(s.o.Level, s.o.OptOut) }

// begin writes the first events of this process and settles what is open.
func (s *Session) begin(ctx context.Context, info audit.SessionInfo) error {
	err := s.owner.emit(event.Opened{
		Root: s.o.World.Root(), Front: string(s.o.Front), Level: info.Level,
		Sandbox: info.Sandbox.Setting + " " + info.Sandbox.Grade, Provider: s.o.Mind.id(), Model: s.o.Model, Host: s.o.Host,
		Version: info.Version, Resumed: len(s.o.Past) > 0, Facts: s.o.Facts.Text() + s.o.Skills,
		Parent: s.parentID(), Network: "off", Window: s.o.Window, MaxCost: s.o.Budget.Money(false),
	})
	if err != nil {
		return err
	}
	if err := s.instruct(); err != nil {
		return err
	}
	if err := s.openUndo(ctx); err != nil {
		return err
	}
	past := session.Fold(s.o.Past)
	if err := s.owner.do(func(o *owned) { s.archive(o, o.limits.Rules); s.planOn(o, past) }); err != nil {
		return err
	}
	if err := s.recover(ctx); err != nil {
		return err
	}
	if err := s.lostJobs(past); err != nil {
		return err
	}
	return errors.Join(s.disp.pinHooks(ctx, s.o.Hooks), s.owner.barrier(), s.tellHead())
}

// parentID is the session that started this one, "" for none.
func (s *Session) parentID() string {
	if s.above == nil {
		return ""
	}
	return s.above.parent.ID()
}

// dispatcher wires the road.
func (s *Session) dispatcher() *Dispatcher {
	d := &Dispatcher{
		tools: s.o.Tools, world: s.o.World, owner: s.owner, log: s.audit, above: s.above, step: s.o.Step, clock: s.o.Now,
		deciding:    deciding{judge: s.judge, level: s.o.Guard.Level, review: s.reviewer(), keeps: s.keep, history: s.commands, no: &rejections{}},
		questioning: questioning{asks: s.owner, front: s.o.Front, preview: s.o.Preview},
		running:     running{undo: s.o.Undo, spawn: s.spawn, trailers: trailers{witness: s.o.Witness}},
		telling:     telling{redactor: s.o.Redactor, limit: s.outputLimitNow, store: s.o.Log.KeepOutput, pictures: s.o.Log.KeepBlob},
	}
	if s.above != nil { // what the person is asked, keeps and refused, is the parent's
		parent := s.above.parent
		d.asks, d.keeps, d.no = parent.owner, parent.keep, parent.disp.no
	}
	d.jobs = newJobs(s.lasting, len(session.Fold(s.o.Past).Jobs), d)
	return d
}

// judge is what the gate decides upon, besides the effects of a call.
func (s *Session) judge() (gate.Input, int, error) {
	if s.above != nil {
		return s.childInput()
	}
	epoch := 0
	var limits gate.Limits
	var canAsk, optOut bool
	err := s.owner.do(func(o *owned) {
		limits, canAsk, optOut = o.limits, o.canAsk, o.optOut
		limits.Taint = taintNames(o.state)
		limits.Window, epoch = s.window(o), o.epoch
	})
	return gate.Input{
		Front: gate.Front(s.o.Front), CanAsk: canAsk, Interactive: s.o.Interactive, OptOut: optOut,
		TextAsNative: s.o.TextAsNative, Sandbox: s.o.Sandbox, Grade: gate.ParseGrade(s.o.World.Grade()),
		ConfirmReads: s.o.ConfirmReads, Workspace: s.o.World.Root(), Roots: []string{s.o.World.Root()},
		Home: s.o.Home, State: s.o.State, Now: s.o.Now().UTC().Truncate(time.Second), Limits: limits,
	}, epoch, err
}

// Note states an event in the audit log, such as those that package audit
// builds for the kinds of docs/audit-format.md, section 4.5. An error means
// that nothing more may be done in this session.
func (s *Session) Note(ctx context.Context, e audit.Event) error {
	return noEvidence(s.audit.Event(context.WithoutCancel(ctx), e))
}

// ID is the session's id.
func (s *Session) ID() string { return s.o.Log.ID() }

// State is the state as it is now.
func (s *Session) State() (session.State, error) { return s.owner.state() }

// Subscribe gives the events after seq, and those to come.
func (s *Session) Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error) {
	return s.owner.Subscribe(seq)
}

// Recall gives stored events again, by their numbers: a front end need not keep
// what the log has.
func (s *Session) Recall(seqs []uint64) ([]event.Event, error) {
	var events []event.Event
	var err error
	doErr := s.owner.do(func(o *owned) { events, err = o.log.Recall(seqs) })
	return events, errors.Join(doErr, err)
}

// Send hands a command of a front end to the session. It does not wait for
// what comes of it: that is seen in the events.
func (s *Session) Send(c event.Command) error {
	return s.owner.post(func(o *owned) { s.handle(o, c) })
}

// Sid is the id of this process's part of the session in the audit log.
func (s *Session) Sid() string { return s.audit.ID() }

// Head is where the audit log stands.
func (s *Session) Head() audit.Head { return s.audit.Head() }

// Close stops what runs, ends both logs and waits until that is done. What was
// queued is not begun any more. A second Close gives the first one's error.
func (s *Session) Close(status audit.CloseStatus) error {
	s.once.Do(func() { s.closed = s.close(status) })
	return s.closed
}

func (s *Session) close(status audit.CloseStatus) error {
	_ = s.owner.do(func(o *owned) { // an ended session has nothing to stop
		o.closing = true
		o.stop()
	})
	s.besides.Wait()
	close(s.tasks)
	<-s.worked
	s.disp.jobs.close()
	err := s.owner.emit(event.Closed{Status: string(status)})
	quitErr := s.owner.do(func(o *owned) { o.quit = true })
	<-s.owner.done
	return errors.Join(err, quitErr, s.audit.Close(status), s.o.Log.Close())
}
