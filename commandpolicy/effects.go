package commandpolicy

import (
	"path"
	"slices"
	"strings"
)

// kind says what a program does with an option's value or an operand.
type kind uint8

const (
	kindText    kind = iota // harmless text
	kindRead                // reads the file
	kindMeta                // looks at the file, or lists the folder, following links
	kindName                // looks at the name itself
	kindWalk                // reads everything beneath
	kindList                // lists everything beneath
	kindWrite               // writes or creates the file
	kindDelete              // deletes it, and everything beneath
	kindChmod               // changes rights or owner
	kindExec                // runs the program
	kindCode                // is code that is run
	kindScript              // is a file of code that is run
	kindShell               // is shell text that is run
	kindHost                // talks to the host
	kindURL                 // fetches or sends there
	kindIdent               // is a key that is used, not sent
	kindCommand             // begins a command
	kindUpload              // is sent over the network as text, or as @file
	kindAsk                 // cannot be told to be harmless
)

// effects collects what one part does.
type effects struct {
	w      *walker
	part   Part
	index  int  // of the part
	d      node // where the content that the part handles passes
	code   node // where content goes that the part runs as code
	why    []string
	follow bool // links beneath operands are followed
}

// begin takes the next place for a part; until [effects.end] the place holds
// the zero Part, which nothing covers.
func (w *walker) begin(part Part, d node) *effects {
	w.a.Parts = append(w.a.Parts, Part{})
	return &effects{w: w, part: part, index: len(w.a.Parts) - 1, d: d}
}

// end puts the part in its place.
func (e *effects) end() {
	e.part.Why = e.why
	e.lookAtFolders()
	e.pathCatastrophes()
	e.part.Proven = len(e.why) == 0 && e.part.Kind != PartUnknown
	e.w.a.Parts[e.index] = e.part
}

// refuse says why the part is not proven to only read and print.
func (e *effects) refuse(why string) {
	if len(e.why) < 8 && !slices.Contains(e.why, why) {
		e.why = append(e.why, why)
	}
}

// unknown is refuse for what could not be told.
func (e *effects) unknown(why string) {
	e.part.Effects.Unknown = append(e.part.Effects.Unknown, why)
	e.refuse(why)
}

func (x word) arg() Arg { return Arg{Text: x.text, Known: x.known, Glob: x.glob} }

// codeNode is the sink of what the part runs.
func (e *effects) codeNode() node {
	if e.code == 0 {
		e.code = e.w.flow.node()
		e.w.flow.mark(e.code, toCode)
	}
	return e.code
}

// use notes that the part uses x in the way k; why, if given, describes that.
func (e *effects) use(k kind, x word, why string) {
	e.w.flow.edge(x.node, e.d)
	switch k {
	case kindText:
		if !x.known {
			e.unknown("a word that is not known before the run")
		}
	case kindRead, kindMeta, kindName, kindWalk, kindList:
		e.read(k, x)
	case kindWrite, kindDelete, kindChmod:
		e.change(k, x)
	case kindExec:
		e.executes(x.text)
		if strings.ContainsAny(x.text, " \t") && x.known {
			e.w.elsewhereHere(strings.TrimPrefix(x.text, "exec="))
		}
		if strings.Contains(x.text, "/") || !x.known {
			e.pinWord(x)
		}
	case kindCode:
		e.w.flow.edge(x.node, e.codeNode())
		e.executes("code:" + e.part.Name)
		e.w.shellWithin(e.part.Name, x.text)
		if e.part.Name == "make" {
			e.w.elsewhereHere(x.text)
		}
	case kindShell:
		e.shellText(x, why)
	case kindScript:
		e.script(x)
	case kindHost:
		e.host(x)
	case kindURL:
		e.url(x)
	case kindIdent:
		e.read(kindName, x)
	case kindUpload:
		e.upload(x)
	case kindCommand, kindAsk:
		if why == "" {
			why = "an option that is not known to be harmless"
		}
		e.refuse(why)
	}
}

// passes notes words that become parameters of shell text: what that text prints
// is theirs.
func (e *effects) passes(words []word, to node) {
	for _, x := range words {
		e.w.flow.edge(x.node, to)
		if !x.known && !x.plain {
			e.unknown("passes on what is not known before the run")
		}
	}
}

func (e *effects) executes(what string) {
	e.part.Effects.Executes = append(e.part.Effects.Executes, what)
	if _, ok := strings.CutPrefix(what, "code:"); ok {
		what = "code that it is given"
	}
	e.refuse("runs " + what)
}

// shellText walks shell text that the part runs.
func (e *effects) shellText(x word, how string) {
	e.w.flow.edge(x.node, e.codeNode())
	if !x.known {
		e.unknown("shell text that is not known before the run")
		for _, alt := range x.alts {
			e.w.nested(alt, how)
		}
		return
	}
	e.w.nested(x.text, how)
}

// script notes a file whose content is run.
func (e *effects) script(x word) {
	e.w.flow.edge(x.node, e.codeNode())
	if x.known && x.text == "-" {
		e.w.flow.edge(e.w.io.in, e.codeNode())
		e.executes("its input")
		e.pin("")
		return
	}
	e.pinWord(x)
	for _, p := range e.paths(x, true) {
		e.w.flow.edge(e.w.flow.file(p), e.codeNode())
		if isInput(p) {
			e.w.flow.edge(e.w.io.in, e.codeNode())
		}
		e.classify(p, ActRead)
	}
	what := x.text
	if !x.known {
		what = "a file that is not known before the run"
	}
	e.executes(what)
}

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
		e.refuse("changes a file that is not known before the run")
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

// everydayNames tell a pattern that is about everything from one that is about
// secrets.
var everydayNames = []string{"main.go", "README.md", "data.txt", "index.js", "package.json"}

var secretSamples = []string{".env", ".env.local", ".env.production", "id_rsa", "id_ed25519", "server.pem", "private.key",
	".npmrc", ".netrc", ".git-credentials", "credentials", ".pgpass", ".bash_history", "secrets.yml"}

// namesSecret reports whether a pattern is made for files that hold secrets.
func namesSecret(glob, home string) bool {
	if glob == "" {
		return false
	}
	base := path.Base(glob)
	for _, n := range everydayNames {
		if matchGlob(base, n) {
			return false
		}
	}
	for _, n := range secretSamples {
		if matchGlob(base, n) {
			return true
		}
	}
	_, class := secretName(glob, home)
	return class != noSecret
}

// network notes a host; "*" when it is not known.
func (e *effects) network(host string) {
	e.part.Effects.Network = appendNew(e.part.Effects.Network, host)
	e.w.flow.mark(e.d, fromNetwork|toNetwork)
}
