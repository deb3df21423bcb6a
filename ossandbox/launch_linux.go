package ossandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/tera-pilot/tera-pilot/ossandbox/reexec"
	"golang.org/x/sys/unix"
)

// A launch is one command from its start until nothing of it is left.
type launch struct {
	sandbox *Sandbox
	command *Command
	streams *streams
	car     vehicle
	slot    *slot
	began   time.Time

	proc   *os.Process
	status *os.File // read end of the stage's pipe
	info   *os.File // read end of bubblewrap's
	diag   *os.File // read end of bubblewrap's stderr
	kept   bool     // nothing is left in the slot: it can be used again
	ooms   int      // kills for want of memory in the slot's cgroup, before the start

	mu   sync.Mutex
	init int // bubblewrap's process 1, by its number here; 0 not known
	seen int // the same as a pidfd, -1 none
}

// launch runs c in a vehicle until nothing of it is left.
func (s *Sandbox) launch(ctx context.Context, c *Command, v *view, spec *reexec.Spec, car vehicle) (Result, error) {
	io, err := newStreams(c, s.cfg.Limits.Output)
	if err != nil {
		return Result{}, &SetupError{Cause: "pipes for the command", Err: err}
	}
	l := &launch{sandbox: s, command: c, streams: io, began: time.Now(), seen: -1, car: car}
	if err := l.start(spec.Encode()); err != nil {
		io.finish()
		return Result{}, err
	}
	s.did("plan, filter, start")
	defer l.release()
	return l.supervise(ctx, v)
}

// start starts the vehicle. Whatever it opens is closed again, or belongs to l.
func (l *launch) start(spec []byte) (err error) {
	s, car := l.sandbox, &l.car
	var e ends
	defer func() {
		e.close()
		l.streams.started()
		if err != nil {
			l.release()
		}
	}()
	files := []*os.File{
		l.streams.child[0], l.streams.child[1], e.pipe(&l.diag), car.third,
		e.pipe(&l.status), l.streams.child[2], e.memory("command", spec), s.exe, e.pipe(&l.info),
	}
	for _, b := range car.contents {
		files = append(files, e.memory("copy", b))
	}
	if e.err != nil {
		return &SetupError{Cause: "descriptors for the command", Err: e.err}
	}
	if l.slot, err = s.slot(); err != nil {
		return &SetupError{Cause: "a thread for the command", Err: err}
	}
	if l.slot.group != nil {
		l.ooms = l.slot.group.oomKills()
	}
	attr := &os.ProcAttr{Dir: "/", Env: stageEnvironment(car.mode), Files: files, Sys: l.slot.attributes()}
	if car.guarded {
		attr.Sys.Pdeathsig = 0
	}
	if l.proc, err = l.slot.start(car.path, car.argv, attr); err != nil {
		return &unreachedError{SetupError{Cause: car.path + " cannot be started", Err: err}}
	}
	return nil
}

// ends are the descriptors that are opened for a vehicle: ours to close once it
// has its own of them. After a failure nothing more is opened.
type ends struct {
	theirs []*os.File
	err    error
}

// pipe opens a pipe, puts the end that is read into ours and gives the other.
func (e *ends) pipe(ours **os.File) *os.File {
	if e.err != nil {
		return nil
	}
	read, write, err := os.Pipe()
	if e.err = err; err != nil {
		return nil
	}
	*ours, e.theirs = read, append(e.theirs, write)
	return write
}

// memory opens a file in memory with this content.
func (e *ends) memory(name string, content []byte) *os.File {
	if e.err != nil {
		return nil
	}
	f, err := memfd(name, content)
	if e.err = err; err != nil {
		return nil
	}
	e.theirs = append(e.theirs, f)
	return f
}

func (e *ends) close() {
	for _, f := range e.theirs {
		f.Close()
	}
}

// stageEnvironment is that of bubblewrap and of the stage, never of the
// command. The stage lives for a millisecond: it needs no second thread for Go
// code, and collects no garbage.
func stageEnvironment(mode string) []string {
	return []string{reexec.Trigger + "=" + mode, "GOMAXPROCS=1", "GOGC=off"}
}

// release gives the slot back and closes what is open.
func (l *launch) release() {
	for _, f := range []*os.File{l.status, l.info, l.diag} {
		if f != nil {
			f.Close()
		}
	}
	if l.slot == nil {
		return
	}
	slot := l.slot
	l.slot = nil
	if !l.kept || !l.sandbox.slots.give(slot) {
		l.sandbox.closing.Go(func() { slot.close() })
	}
}

