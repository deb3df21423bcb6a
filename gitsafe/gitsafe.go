package gitsafe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"
)

// A Class says what an operation can touch. The zero value is refused by Plan.
type Class uint8

const (
	// Unknown is the zero value; no such call is ever run.
	Unknown Class = iota
	// Read changes nothing and talks to nobody.
	Read
	// Write changes the repository or the working tree, and talks to nobody.
	Write
	// Net talks to a remote.
	Net
)

func (c Class) String() string {
	switch c {
	case Read:
		return "read"
	case Write:
		return "write"
	case Net:
		return "net"
	default:
		return "unknown"
	}
}

// Options are everything a Git takes from outside.
type Options struct {
	// Root is the workspace. Working folders of calls must lie in it. Empty
	// means any folder (the hand-typed broker).
	Root string
	// Home is the person's home folder, where git finds their configuration.
	Home string
	// Env is the person's environment, NAME=VALUE. A short list of names is
	// taken from it, nothing else.
	Env []string
	// Runner starts git.
	Runner Runner
	// Overlays says that Runner binds Invocation.Overlays, but where Keys is
	// set. Keys of the configuration that no override can neutralise are then
	// hidden instead of refused.
	Overlays bool
	// Git is the absolute path of git. Empty means the first one on the PATH
	// of Env that does not lie in Root.
	Git string
	// Private is a folder of ours (0700, made when it is needed) outside of
	// every place that a sandboxed command can write; copies of trusted hooks
	// are made there. Empty means that hooks are never run.
	Private string
	// Trust says whether the person has agreed to a hook or driver of the
	// repository, by its Offer.Digest; nil is never. What is agreed to runs
	// where git runs, and not at all in a run that needs the person's keys
	// (Invocation.Keys), which no sandbox confines.
	Trust func(digest string) bool
	// Limits of each run; zero fields get DefaultLimits.
	Limits Limits
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Limits bound each run of git.
type Limits struct {
	Time    time.Duration // of an operation that stays on this machine
	NetTime time.Duration // of an operation that talks to a remote
	Output  int64         // bytes kept of each stream
}

// defaultLimits are in force where Options.Limits is zero.
var defaultLimits = Limits{Time: 30 * time.Second, NetTime: 5 * time.Minute, Output: 8 << 20}

// A Git runs operations in the repositories of one workspace. It is safe for
// concurrent use.
type Git struct {
	opts Options
	root string // Options.Root with links resolved
}

// New checks the options. It fails when no usable git is found; the error
// names what to install.
func New(o Options) (*Git, error) {
	if o.Runner == nil {
		return nil, errors.New("gitsafe: no runner")
	}
	g := &Git{opts: o}
	if o.Root != "" {
		root, err := filepath.Abs(o.Root)
		if err == nil {
			root, err = filepath.EvalSymlinks(root)
		}
		if err != nil {
			return nil, fmt.Errorf("workspace: %w", err)
		}
		g.root = root
	}
	if g.opts.Limits.Time <= 0 {
		g.opts.Limits.Time = defaultLimits.Time
	}
	if g.opts.Limits.NetTime <= 0 {
		g.opts.Limits.NetTime = defaultLimits.NetTime
	}
	if g.opts.Limits.Output <= 0 {
		g.opts.Limits.Output = defaultLimits.Output
	}
	if g.opts.Now == nil {
		g.opts.Now = time.Now
	}
	_, err := g.lookGit(Repo{})
	return g, err
}

// Check parses the arguments of one git call ("commit", "-m", "text"), without
// the word git. It looks at nothing but its argument. The error is a
// *RefusedError for everything that is not on the table.
func Check(args []string) (Call, error) { return check(args) }

// Plan looks at the repository that holds dir and says what the call would do
// there. It changes nothing and talks to nobody. Errors: *RefusedError,
// *NotRepositoryError, or what the Runner returned.
func (g *Git) Plan(ctx context.Context, dir string, c Call) (Plan, error) {
	return g.plan(ctx, dir, c)
}

// Run plans again, compares, takes the snapshot that the plan announced, and
// runs the call. It returns a *ChangedError when the repository is no longer
// what p showed. An exit code of git other than 0 is no error.
func (g *Git) Run(ctx context.Context, p Plan, s Streams) (Result, error) {
	return g.run(ctx, p, s)
}

// Streams connects a run. A nil Stdout or Stderr is captured in the Result.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// A Result says how a run ended.
type Result struct {
	ExitStatus
	Stdout, Stderr []byte    // what was captured
	Snapshot       *Snapshot // what was saved before work could be lost; nil when nothing was to save
	Notes          []string  // for the person: what was not run, what was left as it is, what the Runner found
}

// A Plan is what a call would do, as far as can be known by looking.
type Plan struct {
	Call  Call
	Class Class
	Repo  Repo

	Remotes []Remote // resolved, for Net
	Reads   []string // absolute paths that are named to be read, or REV:PATH targets
	Opaque  []string // words whose content cannot be told by name (an object whose path is not known)
	Writes  []string // absolute paths: git directory, working tree or the paths in it, new folders
	Outside []string // those of Reads and Writes that lie outside Options.Root

	CanLose     bool     // it can lose work that git keeps nowhere else
	Loses       []Loss   // what would be lost, saved first where Loss.Saved
	Neutralised []Key    // keys of the repository that were given another value
	Hooks       []Offer  // hooks that plain git would run for this call
	Drivers     []Offer  // filter drivers of the repository
	Notes       []string // for the person, one line each

	argv    []string // after "git --no-pager"
	dir     string   // working folder
	look    looker   // how the repository was looked at
	pushes  []refspec
	targets []string // commits and tags that the snapshot keeps
}

// Argv is what git will be given after its own name.
func (p Plan) Argv() []string { return slices.Clone(p.argv) }

// Dir is the folder that git will run in.
func (p Plan) Dir() string { return p.dir }

// A Loss is one thing that the operation would destroy.
type Loss struct {
	Kind           string // modified, staged, untracked, ignored, conflict, stash, branch, tag, remote
	Name           string // path relative to the top, or name of the ref
	Added, Removed int    // lines of a modified text file that would go; -1 when not text
	Bytes          int64  // size, for untracked files
	Detail         string // for refs: what they hold
	Saved          bool   // the snapshot will hold it
}

// A Key is a setting of the repository that is not in force.
type Key struct {
	Name  string // section.subsection.variable
	Scope string // local, worktree, or the user's scope when its file lies in the workspace
	Value string // what the repository wants, at most 200 bytes
	Now   string // what is in force instead: a value, "(hidden)", "(by option)"
}

// An Offer is something of the repository that runs only once the person has
// agreed to exactly these bytes.
type Offer struct {
	Kind   string // hook, driver
	Name   string // pre-commit, filter.lfs.clean
	Text   string // path of the hook, or the command line of the driver
	Digest string // SHA-256, hex; what Options.Trust is asked for
	Runs   bool   // the call will run it: the person has agreed to it
}

// A Repo is what the layout on disk says, found without running git.
type Repo struct {
	Top        string // working tree, absolute, links resolved
	GitDir     string
	CommonDir  string   // GitDir, but for a linked worktree
	Kind       string   // plain, worktree, submodule
	Operation  string   // "", rebase, am, merge, cherry-pick, revert, bisect
	AboveRoot  bool     // Top lies above Options.Root
	Alternates []string // object folders outside that this repository reads
}
