package ossandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/tera-pilot/tera-pilot/ossandbox/reexec"
)

// Sizes of the private folders, in bytes. /tmp has Limits.Temp.
const (
	sizeRun   = 64 << 20
	sizeShm   = 256 << 20
	sizeCover = 4 << 10
)

// newPlan says the view in mounts and Landlock rights. The order counts: a
// later mount lies over an earlier one.
func newPlan(s *Sandbox, c *Command, v *view) *Plan {
	p := &Plan{view: v, profile: c.Profile}
	p.system(s)
	p.homeFolder(s, v)
	tools := toolchains(s, c.Profile, filepath.Join(s.cfg.Home, ".cache"))
	p.mounts = append(p.mounts, tools.mounts...)
	if v.writes {
		p.add(mount{op: opOpen, src: s.keep.cacheDir(), dst: filepath.Join(s.cfg.Home, ".cache"), why: "private cache"})
	}
	p.workspace(s, v)
	p.add(mount{op: opSeal, dst: "/"})
	p.allowances(s, v)
	p.env = environment(&s.cfg, slices.Concat(
		[]string{"HOME=" + s.cfg.Home, "PATH=" + s.host.path, "PWD=" + v.dir},
		tools.env), c.ExtraEnv)
	return p
}

func (p *Plan) add(m ...mount) { p.mounts = append(p.mounts, m...) }

// system shows the parts of the machine that every program needs.
func (p *Plan) system(s *Sandbox) {
	for _, dir := range systemFolders {
		st, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		if st.Mode()&fs.ModeSymlink != 0 {
			if target, err := os.Readlink(dir); err == nil {
				p.add(mount{op: opLink, src: target, dst: dir})
			}
			continue
		}
		p.add(mount{op: opShow, src: dir, dst: dir, why: "system"})
	}
	p.add(mount{op: opDev, dst: "/dev"}, mount{op: opEmpty, dst: "/dev/shm", size: sizeShm, perm: "1777"})
	p.add(mount{op: opEmpty, dst: "/run", size: sizeRun, perm: "0755"})
	if s.grade() == GradeA {
		p.add(mount{op: opProc, dst: "/proc"})
		p.kernelFiles(s)
	} else {
		p.foreignProc(s)
	}
	if cpu := "/sys/devices/system/cpu"; exists(cpu) {
		p.add(mount{op: opShow, src: cpu, dst: cpu, why: "number of processors"})
	}
	p.add(
		mount{op: opEmpty, dst: "/tmp", size: s.cfg.Limits.Temp, perm: "1777"},
		mount{op: opEmpty, dst: "/var/tmp", size: s.cfg.Limits.Temp, perm: "1777"},
	)
	for _, f := range privateSystemFiles() {
		if isDir(f) {
			p.add(mount{op: opEmpty, dst: f, size: sizeCover, perm: "0000", why: "system secret"})
		} else {
			p.add(mount{op: opShow, src: s.keep.emptyFile(), dst: f, why: "system secret"})
		}
	}
}

// kernelFiles closes what a fresh /proc leaves open to root: bubblewrap covers
// the settings only where it finds them writable by access(2), which goes by
// capabilities; the files themselves go by the user's number.
func (p *Plan) kernelFiles(s *Sandbox) {
	if os.Geteuid() == 0 {
		for _, dir := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"} {
			if exists(dir) {
				p.add(mount{op: opShow, src: dir, dst: dir, why: "kernel settings"})
			}
		}
	}
	for _, f := range []string{"/proc/kallsyms", "/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/latency_stats"} {
		if unix.Access(f, unix.R_OK) == nil {
			p.add(mount{op: opShow, src: s.keep.emptyFile(), dst: f, why: "kernel secrets"})
		}
	}
}

// stageCopy is where our own program is shown if /proc cannot lead to it.
const stageCopy = "/run/tera-pilot"

// foreignProc is for grade A-: where no /proc of its own can be mounted, the
// one that is there, read-only, if Landlock keeps the command from looking into
// its processes; else none.
func (p *Plan) foreignProc(s *Sandbox) {
	if kernelLandlock() > 0 {
		p.add(mount{op: opShow, src: "/proc", dst: "/proc", why: "processes, by name only"})
	} else {
		p.add(mount{op: opEmpty, dst: "/proc", size: sizeCover, perm: "0555"})
	}
	if exe, err := os.Readlink("/proc/self/exe"); err == nil {
		p.add(mount{op: opShow, src: exe, dst: stageCopy, why: "inner stage"})
	}
}

