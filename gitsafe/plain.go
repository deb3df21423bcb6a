package gitsafe

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"
)

// Plain is the Runner without a sandbox: for the hand-typed broker, and for
// looking before a sandbox exists. The process gets a session of its own (so
// no controlling terminal, and no prompt that nobody sees); its process group
// is ended at the time limit and with the context. Overlays are not bound.
type Plain struct{}

// graceful is what a process has between TERM and KILL.
const graceful = 2 * time.Second

// Run implements Runner.
func (Plain) Run(ctx context.Context, in Invocation) (ExitStatus, error) {
	if in.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, in.Timeout)
		defer cancel()
	}
	out := &limited{w: in.Stdout, left: in.OutputLimit}
	errs := &limited{w: in.Stderr, left: in.OutputLimit}
	cmd := exec.CommandContext(ctx, in.Path)
	cmd.Args, cmd.Dir, cmd.Env = in.Argv, in.Dir, in.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in.Stdin, out, errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = graceful
	err := cmd.Run()
	if cmd.Process != nil && ctx.Err() != nil {
		// Whoever ignored TERM ends now. After an ordinary end nobody is
		// killed: the person's credential cache may have been started.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	return exitStatus(ctx, cmd, err, out.dropped.Load() || errs.dropped.Load())
}

func exitStatus(ctx context.Context, cmd *exec.Cmd, err error, truncated bool) (ExitStatus, error) {
	st := ExitStatus{Truncated: truncated, TimedOut: errors.Is(ctx.Err(), context.DeadlineExceeded)}
	var exit *exec.ExitError
	if cmd.ProcessState == nil || (err != nil && !errors.As(err, &exit) && ctx.Err() == nil && !errors.Is(err, exec.ErrWaitDelay)) {
		return st, err
	}
	ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		st.Code, st.Signalled = 128+int(ws.Signal()), true
		return st, nil
	}
	st.Code = cmd.ProcessState.ExitCode()
	return st, nil
}

// limited passes on the first bytes of a stream and swallows the rest, so that
// a process that writes too much still ends by itself.
type limited struct {
	w       io.Writer
	left    int64
	dropped atomic.Bool // asked by who waits for the process, while a copier may still write
}

func (l *limited) Write(p []byte) (int, error) {
	n := len(p)
	if l.w == nil {
		return n, nil
	}
	if int64(n) > l.left {
		p = p[:l.left]
		l.dropped.Store(true)
	}
	l.left -= int64(len(p))
	if len(p) == 0 {
		return n, nil
	}
	if _, err := l.w.Write(p); err != nil {
		return 0, err
	}
	return n, nil
}
