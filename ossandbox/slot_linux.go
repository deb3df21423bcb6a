package ossandbox

import (
	"os"
	"runtime"
	"sync"
	"syscall"
)

// A slot starts one command at a time. It owns an operating system thread,
// which is the parent that the kernel watches for the command's death signal,
// and, where there are cgroups, a cgroup that the thread is in. Both are kept
// between commands: joining a cgroup costs more than the rest of a start.
type slot struct {
	group *cgroup // nil without cgroups
	jobs  chan func()
	ended chan struct{}
}

func newSlot(group *cgroup) (*slot, error) {
	s := &slot{group: group, jobs: make(chan func()), ended: make(chan struct{})}
	ready := make(chan error)
	go s.thread(ready) // close waits for it
	if err := <-ready; err != nil {
		return nil, err
	}
	return s, nil
}

// thread never unlocks its thread: when it returns, the thread ends, and with
// it whatever it has started.
func (s *slot) thread(ready chan<- error) {
	runtime.LockOSThread()
	if syscall.Gettid() == syscall.Getpid() {
		// The main thread cannot end before the program does. While this
		// goroutine holds it, another gets another.
		mine := make(chan error)
		go s.thread(mine)
		ready <- <-mine
		runtime.UnlockOSThread()
		return
	}
	defer close(s.ended)
	if s.group != nil {
		if err := s.group.join(); err != nil {
			ready <- err
			return
		}
	}
	ready <- nil
	for job := range s.jobs {
		job()
	}
}

// start starts a process from the slot's thread.
func (s *slot) start(path string, argv []string, attr *os.ProcAttr) (p *os.Process, err error) {
	done := make(chan struct{})
	s.jobs <- func() {
		defer close(done)
		p, err = os.StartProcess(path, argv, attr)
	}
	<-done
	return p, err
}

// attributes are the parts of a start that every process of ours has: its own
// process group, the death signal, the cgroup.
func (s *slot) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if s.group != nil && s.group.fd != nil {
		a.UseCgroupFD, a.CgroupFD = true, int(s.group.fd.Fd())
	}
	return a
}

func (s *slot) close() error {
	close(s.jobs)
	<-s.ended
	if s.group == nil {
		return nil
	}
	return s.group.remove()
}

// slots are those of a sandbox that are free.
type slots struct {
	mu     sync.Mutex
	free   []*slot
	closed bool
}

func (l *slots) take() *slot {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) == 0 {
		return nil
	}
	s := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	return s
}

// give returns a slot; false when it is not wanted any more.
func (l *slots) give(s *slot) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.free) >= maxFreeSlots {
		return false
	}
	l.free = append(l.free, s)
	return true
}

// drain gives up all free slots, and all that come back later.
func (l *slots) drain() []*slot {
	l.mu.Lock()
	defer l.mu.Unlock()
	free := l.free
	l.free, l.closed = nil, true
	return free
}

const maxFreeSlots = 4
