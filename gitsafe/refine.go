package gitsafe

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// These functions finish the reading of a call where class, loss or operands
// depend on what was asked. Each sees arguments that the grammar has passed.

func loses(c *Call) error {
	c.Loses = true
	return nil
}

func writesConfig(c *Call) error {
	c.config = true
	return nil
}

// need puts an option in front unless it was given.
func (c *Call) need(name, value string) {
	if !c.args.has(name) {
		c.args.items = slices.Insert(c.args.items, 0, item{name: name, value: value, given: value != ""})
	}
}

// mergeFormats are the values of --diff-merges that start no merge of their own.
var mergeFormats = []string{"off", "none", "on", "first-parent", "1", "separate", "m", "combined", "c", "dense-combined", "cc"}

func refineLog(c *Call) error {
	for _, v := range c.args.values("--diff-merges") {
		if !slices.Contains(mergeFormats, v) {
			return refuse("", "git %s: --diff-merges=%s is not accepted", c.Sub, v)
		}
	}
	for _, v := range c.args.values("-L") {
		if i := strings.LastIndexByte(v, ':'); i >= 0 {
			c.Reads = append(c.Reads, v[i+1:])
		}
	}
	return nil
}

// refineShortlog names HEAD where nothing is named, since git reads a log from
// its input then.
func refineShortlog(c *Call) error {
	if len(c.Words) == 0 && !c.args.has("--all", "--branches", "--tags", "--remotes", "--glob") {
		c.args.items = append(c.args.items, item{value: "HEAD"})
		c.Words = c.args.words()
	}
	return nil
}

// refineGrep keeps the pattern out of the names that are read.
func refineGrep(c *Call) error {
	if !c.args.has("-e") {
		if len(c.Words) == 0 {
			return refuse("", "git grep: no pattern")
		}
		c.Words = c.Words[1:]
	}
	return nil
}

// diffFormats are the options that choose what a difference looks like.
var diffFormats = []string{"-p", "-u", "--patch", "-U", "--unified", "--raw", "--patch-with-raw", "--patch-with-stat",
	"--stat", "--numstat", "--shortstat", "--dirstat", "--summary", "--name-only", "--name-status", "--compact-summary"}

// refineStashShow asks for the default format by name: git forgets it as soon
// as any option is given.
func refineStashShow(c *Call) error {
	if !c.args.has(diffFormats...) {
		c.need("--stat", "")
	}
	return nil
}

// secretSections are those whose values are passwords, tokens or headers.
var secretSections = []string{"credential", "http", "https", "url", "sendemail", "imap", "github", "gitlab", "hub", "lfs"}

// refineConfig accepts reading only, in the old and in the new form, and
// writes all of them in the old one.
func refineConfig(c *Call) error {
	a := c.args
	if w := a.words(); len(w) > 0 && (w[0] == "get" || w[0] == "list") && !a.has("--get", "--get-all", "--get-regexp", "--list") {
		a.dropWords()
		get := "--" + w[0]
		switch {
		case w[0] == "get" && a.has("--all"):
			get = "--get-all"
		case w[0] == "get" && a.has("--regexp"):
			get = "--get-regexp"
		}
		a.items = append(a.items, item{name: get})
		for _, k := range w[1:] {
			a.items = append(a.items, item{value: k})
		}
	}
	a.items = slices.DeleteFunc(a.items, func(it item) bool { return it.name == "--all" || it.name == "--regexp" })
	c.Words = a.words()
	whole := a.has("--list", "--get-regexp")
	if whole && !a.has("--local", "--worktree") {
		return refuse("add --local", "git config: the person's own configuration is not listed")
	}
	if a.has("--list") {
		if len(c.Words) > 0 {
			return refuse("", "git config --list takes no operand")
		}
		return nil
	}
	if len(c.Words) != 1 {
		return refuse("edit .git/config yourself", "git config: only reading of one key is accepted")
	}
	if section, _, _ := strings.Cut(c.Words[0], "."); !whole && slices.Contains(secretSections, strings.ToLower(section)) {
		return refuse("", "git config: %s may hold a secret", c.Words[0])
	}
	if !whole && !a.has("--get-all") {
		c.need("--get", "")
	}
	// The key after its option, whatever order it was given in.
	key := c.Words[0]
	a.dropWords()
	if i := slices.IndexFunc(a.items, func(it item) bool { return strings.HasPrefix(it.name, "--get") }); i >= 0 {
		get := a.items[i]
		a.items = append(slices.Delete(a.items, i, i+1), get)
	}
	a.items = append(a.items, item{value: key})
	return nil
}

var (
	branchWrites = []string{"-d", "--delete", "-D", "-m", "--move", "-M", "-c", "--copy", "-C", "-f", "--force",
		"--track", "--no-track", "--set-upstream-to", "--unset-upstream", "--create-reflog"}
	tagWrites = []string{"-a", "--annotate", "-s", "--sign", "--no-sign", "--local-user", "-f", "--force", "-d", "--delete",
		"--message", "--file", "--cleanup", "--create-reflog"}
	lists = []string{"--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"}
)

// refineBranch tells a list of branches from a change. A list is asked for by
// name, so that git reads it as one too.
func refineBranch(c *Call) error {
	a := c.args
	if a.has(branchWrites...) {
		c.config = true
		c.Loses = a.has("-D", "-M", "-C", "-f", "--force")
		return nil
	}
	switch {
	case a.has("--show-current"):
		c.Class = Read
	case len(c.Words) == 0 || a.has(lists...):
		c.Class = Read
		c.need("--list", "")
	default:
		c.config = true // a branch that starts at a remote one tracks it
	}
	return nil
}

