package ossandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/tera-pilot/tera-pilot/ossandbox/reexec"
	"golang.org/x/sys/unix"
)

// Descriptors of bubblewrap's start, beside those that reexec names. 2 is
// bubblewrap's own stderr, which never reaches the command's.
const (
	fdArgs  = 3
	fdExe   = reexec.FDExe
	fdInfo  = reexec.FDInfo
	fdFirst = 9
)

// grace is the time between SIGTERM and SIGKILL.
const grace = 2 * time.Second

// patience is what a command has after a TERM or HUP that was passed on to it:
// whoever ends us wants it ended, too.
const patience = 10 * time.Second

// A vehicle is what carries the inner stage: bubblewrap, or the guard where
// there are no namespaces.
type vehicle struct {
	path     string
	argv     []string
	mode     string            // what the program is told when it finds itself in there
	third    *os.File          // descriptor 3
	kill     func(*os.Process) // ends everything at once
	guarded  bool              // it ends all by itself when our program dies
	contents [][]byte          // of descriptors from fdFirst on
}

// runConfined runs c in bubblewrap and the inner stage.
func (s *Sandbox) runConfined(ctx context.Context, c *Command, v *view) (Result, error) {
	p := newPlan(s, c, v)
	spec, err := s.spec(p, c, filterKind{trace: c.Profile.kind == profileDebug, ownNet: true, unixOut: true})
	if err != nil {
		return Result{}, err
	}
	if spec.Checks, err = p.identities(s); err != nil {
		return Result{}, err
	}
	if c.Profile.kind == profileNet {
		e, dir, err := s.openEgress(c)
		if err != nil {
			return Result{}, err
		}
		defer s.closeEgress(e, dir)
		p.throughEgress(e, dir, spec)
		v.refused = e.denied
	}
	words, contents := p.bwrapWords(fdInfo, fdFirst)
	args, err := memfd("plan", words)
	if err != nil {
		return Result{}, &SetupError{Cause: "memory for the plan", Err: err}
	}
	defer args.Close()
	return s.launch(ctx, c, v, spec, vehicle{
		path: s.bwrap.path, argv: []string{s.bwrap.path, "--args", strconv.Itoa(fdArgs), "--", s.stage()},
		mode: reexec.ModeCommand, third: args, contents: contents,
		kill: killStart,
	})
}

// killStart ends bubblewrap with its process group. Its child is in that until
// it has a session of its own, and by then it dies with its parent: killed alone
// before, bubblewrap would leave it waiting without end.
func killStart(p *os.Process) {
	if p.Signal(syscall.Signal(0)) == nil { // not waited for yet: the number is its own
		syscall.Kill(-p.Pid, syscall.SIGKILL)
	}
	p.Kill()
}

// spec is what the inner stage does for c.
func (s *Sandbox) spec(p *Plan, c *Command, kind filterKind) (*reexec.Spec, error) {
	filter, err := s.filter(kind)
	if err != nil {
		return nil, &SetupError{Cause: "the system call filter cannot be built", Err: err}
	}
	l := s.cfg.Limits
	spec := &reexec.Spec{
		Argv: c.argv(), Env: p.env.Vars, Dir: p.view.dir, Umask: s.umask, Seccomp: filter,
		Rlimits: []reexec.Rlimit{
			// Not 0: a dump that goes to a program of the host (core_pattern with a
			// pipe) does not look at the limit, but for the value 1. core(5).
			{Resource: unix.RLIMIT_CORE, Value: 1},
			{Resource: unix.RLIMIT_NPROC, Value: uint64(l.Processes)},
			{Resource: unix.RLIMIT_FSIZE, Value: uint64(l.FileSize)},
			{Resource: unix.RLIMIT_NOFILE, Value: uint64(l.OpenFiles)},
			{Resource: unix.RLIMIT_DATA, Value: uint64(l.Memory)},
		},
	}
	if abi := kernelLandlock(); abi > 0 {
		known := abi.files()
		spec.Landlock = reexec.Landlock{FS: known, Scope: abi.scopes(), Streams: rightsStream & known}
		for _, r := range p.rights {
			spec.Landlock.Rules = append(spec.Landlock.Rules, reexec.PathRule{Access: r.access & known, Path: r.path})
		}
	}
	return spec, nil
}

// memfd is a file in memory with this content, read from its beginning.
func memfd(name string, content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("tera-pilot-"+name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(content); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
