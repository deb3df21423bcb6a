package ossandbox

import "context"

// A Sandbox runs commands in one workspace. Its methods may be called from
// several goroutines at once.
type Sandbox struct{ cfg Config }

// New checks the configuration, finds the best grade that the setting accepts,
// and sweeps what a crash left behind. It starts nothing but the probe.
// Errors: *SetupError (the configuration cannot be served), *GradeError.
func New(ctx context.Context, cfg Config) (*Sandbox, error) {
	return nil, &GradeError{Setting: cfg.Setting}
}

// Probe finds what this machine can hold, by running the real plan around a
// program that does nothing. The answer is kept for the process.
func Probe(ctx context.Context, cfg Config) Report { return Report{} }

// Report is the grade that this sandbox runs at.
func (s *Sandbox) Report() Report { return Report{} }

// Run runs one command and waits until nothing of it is left. The error is
// *SetupError or *GradeError (the command has not run), *ExecError (it could
// not be started), or ctx.Err() if ctx was done before the start. A command
// that failed, was cancelled or timed out is a Result, with a nil error.
func (s *Sandbox) Run(ctx context.Context, c Command) (Result, error) {
	return Result{}, &GradeError{Setting: s.cfg.Setting}
}

// Plan is what Run would mount and allow for c.
func (s *Sandbox) Plan(c Command) (*Plan, error) { return nil, nil }

// Environment is what c would find in its environment.
func (s *Sandbox) Environment(c Command) Environment { return Environment{} }

// Close removes what the sandbox keeps between runs. It does not touch the cache.
func (s *Sandbox) Close() error { return nil }

// A Plan is the view of the machine that a command gets.
type Plan struct{}

// String lists the plan, a line a path, for doctor and the question.
func (p *Plan) String() string { return "" }

// Writable are the paths that the command can write.
func (p *Plan) Writable() []string { return nil }

// ReadOnly are the covered paths of the workspace that it cannot write.
func (p *Plan) ReadOnly() []string { return nil }

// Hidden are the paths of the workspace whose content it cannot read.
func (p *Plan) Hidden() []string { return nil }

// An Environment is the variables of a command and how they differ from those
// of the person.
type Environment struct {
	Vars    []string // NAME=value, sorted
	Added   []string // names that the person's environment does not have, or with another value
	Removed []string // names of the person's environment that the command does not see
}
