package commandpolicy

import (
	"path"
	"slices"
	"strings"
)

// gitContent are the subcommands that print the content of what they name.
var gitContent = setOf(`show diff blame annotate grep cat-file diff-tree diff-index diff-files range-diff archive`)

// gitOperands looks for paths among operands, which may be revisions too: a
// path outside makes diff compare files, and a secret may come from history.
func (j *judged) gitOperands(sub string, c *call) {
	content := gitContent[sub] || c.has("--patch", "-L", "--cc", "-c")
	whole := content && sub != "cat-file" // no operand names a path: all of them are shown
	made := j.gitFolder(sub, c)
	for i, x := range c.operands {
		if !x.known || i == made {
			continue
		}
		p := gitPath(x.text)
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
		if mayLeave(x.text) {
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

// gitFolder notes the folder that a call makes or takes away, and tells the
// operand that names it, -1 where none does. A repository that is cloned without
// a name for its folder comes to lie below the working folder.
func (j *judged) gitFolder(sub string, c *call) int {
	at, does, first := -1, kindWrite, ""
	if len(c.operands) > 0 && c.operands[0].known {
		first = c.operands[0].text
	}
	switch {
	case sub == "init":
		at = 0
	case sub == "clone", sub == "worktree" && first == "add":
		at = 1
	case sub == "worktree" && first == "remove":
		at, does = 1, kindDelete
	}
	if at < 0 || at >= len(c.operands) {
		return -1
	}
	j.use(does, j.beneathC(c.operands)[at], "")
	return at
}

// gitPath is the path in an operand that may name a revision, a stage of the
// index or a pathspec too (gitrevisions(7); gitglossary(7), pathspec).
func gitPath(operand string) string {
	p := operand
	if rev, file, ok := strings.Cut(p, ":"); ok && rev != "" {
		p = file
	}
	p = strings.TrimPrefix(p, ":")
	if len(p) > 2 && p != operand && p[0] >= '0' && p[0] <= '3' && p[1] == ':' { // :2:path
		p = p[2:]
	}
	if i := strings.LastIndexByte(p, ')'); strings.HasPrefix(p, "(") && i > 0 { // :(top)path
		p = p[i+1:]
	}
	return p
}

// mayLeave reports whether an operand, taken for a path, may lead out of the
// folder that git runs in.
func mayLeave(operand string) bool {
	return strings.HasPrefix(operand, "/") || strings.HasPrefix(operand, "~") || strings.Contains("/"+operand+"/", "/../")
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