// supervise waits for the command and ends it when it must end.
func (l *launch) supervise(ctx context.Context, v *view) (Result, error) {
	diag := readAll(l.diag)
	said := make(chan []byte, 1)
	reached := make(chan struct{})
	// Each of the two ends with the vehicle; what they say is waited for below.
	go func() { said <- l.listen(reached) }()
	ended := make(chan *os.ProcessState, 1)
	go func() {
		st, err := l.proc.Wait()
		if err != nil {
			st = nil
		}
		ended <- st
	}()
	stop := l.watch(ctx, v, reached)
	state := <-ended
	l.sandbox.did("command and its end")
	why := stop()
	l.awaitEmpty()
	l.sandbox.did("wait until the namespace is empty")
	// Whatever got away with an end of these pipes cannot hold us.
	for _, f := range []*os.File{l.status, l.info, l.diag} {
		f.SetReadDeadline(time.Now().Add(time.Second))
	}
	words := <-said
	dropped, tail := l.streams.finish()
	if state == nil {
		return Result{}, &SetupError{Cause: l.car.path + " was lost"}
	}
	if err := l.verdict(words, <-diag, why, ctx); err != nil {
		return Result{}, err
	}
	r := Result{
		ExitCode: exitCode(state), TimedOut: why == endTimeout, Cancelled: why == endCancel, LimitReached: string(why.limit()),
		Duration: time.Since(l.began), Grade: l.sandbox.grade(), Limits: l.scope(), Dropped: dropped,
	}
	if r.ExitCode > 128 && r.ExitCode <= 128+64 {
		r.Signal = syscall.Signal(r.ExitCode - 128)
	}
	if l.slot.group != nil && l.slot.group.oomKills() > l.ooms {
		r.LimitReached = "memory"
	}
	if r.ExitCode != 0 {
		r.Denials = denials(tail, v, l.command.Profile)
	}
	return r, nil
}

func (l *launch) scope() LimitScope {
	if l.slot.group == nil {
		return LimitsPerProcess
	}
	return LimitsPerCommand
}

// exitCode is bubblewrap's, which is the command's own or 128+n; a signal to
// bubblewrap itself comes from us.
func exitCode(st *os.ProcessState) int {
	if w, ok := st.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return st.ExitCode()
}

// listen reads what the stage says, and notes bubblewrap's process 1 when the
// stage is reached. It returns when the command runs, or when all is over.
func (l *launch) listen(reached chan<- struct{}) []byte {
	b := make([]byte, 1)
	n, _ := l.status.Read(b)
	if n == 0 {
		return nil
	}
	l.noteInit()
	close(reached)
	l.sandbox.did("bubblewrap: namespaces and mounts")
	rest, _ := io.ReadAll(io.LimitReader(l.status, 4<<10))
	l.sandbox.did("inner stage")
	return append(b, rest...)
}

func (l *launch) noteInit() {
	buf := make([]byte, 4<<10)
	n, _ := l.info.Read(buf)
	var info struct {
		Child int `json:"child-pid"`
	}
	if json.NewDecoder(bytes.NewReader(buf[:n])).Decode(&info) != nil || info.Child <= 1 {
		return
	}
	fd, err := unix.PidfdOpen(info.Child, 0)
	if err != nil {
		fd = -1
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.init, l.seen = info.Child, fd
}

// signal sends sig to the process group that the command was started in. Its
// leader is process 1 of the namespace, which ignores what it does not handle.
func (l *launch) signal(sig syscall.Signal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.init > 1 && l.seen >= 0 {
		syscall.Kill(-l.init, sig)
	}
}

// awaitEmpty returns when the PID namespace has no process left: its process 1
// ends after all others.
func (l *launch) awaitEmpty() {
	l.mu.Lock()
	fd := l.seen
	init := l.init
	l.init = 0
	l.mu.Unlock()
	if l.car.guarded {
		l.kept = true // the guard ends after all others
	}
	if init == 0 || fd < 0 {
		return
	}
	defer unix.Close(fd)
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		n, err := unix.Poll(poll, 100)
		if n > 0 || (err != nil && err != unix.EINTR) {
			l.kept = true
			return
		}
		unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

// verdict turns what was said into an error, where the command did not run.
func (l *launch) verdict(words, diag []byte, why ending, ctx context.Context) error {
	switch {
	case len(words) == 0 && why == endCancel:
		return ctx.Err()
	case len(words) == 0 && why == endTimeout:
		return &SetupError{Cause: "the time limit passed before the command could start"}
	case len(words) == 0:
		return unreached(l.car.path, string(diag))
	case len(words) == 1:
		return nil
	}
	text := string(words[2:])
	switch words[1] {
	case reexec.StatusNotFound:
		return &ExecError{Name: text, NotFound: true}
	case reexec.StatusNoExec:
		return &ExecError{Name: l.command.argv()[0], Reason: text}
	default:
		return &SetupError{Cause: "the inner stage failed: " + text}
	}
}

func readAll(f *os.File) <-chan []byte {
	c := make(chan []byte, 1)
	go func() { // ends with the other end of the pipe, which dies with the command, or at supervise's deadline
		b, _ := io.ReadAll(io.LimitReader(f, 16<<10))
		c <- b
	}()
	return c
}
