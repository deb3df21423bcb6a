package commandpolicy

import (
	"path"
	"regexp"
	"slices"
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
		s = &spec{name: "git " + sub.text, opts: map[string]*option{}, hasRest: true}
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

// gitContent are the subcommands that print the content of what they name.
var gitContent = setOf(`show diff blame annotate grep cat-file diff-tree diff-index diff-files range-diff archive`)

// gitOperands looks for paths among operands, which may be revisions too: a
// path outside makes diff compare files, and a secret may come from history.
func (j *judged) gitOperands(sub string, c *call) {
	content := gitContent[sub] || c.has("--patch", "-L", "--cc", "-c")
	whole := content && sub != "cat-file" // no operand names a path: all of them are shown
	for _, x := range c.operands {
		if !x.known {
			continue
		}
		p := x.text
		if rev, file, ok := strings.Cut(p, ":"); ok && rev != "" {
			p = file
		}
		p = strings.TrimPrefix(p, ":")
		if len(p) > 2 && p != x.text && p[0] >= '0' && p[0] <= '3' && p[1] == ':' { // :2:path, a stage of the index
			p = p[2:]
		}
		if i := strings.LastIndexByte(p, ')'); strings.HasPrefix(p, "(") && i > 0 { // :(top)path
			p = p[i+1:]
		}
		if what, class := secretName("/"+p, j.w.places.home); content && (class != noSecret || namesSecret(p, "")) {
			if what == "" {
				what = "a pattern for files that hold secrets"
			}
			if p != x.text { // a path in a commit begins at the top
				p = path.Join(j.w.places.workspace, p)
			}
			j.secret(p, what)
		}
		if content {
			whole = !j.gitReads(x, p) && whole
		}
		if strings.HasPrefix(x.text, "/") || strings.HasPrefix(x.text, "~") || x.text == ".." || strings.HasPrefix(x.text, "../") || strings.Contains(x.text, "/../") || strings.HasSuffix(x.text, "/..") {
			j.use(kindMeta, x, "")
		}
	}
	for _, u := range c.flags {
		if _, file, ok := strings.Cut(u.value.text, ":"); ok && u.name == "-L" {
			j.gitReads(known(file), file)
		}
	}
	if whole {
		j.part.Effects.Reads = appendNew(j.part.Effects.Reads, j.w.places.workspace)
	}
}

// gitReads notes the path of an operand whose content git shows, for the rules
// about paths, and reports whether it is one: p is the path in a commit, which
// begins at the top, or x itself. Of a pattern the folder above is noted.
func (j *judged) gitReads(x word, p string) bool {
	if magic, _, _ := strings.Cut(x.text, ")"); strings.HasPrefix(x.text, ":") && strings.ContainsAny(magic[:min(len(magic), 3)], "!^") || strings.Contains(magic, "exclude") {
		return false // all but that
	}
	named := p != x.text
	if i := strings.IndexAny(p, "*?["); i >= 0 {
		p = path.Dir(p[:i] + "x")
	}
	var paths []string
	if named && !strings.HasPrefix(p, "./") && !strings.HasPrefix(p, "../") {
		paths = []string{path.Join(j.w.places.workspace, p)}
	} else {
		for _, y := range j.beneathC([]word{known(p)}) {
			paths = append(paths, j.paths(y, true)...)
		}
	}
	for _, abs := range paths {
		kind, _ := j.w.places.lstat(abs)
		named = named || kind != KindAbsent
		j.part.Effects.Reads = appendNew(j.part.Effects.Reads, abs)
	}
	return named
}

func gitHooks() map[string]func(*judged, *call) {
	return map[string]func(*judged, *call){
		"branch": gitBranch, "tag": gitTag, "stash": gitStash, "remote": gitRemote, "config": gitConfig, "push": gitPush,
		"symbolic-ref": gitSymbolicRef, "reflog": gitReflog, "notes": gitNotes, "worktree": gitWorktree, "grep": gitGrep,
		"bisect": gitRuns, "submodule": gitRuns, "rebase": gitRuns, "difftool": gitRuns, "mergetool": gitRuns,
		"filter-branch": gitRuns, "clone": gitURLs, "fetch": gitURLs, "pull": gitURLs, "ls-remote": gitURLs,
		"mv": gitMoves, "rm": gitDeletes, "clean": gitDeletes, "restore": gitRestores, "checkout": gitRestores,
	}
}

// gitSigned finds the placeholders of a format that call gpg.
var gitSigned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[-+ ]?G|%\(\*?signature`) })

// gitFormat refuses formats that call gpg, whichever subcommand takes them.
func gitFormat(j *judged, c *call) {
	for _, u := range c.flags {
		if (u.name == "--format" || u.name == "--pretty") && gitSigned().MatchString(u.value.text) {
			j.refuse("a format that starts gpg")
		}
	}
}

// gitMoves notes the files that mv moves, as mv(1) itself does.
func gitMoves(j *judged, c *call) {
	ops := j.beneathC(c.operands)
	if len(ops) < 2 {
		return
	}
	from, to := ops[:len(ops)-1], ops[len(ops)-1]
	for _, x := range from {
		j.use(kindWalk, x, "")
		j.use(kindDelete, x, "")
	}
	j.use(kindWrite, to, "")
	j.intoFolder(to, from)
}

// gitDeletes notes the files that rm and clean delete.
func gitDeletes(j *judged, c *call) {
	if c.has("--cached", "--dry-run") {
		return
	}
	for _, x := range j.beneathC(c.operands) {
		j.use(kindDelete, x, "")
	}
}

// gitRestores notes the files that restore and checkout overwrite; a folder
// stands for all beneath it. A revision among the operands of checkout is taken
// for a file too: that can only make the answer stricter.
func gitRestores(j *judged, c *call) {
	if c.has("--staged") && !c.has("--worktree") {
		return
	}
	for _, x := range j.beneathC(c.operands) {
		j.use(kindWrite, x, "")
	}
}

// beneathC are operands as they are seen from the working folder, where -C has
// git begin in another one. j.call is still that of git itself.
func (j *judged) beneathC(operands []word) []word {
	dir := word{known: true, plain: true}
	for _, u := range j.call.flags {
		if u.name != "-C" {
			continue
		}
		if !u.value.known || !dir.known {
			dir.known = false
			continue
		}
		if path.IsAbs(u.value.text) {
			dir.text = ""
		}
		dir.text = path.Join(dir.text, u.value.text)
	}
	out := slices.Clone(operands)
	for i, x := range out {
		switch {
		case !dir.known:
			out[i] = word{node: x.node, plain: true}
		case x.known && dir.text != "" && !path.IsAbs(x.text):
			out[i].text = join(dir.text, x.text)
		}
	}
	return out
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

// gitPush refuses every push, and denies one that rewrites or deletes a
// protected branch.
func gitPush(j *judged, c *call) {
	force := c.has("--force", "--force-with-lease")
	remove := c.has("--delete")
	if c.has("--mirror") || (force || remove || c.has("--prune")) && c.has("--all") {
		j.w.deny(ruleForcedPush)
	}
	refs := c.operands
	if len(refs) > 0 && !c.has("--repo") {
		if h := hostOf(refs[0].text); h != "" {
			j.network(h)
		}
		refs = refs[1:]
	}
	for _, x := range refs {
		for _, ref := range append([]string{x.text}, x.alts...) {
			if j.rewrites(ref, force, remove) {
				j.w.deny(ruleForcedPush)
			}
		}
	}
}

// rewrites reports whether a refspec forces or deletes main or master.
func (j *judged) rewrites(ref string, force, remove bool) bool {
	plus := strings.HasPrefix(ref, "+")
	ref = strings.TrimPrefix(ref, "+")
	src, dst, two := strings.Cut(ref, ":")
	if !two {
		dst = src
	}
	if two && src == "" && dst != "" {
		remove = true
	}
	if !(plus || force || remove) {
		return false
	}
	dst = strings.TrimPrefix(strings.TrimPrefix(dst, "refs/"), "heads/")
	switch dst {
	case "main", "master":
		return true
	case "":
		return two && src == "" // `:` and `+:` push every matching branch
	}
	return strings.Contains(dst, "*") && (matchGlob(dst, "main") || matchGlob(dst, "master"))
}

// gitLoses notes what can lose work that is not in any commit, or commits
// that nothing names any more.
func (j *judged) gitLoses(sub string, c *call) {
	first := ""
	if len(c.operands) > 0 {
		first = c.operands[0].text
	}
	why := ""
	switch sub {
	case "reset":
		if c.has("--hard", "--merge", "--keep") {
			why = "throws uncommitted changes away"
		}
	case "checkout":
		if !c.has("-b") || c.has("--force", "-B") {
			why = "may overwrite uncommitted changes"
		}
	case "switch":
		if c.has("--force", "--discard-changes", "--force-create") || slices.ContainsFunc(c.flags, func(u flagUse) bool { return u.raw == "-C" }) {
			why = "throws uncommitted changes away"
		}
	case "restore":
		if !c.has("--staged") || c.has("--worktree") {
			why = "throws uncommitted changes away"
		}
	case "clean", "rm":
		why = "deletes files"
	case "stash":
		if first == "drop" || first == "clear" || first == "pop" {
			why = "drops a stash"
		}
	case "branch":
		if c.has("-D", "-M", "-C", "--force", "--delete") {
			why = "deletes or overwrites a branch"
		}
	case "push":
		if c.has("--force", "--force-with-lease", "--delete", "--mirror", "--prune") || strings.ContainsAny(refsOf(c), "+") || strings.Contains(refsOf(c), " :") {
			why = "rewrites or deletes a remote branch"
		}
	case "rebase", "filter-branch", "filter-repo", "gc", "prune", "update-ref":
		why = "rewrites or drops commits"
	case "reflog":
		if first == "expire" || first == "delete" || first == "drop" {
			why = "rewrites or drops commits"
		}
	case "worktree":
		if first == "remove" || first == "prune" {
			why = "deletes a working tree"
		}
	}
	if why != "" {
		j.w.a.LosesWork = "git " + sub + " " + why
	}
}

func refsOf(c *call) string {
	var b strings.Builder
	for i, x := range c.operands {
		if i > 0 {
			b.WriteString(" " + x.text)
		}
	}
	return b.String()
}
