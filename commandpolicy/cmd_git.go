package commandpolicy

import (
	"regexp"
	"strings"
	"sync"
)

// git judges git(1): the options of git itself, then those of the subcommand.
func (j *judged) git() bool {
	top := j.call
	if top.info {
		return true
	}
	j.gitGlobal(top)
	if len(top.operands) == 0 {
		j.refuse("git without a subcommand")
		return true
	}
	sub := top.operands[0]
	rest := top.operands[1:]
	if !sub.known {
		j.unknown("a subcommand that is not known before the run")
		j.call.operands = top.operands
		return true
	}
	s := grammars()["git "+sub.text]
	if s == nil {
		j.unknown("git " + sub.text + " is not known")
		s = &spec{name: "git " + sub.text, opts: map[string]*option{}, rest: kindText, hasRest: true}
	}
	c := s.take("git "+sub.text, rest)
	j.name = "git " + sub.text
	gitFormat(j, c)
	if hook := gitHooks()[sub.text]; hook != nil {
		hook(j, c)
	}
	c.info = false
	j.apply(s, c)
	j.gitOperands(sub.text, c)
	j.name = "git"
	j.call = &call{spec: top.spec, sub: s, flags: append(top.flags[:len(top.flags):len(top.flags)], c.flags...),
		operands: append([]word{sub}, c.operands...), broken: top.broken + c.broken}
	j.gitLoses(sub.text, c)
	return true
}

// gitGlobal judges what stands before the subcommand.
func (j *judged) gitGlobal(c *call) {
	if c.broken != "" {
		j.unknown(c.broken)
	}
	for _, u := range c.flags {
		switch {
		case u.opt == nil:
		case u.opt.kind == kindAsk:
			j.refuse("git " + u.raw + ": " + u.opt.why)
			if _, text, ok := strings.Cut(u.value.text, "="); ok && u.name == "-c" {
				j.w.nested(strings.TrimPrefix(text, "!"), "git -c")
			}
		case u.has:
			j.use(u.opt.kind, u.value, "git")
		}
	}
}

func gitHooks() map[string]func(*judged, *call) {
	return map[string]func(*judged, *call){
		"branch": gitBranch, "tag": gitTag, "stash": gitStash, "remote": gitRemote, "config": gitConfig, "push": gitPush,
		"symbolic-ref": gitSymbolicRef, "reflog": gitReflog, "notes": gitNotes, "worktree": gitWorktree, "grep": gitGrep,
		"bisect": gitRuns, "submodule": gitRuns, "rebase": gitRuns, "difftool": gitRuns, "mergetool": gitRuns,
		"filter-branch": gitRuns, "clone": gitURLs, "fetch": gitURLs, "pull": gitURLs, "ls-remote": gitURLs,
		"send-pack": gitPush, "http-push": gitPush, "credential": gitCredential, "send-email": gitRuns, "instaweb": gitRuns,
		"mv": gitMoves, "rm": gitDeletes, "clean": gitDeletes, "restore": gitRestores, "checkout": gitRestores,
	}
}

