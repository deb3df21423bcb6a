package commandpolicy

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// run is one command line on its way to the program that really runs.
type run struct {
	argv     []word
	wrappers []string
	depth    int
	// noFunc is set where functions do not count: after command, builtin,
	// and within every program that starts another.
	noFunc   bool
	external bool // a program starts it: builtins do not count either
	lookup   bool // the PATH that finds it was changed
}

// maxWrappers bounds wrappers around wrappers.
const maxWrappers = 32

// call judges a simple command.
func (w *walker) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assignNode(a, false)
		}
		return
	}
	argv := w.fields(c.Args)
	if w.async && selfCall(c) {
		w.deny(ruleForkBomb)
	}
	r := run{argv: argv, lookup: w.pathChanged}
	m := w.vars.mark()
	for _, a := range c.Assigns {
		if litValue(a.Name) == "PATH" {
			r.lookup = true
		}
		w.assignNode(a, true)
	}
	w.vars.undo(m)
	w.passed = nil
	w.start(r)
}

// start finds out what a command line runs, and judges it.
func (w *walker) start(r run) {
	if len(r.argv) == 0 {
		return
	}
	if r.depth++; r.depth > maxWrappers {
		w.problem("wrappers around wrappers, deeper than can be followed")
		return
	}
	name := r.argv[0]
	if !name.known {
		w.unknownProgram(r)
		return
	}
	switch {
	case !r.noFunc && w.isFunction(name.text):
		w.callFunction(r)
		if !w.sure[name.text] {
			r.noFunc = true // it may not be defined yet, and then a program runs
			w.start(r)
		}
	case strings.Contains(name.text, "/"):
		w.byPath(r)
	default:
		w.judge(r, name.text)
	}
}

func (w *walker) isFunction(name string) bool { return w.facts.declared[name] || w.funcs[name] != nil }

// callFunction connects the streams of a call with those of the body, which is
// judged where it stands.
func (w *walker) callFunction(r run) {
	f := w.function(r.argv[0].text)
	e := w.begin(Part{Kind: PartFunction, Name: r.argv[0].text, Wrappers: r.wrappers, Argv: args(r.argv)}, w.flow.node())
	e.passes(r.argv[1:], f.args)
	w.flow.edge(w.io.in, f.in)
	w.flow.edge(f.out, w.io.out)
	w.flow.write(w.io.out, "", false)
	if w.facts.anyMove {
		w.dirs = nil
	}
	e.end()
}

func args(words []word) []Arg {
	out := make([]Arg, len(words))
	for i, x := range words {
		out[i] = x.arg()
	}
	return out
}

// unknownProgram judges a command whose program is not known before the run.
func (w *walker) unknownProgram(r run) {
	d := w.flow.node()
	w.flow.edge(w.io.in, d)
	w.flow.edge(d, w.io.out)
	w.flow.write(w.io.out, "", false)
	e := w.begin(Part{Kind: PartCall, Wrappers: r.wrappers, Argv: args(r.argv)}, d)
	e.unknown("the program is not known before the run")
	w.flow.edge(r.argv[0].node, e.codeNode())
	e.end()
	for _, alt := range r.argv[0].alts {
		alts := []word{known(alt)}
		if !r.argv[0].quoted || r.argv[0].list {
			alts = alts[:0]
			for _, f := range strings.Fields(alt) {
				alts = append(alts, known(f))
			}
		}
		alts = append(alts, r.argv[1:]...)
		w.start(run{argv: alts, wrappers: r.wrappers, depth: r.depth, noFunc: r.noFunc, external: r.external, lookup: r.lookup})
	}
}

// systemBin are the folders whose programs are known by their name alone.
var systemBin = setOf(`/bin /usr/bin /sbin /usr/sbin /usr/local/bin /usr/local/sbin /opt/homebrew/bin /usr/local/go/bin`)

// manyInOne are programs that are nothing but what they are called by.
var manyInOne = setOf(`busybox toybox coreutils uutils`)

// byPath judges a program that is named by a path: known when it lies in a
// system folder, else a file that is run.
func (w *walker) byPath(r run) {
	name := r.argv[0]
	probe := &effects{w: w}
	paths := probe.paths(name, true)
	if len(paths) == 1 && systemBin[path.Dir(paths[0])] {
		r.noFunc, r.external, r.lookup = true, true, false
		called, file := path.Base(name.text), path.Base(paths[0])
		if manyInOne[file] {
			file = called
		}
		w.judge(r, file)
		if called != file { // a link: some programs are what they are called by
			w.judge(r, called)
		}
		return
	}
	d := w.flow.node()
	w.flow.edge(w.io.in, d)
	w.flow.edge(d, w.io.out)
	w.flow.write(w.io.out, "", false)
	e := w.begin(Part{Kind: PartCall, Wrappers: r.wrappers, Argv: args(r.argv)}, d)
	e.script(name)
	if len(paths) == 1 && len(w.dirs) == 1 {
		e.part.byPath, _ = strings.CutPrefix(paths[0], w.places.workspace+"/")
		if e.part.byPath == paths[0] {
			e.part.byPath = ""
		}
	}
	for _, x := range r.argv[1:] {
		w.flow.edge(x.node, d)
		e.touchesOwn(x)
	}
	e.part.call = generic(r.argv[1:])
	e.end()
	e.part.call.outside = (&judged{effects: e, args: r.argv[1:]}).leaves()
}

// unwrap goes on with the command that this one runs.
func (j *judged) unwrap(argv []word) {
	j.quiet = true
	r := run{argv: argv, depth: j.run.depth, noFunc: true, external: true, lookup: j.run.lookup}
	r.wrappers = append(j.run.wrappers[:len(j.run.wrappers):len(j.run.wrappers)], j.name)
	j.w.start(r)
}
