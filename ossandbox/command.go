package ossandbox

import (
	"io"
	"os"
	"syscall"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// A Config describes the workspace and the person that a Sandbox serves. Paths
// are absolute.
type Config struct {
	Root    string   // the workspace, as the person spells it; a link is kept as spelling
	Home    string   // the person's home folder; shown to commands as an empty one
	State   string   // our own state folder: never visible; caches are kept below it
	Env     []string // the environment to choose from (see Environment)
	Setting Setting  // what grades are accepted
	Limits  Limits   // zero fields have defaults

	PassEnv  []string // further variable names that the person lets through
	ReadOnly []string // further paths that commands may read
	Hide     []string // further paths below the workspace that commands may not read
	Reveal   []string // secret-like names in the workspace that stay readable

	// Untested leaves the probe out of New: the first command stands for it.
	// For programs that run one command and end.
	Untested bool

	// Bubblewrap says where bwrap may be; nil is the usual places.
	Bubblewrap []string

	// Egress is how the proxy of the profile net resolves and dials; the zero
	// value is this machine's own way. What may be dialled does not depend on it.
	Egress netguard.Options

	work, realHome, realState string // resolved; set by settle

	noProc bool // tests: as in a container that refuses a /proc of one's own
}

// Limits of one command. A zero field means the default beside it.
type Limits struct {
	Memory    int64 // bytes, over all processes where a cgroup can be had; 4 GiB
	Processes int   // 512
	FileSize  int64 // bytes of one file; 2 GiB
	OpenFiles int   // 4096
	Temp      int64 // bytes of /tmp; 1 GiB
	Disk      int64 // bytes that the workspace and cache may grow by; 8 GiB
	Output    int64 // bytes kept of each stream that is not a file; 64 MiB
}

// A Command is one run. Exactly one of Argv and Script is set.
type Command struct {
	Argv     []string // program and arguments; the program is looked up in the sandbox's PATH
	Script   string   // text for bash (sh where there is no bash)
	Dir      string   // below the workspace; relative to it or absolute; "" is the workspace
	ExtraEnv []string // NAME=value, over the built environment
	Stdin    io.Reader
	Stdout   io.Writer // an *os.File is handed to the command itself, without cap
	Stderr   io.Writer
	Profile  Profile
	Timeout  time.Duration // 0 is none

	Binds   []Bind           // further mounts, last wins: for gitsafe's own runs
	Uncover bool             // leave the covers over protected names and .git out: for gitsafe's own runs
	Signals <-chan os.Signal // passed on to the command while it runs

	// OnRequest is told of every request at the proxy of the profile net: of one
	// that is refused when it is, of another before anything of it leaves, and
	// again when it has ended. An error refuses the request. It may be called
	// from several goroutines, never after Run has returned.
	OnRequest func(Request) error

	// OnFill is told which tool's cache, private to this workspace, was empty when
	// the command began and fills while it runs: that takes long, once. Nil: nobody
	// is told. It is called from one goroutine, never after Run has returned.
	OnFill func(tool string)

	// Unconfined is the caller's word that a person agreed to run this command
	// without a sandbox. It counts only while the setting is Off.
	Unconfined bool
}

// A Bind shows the host's Source at Target, which must exist.
type Bind struct {
	Source, Target string
	Writable       bool
}

// A Result is how a command ended. It is meaningful when Run's error is nil.
type Result struct {
	ExitCode  int            // the command's own; 128+n for a death by signal n
	Signal    syscall.Signal // the signal it died of, else 0
	TimedOut  bool
	Cancelled bool
	Duration  time.Duration

	Grade        Grade
	Limits       LimitScope
	LimitReached string    // which limit ended the command: "memory", "disk" …; "" none
	Dropped      int64     // bytes of output beyond Limits.Output
	Denials      []Denial  // what the sandbox probably stopped; for a failed command
	Quarantine   []Finding // what the command left that should not be there
	Changes      []Change  // grade B: what it changed in its copy of the workspace
	Litter       []string  // what could not be cleaned up; the next New tries again
}

// LimitScope says what the limits of memory and processes count.
type LimitScope string

const (
	// LimitsPerCommand: a cgroup counts all processes of the command together.
	LimitsPerCommand LimitScope = "per command"
	// LimitsPerProcess: no cgroup can be had; each process is limited alone.
	LimitsPerProcess LimitScope = "per process"
)

// A Denial is a hint at something that the sandbox stopped, found by comparing
// a failed command's last output with the plan. It is a guess, for people.
type Denial struct {
	Path  string // the path or host it is about
	Host  string // where it is about a host that has a name: the name
	Rule  string // the rule of the plan: "home", "protected name", "network" …
	Allow string // what would allow it; "" nothing does
}

// String is the hint as one line.
func (d Denial) String() string {
	s := "blocked by the sandbox: " + d.Path + " (" + d.Rule + ")"
	if d.Allow != "" {
		s += ", allow with " + d.Allow
	}
	return s
}

// A Finding is something that a command left in the workspace and that could
// act later, outside the sandbox.
type Finding struct {
	Path  string // as it was in the workspace
	What  string // "setuid file", "device node", "protected name appeared" …
	Moved string // where it was moved to; "" it is still where it was
	Ended bool   // nothing is left of it to look at: What says how it was put right
}

// String is the finding as one line.
func (f Finding) String() string {
	switch {
	case f.Moved != "":
		return f.Path + ": " + f.What + "; moved to " + f.Moved
	case f.Ended:
		return f.Path + ": " + f.What
	default:
		return f.Path + ": " + f.What + "; it is still there, look at it"
	}
}

// A Change is one path that a command changed in its copy of the workspace
// (grade B). The caller decides whether it is carried over: see Apply.
type Change struct {
	Path string // relative to the workspace, with slashes
	Op   ChangeOp
	From string // absolute path of the new content in the copy; "" for a delete
	Rule string // the rule that forbids to write it ("protected name" …); "" none
}

// ChangeOp is the kind of a Change. The zero value is not valid.
type ChangeOp uint8

const (
	// Created: the path was not there before.
	Created ChangeOp = iota + 1
	// Modified: content or mode differ.
	Modified
	// Deleted: the path is gone.
	Deleted
)

// A Request is what the proxy of the profile net was asked for, and its answer.
type Request struct {
	Time    time.Time
	Method  string // CONNECT, GET …
	Host    string // canonical, without port; what could not be read is quoted
	Port    uint16
	Address string // the address dialled, "" when none was
	Allowed bool
	Reason  string // why not, or the rule that allowed it
	Ended   bool   // the last that is told of this request
	Failed  bool   // it was allowed, and the host could not be reached

	// Bytes to the host and from it, of a request that was allowed and ended.
	Sent, Received int64
}

// A Report is what this machine can hold.
type Report struct {
	Grade    Grade
	Backend  string // "bubblewrap 0.8.0 + Landlock 7 + seccomp" …
	Limits   LimitScope
	Troubles []Trouble // why the grade is not A, or what weakens it
}

// A Trouble is a cause with its mend.
type Trouble struct {
	Cause string
	Mend  string
	File  string // text of a file that the mend speaks of, "" for none
}

// String is the trouble as one line.
func (t Trouble) String() string {
	if t.Mend == "" {
		return t.Cause
	}
	return t.Cause + ": " + t.Mend
}
