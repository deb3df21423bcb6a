package ossandbox

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// This backend was written from the documentation and has not been run by us.
// TestOnThisMac is for somebody who has a Mac.

const sandboxExec = "/usr/bin/sandbox-exec"

// engine is the macOS part of a Sandbox.
type engine struct{}

func (s *Sandbox) begin() error { return nil }
func (s *Sandbox) end()         {}

func (s *Sandbox) guess() (Report, bool) {
	if !exists(sandboxExec) {
		return Report{Troubles: []Trouble{{Cause: "sandbox-exec not found", Mend: "it is part of macOS: use a version that has it"}}}, true
	}
	return seatbeltReport(), false
}

// seatbeltReport: Seatbelt confines files, network and signals, and has no
// namespace of processes and no common limits: it is held to be grade A-.
func seatbeltReport() Report {
	return Report{Grade: GradeAMinus, Backend: "Seatbelt (not tried by its makers)", Limits: LimitsPerProcess}
}

func (s *Sandbox) probe(ctx context.Context) Report {
	r, err := s.runSeatbelt(ctx, &Command{Argv: []string{"/usr/bin/true"}, Profile: Observe()})
	if err == nil && r.ExitCode != 0 {
		err = errors.New("a program that does nothing ended with " + strconv.Itoa(r.ExitCode))
	}
	if err != nil {
		return Report{Troubles: []Trouble{troubleOf(err)}}
	}
	return seatbeltReport()
}

func (s *Sandbox) runGraded(ctx context.Context, c *Command) (Result, error) {
	if !s.cfg.Setting.Accepts(s.grade()) {
		return Result{}, &GradeError{Setting: s.cfg.Setting, Report: s.Report()}
	}
	return s.runSeatbelt(ctx, c)
}

// Apply is for grade B, which macOS does not have.
func (s *Sandbox) Apply(context.Context, []Change) ([]string, error) {
	return nil, errors.New("sandbox: no command ran on a copy of the workspace")
}

// newPlan is the view in the words of Seatbelt: the temporary folder is made
// when the command runs.
func newPlan(s *Sandbox, c *Command, v *view) *Plan {
	p := &Plan{view: v, profile: c.Profile}
	tools := toolchains(s, c.Profile, s.keep.cacheDir())
	p.env = environment(&s.cfg, slices.Concat(
		[]string{"HOME=" + s.cfg.Home, "PATH=" + s.host.path, "PWD=" + v.dir}, tools.env), c.ExtraEnv)
	return p
}

// runSeatbelt runs c under sandbox-exec.
func (s *Sandbox) runSeatbelt(ctx context.Context, c *Command) (r Result, err error) {
	if len(c.Binds) > 0 {
		return Result{}, &SetupError{Cause: "this command needs mounts of its own, which macOS has not"}
	}
	v, err := newView(s, c)
	if err != nil {
		return Result{}, err
	}
	if err := s.keep.enter(v.secrets); err != nil {
		return Result{}, err
	}
	before := newCheckpoint(v)
	defer func() {
		if v.writes {
			r.Quarantine = before.opened(v)
		}
		s.keep.settle(v)
		r.Litter = s.keep.leave()
		if v.writes {
			r.Quarantine = append(r.Quarantine, before.after(s, v)...)
		}
	}()
	temp, err := os.MkdirTemp("", "tera-pilot-")
	if err != nil {
		return Result{}, &SetupError{Cause: "the temporary folder cannot be made", Err: err}
	}
	defer os.RemoveAll(temp)
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return Result{}, &SetupError{Cause: "the temporary folder cannot be found", Err: err}
	}
	p := newPlan(s, c, v)
	env := slices.Clone(p.env.Vars)
	sv := s.seatbeltView(v, c, temp)
	if c.Profile.kind == profileNet {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return Result{}, &SetupError{Cause: "the proxy cannot listen", Err: err}
		}
		e, err := newEgress(c.Profile, s.cfg.Egress, l, c.OnRequest)
		if err != nil {
			return Result{}, errors.Join(err, l.Close())
		}
		defer e.close()
		sv.proxyPort = l.Addr().(*net.TCPAddr).Port
		v.refused = e.denied
		env = append(env, proxyEnvironment(e.url(l.Addr().String()))...)
	}
	env = append(env, "TMPDIR="+temp)
	return s.supervise(ctx, c, v, newSeatbelt(sv), env)
}

func (s *Sandbox) seatbeltView(v *view, c *Command, temp string) seatbeltView {
	sv := seatbeltView{
		work: v.work, temp: temp, cache: s.keep.cacheDir(), home: s.cfg.realHome,
		reads: slices.Concat(v.tools, v.extra), writes: v.gits, hidden: v.hidden,
		observe: !v.writes, debug: c.Profile.kind == profileDebug,
	}
	if !c.Uncover {
		for _, cov := range v.covers {
			sv.covers = append(sv.covers, cov.path)
		}
	}
	for _, pattern := range homeSecrets {
		sv.secrets = append(sv.secrets, globbed(filepath.Join(s.cfg.realHome, pattern))...)
	}
	for _, p := range []string{"config.json", "policy.toml", "remembered.toml", "audit_key", "audit", "sessions", "undo"} {
		sv.secrets = append(sv.secrets, filepath.Join(s.cfg.realState, p))
	}
	return sv
}

