package ossandbox

import (
	"context"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// probes are the answers so far, by what they depend on. A probe starts a few
// processes, and the machine does not change while we run.
var probes sync.Map // probeKey → Report with a stage path

type probeKey struct {
	bwrap   string
	changed int64
	kernel  string
	armor   string
	uid     int
	noProc  bool
}

type probeAnswer struct {
	report    Report
	stagePath string
}

func (s *Sandbox) probeKey() probeKey {
	k := probeKey{bwrap: s.bwrap.path, uid: os.Geteuid(), armor: hostFacts().appArmor, noProc: s.cfg.noProc}
	if st, err := os.Stat(s.bwrap.path); err == nil {
		k.changed = st.ModTime().UnixNano()
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		k.kernel = unix.ByteSliceToString(u.Release[:])
	}
	return k
}

// guess is the grade by what can be seen without starting anything. known says
// that this process has probed before.
func (s *Sandbox) guess() (r Report, known bool) {
	var found bool
	if s.bwrap, found = findBubblewrap(&s.cfg); found {
		if a, ok := probes.Load(s.probeKey()); ok {
			a := a.(probeAnswer)
			s.stagePath = a.stagePath
			return a.report, true
		}
		if !s.bwrap.setuid {
			return s.describe(GradeA), false
		}
	}
	if kernelLandlock() >= minLandlockB {
		return s.describe(GradeB), false
	}
	return Report{}, false
}

// minLandlockB is the first version of Landlock that confines TCP.
const minLandlockB = 4

// probe runs the real plan around a program that does nothing, from the best
// grade down, and says why it is not better.
func (s *Sandbox) probe(ctx context.Context) Report {
	defer s.keep.close() // a probe leaves nothing
	var troubles []Trouble
	grade := GradeNone
	if s.bwrap.path == "" {
		troubles = append(troubles, Trouble{Cause: "bubblewrap not found", Mend: "install the package bubblewrap (apt, dnf, pacman, zypper or apk)"})
	} else if v := s.bwrap.version(ctx); s.bwrap.setuid && !atLeast(v, firstSafeSetuid) {
		troubles = append(troubles, Trouble{
			Cause: fmt.Sprintf("bubblewrap %s is installed setuid, and versions before 0.11.2 can be traced while they are root", v),
			Mend:  "install 0.11.2 or later, or take the bit: chmod u-s " + s.bwrap.path,
		})
	} else {
		grade, troubles = s.tryMounted(ctx)
	}
	if grade == GradeNone {
		if abi := kernelLandlock(); abi >= minLandlockB {
			if err := s.try(ctx, GradeB, s.stagePath); err == nil {
				grade = GradeB
			} else {
				troubles = append(troubles, troubleOf(err))
			}
		} else {
			troubles = append(troubles, Trouble{Cause: fmt.Sprintf("the kernel has no Landlock of version 4 (it has %d)", abi), Mend: "use Linux 6.7 or later, with Landlock in the list of security modules"})
		}
	}
	r := s.describe(grade)
	r.Troubles = append(troubles, r.Troubles...)
	if ctx.Err() == nil {
		probes.Store(s.probeKey(), probeAnswer{r, s.stagePath})
	}
	return r
}

// tryMounted tries grades A and A-.
func (s *Sandbox) tryMounted(ctx context.Context) (Grade, []Trouble) {
	var troubles []Trouble
	byFD := s.stagePath
	for _, t := range []struct {
		grade Grade
		stage string
	}{{GradeA, byFD}, {GradeAMinus, stageCopy}} {
		err := s.try(ctx, t.grade, t.stage)
		if err == nil {
			return t.grade, troubles
		}
		if len(troubles) == 0 {
			troubles = append(troubles, troubleOf(err))
		}
	}
	s.stagePath = byFD
	return GradeNone, troubles
}

// try runs the plan of a grade around a program that does nothing.
func (s *Sandbox) try(ctx context.Context, g Grade, stage string) error {
	if s.cfg.noProc && g == GradeA {
		return &SetupError{Cause: "no /proc of its own can be mounted"}
	}
	s.mu.Lock()
	s.report.Grade, s.stagePath = g, stage
	s.mu.Unlock()
	c := Command{Argv: []string{"/bin/sh", "-c", ":"}, Profile: Observe()}
	var r Result
	var err error
	if g == GradeB {
		r, err = s.runGuardedProbe(ctx, &c)
	} else {
		r, err = s.runMounted(ctx, &c)
	}
	if err == nil && r.ExitCode != 0 {
		err = fmt.Errorf("a program that does nothing ended with %d", r.ExitCode)
	}
	return err
}

// runGuardedProbe is grade B around nothing: without the copy.
func (s *Sandbox) runGuardedProbe(ctx context.Context, c *Command) (Result, error) {
	spec, err := s.spec(&Plan{view: &view{dir: "/"}, rights: []right{{"/", rightsRead}}}, c, filterKind{})
	if err != nil {
		return Result{}, err
	}
	(&Plan{}).narrow(spec, s)
	return s.runGuarded(ctx, c, &view{}, spec)
}

// describe is the report of a grade, with what weakens it.
func (s *Sandbox) describe(g Grade) Report {
	r := Report{Grade: g, Limits: LimitsPerProcess}
	if s.cgroups.usable() {
		r.Limits = LimitsPerCommand
	}
	abi := kernelLandlock()
	switch g {
	case GradeA, GradeAMinus:
		r.Backend = fmt.Sprintf("bubblewrap, Landlock %d, seccomp", abi)
		if abi == 0 {
			r.Troubles = append(r.Troubles, Trouble{Cause: "the kernel has no Landlock, the second layer behind the mounts", Mend: "add landlock to the kernel's list of security modules"})
		}
	case GradeB:
		r.Backend = fmt.Sprintf("Landlock %d, seccomp, on a copy of the workspace", abi)
	case GradeNone:
		r.Backend = "none"
	}
	return r
}
