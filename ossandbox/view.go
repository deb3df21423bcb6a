package ossandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A view is what one command sees of the machine, before a backend says it in
// mounts or in a Seatbelt profile.
type view struct {
	work     string // the workspace, resolved
	spelling string // the workspace as the person spells it
	dir      string // working folder, in the person's spelling
	home     string
	state    string

	writes  bool     // the profile lets the workspace be written
	gits    []string // git dirs outside the workspace that belong to it
	repo    gitDir   // the workspace's own, zero for none
	bare    bool     // nothing is covered: a writing run of git by itself
	covers  []cover  // paths that stay read-only in what is writable
	hidden  []string // files of the workspace whose content is kept away
	secrets []string // those of them whose names look like secrets
	tools   []string // folders and files below HOME that programs come from
	extra   []string // further readable paths
	copies  []homeCopy
	binds   []Bind
	notes   []string // what the person should know about this view
	found   survey   // what the look at the workspace found

	refused func() []string // hosts that the proxy turned away; nil without one
}

// A homeCopy is a file of HOME of which commands get a redacted copy.
type homeCopy struct {
	path string
	data []byte
}

// protectedNames are the names at the top of a workspace that hold settings of
// agents, editors and shells. They are covered whether they exist or not: a new
// one would act as soon as an editor looks.
var protectedNames = []string{
	".tera_pilot", ".claude", ".codex", ".gemini", ".cursor", ".vscode", ".idea", ".zed", ".agents",
	".mcp.json", ".envrc", ".husky", ".devcontainer",
}

// protectedFiles are covered where they exist. A new one is reported after the
// run, and nothing loads it without asking.
var protectedFiles = []string{
	".github/workflows", ".gitlab-ci.yml", ".circleci", ".pre-commit-config.yaml", "lefthook.yml",
	".exrc", ".bashrc", ".profile", ".zshrc", "AGENTS.md", "CLAUDE.md", "TERA_PILOT.md",
}

const (
	ruleProtected = "protected name"
	ruleSecret    = "secret-like file"
	ruleSocket    = "socket of the host"
	ruleHidden    = "hidden by the settings"
)

// newView looks at the workspace as it is now.
func newView(s *Sandbox, c *Command) (*view, error) {
	v := &view{
		work: s.work, spelling: s.cfg.Root, home: s.cfg.Home, state: s.cfg.State,
		writes: c.Profile.writes(), bare: c.Uncover, binds: c.Binds,
		tools: s.host.tools, extra: s.host.extra, copies: s.host.copies, notes: s.host.notes,
	}
	var err error
	if v.dir, err = workDir(s, c.Dir); err != nil {
		return nil, err
	}
	for _, b := range c.Binds {
		if !filepath.IsAbs(b.Source) || !filepath.IsAbs(b.Target) {
			return nil, &SetupError{Cause: "a bind needs absolute paths, not " + b.Source + " and " + b.Target}
		}
		if b.Writable {
			if err := s.cfg.mayWrite(resolvedAsFar(b.Source)); err != nil {
				return nil, err
			}
		}
	}
	g, err := findGit(v.work)
	switch {
	case errors.Is(err, errNotGit):
	case err != nil:
		return nil, &SetupError{Cause: "the repository cannot be protected", Err: err, Mend: "mend its .git, or run with --root on another folder"}
	default:
		v.repo = g
		if err := v.addGit(s, g, c.Uncover); err != nil {
			return nil, err
		}
	}
	found := s.survey.look(v.work, nil, nil)
	v.found = found
	if found.truncated {
		v.notes = append(v.notes, fmt.Sprintf("the workspace has more than %d entries: secret-like files that lie deeper were not looked for", maxWalk))
	}
	if !c.Uncover {
		if err := v.addNames(found); err != nil {
			return nil, err
		}
	}
	return v, v.addHidden(s, g, found)
}

// workDir is the command's working folder in the person's spelling.
func workDir(s *Sandbox, dir string) (string, error) {
	if dir == "" {
		return s.cfg.Root, nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.cfg.Root, dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", &SetupError{Cause: "no such working folder", Err: err}
	}
	rel, ok := below(s.work, real)
	if !ok {
		return "", &SetupError{Cause: "the working folder " + dir + " is outside the workspace " + s.cfg.Root, Mend: "name one inside, or another --root"}
	}
	if _, ok := below(s.cfg.Root, filepath.Clean(dir)); ok {
		return filepath.Clean(dir), nil
	}
	return filepath.Join(s.cfg.Root, rel), nil
}

func (v *view) addGit(s *Sandbox, g gitDir, uncover bool) error {
	for _, dir := range []string{g.common, g.private} {
		if _, inside := below(v.work, dir); inside {
			continue
		}
		if err := s.cfg.mayWrite(dir); err != nil {
			return err
		}
		if _, nested := below(g.common, dir); dir == g.common || !nested {
			v.gits = append(v.gits, dir)
		}
	}
	if uncover {
		return nil
	}
	covers := gitCovers(g)
	for _, p := range configuredPaths(g, v.work) {
		covers = append(covers, cover{p, 0, "git hooks and configuration"})
	}
	return v.cover(covers)
}