func refineTag(c *Call) error {
	a := c.args
	switch {
	case a.has(tagWrites...):
		c.Loses = a.has("-f", "--force", "-d", "--delete")
		c.Reads = append(c.Reads, fileArgument(a)...)
	case len(c.Words) == 0 || a.has(append(lists, "-n")...):
		c.Class = Read
		c.need("--list", "")
	}
	return nil
}

// fileArgument is the file that a message is read from; "-" is the input.
func fileArgument(a *arguments) []string {
	var files []string
	for _, f := range a.values("--file") {
		if f != "-" {
			files = append(files, f)
		}
	}
	return files
}

func refineCommit(c *Call) error {
	c.Reads = append(c.Reads, fileArgument(c.args)...)
	if !c.args.has("--message", "--file", "--reuse-message", "--fixup", "--squash", "--amend", "--no-edit", "--dry-run", "--porcelain", "--short", "--long") {
		c.need("--no-edit", "") // a merge or a cherry-pick left its message; anything else ends with git's own words
	}
	return nil
}

func refineRm(c *Call) error {
	c.Loses = c.args.has("-f", "--force") && !c.args.has("--cached", "-n", "--dry-run")
	return nil
}

func refineRestore(c *Call) error {
	c.Loses = c.args.has("-W", "--worktree") || !c.args.has("-S", "--staged")
	return nil
}

func refineReset(c *Call) error {
	c.Loses = c.args.has("--hard", "--merge")
	return nil
}

// refineCheckout: paths are overwritten; of a single word only the repository
// can say whether it is a branch or a path (Plan.CanLose).
func refineCheckout(c *Call) error {
	a := c.args
	c.config = len(c.Paths) == 0
	branching := a.has("-b", "-B", "--orphan", "-d", "--detach", "--track")
	c.Loses = a.has("-f", "--force", "-B", "--ours", "--theirs") || len(c.Paths) > 0 || (!branching && len(c.Words) > 1)
	return nil
}

func refineSwitch(c *Call) error {
	c.config = true
	c.Loses = c.args.has("-f", "--force", "--discard-changes", "--force-create")
	return nil
}

// strategies are the merge strategies that git has built in; another name
// would start a program git-merge-NAME.
var strategies = []string{"ort", "recursive", "resolve", "octopus", "ours", "subtree"}

func knownStrategy(c *Call) error {
	for _, s := range c.args.values("-s", "--strategy") {
		if !slices.Contains(strategies, s) {
			return refuse("one of "+strings.Join(strategies, ", "), "git %s: no strategy %q", c.Sub, s)
		}
	}
	return nil
}

func refineMerge(c *Call) error {
	c.Loses = c.args.has("--abort")
	if !c.args.has("--abort", "--continue", "--quit") {
		c.need("--no-edit", "")
		c.args.items = slices.DeleteFunc(c.args.items, func(it item) bool { return it.name == "--edit" })
	}
	return knownStrategy(c)
}

func refineSequence(c *Call) error {
	c.Loses = c.args.has("--abort", "--skip")
	return knownStrategy(c)
}

func refineClean(c *Call) error {
	a := c.args
	switch {
	case a.has("-n", "--dry-run"):
		c.Class = Read
	case a.has("-f", "--force"):
		c.Loses = true
	default:
		return refuse("add -n to look, or -f to remove", "git clean: neither -n nor -f")
	}
	return nil
}

func refineApply(c *Call) error {
	for _, w := range c.Words {
		if w != "-" {
			c.Reads = append(c.Reads, w)
		}
	}
	return nil
}

func refineRemoteURL(c *Call) error {
	c.config = true
	for _, w := range c.Words[1:] {
		if _, err := parseURL(w); err != nil {
			return err
		}
	}
	return remoteName(c.Words[0])
}

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./+@-]*$`) })

func remoteName(name string) error {
	if !plainName().MatchString(name) || strings.Contains(name, "..") {
		return refuse("", "%q is no name for a remote", name)
	}
	return nil
}

func refineFetch(c *Call) error {
	if len(c.Words) > 1 {
		for _, r := range c.Words[1:] {
			_, dst, mapped := strings.Cut(r, ":")
			local := mapped && dst != "" && !strings.HasPrefix(dst, "refs/remotes/") && !strings.HasPrefix(dst, "refs/tags/")
			c.Loses = c.Loses || local && (strings.HasPrefix(r, "+") || c.args.has("-f", "--force"))
		}
	}
	return nil
}

func refinePull(c *Call) error {
	for _, v := range c.args.values("--rebase") {
		if v != "true" && v != "false" && v != "merges" {
			return refuse("true, false or merges", "git pull: --rebase=%s is not accepted", v)
		}
	}
	c.args.items = slices.DeleteFunc(c.args.items, func(it item) bool { return it.name == "--edit" })
	return knownStrategy(c)
}

func refinePush(c *Call) error {
	a := c.args
	c.config = a.has("-u", "--set-upstream")
	c.Loses = a.has("-f", "--force", "--force-with-lease", "-d", "--delete")
	for i, r := range c.Words {
		if i > 0 && (strings.HasPrefix(r, "+") || strings.HasPrefix(r, ":")) {
			c.Loses = true
		}
	}
	return nil
}

func refineClone(c *Call) error {
	_, err := parseURL(c.Words[0])
	return err
}
