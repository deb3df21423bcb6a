package gitsafe

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// kept are the variables of the person that reach git. Nothing else does.
var kept = []string{"USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE"}

// netKept reach git when it talks to a remote, signKept when it may sign.
var (
	netKept = []string{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK"}
	signKept = []string{"SSH_AUTH_SOCK", "GNUPGHOME", "GPG_TTY"}
)

// fixed is in force for every run.
var fixed = []string{
	"LC_ALL=C.UTF-8", // messages that can be read, file names as they are
	"TERM=dumb",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_EDITOR=:", // git starts nothing for ":"
	"GIT_SEQUENCE_EDITOR=:",
	"GIT_MERGE_AUTOEDIT=no",
	"GIT_PAGER=cat",
	"PAGER=cat",
	"GIT_NO_LAZY_FETCH=1",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_GRAFT_FILE=" + nowhere,
	"GIT_LFS_SKIP_SMUDGE=1",
	"GCM_INTERACTIVE=never",
	"SSH_ASKPASS=",
}

// baseline is in force whatever the repository says: it costs nothing, and it
// also reaches a git that git starts in a submodule.
var baseline = []setting{
	{"core.fsmonitor", "false"},
	{"core.hookspath", nowhere},
	{"safe.bareRepository", "explicit"},
	{"submodule.recurse", "false"},
	{"diff.submodule", "short"},
	{"diff.ignoresubmodules", "dirty"},
	{"advice.graftfiledeprecated", "false"}, // of GIT_GRAFT_FILE above
	{"status.submodulesummary", "false"},
	{"fetch.recursesubmodules", "false"},
	{"push.recursesubmodules", "no"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
	{"commit.verbose", "false"},
	{"log.showsignature", "false"},
	{"rebase.instructionformat", ""},
	{"credential.helper", ""},
}

// sentinel is the first key of baseline. When git does not list it, git is too
// old to read settings from the environment, and nothing here would hold.
const sentinel = "core.fsmonitor"

// environment collects what a run gets.
type environment struct {
	vars     []string
	settings []setting
}

func (e *environment) add(name, value string) { e.vars = append(e.vars, name+"="+value) }

// list is the whole environment, NAME=VALUE.
func (e environment) list(extra ...setting) []string {
	all := slices.Concat(baseline, e.settings, extra)
	out := append(slices.Clone(e.vars), "GIT_CONFIG_COUNT="+strconv.Itoa(len(all)))
	for i, s := range all {
		n := strconv.Itoa(i)
		out = append(out, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return out
}

// environ builds the environment of one run from nothing.
func (g *Git) environ(c Call, repo Repo) environment {
	var e environment
	e.add("PATH", strings.Join(g.path(repo), ":"))
	if g.opts.Home != "" {
		e.add("HOME", g.opts.Home)
	}
	names := kept
	if c.Class == Net {
		names = slices.Concat(names, netKept)
	}
	if c.maySign() {
		names = slices.Concat(names, signKept)
	}
	for _, n := range names {
		if v, ok := g.getenv(n); ok {
			e.add(n, v)
		}
	}
	if x := g.xdg(repo); x != "" {
		e.add("XDG_CONFIG_HOME", x)
	}
	e.vars = append(e.vars, fixed...)
	if repo.Top != "" {
		e.add("GIT_DIR", repo.GitDir)
		e.add("GIT_WORK_TREE", repo.Top)
		if repo.GitDir != repo.CommonDir {
			e.add("GIT_COMMON_DIR", repo.CommonDir)
		}
	}
	if c.Class == Read {
		e.add("GIT_OPTIONAL_LOCKS", "0")
	} else if !c.patterns() {
		e.add("GIT_LITERAL_PATHSPECS", "1") // what is named is what is written
	}
	return e
}

// maySign says whether a call makes commits or tags.
func (c Call) maySign() bool {
	return c.Class != Read && slices.Contains([]string{"commit", "tag", "merge", "rebase", "cherry-pick", "revert", "pull"}, c.Sub)
}

// signs says whether the person's configuration, or the call, asks for a
// signature.
func (l looker) signs(c Call) bool {
	if !c.maySign() || c.args.has("--no-gpg-sign", "--no-sign") {
		return false
	}
	if c.args.has("-S", "--gpg-sign") || (c.Sub == "tag" && c.args.has("-s", "--sign", "--local-user")) {
		return true
	}
	sign := false
	trusted := l.judge().trusted
	for _, r := range l.records {
		if trusted(r) && slices.Contains([]string{"commit.gpgsign", "tag.gpgsign", "tag.forcesignannotated"}, r.key) {
			sign = sign || (r.text() != "false" && r.text() != "no" && r.text() != "off" && r.text() != "0" && r.text() != "")
		}
	}
	return sign
}

// transport sets what only a run over the network needs, and closes every
// other way out. ssh and askpass are the person's own.
func (e *environment) transport(schemes []string, own map[string]string) {
	slices.Sort(schemes)
	e.add("GIT_ALLOW_PROTOCOL", strings.Join(slices.Compact(schemes), ":"))
	e.add("GIT_ASKPASS", own["core.askpass"])
	ssh := own["core.sshcommand"]
	if ssh == "" {
		ssh = "ssh"
	}
	e.add("GIT_SSH_COMMAND", ssh)
}

// getenv looks a variable up in the environment that the person was given.
func (g *Git) getenv(name string) (string, bool) {
	for i := len(g.opts.Env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(g.opts.Env[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// inside says that a path lies where the agent, or the repository, can write.
func (g *Git) inside(path string, repo Repo) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = filepath.Clean(path)
	}
	for _, dir := range []string{g.root, repo.Top, repo.GitDir, repo.CommonDir} {
		if dir != "" && within(real, dir) {
			return true
		}
	}
	return false
}

// xdg is the person's XDG_CONFIG_HOME, unless the agent could write there.
func (g *Git) xdg(repo Repo) string {
	if x, _ := g.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(x) && !g.inside(x, repo) {
		return x
	}
	return ""
}

// path is the person's PATH without relative entries and without those that
// lie in the workspace.
func (g *Git) path(repo Repo) []string {
	var dirs []string
	list, _ := g.getenv("PATH")
	for _, d := range filepath.SplitList(list) {
		if filepath.IsAbs(d) && isDir(d) && !g.inside(d, repo) {
			dirs = append(dirs, d)
		}
	}
	return dirs
}

// lookGit is Options.Git, or the first git on that PATH.
func (g *Git) lookGit(repo Repo) (string, error) {
	candidates := []string{g.opts.Git}
	if g.opts.Git == "" {
		candidates = nil
		for _, d := range g.path(repo) {
			candidates = append(candidates, filepath.Join(d, "git"))
		}
	}
	for _, p := range candidates {
		fi, err := os.Stat(p)
		if err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0 && !g.inside(p, repo) {
			return p, nil
		}
	}
	return "", refuse("install git (apt install git, brew install git)", "no git outside of the workspace on PATH")
}
