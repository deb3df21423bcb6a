package gitsafe

import (
	"context"
	"io"
	"time"
)

// A Runner starts one process and waits for its end. The agent hands in one
// that runs inside its sandbox; Plain runs on the host.
//
// A Runner must give the process exactly Argv, Env and Dir, no controlling
// terminal, and no file descriptors but the three streams. It must end the
// process and its children at Timeout and when the context ends.
type Runner interface {
	// Run returns an error only when the process could not be started or
	// waited for. A non-zero exit, a signal or a timeout is no error.
	Run(ctx context.Context, in Invocation) (ExitStatus, error)
}

// An Invocation is everything a Runner needs to know about one run of git.
type Invocation struct {
	Path string   // git, absolute
	Argv []string // with argv[0]
	Dir  string   // working folder, absolute, links resolved
	Env  []string // the whole environment, NAME=VALUE

	Foreign  bool      // programs of the repository run in it, since the person agreed to them: whatever a Runner keeps from commands it keeps from this run
	ReadOnly bool      // nothing below Dir or in the git directory is to change
	Network  []Address // whom this run may talk to; empty is nobody

	Writable []string  // folders that a writing run needs (git directory, working tree)
	Readable []string  // files and folders outside of these that git reads: the user's configuration, keys, alternates
	Sockets  []string  // agent sockets of the user (ssh-agent), for signing and ssh
	Keys     bool      // a program of the user will want their keys: a signer, ssh, a credential helper. A Runner that hides these runs it outside
	Overlays []Overlay // to be bound read-only over the repository's own; a Runner that cannot bind ignores them

	Stdin          io.Reader // nil is empty
	Stdout, Stderr io.Writer // nil is discarded
	OutputLimit    int64     // bytes of each stream that are passed on; the rest is dropped, and Truncated set
	Timeout        time.Duration
}

// An Address is a host and port that a networked run may reach. Host is as
// written in the URL; a Runner resolves it.
type Address struct {
	Host string
	Port int
}

// An Overlay hides something of the repository: Content is to be seen at Path,
// read-only, or an empty folder when Dir is set. Path exists.
type Overlay struct {
	Path    string
	Content []byte
	Dir     bool
}

// An ExitStatus says how a run ended.
type ExitStatus struct {
	Code      int  // exit code; 128 plus the number for a signal
	Signalled bool // ended by a signal
	TimedOut  bool // ended by Timeout
	Truncated bool // output was dropped at OutputLimit

	Notes []string // what the Runner found afterwards, and whether it is still there, for the person
}
