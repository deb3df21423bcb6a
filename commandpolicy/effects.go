package commandpolicy

import (
	"cmp"
	"slices"
	"strings"
)

// kind says what a program does with an option's value or an operand. The zero
// value is the strictest.
type kind uint8

const (
	kindAsk     kind = iota // cannot be told to be harmless
	kindText                // harmless text
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
		e.refuse(cmp.Or(why, "an option that is not known to be harmless"))
	default:
		e.unknown("a use of a word that nothing is known of")
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

// network notes a host; "*" when it is not known.
func (e *effects) network(host string) {
	e.part.Effects.Network = appendNew(e.part.Effects.Network, host)
	e.w.flow.mark(e.d, fromNetwork|toNetwork)
}
