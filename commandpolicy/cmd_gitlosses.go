package commandpolicy

import (
	"slices"
	"strings"
)

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

func refsOf(c *call) string {
	var b strings.Builder
	for i, x := range c.operands {
		if i > 0 {
			b.WriteString(" " + x.text)
		}
	}
	return b.String()
}