// limited is a shell line that lowers the limits and becomes the command.
const limited = `ulimit -c 0; ulimit -n "$1"; ulimit -f "$2"; ulimit -u "$3" 2>/dev/null; shift 3; exec "$@"`

// supervise starts the command in a process group of its own and ends it with
// everything that is still its descendant.
func (s *Sandbox) supervise(ctx context.Context, c *Command, v *view, profile *seatbelt, env []string) (Result, error) {
	streams, err := newStreams(c, s.cfg.Limits.Output)
	if err != nil {
		return Result{}, &SetupError{Cause: "pipes for the command", Err: err}
	}
	l := s.cfg.Limits
	argv := append(profile.arguments(), "/bin/sh", "-c", limited, "sh",
		strconv.Itoa(l.OpenFiles), strconv.FormatInt(l.FileSize/512, 10), strconv.Itoa(l.Processes))
	cmd := exec.Command(sandboxExec, append(argv, c.argv()...)...)
	cmd.Dir, cmd.Env = v.dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = streams.child[0], streams.child[1], streams.child[2]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	began := time.Now()
	err = cmd.Start()
	streams.started()
	if err != nil {
		streams.finish()
		return Result{}, &SetupError{Cause: "sandbox-exec cannot be started", Err: err}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	why := awaitEnd(ctx, c, cmd.Process.Pid, ended)
	killTree(cmd.Process.Pid)
	dropped, tail := streams.finish()
	r := Result{
		ExitCode: cmd.ProcessState.ExitCode(), TimedOut: why == "timeout", Cancelled: why == "cancel",
		Duration: time.Since(began), Grade: s.grade(), Limits: LimitsPerProcess, Dropped: dropped,
	}
	if w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		r.Signal, r.ExitCode = w.Signal(), 128+int(w.Signal())
	}
	if r.ExitCode != 0 {
		r.Denials = denials(tail, v, c.Profile)
	}
	return r, nil
}

// awaitEnd waits for the command, passes signals on, and ends it with TERM, a
// pause, and KILL when its time is over or ctx is done.
func awaitEnd(ctx context.Context, c *Command, pid int, ended <-chan error) (why string) {
	var timeout <-chan time.Time
	if c.Timeout > 0 {
		t := time.NewTimer(c.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	for {
		select {
		case <-ended:
			return ""
		case sig := <-c.Signals:
			if n, ok := sig.(syscall.Signal); ok {
				syscall.Kill(-pid, n)
			}
			continue
		case <-ctx.Done():
			why = "cancel"
		case <-timeout:
			why = "timeout"
		}
		syscall.Kill(-pid, syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(2 * time.Second):
			killTree(pid)
			<-ended
		}
		return why
	}
}

// killTree kills the process group, and what has left it but is still a
// descendant. A process whose parents have ended is out of reach: macOS has no
// process namespace.
func killTree(pid int) {
	procs, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	syscall.Kill(-pid, syscall.SIGKILL)
	if err != nil {
		return
	}
	ours := map[int32]bool{int32(pid): true}
	for grew := true; grew; {
		grew = false
		for _, p := range procs {
			if id := p.Proc.P_pid; ours[p.Eproc.Ppid] && !ours[id] {
				ours[id], grew = true, true
			}
		}
	}
	for id := range ours {
		if id != int32(pid) {
			syscall.Kill(int(id), syscall.SIGKILL)
		}
	}
}

func (s *Sandbox) runBare(ctx context.Context, c *Command) (Result, error) {
	v := &view{work: s.work, spelling: s.cfg.Root, writes: true}
	var err error
	if v.dir, err = workDir(s, c.Dir); err != nil {
		return Result{}, err
	}
	env := environment(&s.cfg, []string{"HOME=" + s.cfg.Home, "PATH=" + lookupEnv(s.cfg.Env, "PATH"), "PWD=" + v.dir, "TMPDIR=" + os.TempDir()}, c.ExtraEnv)
	r, err := s.supervise(ctx, c, v, allowAll(), env.Vars)
	r.Grade = GradeNone
	return r, err
}

// allowAll is the profile of a command that a person lets run unconfined.
func allowAll() *seatbelt {
	s := &seatbelt{}
	s.line("(version 1)")
	s.line("(allow default)")
	return s
}

// arguments are those of sandbox-exec, before the command.
func (s *seatbelt) arguments() []string {
	args := []string{"-p", s.text.String()}
	for _, p := range s.params {
		args = append(args, "-D", p)
	}
	return args
}
