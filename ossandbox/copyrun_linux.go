package ossandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tera-pilot/tera-pilot/ossandbox/reexec"
)

// A copyBox is what grade B keeps for the life of a sandbox: the copy of the
// workspace, and private folders beside it.
type copyBox struct {
	turn   turns // one command runs at a time; of what follows
	mirror *mirror
}

// copyDir is the folder of grade B of this process, in the keep.
func (k *keep) copyDir() string {
	return filepath.Join(k.dir, "copies", ownedAs(0))
}

// runCopied is grade B: Landlock and seccomp around a copy of the workspace.
func (s *Sandbox) runCopied(ctx context.Context, c *Command) (r Result, err error) {
	if len(c.Binds) > 0 || c.Uncover {
		return Result{}, &SetupError{Cause: "this command needs mounts of its own, which grade B has not", Mend: "mend the sandbox: see doctor --sandbox"}
	}
	if c.Profile.kind == profileNet && len(c.Profile.Hosts()) > 0 {
		return Result{}, &SetupError{Cause: "grade B has no way to limit the network to named hosts", Mend: "mend the sandbox: see doctor --sandbox"}
	}
	v, err := newView(s, c)
	if err != nil {
		return Result{}, err
	}
	if err := s.keep.enter(v.secrets); err != nil {
		return Result{}, err
	}
	defer func() {
		s.keep.settle(v)
		r.Litter = s.keep.leave()
	}()
	if err := s.copies.turn.wait(ctx); err != nil {
		return Result{}, err // another command has the copy, and this one was stopped before it ran
	}
	defer s.copies.turn.pass()
	if err := s.refreshCopy(v); err != nil {
		return Result{}, err
	}
	p, err := newCopyPlan(s, c, v)
	if err != nil {
		return Result{}, err
	}
	spec, err := s.spec(p, c, filterKind{trace: c.Profile.kind == profileDebug, unixOut: kernelLandlock() >= 9})
	if err != nil {
		return Result{}, err
	}
	p.narrow(spec, s)
	r, err = s.runGuarded(ctx, c, v, spec)
	if err != nil || !v.writes {
		return r, err
	}
	changes, err := s.copies.mirror.changes()
	if err != nil {
		return r, &SetupError{Cause: "the command ran, and its changes cannot be listed", Err: err}
	}
	for i := range changes {
		changes[i].Rule = v.ruleOf(filepath.Join(v.work, changes[i].Path))
	}
	r.Changes = changes
	return r, nil
}

// refreshCopy brings the copy up to date. Secret-like files are not copied.
func (s *Sandbox) refreshCopy(v *view) error {
	dir := s.keep.copyDir()
	if s.copies.mirror == nil {
		sweepCopies(filepath.Dir(dir))
		for _, sub := range []string{"tmp", "home"} {
			if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
				return &SetupError{Cause: "the copy of the workspace cannot be made", Err: err}
			}
		}
		for _, c := range v.copies {
			if rel, ok := below(s.cfg.Home, c.path); ok {
				to := filepath.Join(dir, "home", rel)
				if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, c.data, 0o600)); err != nil {
					return &SetupError{Cause: "the private home cannot be made", Err: err}
				}
			}
		}
		s.copies.mirror = &mirror{from: v.work, to: filepath.Join(dir, "tree")}
	}
	hidden := map[string]bool{}
	for _, h := range v.hidden {
		hidden[h] = true
	}
	if err := s.copies.mirror.refresh(func(p string) bool { return hidden[p] }); err != nil {
		return &SetupError{Cause: "the copy of the workspace cannot be made", Err: err}
	}
	return nil
}

