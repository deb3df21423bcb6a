package commandpolicy

import (
	"path"
	"slices"
	"strings"
)

// paths are the absolute, resolved paths that x may stand for.
func (e *effects) paths(x word, follow bool) []string {
	texts := x.alts
	if x.known || x.glob != "" || x.under != "" {
		texts = append([]string{x.text}, x.alts...)
	}
	var out []string
	for _, t := range texts {
		if strings.HasPrefix(t, "/") {
			out = e.w.appendReal(out, t, follow)
			continue
		}
		for _, d := range e.w.somewhere() {
			out = e.w.appendReal(out, d+"/"+t, follow)
		}
	}
	return out
}

// somewhere are the folders that may be current; when that is not known, all
// that ever were, which serves the deny list and proves nothing.
func (w *walker) somewhere() []string {
	if len(w.dirs) == 0 {
		return w.been
	}
	return w.dirs
}

// strays reports whether x is relative to a folder that is not known.
func (e *effects) strays(x word) bool { return len(e.w.dirs) == 0 && !strings.HasPrefix(x.text, "/") }

func (w *walker) appendReal(out []string, name string, follow bool) []string {
	real, loop := w.places.resolve(name, follow)
	if loop {
		real = path.Clean(name)
	}
	if slices.Contains(out, real) {
		return out
	}
	return append(out, real)
}

// read notes that the part looks at x or reads it.
func (e *effects) read(k kind, x word) {
	if x.stream || x.known && x.text == "-" && k == kindRead {
		return
	}
	content := k == kindRead || k == kindWalk
	paths := e.paths(x, k != kindName)
	switch {
	case x.known:
		if e.strays(x) {
			e.unknown("a relative path, while the current folder is not known")
		}
		if content && namesSecret(x.glob, e.w.places.home) {
			e.secret(x.glob, "a pattern for files that hold secrets")
		}
	case x.under != "":
	default:
		e.unknown("a path that is not known before the run")
	}
	for _, p := range paths {
		e.part.Effects.Reads = appendNew(e.part.Effects.Reads, p)
		what, class := secretName(p, e.w.places.home)
		if !content {
			class = noSecret
		}
		e.classify(p, ActRead)
		if content {
			e.content(p, k, class)
		}
		if class != noSecret {
			e.secret(p, what)
		}
		if e.follow && (k == kindWalk || k == kindList) && !e.w.places.walkStays(p) {
			e.refuse("follows links, which may lead out of the workspace")
		}
	}
}

// content notes where the content of a file that is read goes.
func (e *effects) content(p string, k kind, class secretClass) {
	if isRawDevice(p) {
		e.w.deny(ruleDisk)
	}
	n := e.w.flow.file(p)
	e.w.flow.edge(n, e.d)
	if class >= hardSecret {
		e.w.flow.mark(n, fromKey)
	}
	if k == kindWalk && (p == "/" || e.w.places.home != "" && below(e.w.places.home, p) || systemFolders[p] && path.Dir(p) == "/") {
		e.w.flow.mark(n, fromKey)
	}
}

// secret notes a read of p, a path or a pattern, that gives a secret away.
func (e *effects) secret(p, what string) {
	if !strings.HasPrefix(p, "/") {
		p = path.Join(e.w.somewhere()[0], p)
	}
	e.w.a.SecretReads = append(e.w.a.SecretReads, PathUse{Path: p, Act: ActRead, Part: e.index, Why: what})
	e.refuse("reads " + p + " (" + what + ")")
}

// classify notes what is special about the place of a path.
func (e *effects) classify(p string, act Act) {
	use := PathUse{Path: p, Act: act, Part: e.index}
	switch {
	case e.w.places.own(p):
		e.w.deny(ruleOwnState)
		e.refuse("touches the agent's own files")
	case act == ActRead && isSource(p), act != ActRead && isSink(p):
	case !e.w.places.inside(p):
		use.Why = "outside the workspace"
		e.w.a.OutsidePaths = append(e.w.a.OutsidePaths, use)
		verb := "reads "
		if act != ActRead {
			verb = "changes "
		}
		e.refuse(verb + p + ", outside the workspace")
	case act != ActRead:
		rel := strings.TrimPrefix(p, e.w.places.workspace)
		if name, ok := ProtectedName(rel); ok {
			use.Why = name
			e.w.a.ProtectedPaths = append(e.w.a.ProtectedPaths, use)
		}
	}
}

// change notes that the part writes, deletes or changes the rights of x.
func (e *effects) change(k kind, x word) {
	if x.stream {
		e.w.flow.edge(e.d, x.node)
		return
	}
	if !x.known && x.under == "" {
		e.unknown("changes a path that is not known before the run")
	}
	paths := e.paths(x, k == kindWrite || k == kindChmod)
	if k == kindDelete && x.known && x.glob != "" {
		paths = append(paths, e.paths(known(x.glob), false)...)
	}
	if len(paths) == 0 || e.strays(x) {
		e.refuse("changes a path that is not known before the run")
	}
	for _, p := range paths {
		e.changePath(k, p)
	}
}

func (e *effects) changePath(k kind, p string) {
	f := &e.part.Effects
	act, verb := ActWrite, "writes "
	switch k {
	case kindDelete:
		f.Deletes = appendNew(f.Deletes, p)
		act, verb = ActDelete, "deletes "
	case kindChmod:
		f.Chmods = appendNew(f.Chmods, p)
		act, verb = ActChmod, "changes the rights of "
	default:
		if isSink(p) {
			return
		}
		f.Writes = appendNew(f.Writes, p)
		e.w.flow.edge(e.d, e.w.flow.file(p))
		if kind, _ := e.w.places.lstat(p); kind == KindAbsent {
			act = ActCreate
		}
	}
	e.classify(p, act)
	e.refuse(verb + p)
}

func appendNew(list []string, s string) []string {
	if len(list) < 64 && slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