// privateSystemFiles are the entries of /etc that are not for everybody and
// that this user can read: for root, most of them; for others, hardly any.
var privateSystemFiles = sync.OnceValue(func() (l []string) {
	if os.Geteuid() != 0 {
		for _, f := range []string{"shadow", "gshadow", "sudoers", "sudoers.d", "ssl/private", "NetworkManager/system-connections", "wireguard", "kubernetes", "docker/key.json"} {
			if p := filepath.Join("/etc", f); unix.Access(p, unix.R_OK) == nil {
				if st, err := os.Lstat(p); err == nil && st.Mode().Perm()&0o004 == 0 {
					l = append(l, p)
				}
			}
		}
		return l
	}
	filepath.WalkDir("/etc", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		st, err := d.Info()
		if err != nil || st.Mode().Perm()&0o004 != 0 || (st.Mode().IsRegular() && st.Size() == 0) {
			return nil
		}
		l = append(l, p)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return l
})

// homeFolder is an empty HOME with the tool folders in it.
func (p *Plan) homeFolder(s *Sandbox, v *view) {
	home := s.cfg.Home
	p.add(mount{op: opEmpty, dst: s.cfg.realHome, size: s.cfg.Limits.Temp, perm: "0700", why: "empty home"})
	p.links(home)
	for _, c := range v.copies {
		p.add(mount{op: opCopy, data: c.data, dst: c.path, perm: "0600", why: "settings without credentials"})
	}
	for _, t := range slices.Concat(v.extra, v.tools) {
		p.add(mount{op: opShow, src: t, dst: t, why: "tools"})
	}
	// A system folder or tool folder that holds our state would show it.
	for _, dir := range slices.Concat(systemFolders, v.extra, v.tools) {
		if _, ok := below(dir, s.cfg.realState); ok && exists(s.cfg.realState) {
			p.add(mount{op: opEmpty, dst: s.cfg.realState, size: sizeCover, perm: "0000", why: "our own state"})
			break
		}
	}
}

// links makes the links by which the person's spelling of a path leads to the
// real one, unless they are visible already.
func (p *Plan) links(spelling string) {
	at := "/"
	rest := strings.Split(strings.TrimPrefix(spelling, "/"), "/")
	for i := 0; i < len(rest); i++ {
		next := filepath.Join(at, rest[i])
		st, err := os.Lstat(next)
		if err != nil {
			return
		}
		if st.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := filepath.EvalSymlinks(next)
		if err != nil {
			return
		}
		if !p.shows(next) {
			p.add(mount{op: opLink, src: target, dst: next})
		}
		at = target
	}
}

// shows says whether what stands at dst on the host stands there in the plan.
func (p *Plan) shows(dst string) bool {
	shown := false
	for _, m := range p.mounts {
		if _, ok := below(m.dst, dst); ok {
			shown = m.op == opShow || m.op == opOpen || (m.op == opLink && m.dst == dst)
		}
	}
	return shown
}

// workspace shows the workspace, with its covers and what is hidden in it.
func (p *Plan) workspace(s *Sandbox, v *view) {
	op := opShow
	if v.writes {
		op = opOpen
	}
	p.add(mount{op: op, src: v.work, dst: v.work, why: "workspace"})
	p.links(v.spelling)
	for _, g := range v.gits {
		p.add(mount{op: op, src: g, dst: g, why: "git dir of the workspace"})
	}
	if v.writes {
		p.pins(v)
	}
	for _, h := range v.hidden {
		if isDir(h) {
			p.add(mount{op: opEmpty, dst: h, size: sizeCover, perm: "0000", why: ruleHidden})
		} else {
			p.add(mount{op: opShow, src: s.keep.emptyFile(), dst: h, why: ruleSecret})
		}
	}
	for _, b := range v.binds {
		op := opShow
		if b.Writable {
			op = opOpen
		}
		p.add(mount{op: op, src: b.Source, dst: b.Target, why: "for this command"})
	}
}

// pins covers what must stay, and makes every folder between that and the top
// of its writable folder a mount of its own: a mount point cannot be renamed
// away, a plain folder could, with a copy put in its place.
func (p *Plan) pins(v *view) {
	tops := append([]string{v.work}, v.gits...)
	pinned := map[string]bool{}
	for _, t := range tops {
		pinned[t] = true
	}
	stay := slices.Clone(v.hidden) // what hides can be read where it was moved to
	for _, c := range v.covers {
		stay = append(stay, c.path)
	}
	for _, at := range stay {
		for _, dir := range between(tops, at) {
			if !pinned[dir] {
				pinned[dir] = true
				p.add(mount{op: opOpen, src: dir, dst: dir, why: "pin"})
			}
		}
	}
	done := map[string]bool{}
	for _, c := range v.covers {
		if !done[c.path] {
			done[c.path] = true
			p.add(mount{op: opShow, src: c.path, dst: c.path, why: c.rule})
		}
	}
}

// identities are the files that the mounts of the workspace must have found:
// taken before, and compared inside by the stage. (What a command's own binds
// lie over is left out.)
func (p *Plan) identities(s *Sandbox) (l []reexec.Identity, err error) {
	note := func(at, as string) {
		var st unix.Stat_t
		if e := unix.Lstat(as, &st); e != nil && err == nil {
			err = &SetupError{Cause: as + " is gone", Err: e}
		}
		l = append(l, reexec.Identity{Path: at, Dev: st.Dev, Ino: st.Ino})
	}
	for _, m := range p.mounts {
		_, inWork := below(p.view.work, m.dst)
		for _, g := range p.view.gits {
			_, in := below(g, m.dst)
			inWork = inWork || in
		}
		for _, b := range p.view.binds {
			_, over := below(b.Target, m.dst)
			inWork = inWork && !over
		}
		if inWork && (m.op == opShow || m.op == opOpen) {
			note(m.dst, m.src)
		}
	}
	return l, err
}

// allowances are the Landlock rights that go with the mounts.
func (p *Plan) allowances(s *Sandbox, v *view) {
	grant := func(access uint64, paths ...string) {
		for _, path := range paths {
			p.rights = append(p.rights, right{path, access})
		}
	}
	grant(rightsRead, "/")
	grant(rightsRead|rightsWrite, "/tmp", "/var/tmp", "/dev/shm", s.cfg.realHome)
	grant(rightsDevice, "/dev")
	grant(rightsRead|unix.LANDLOCK_ACCESS_FS_WRITE_FILE, "/proc/self")
	for _, w := range p.Writable() {
		grant(rightsRead|rightsWrite, w)
	}
}

// words is the plan as bwrap reads it from its --args descriptor, and the
// contents that it wants on descriptors from first on.
func (p *Plan) words(first int) (words []string, contents [][]byte) {
	for _, m := range p.mounts {
		switch m.op {
		case opShow:
			words = append(words, "--ro-bind", m.src, m.dst)
		case opOpen:
			words = append(words, "--bind", m.src, m.dst)
		case opEmpty:
			words = append(words, "--perms", m.perm, "--size", strconv.FormatInt(m.size, 10), "--tmpfs", m.dst)
		case opCopy:
			words = append(words, "--perms", m.perm, "--file", strconv.Itoa(first+len(contents)), m.dst)
			contents = append(contents, m.data)
		case opLink:
			words = append(words, "--symlink", m.src, m.dst)
		case opDev:
			words = append(words, "--dev", m.dst)
		case opProc:
			words = append(words, "--proc", m.dst)
		case opSeal:
			words = append(words, "--remount-ro", m.dst)
		}
	}
	return words, contents
}

// bwrapWords is the whole list for bwrap: namespaces, then mounts.
func (p *Plan) bwrapWords(info, first int) (list []byte, contents [][]byte) {
	words := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
		"--info-fd", strconv.Itoa(info),
	}
	mounts, contents := p.words(first)
	words = append(words, mounts...)
	words = append(words, "--chdir", "/")
	return []byte(strings.Join(words, "\x00") + "\x00"), contents
}