// sweepCopies removes the copies of programs that died.
func sweepCopies(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if ownerGone(e.Name()) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

func (s *Sandbox) dropCopy() {
	if s.copies.mirror == nil {
		return
	}
	os.RemoveAll(s.keep.copyDir())
	os.Remove(filepath.Dir(s.keep.copyDir()))
	s.copies.mirror = nil
}

// Apply carries changes of the last command's copy over into the workspace.
// What somebody else changed meanwhile is left as it is, and named. It waits
// while another command has the copy.
func (s *Sandbox) Apply(ctx context.Context, changes []Change) (conflicts []string, err error) {
	if err := s.copies.turn.wait(ctx); err != nil {
		return nil, err
	}
	defer s.copies.turn.pass()
	if s.copies.mirror == nil {
		return nil, errors.New("sandbox: no command ran on a copy of the workspace")
	}
	return s.copies.mirror.apply(changes)
}

// newCopyPlan says the view in Landlock rights alone.
func newCopyPlan(s *Sandbox, c *Command, v *view) (*Plan, error) {
	p := &Plan{view: v, profile: c.Profile}
	dir := s.keep.copyDir()
	tree, tmp, home := filepath.Join(dir, "tree"), filepath.Join(dir, "tmp"), filepath.Join(dir, "home")
	rel, err := filepath.Rel(s.work, resolvedAsFar(v.dir))
	if err != nil || !filepath.IsLocal(rel) {
		return nil, &SetupError{Cause: "the working folder " + v.dir + " is outside the workspace"}
	}
	read := func(paths ...string) {
		for _, path := range paths {
			p.rights = append(p.rights, right{path, rightsRead})
		}
	}
	for _, f := range systemFolders {
		read(allBut(f, privateSystemFiles())...)
	}
	read(v.tools...)
	read(v.extra...)
	read("/proc", "/sys/devices/system/cpu")
	read(allBut(v.work, v.hidden)...)
	for _, dev := range []string{"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"} {
		p.rights = append(p.rights, right{"/dev/" + dev, rightsDevice})
	}
	writable := []string{tmp, home}
	if v.writes {
		writable = append(writable, tree, s.keep.cacheDir())
	} else {
		read(tree)
	}
	for _, w := range writable {
		p.rights = append(p.rights, right{w, rightsRead | rightsWrite})
	}
	v.dir = filepath.Join(tree, rel)
	tools := toolchains(s, c.Profile, s.keep.cacheDir())
	p.env = environment(&s.cfg, slices.Concat(
		[]string{"HOME=" + home, "PATH=" + s.host.path, "PWD=" + v.dir, "TMPDIR=" + tmp}, tools.env), c.ExtraEnv)
	return p, nil
}

// narrow adds to the spec what the namespaces do in the other grades.
func (p *Plan) narrow(spec *reexec.Spec, s *Sandbox) {
	spec.DropCaps = true
	spec.Landlock.Net = kernelLandlock().ports()
	for i := range spec.Rlimits {
		if spec.Rlimits[i].Resource == unix.RLIMIT_NPROC {
			spec.Rlimits[i].Value += uint64(tasksOf(os.Getuid())) // the limit counts all that the user has
		}
	}
}

// allBut lists what makes up dir without the paths of but: Landlock grants
// trees, and cannot take something out of one.
func allBut(dir string, but []string) []string {
	inside := false
	for _, b := range but {
		if b == dir {
			return nil
		}
		if _, ok := below(dir, b); ok {
			inside = true
		}
	}
	if !inside {
		return []string{dir}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var l []string
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 {
			l = append(l, allBut(filepath.Join(dir, e.Name()), but)...)
		}
	}
	return l
}

// tasksOf counts the threads that belong to a user now.
func tasksOf(uid int) (n int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + e.Name() + "/status")
		if err != nil {
			continue
		}
		owner, threads := 0, 0
		for line := range strings.Lines(string(b)) {
			switch f := strings.Fields(line); {
			case len(f) > 1 && f[0] == "Uid:":
				owner, _ = strconv.Atoi(f[1])
			case len(f) > 1 && f[0] == "Threads:":
				threads, _ = strconv.Atoi(f[1])
			}
		}
		if owner == uid {
			n += threads
		}
	}
	return n
}

// runGuarded runs c under the guard instead of in namespaces.
func (s *Sandbox) runGuarded(ctx context.Context, c *Command, v *view, spec *reexec.Spec) (Result, error) {
	ours, theirs, err := os.Pipe()
	if err != nil {
		return Result{}, &SetupError{Cause: "pipes", Err: err}
	}
	// The guard holds the read end; it ends all when the other end is gone.
	defer theirs.Close()
	defer ours.Close()
	return s.launch(ctx, c, v, spec, vehicle{
		path: "/proc/self/exe", argv: []string{"tera-pilot-guard"}, mode: reexec.ModeGuard, third: ours,
		guarded: true, kill: func(*os.Process) { theirs.Close() },
	})
}

// runBare runs c without confinement, for the setting off: its own session and
// the built environment, and nothing of it survives. A person has agreed.
func (s *Sandbox) runBare(ctx context.Context, c *Command) (Result, error) {
	v := &view{work: s.work, spelling: s.cfg.Root, writes: true}
	var err error
	if v.dir, err = workDir(s, c.Dir); err != nil {
		return Result{}, err
	}
	env := environment(&s.cfg, []string{"HOME=" + s.cfg.Home, "PATH=" + lookupEnv(s.cfg.Env, "PATH"), "PWD=" + v.dir, "TMPDIR=" + os.TempDir()}, c.ExtraEnv)
	spec := &reexec.Spec{Argv: c.argv(), Env: env.Vars, Dir: v.dir, Umask: s.umask, Plain: true}
	r, err := s.runGuarded(ctx, c, v, spec)
	r.Grade = GradeNone
	return r, err
}
