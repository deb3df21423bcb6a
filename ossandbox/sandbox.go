package ossandbox

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
)

// A Sandbox runs commands in one workspace. Its methods may be called from
// several goroutines at once.
type Sandbox struct {
	cfg    Config
	work   string // the workspace, resolved
	host   *host
	keep   *keep
	survey surveyor
	made   made
	engine // what this operating system adds

	step func(name string) // benchmarks: told when a step of a run is done; else nil
	look time.Duration     // how often the caches are looked at, see filling

	mu     sync.Mutex
	report Report
	known  bool // report was found by a run, not guessed

	closing sync.WaitGroup // threads of slots that end
}

// New checks the configuration and finds the grade of this machine. It starts
// nothing but the probe, and makes nothing but what the probe takes away
// again; what a crash left in the workspace is swept by the first command.
// Errors: *SetupError (the configuration cannot be served), *GradeError (no
// grade that the setting accepts; Off accepts all).
func New(ctx context.Context, cfg Config) (*Sandbox, error) {
	cfg, err := cfg.settle()
	if err != nil {
		return nil, err
	}
	if cfg.Setting.String() == "invalid" {
		return nil, &SetupError{Cause: "agent_os_sandbox is not set", Mend: "use auto, on or off"}
	}
	s := &Sandbox{cfg: cfg, work: cfg.work, look: fillLook}
	s.keep = newKeep(&s.cfg)
	if s.host, err = lookAround(&s.cfg); err != nil {
		return nil, err
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	s.report, s.known = s.guess()
	if !s.known && !cfg.Untested {
		s.report, s.known = s.probe(ctx), true
	}
	if cfg.Setting != Off && !cfg.Setting.Accepts(s.report.Grade) {
		s.Close()
		return nil, &GradeError{Setting: cfg.Setting, Report: s.report}
	}
	return s, nil
}

// Probe finds what this machine can hold, by running the real plan around a
// program that does nothing. The answer is kept for the process. A
// configuration that cannot be served gives GradeNone and the reason.
func Probe(ctx context.Context, cfg Config) Report {
	cfg.Setting, cfg.Untested = Off, false
	s, err := New(ctx, cfg)
	if err != nil {
		return Report{Troubles: []Trouble{troubleOf(err)}}
	}
	defer s.Close()
	return s.Report()
}

func troubleOf(err error) Trouble {
	if e, ok := errors.AsType[*SetupError](err); ok {
		t := Trouble{Cause: e.Cause, Mend: e.Mend, File: e.File}
		if e.Err != nil {
			t.Cause += ": " + e.Err.Error()
		}
		return t
	}
	return Trouble{Cause: err.Error()}
}

// Workspace is the folder that commands work in, links resolved.
func (s *Sandbox) Workspace() string { return s.work }

// Report is the grade that this sandbox runs at, and what weakens it.
func (s *Sandbox) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.report
}

func (s *Sandbox) grade() Grade { return s.Report().Grade }

func (s *Sandbox) settled(r Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report, s.known = r, true
}

// Run runs one command and waits until nothing of it is left. The error is
// *SetupError or *GradeError (the command has not run), *ExecError (it could
// not be started), or ctx.Err() if ctx was done before the start. A command
// that failed, was cancelled or timed out is a Result, with a nil error.
func (s *Sandbox) Run(ctx context.Context, c Command) (Result, error) {
	if err := c.check(); err != nil {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if s.cfg.Setting == Off {
		if !c.Unconfined {
			return Result{}, &GradeError{Setting: Off, Report: s.Report()}
		}
		return s.runBare(ctx, &c)
	}
	defer s.filling(c.OnFill)()
	return s.runGraded(ctx, &c)
}

// check refuses what no backend could run.
func (c *Command) check() error {
	if (len(c.Argv) > 0) == (c.Script != "") {
		return &SetupError{Cause: "a command has either an argument list or a script"}
	}
	for _, l := range [][]string{c.Argv, {c.Script, c.Dir}, c.ExtraEnv} {
		for _, a := range l {
			for i := range len(a) {
				if a[i] == 0 {
					return &SetupError{Cause: "the command holds a NUL byte, which no program can be given"}
				}
			}
		}
	}
	if len(c.Argv) > 0 && c.Argv[0] == "" {
		return &SetupError{Cause: "the command has an empty name"}
	}
	return nil
}

// argv is the argument list in both forms of a command.
func (c *Command) argv() []string {
	if c.Script == "" {
		return c.Argv
	}
	for _, bash := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"} {
		if exists(bash) {
			return []string{bash, "-c", c.Script}
		}
	}
	return []string{"/bin/sh", "-c", c.Script}
}

// did tells a benchmark that a step is done.
func (s *Sandbox) did(name string) {
	if s.step != nil {
		s.step(name)
	}
}

// Plan is what Run would mount and allow for c. It makes nothing.
func (s *Sandbox) Plan(c Command) (*Plan, error) {
	v, err := newView(s, &c)
	if err != nil {
		return nil, err
	}
	return newPlan(s, &c, v), nil
}

// Environment is what c would find in its environment.
func (s *Sandbox) Environment(c Command) (Environment, error) {
	p, err := s.Plan(c)
	if err != nil {
		return Environment{}, err
	}
	return p.env, nil
}

// Close removes what the sandbox keeps between commands, all of which must
// have ended. It does not touch the cache.
func (s *Sandbox) Close() error {
	s.end()
	s.closing.Wait()
	if left := s.keep.close(); len(left) > 0 {
		return &SetupError{Cause: "left over: " + left[0], Err: os.ErrExist}
	}
	return nil
}
