package commandpolicy

import (
	"path"
	"strings"
)

// copies judges cp, mv, install and ln: the last operand, or the value of -t,
// is written.
func (j *judged) copies() bool {
	c := j.call
	from := c.operands
	var to word
	if u, ok := c.flag("--target-directory"); ok {
		to = u.value
	} else if len(from) > 1 {
		to, from = from[len(from)-1], from[:len(from)-1]
	} else if j.name == "ln" && len(from) == 1 {
		to = known(path.Base(from[0].text))
	}
	in := kindRead
	if j.name == "cp" && (c.recursive || c.has("--archive")) || j.name == "mv" {
		in = kindWalk
	}
	for _, x := range from {
		switch {
		case j.name == "install" && c.has("--directory"):
			j.use(kindWrite, x, "")
		case j.name == "ln":
			j.use(kindName, x, "")
		default:
			j.use(in, x, "")
		}
		if j.name == "mv" {
			j.use(kindDelete, x, "")
		}
	}
	if to.known || to.alts != nil || len(from) > 0 {
		j.use(kindWrite, to, "")
		j.intoFolder(to, from)
	}
	rest := *c
	rest.operands = nil
	j.apply(c.spec, &rest)
	return true
}

// intoFolder notes the files that appear when the target is a folder.
func (j *judged) intoFolder(to word, from []word) {
	if !to.known {
		return
	}
	for _, x := range from {
		base := path.Base(x.text)
		if !x.known || base == "." || base == "/" || base == ".." {
			continue
		}
		for _, p := range j.paths(to, true) {
			kind, _ := j.w.places.lstat(p)
			if kind == KindDir || kind == KindUnknown || strings.HasSuffix(to.text, "/") {
				j.changePath(kindWrite, path.Join(p, base))
			}
		}
	}
}

// dd has operands of the form key=value.
func (j *judged) dd() bool {
	j.call = &call{operands: j.args}
	for _, x := range j.args {
		key, _, ok := strings.Cut(x.text, "=")
		if !ok && !x.known {
			j.unknown("a word that is not known before the run")
			continue
		}
		y := x
		y.text = strings.TrimPrefix(x.text, key+"=")
		switch key {
		case "if":
			j.use(kindRead, y, "")
		case "of":
			j.use(kindWrite, y, "")
		}
	}
	j.here()
	return true
}

// tar knows its mode from the options; without a dash the first word is them.
func (j *judged) tar() bool {
	args := j.args
	if len(args) > 0 && args[0].known && args[0].text != "" && args[0].text[0] != '-' {
		args = j.tarLetters(args[0], args[1:])
	}
	c := j.call.spec.take(j.name, args)
	j.call = c
	if c.info {
		return true
	}
	if c.broken != "" {
		j.unknown(c.broken)
	}
	write := c.has("--create", "--append", "--update", "--catenate", "--delete")
	j.tarArchive(c, write)
	if c.has("--extract") && !c.has("--to-stdout") {
		to := known(".")
		if u, ok := c.flag("--directory"); ok {
			to = u.value
		}
		j.use(kindWrite, to, "")
	}
	if write {
		j.refuse("makes an archive")
		for _, x := range c.operands {
			j.use(kindWalk, x, "")
			if c.has("--remove-files") {
				j.use(kindDelete, x, "")
			}
		}
	}
	if !write && !c.has("--list", "--extract") {
		j.refuse("tar without a mode that is known")
	}
	rest := *c
	rest.operands = nil
	j.apply(c.spec, &rest)
	return true
}

// tarLetters spells the first word of an old tar call out: each of its letters
// is an option, and those with a value take the words behind it in their order.
func (j *judged) tarLetters(letters word, rest []word) []word {
	var out []word
	for i := range len(letters.text) {
		name := "-" + letters.text[i:i+1]
		out = append(out, known(name))
		if o := j.call.spec.opts[name]; o != nil && o.arity == oneValue && len(rest) > 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	return append(out, rest...)
}

// tarArchive judges the archive: host:file is one on another machine.
func (j *judged) tarArchive(c *call, write bool) {
	for _, u := range c.flags {
		if u.name != "--file" || !u.has {
			continue
		}
		switch {
		case strings.Contains(u.value.text, ":") && !c.has("--force-local"):
			j.network(hostOf(u.value.text))
			j.refuse("an archive on another machine")
		case u.value.text == "-":
		case write:
			j.use(kindWrite, u.value, "")
		default:
			j.use(kindRead, u.value, "")
		}
	}
}

// remove judges rm, rmdir, unlink and shred.
func (j *judged) remove() bool {
	for _, x := range j.call.operands {
		j.w.flow.edge(x.node, j.d)
	}
	j.w.flow.mark(j.d, toDelete)
	return false
}

// rootNames marks a listing of everything in a system folder or home.
func (j *judged) rootNames() {
	for _, p := range j.part.Effects.Reads {
		if wipes(p, j.w.places.home) && !j.w.places.ours(p) {
			j.w.flow.mark(j.d, fromRootNames)
		}
	}
}

// chmod uses no mode operand when a reference file is given.
func (j *judged) chmod() bool {
	c := j.call
	if c.has("--reference") {
		for _, x := range c.operands {
			j.use(kindChmod, x, "")
		}
		rest := *c
		rest.operands = nil
		j.apply(c.spec, &rest)
		return true
	}
	return false
}

// grep has no pattern operand when -e or -f is given, and reads the current
// folder when it recurses without an operand.
func (j *judged) grep() bool {
	c := j.call
	s := *c.spec
	if c.has("--regexp", "--file", "--files", "--type-list") {
		s.args = nil
	}
	if c.recursive || j.name == "rg" || j.name == "ag" || j.name == "ack" {
		s.rest = kindWalk
	} else {
		s.implicit = nil
	}
	for _, u := range c.flags {
		switch u.name {
		case "--directories":
			if u.value.text == "recurse" {
				s.rest, s.implicit = kindWalk, c.spec.implicit
			}
		case "--include", "--glob", "--iglob":
			if namesSecret(u.value.text, j.w.places.home) && !strings.HasPrefix(u.value.text, "!") {
				j.secret(u.value.text, "a pattern for files that hold secrets")
			}
		}
	}
	j.apply(&s, c)
	return true
}

// folders judges diff and gofmt: an operand may be a folder, in which they
// follow the links that they meet.
func (j *judged) folders() bool {
	s := *j.call.spec
	s.rest = kindWalk
	j.call.follow = !j.call.has("--no-dereference")
	j.apply(&s, j.call)
	return true
}

// binutils take a word that begins with @ for the name of a file with more
// options, among them the library of --plugin.
func (j *judged) binutils() bool {
	for _, x := range j.args {
		if strings.HasPrefix(x.text, "@") {
			j.unknown("reads more options from " + x.text[1:])
			j.use(kindRead, known(x.text[1:]), "")
		}
	}
	return false
}
