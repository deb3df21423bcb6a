package ossandbox

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
)

// engine is the Linux part of a Sandbox.
type engine struct {
	bwrap     bubblewrap
	exe       *os.File // our own binary, for the inner stage
	stagePath string   // how bubblewrap finds it
	umask     uint32
	cgroups   cgroupHome
	swept     sync.Once // the cgroups of programs that died
	slots     slots

	copies copyBox

	filters sync.Map // filterKind → []byte
}

func (s *Sandbox) begin() (err error) {
	// The open file, not its path: the program may be replaced while it runs.
	if s.exe, err = os.Open("/proc/self/exe"); err != nil {
		return &SetupError{Cause: "our own program cannot be opened", Err: err}
	}
	s.stagePath = "/proc/self/fd/" + strconv.Itoa(fdExe)
	s.copies.turn = newTurns()
	s.umask = currentUmask()
	s.cgroups = findCgroupHome("/")
	return nil
}

func (s *Sandbox) end() {
	for _, sl := range s.slots.drain() {
		sl.close()
	}
	s.dropCopy()
	if s.exe != nil {
		s.exe.Close()
	}
}

// stage is how bubblewrap finds our program.
func (s *Sandbox) stage() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stagePath
}

// slot gives a free slot, or a new one. Where no cgroup can be made, commands
// run without, and their Result says so.
func (s *Sandbox) slot() (*slot, error) {
	if sl := s.slots.take(); sl != nil {
		return sl, nil
	}
	if s.cgroups.usable() {
		s.swept.Do(s.cgroups.sweep)
		if g, err := newCgroup(s.cgroups, ownedName(), s.cfg.Limits); err == nil {
			if sl, err := newSlot(g); err == nil {
				return sl, nil
			}
			g.remove()
		}
	}
	return newSlot(nil)
}

// filter is the seccomp program of a kind.
func (s *Sandbox) filter(kind filterKind) ([]byte, error) {
	if b, ok := s.filters.Load(kind); ok {
		return b.([]byte), nil
	}
	b, err := buildFilter(kind)
	if err == nil {
		s.filters.Store(kind, b)
	}
	return b, err
}

// currentUmask reads the umask without changing it. proc(5).
func currentUmask() uint32 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0o022
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if v, ok := strings.CutPrefix(sc.Text(), "Umask:"); ok {
			if n, err := strconv.ParseUint(strings.TrimSpace(v), 8, 32); err == nil {
				return uint32(n) & 0o777
			}
		}
	}
	return 0o022
}

// runGraded runs c at the best grade. A grade that was only guessed is tried;
// where it does not stand, nothing of c has run, and the probe finds another.
func (s *Sandbox) runGraded(ctx context.Context, c *Command) (Result, error) {
	r, err := s.runOnce(ctx, c)
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	if known {
		return r, err
	}
	if _, missed := err.(*unreachedError); !missed {
		s.settled(s.Report())
		return r, err
	}
	s.settled(s.probe(ctx))
	if !s.cfg.Setting.Accepts(s.grade()) {
		return Result{}, &GradeError{Setting: s.cfg.Setting, Report: s.Report()}
	}
	return s.runOnce(ctx, c)
}

// runOnce runs c at the grade in force.
func (s *Sandbox) runOnce(ctx context.Context, c *Command) (Result, error) {
	switch g := s.grade(); {
	case !s.cfg.Setting.Accepts(g):
		return Result{}, &GradeError{Setting: s.cfg.Setting, Report: s.Report()}
	case g == GradeA || g == GradeAMinus:
		return s.runMounted(ctx, c)
	case g == GradeB:
		return s.runCopied(ctx, c)
	default:
		return Result{}, &GradeError{Setting: s.cfg.Setting, Report: s.Report()}
	}
}

// runMounted is grades A and A-: stand-ins before, the check after.
func (s *Sandbox) runMounted(ctx context.Context, c *Command) (r Result, err error) {
	v, err := newView(s, c)
	if err != nil {
		return Result{}, err
	}
	if err := s.keep.enter(v.secrets); err != nil {
		return Result{}, err
	}
	if !v.writes {
		v.covers = nil
		defer func() {
			s.keep.settle(v)
			r.Litter = s.keep.leave()
		}()
		return s.runConfined(ctx, c, v)
	}
	s.did("look at the workspace")
	before := newCheckpoint(v)
	defer func() {
		r.Quarantine = before.opened(v)
		s.keep.settle(v)
		r.Litter = s.keep.leave()
		s.did("take stand-ins back")
		r.Quarantine = append(r.Quarantine, before.after(s, v)...)
		s.did("check after the run")
	}()
	if v.covers, err = s.keep.standIns(v.covers); err != nil {
		return Result{}, err
	}
	s.did("put stand-ins up")
	return s.runConfined(ctx, c, v)
}