// addNames covers the protected names and the repositories inside this one.
func (v *view) addNames(found survey) error {
	var l []cover
	for _, n := range protectedNames {
		l = append(l, cover{filepath.Join(v.work, n), fs.ModeDir, ruleProtected})
	}
	for _, n := range protectedFiles {
		l = append(l, cover{filepath.Join(v.work, n), 0, ruleProtected})
	}
	for _, dot := range found.nested {
		if st, err := os.Lstat(dot); err == nil && st.IsDir() {
			l = append(l, gitCovers(gitDir{private: dot, common: dot})...)
		} else {
			l = append(l, cover{dot, 0, "git hooks and configuration"})
		}
	}
	return v.cover(l)
}

// cover adds covers, after a look at what stands there. A link that a command
// could replace cannot be covered: names that act by themselves are refused
// then, the others are left to the check after the run.
func (v *view) cover(l []cover) error {
	straight := map[string]bool{}
	for _, c := range l {
		dir := filepath.Dir(c.path)
		ok, seen := straight[dir]
		if !seen {
			real, err := filepath.EvalSymlinks(dir)
			ok = err != nil || real == dir // a folder that is not there leads nowhere
			straight[dir] = ok
		}
		if !ok {
			// What the link leads to is not ours to show, and not ours to touch.
			if c.rule != ruleProtected {
				return &SetupError{Cause: c.path + " is reached through a link, which a command could replace", Mend: "make " + dir + " a real folder"}
			}
			v.notes = append(v.notes, c.path+" is reached through a link and is not covered")
			continue
		}
		st, err := os.Lstat(c.path)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
			return &SetupError{Cause: "cannot look at " + c.path, Err: err}
		case err == nil && st.Mode()&fs.ModeSymlink != 0 && c.missing != 0:
			return &SetupError{
				Cause: c.path + " is a link, which a command could replace",
				Mend:  "make it a real file or folder",
			}
		case err == nil && st.Mode()&fs.ModeSymlink != 0:
			if target, err := filepath.EvalSymlinks(c.path); err == nil {
				if rel, ok := below(v.work, target); ok && rel != "." {
					v.covers = append(v.covers, cover{target, 0, c.rule})
				}
			}
		}
		v.covers = append(v.covers, c)
	}
	return nil
}

// addHidden finds what is kept from the command's eyes: secret-like files that
// git does not track, sockets of the host, and what the settings name.
func (v *view) addHidden(s *Sandbox, g gitDir, found survey) error {
	reveal := func(p string) bool {
		rel, _ := below(v.work, p)
		return matchesAny(s.cfg.Reveal, filepath.Base(p)) || matchesAny(s.cfg.Reveal, rel) || s.made.known(p)
	}
	var tracked map[string]string
	before, all := s.keep.hiddenBefore()
	if len(found.secrets)+len(before) > 0 && g.private != "" {
		// An index that cannot be read tells of no file: all stay hidden.
		tracked, _ = trackedNames(filepath.Join(g.private, "index"))
	}
	secrets := slices.Clone(found.secrets)
	if found.truncated {
		for p := range before {
			if st, err := os.Lstat(p); err == nil && st.Mode().IsRegular() && !slices.Contains(secrets, p) {
				secrets = append(secrets, p)
			}
		}
	}
	for _, p := range secrets {
		rel, _ := below(v.work, p)
		id, isTracked := tracked[rel]
		if isTracked && (all || before[p]) {
			isTracked = blobName(p) == id
		}
		if !isTracked && !reveal(p) && !harmlessPEM(p) {
			v.hidden = append(v.hidden, p)
			v.secrets = append(v.secrets, p)
		}
	}
	for _, p := range found.sockets {
		if !s.made.known(p) {
			v.hidden = append(v.hidden, p)
		}
	}
	kernel, err := kernelMounts("/", v.work)
	if err != nil {
		return &SetupError{Cause: "what is mounted in the workspace cannot be read", Err: err}
	}
	v.hidden = append(v.hidden, kernel...)
	// What lies in a folder that is closed is not known; a command could open it.
	v.hidden = append(v.hidden, found.closed...)
	if err := v.hide(s.cfg.Hide); err != nil {
		return err
	}
	if len(v.hidden) > maxHidden {
		return &SetupError{
			Cause: fmt.Sprintf("%d secret-like files lie in the workspace, and at most %d can be hidden (the first: %s)", len(v.hidden), maxHidden, v.hidden[0]),
			Mend:  "let git track them, move them away, or name a pattern that may be read",
		}
	}
	return nil
}

// hide hides what the settings name.
func (v *view) hide(names []string) error {
	for _, h := range names {
		p := h
		if !filepath.IsAbs(p) {
			p = filepath.Join(v.work, p)
		}
		real, err := filepath.EvalSymlinks(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if _, ok := below(v.work, real); !ok || err != nil {
			return &SetupError{Cause: "cannot hide " + h + ", it is not in the workspace", Mend: "only paths of the workspace are visible at all"}
		}
		v.hidden = append(v.hidden, real)
	}
	return nil
}

// maxHidden keeps the plan below the words that bwrap accepts.
const maxHidden = 2000

// ruleOf says which rule hides or covers p, "" when none does.
func (v *view) ruleOf(p string) string {
	for _, h := range v.hidden {
		if p == h {
			return ruleSecret
		}
	}
	for _, c := range v.covers {
		if _, ok := below(c.path, p); ok {
			return c.rule
		}
	}
	return ""
}

// between are the folders that lie above p and below the nearest of tops, the
// outermost first.
func between(tops []string, p string) (dirs []string) {
	for dir := filepath.Dir(p); !slices.Contains(tops, dir); dir = filepath.Dir(dir) {
		if dir == "/" || dir == "." {
			return nil
		}
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}