// gitSigned finds the placeholders of a format that call gpg.
var gitSigned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[-+ ]?G|%\(\*?signature`) })

// mergeFormats are the values of --diff-merges that start no merge of their own.
var mergeFormats = setOf(`off none on first-parent 1 separate m combined c dense-combined cc`)

// gitFormat refuses formats that call gpg or merge drivers, whichever
// subcommand takes them.
func gitFormat(j *judged, c *call) {
	for _, u := range c.flags {
		if u.name == "--diff-merges" && !mergeFormats[u.value.text] {
			j.refuse("a format of merges that starts merge drivers")
		}
		if (u.name == "--format" || u.name == "--pretty") && gitSigned().MatchString(u.value.text) {
			j.refuse("a format that starts gpg")
		}
	}
}

// gitRuns walks the shell text that a subcommand runs, for the deny list.
func gitRuns(j *judged, c *call) {
	for _, u := range c.flags {
		if u.has && u.value.known && strings.ContainsAny(u.value.text, " /") {
			j.w.nested(u.value.text, j.name)
		}
	}
	if n := len(c.operands); n > 1 && (c.operands[0].text == "foreach" || c.operands[0].text == "run") {
		words := make([]string, 0, n)
		for _, x := range c.operands[1:] {
			words = append(words, x.text)
		}
		j.w.nested(strings.Join(words, " "), j.name)
	}
}

// gitURLs names the hosts of a transfer.
func gitURLs(j *judged, c *call) {
	for _, x := range c.operands {
		if h := hostOf(x.text); x.known && h != "" {
			j.network(h)
		}
	}
}

// gitCredential prints the password that a helper keeps.
func gitCredential(j *judged, _ *call) {
	n := j.w.flow.node()
	j.w.flow.mark(n, fromKey)
	j.w.flow.edge(n, j.w.io.out)
}

func gitBranch(j *judged, c *call) {
	list := c.has("--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--show-current")
	if len(c.operands) > 0 && !list {
		j.refuse("creates or changes a branch")
	}
}

func gitTag(j *judged, c *call) {
	list := c.has("--list", "-n", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
	if len(c.operands) > 0 && !list {
		j.refuse("creates a tag")
	}
}

func gitStash(j *judged, c *call) {
	if len(c.operands) == 0 || !c.operands[0].known || c.operands[0].text != "list" && c.operands[0].text != "show" {
		j.refuse("changes the stash")
	}
}

func gitRemote(j *judged, c *call) {
	if len(c.operands) > 0 && c.operands[0].text != "get-url" {
		j.refuse("changes remotes, or asks them")
	}
}

// harmlessConfig are the families of keys that hold no secret.
var harmlessConfig = setOf(`user core branch remote pull push init color diff merge rebase commit tag fetch status log format advice
blame column grep i18n pack gc index rerere stash submodule versioncontrol alias`)

func gitConfig(j *judged, c *call) {
	ops := c.operands
	if len(ops) > 0 && ops[0].text == "get" {
		ops = ops[1:]
	}
	if len(ops) == 0 || !ops[0].known {
		j.refuse("lists the whole configuration, or changes it")
		return
	}
	if len(ops) > 1 && !(c.has("--get", "--get-all") && len(ops) == 2) {
		j.refuse("changes the configuration")
		for _, x := range ops[1:] {
			if strings.ContainsAny(x.text, " !") && x.known {
				j.w.elsewhereHere(strings.TrimPrefix(x.text, "!"))
			}
		}
		return
	}
	key := strings.ToLower(ops[0].text)
	family, _, _ := strings.Cut(key, ".")
	if !harmlessConfig[family] || strings.Contains(key, "token") || strings.Contains(key, "password") || !strings.Contains(key, ".") {
		j.refuse("reads a setting that may hold a secret")
	}
}

func gitSymbolicRef(j *judged, c *call) {
	if len(c.operands) != 1 {
		j.refuse("changes a reference")
	}
}

func gitReflog(j *judged, c *call) {
	if len(c.operands) > 0 && (c.operands[0].text == "expire" || c.operands[0].text == "delete" || c.operands[0].text == "drop" || c.operands[0].text == "write") {
		j.refuse("deletes history of references")
	}
}

func gitNotes(j *judged, c *call) {
	if len(c.operands) > 0 && c.operands[0].text != "list" && c.operands[0].text != "show" {
		j.refuse("changes notes")
	}
}

func gitWorktree(j *judged, c *call) {
	if len(c.operands) != 1 || c.operands[0].text != "list" {
		j.refuse("changes working trees")
	}
}

func gitGrep(j *judged, c *call) {
	if !c.has("-e", "-f") && len(c.operands) > 0 {
		if !c.operands[0].known {
			j.unknown("a pattern that is not known before the run")
		}
		c.operands = c.operands[1:]
	}
}
