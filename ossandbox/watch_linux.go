package ossandbox

import (
	"context"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An ending is why we ended a command; "" means that it ended itself.
type ending string

const (
	endTimeout ending = "timeout"
	endCancel  ending = "cancel"
	endDisk    ending = "disk"
)

// limit is the limit of Limits that was reached, "" for none.
func (e ending) limit() ending {
	if e == endDisk {
		return e
	}
	return ""
}

const (
	diskInterval = 250 * time.Millisecond
	diskReserve  = 64 << 20 // bytes that stay free while a command runs
)

// watch ends the command when its time is over, when ctx is done, or when the
// disk fills up, and passes signals on. The function that it returns stops the
// watching and says why the command was ended, if it was.
func (l *launch) watch(ctx context.Context, v *view, reached <-chan struct{}) (stop func() ending) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	var why ending
	wg.Go(func() { why = l.await(ctx, v, reached, done) })
	return func() ending {
		close(done)
		wg.Wait()
		return why
	}
}

func (l *launch) await(ctx context.Context, v *view, reached, done <-chan struct{}) ending {
	var timeout <-chan time.Time
	if l.command.Timeout > 0 {
		t := time.NewTimer(l.command.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	disk := newDiskWatch(l.sandbox, v)
	look := time.NewTicker(diskInterval)
	defer look.Stop()
	var told <-chan time.Time // since we passed on a TERM
	for {
		why := ending("")
		select {
		case <-done:
			return ""
		case <-ctx.Done():
			why = endCancel
		case <-timeout:
			why = endTimeout
		case <-look.C:
			if disk.full() {
				why = endDisk
			}
		case sig := <-l.command.Signals:
			if n, ok := sig.(syscall.Signal); ok {
				l.signal(n)
				if told == nil && (n == syscall.SIGTERM || n == syscall.SIGHUP) {
					told = time.After(patience)
				}
			}
		case <-told:
			l.car.kill(l.proc)
			return ""
		}
		if why != "" {
			if context.Cause(ctx) == ErrAbandoned {
				l.car.kill(l.proc)
			} else {
				l.end(reached, done)
			}
			return why
		}
	}
}

// end is TERM to the command, a pause, KILL to everything. One that is still on
// its way up is waited for first: killed in between, bubblewrap would leave a
// child behind that nobody knows yet and that holds our pipes open.
func (l *launch) end(reached, done <-chan struct{}) {
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-reached:
		l.signal(syscall.SIGTERM)
	case <-done:
		return
	case <-t.C:
		l.car.kill(l.proc)
		return
	}
	select {
	case <-done:
		return
	case <-t.C:
	}
	l.car.kill(l.proc)
}

// A diskWatch looks at the free space of the file systems that a command can
// fill: those of the workspace and of its cache.
type diskWatch struct {
	limit uint64
	paths []string
	start []room // at the start
}

// room is what a file system has left.
type room struct{ bytes, files uint64 }

// maxNewFiles bounds the files that a command makes: empty ones take no bytes
// that are counted, and a disk has only so many.
const maxNewFiles = 1_000_000

func newDiskWatch(s *Sandbox, v *view) *diskWatch {
	d := &diskWatch{limit: uint64(s.cfg.Limits.Disk)}
	if !v.writes {
		return d
	}
	for _, p := range []string{v.work, s.keep.dir} {
		if free, ok := roomOf(p); ok {
			d.paths, d.start = append(d.paths, p), append(d.start, free)
		}
	}
	return d
}

func (d *diskWatch) full() bool {
	for i, p := range d.paths {
		now, ok := roomOf(p)
		if ok && d.start[i].spent(now, d.limit) {
			return true
		}
	}
	return false
}

// spent says that more than limit bytes, or too many files, have come since.
func (was room) spent(now room, limit uint64) bool {
	if now.bytes < was.bytes && (was.bytes-now.bytes > limit || now.bytes < diskReserve && was.bytes >= diskReserve) {
		return true
	}
	return now.files < was.files && was.files-now.files > maxNewFiles
}

func roomOf(p string) (room, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(p, &st); err != nil {
		return room{}, false
	}
	return room{st.Bavail * uint64(st.Bsize), st.Ffree}, true
}
