package ossandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A checkpoint is what the check after a run compares with: the mounts keep a
// command from writing the covers, but a name that could not be mounted over
// may have appeared, and somebody outside may have lifted a stand-in.
type checkpoint struct {
	absent []cover               // covers that did not exist, and do not stand in
	stamps map[string]coverStamp // of those that did
	known  map[string]bool       // secret-like files, sockets and nested repositories
	hadGit bool
	waits  bool // a rebase waits that will run commands
}

type coverStamp struct {
	dirStamp
	rule string
	size int64
}

// newCheckpoint is taken before the stand-ins are made. mounted are the covers
// that the plan mounts.
func newCheckpoint(v *view) *checkpoint {
	c := &checkpoint{stamps: map[string]coverStamp{}, known: map[string]bool{}, hadGit: exists(filepath.Join(v.work, ".git"))}
	for _, cov := range v.covers {
		if st, err := os.Lstat(cov.path); err == nil && !looksStandIn(cov, st) {
			c.stamps[cov.path] = coverStamp{stampOf(st), cov.rule, st.Size()}
		} else {
			c.absent = append(c.absent, cov)
		}
	}
	c.waits = rebaseRuns(v.gitDir)
	for _, l := range [][]string{v.found.secrets, v.found.sockets, v.found.nested} {
		for _, p := range l {
			c.known[p] = true
		}
	}
	return c
}

// looksStandIn says whether what is there may be a stand-in: it is empty, and
// of the right kind.
func looksStandIn(c cover, st fs.FileInfo) bool {
	switch c.missing {
	case fs.ModeDir:
		return st.IsDir() && !hasEntries(c.path)
	case emptyFile:
		return st.Mode().IsRegular() && st.Size() == 0
	default:
		return false
	}
}

// after looks at the workspace when the command has ended and the stand-ins are
// taken back.
func (c *checkpoint) after(s *Sandbox, v *view) (findings []Finding) {
	for _, cov := range c.absent {
		st, err := os.Lstat(cov.path)
		switch {
		case err != nil:
		case looksStandIn(cov, st): // of another command, which still runs
		case cov.missing != 0 || filepath.Base(cov.path) == "commondir":
			findings = append(findings, s.quarantine(cov.path, cov.rule+" appeared"))
		default:
			findings = append(findings, Finding{Path: cov.path, What: cov.rule + " appeared"})
		}
	}
	for p, was := range c.stamps {
		if st, err := os.Lstat(p); err != nil || stampOf(st) != was.dirStamp || st.Size() != was.size {
			findings = append(findings, Finding{Path: p, What: was.rule + " changed during the command, from outside"})
		}
	}
	if dot := filepath.Join(v.work, ".git"); !c.hadGit && exists(dot) {
		findings = append(findings, Finding{Path: dot, What: "a new repository"})
	}
	if !c.waits && rebaseRuns(v.gitDir) {
		findings = append(findings, Finding{Path: filepath.Join(v.gitDir, rebaseTodo), What: "a rebase waits that will run commands: read it before git rebase --continue"})
	}
	found := s.survey.look(v.work, func(file string) {
		if f, bad := dropSetuid(file); bad {
			findings = append(findings, f)
		}
	})
	for _, p := range found.nested {
		if !c.known[p] {
			findings = append(findings, Finding{Path: p, What: "a new repository"})
		}
	}
	s.made.note(append(found.secrets, found.sockets...), c.known)
	return findings
}

const rebaseTodo = "rebase-merge/git-rebase-todo"

// rebaseRuns says that a rebase of the repository waits, and would run commands
// when it goes on.
func rebaseRuns(gitDir string) bool {
	if gitDir == "" {
		return false
	}
	b, err := os.ReadFile(filepath.Join(gitDir, rebaseTodo))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		if word, _, _ := strings.Cut(strings.TrimLeft(line, " \t"), " "); word == "exec" || word == "x" {
			return true
		}
	}
	return false
}

// dropSetuid takes the setuid and setgid bits from a file that has them.
func dropSetuid(file string) (Finding, bool) {
	st, err := os.Lstat(file)
	if err != nil || !st.Mode().IsRegular() || st.Mode()&(fs.ModeSetuid|fs.ModeSetgid) == 0 {
		return Finding{}, false
	}
	if err := os.Chmod(file, st.Mode().Perm()); err != nil {
		return Finding{Path: file, What: "setuid file, and its bit cannot be taken: " + err.Error()}, true
	}
	return Finding{Path: file, What: "setuid file, the bit was taken"}, true
}

// quarantine moves something out of the workspace, into our state folder, or,
// where that is another file system, to a name beside it that nothing loads.
func (s *Sandbox) quarantine(p, what string) Finding {
	f := Finding{Path: p, What: what}
	name := strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + filepath.Base(p)
	dir := filepath.Join(s.cfg.State, "quarantine")
	if os.MkdirAll(dir, 0o700) == nil {
		if to := filepath.Join(dir, name); os.Rename(p, to) == nil {
			f.Moved = to
			return f
		}
	}
	if to := p + ".quarantined-" + name; os.Rename(p, to) == nil {
		f.Moved = to
	}
	return f
}
