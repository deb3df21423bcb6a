package gitsafe

import "context"

// This file holds the place of what is being written; it goes away.

func newGit(o Options) (*Git, error) {
	return nil, refuse("", "git operations are still being written")
}

type environment struct{}

func (g *Git) plan(context.Context, string, Call) (Plan, error) {
	return Plan{}, refuse("", "git operations are still being written")
}
func (g *Git) run(context.Context, Plan, Streams) (Result, error) {
	return Result{}, refuse("", "git operations are still being written")
}

// An Environment is what makes git safe inside a compound command that runs in
// the sandbox of the caller.
type Environment struct {
	Env      []string  // NAME=VALUE to add to the environment of the command
	Unset    []string  // names that must not be there
	Overlays []Overlay // to be bound read-only: sanitised configuration, empty hooks folder
	Notes    []string
}

// EnvironmentFor prepares git for a compound command in dir. Without a
// repository the result still holds the general settings.
func (g *Git) EnvironmentFor(ctx context.Context, dir string) (Environment, error) {
	return Environment{}, refuse("", "git operations are still being written")
}

// TopLevel is the top of the working tree that holds dir, found without
// running git. It is a *NotRepositoryError when there is none.
func TopLevel(dir string) (string, error) { return "", &NotRepositoryError{Dir: dir} }

// Find is the layout of the repository whose working tree holds dir, found
// without running git.
func Find(dir string) (Repo, error) { return Repo{}, &NotRepositoryError{Dir: dir} }

// ParseStatus decodes the output of StatusCall.
func ParseStatus(out []byte) (Status, error) { return Status{}, nil }

// LogCall is the call whose output ParseLog reads: at most max commits
// reachable from rev (empty is HEAD) that touch paths.
func LogCall(max int, rev string, paths ...string) (Call, error) { return Call{}, nil }

// ParseLog decodes the output of LogCall.
func ParseLog(out []byte) ([]Commit, error) { return nil, nil }

func gitFailed(c Call, r Result) error { return refuse("", "git failed") }
