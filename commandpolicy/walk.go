package commandpolicy

import (
	"errors"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// walker goes through the syntax tree once, in the order of the text, and
// keeps what is known of the shell at that point.
type walker struct {
	a      *Analysis
	places *places
	flow   *flow
	shell
	meanings

	been    []string           // every folder that was ever current, for the deny list
	starts  map[string][]start // what each function of the text surely starts
	nesting int                // shell text in shell text
	budget  int                // bytes of nested text that may still be parsed
	unroll  int                // bytes of loop bodies that may still be walked again
}

// shell is what a subshell has a copy of.
type shell struct {
	dirs   []string // the folders that may be current; none: not known
	old    []string // the folders before the last cd
	passed []string // where a cd of this very statement leads, when it succeeds
	args   node     // where the positional parameters come from
	params []string // what they may be, for the deny list
	io     streams
	fds    map[string]node
	async  bool // in a pipeline or in the background

	pathChanged, ifsChanged, globChanged, cdpathChanged bool
}

// meanings are what names mean in a shell: one that is started anew has its own.
type meanings struct {
	vars    *vars
	funcs   map[string]*function
	sure    map[string]bool // functions that are surely defined here
	defined []string        // their names, in the order of definition
	later   int             // depth of text that runs at another time: bodies, traps
	facts   prescan         // of the whole text
}

func newMeanings(v *vars) meanings {
	return meanings{vars: v, funcs: map[string]*function{}, sure: map[string]bool{}}
}

// streams are the places that the standard streams lead to; zero is outside.
type streams struct{ in, out, err node }

// function is what is known of a function of the text.
type function struct{ in, out, args node }

// maxDirs bounds the folders that may be current at once.
const maxDirs = 8

func newWalker(a *Analysis, c Context) *walker {
	p := newPlaces(c)
	dir := c.Dir
	if dir == "" {
		dir = p.workspace
	}
	preset := map[string]value{"IFS": {text: " \t\n", known: true}}
	if p.home != "" {
		preset["HOME"] = value{text: p.home, known: true}
	}
	return &walker{
		a: a, places: p, flow: newFlow(),
		shell:    shell{dirs: []string{dir}, fds: map[string]node{}},
		meanings: newMeanings(newVars(c.Env, preset)),
		starts:   map[string][]start{}, been: []string{dir}, budget: 64<<10 + 4*len(a.Text), unroll: 64 << 10,
	}
}

// problem records something that no rule can cover.
func (w *walker) problem(why string) {
	w.a.Parts = append(w.a.Parts, Part{Kind: PartUnknown, Why: []string{why}, Effects: Effects{Unknown: []string{why}}})
}

// unparsed records that the text as a whole is not understood.
func (w *walker) unparsed(why string) {
	w.a.Parsed = false
	w.remark(why)
}

// maxProblems bounds the list that people read; the verdict does not need it.
const maxProblems = 40

func (w *walker) remark(why string) {
	if len(w.a.Problems) < maxProblems && !slices.Contains(w.a.Problems, why) {
		w.a.Problems = append(w.a.Problems, why)
	}
}

// script walks the text of the command itself.
func (w *walker) script(text string) {
	stmts, err := parseShell(text)
	w.facts.scan(stmts, w.vars)
	w.stmts(stmts)
	if err != nil {
		w.unparsed("does not parse: " + err.Error())
		w.otherReading(text, err)
	}
}

// nested walks shell text that a command is given, in a shell of its own.
func (w *walker) nested(text, how string) { w.subshell(func() { w.inline(text, how) }) }

// inline walks shell text that runs in this very shell, as eval does.
func (w *walker) inline(text, how string) {
	if w.nesting >= maxNested || len(text) > w.budget {
		w.unparsed("shell text within shell text, deeper than can be followed")
		return
	}
	w.nesting++
	w.budget -= len(text)
	stmts, err := parseShell(text)
	w.facts.scan(stmts, w.vars)
	w.stmts(stmts)
	if err != nil {
		w.unparsed("the text for " + how + " does not parse: " + err.Error())
		w.otherReading(text, err)
	}
	w.nesting--
}

// otherReading looks for the deny list at text as bash reads it, where our
// parser reads it otherwise.
func (w *walker) otherReading(text string, err error) {
	if errors.Is(err, errCommentEnd) {
		w.elsewhereHere(bashComments(text))
	}
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *walker) stmt(s *syntax.Stmt) {
	w.passed = nil
	if s.Coprocess || s.Disown {
		w.unparsed("a statement that is not bash's own")
	}
	if !s.Background {
		w.command(s)
		if s.Negated {
			w.passed = nil
		}
		return
	}
	w.detached(func() { w.command(s) })
}

// detached runs f as a process beside this shell.
func (w *walker) detached(f func()) {
	was := w.async
	w.async = true
	w.subshell(f)
	w.async = was
}

// command walks a statement with its redirections.
func (w *walker) command(s *syntax.Stmt) {
	io, fds := w.io, w.fds
	if len(s.Redirs) > 0 {
		w.fds = cloneMap(w.fds)
		for _, r := range s.Redirs {
			w.redirect(r)
		}
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && isBareExec(call) {
		return // the redirections stay
	}
	if s.Cmd != nil {
		w.node(s.Cmd)
	}
	if len(s.Redirs) > 0 {
		w.io, w.fds = io, fds
	}
}

func isBareExec(c *syntax.CallExpr) bool {
	if len(c.Args) != 1 || len(c.Assigns) > 0 {
		return false
	}
	name, ok := staticText(c.Args[0])
	return ok && name == "exec"
}

func cloneMap(m map[string]node) map[string]node {
	out := make(map[string]node, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	return out
}

// node walks one command of any kind.
func (w *walker) node(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		w.call(c)
	case *syntax.BinaryCmd:
		w.binary(c)
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.Subshell:
		w.subshell(func() { w.stmts(c.Stmts) })
	case *syntax.IfClause:
		w.ifClause(c)
	case *syntax.WhileClause:
		w.whileClause(c)
	case *syntax.ForClause:
		w.forClause(c)
	case *syntax.CaseClause:
		w.caseClause(c)
	case *syntax.FuncDecl:
		w.funcDecl(c)
	case *syntax.ArithmCmd:
		w.arithm(c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			w.arithm(x)
		}
	case *syntax.TestClause:
		w.testClause(c)
	case *syntax.DeclClause:
		w.declClause(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			w.stmt(c.Stmt)
		}
	case *syntax.CoprocClause:
		w.coproc(c)
	case *syntax.TestDecl:
		w.unparsed("a test declaration of another shell")
		w.stmt(c.Body)
	default:
		w.unparsed("a kind of command that is not known")
	}
}

// subshell runs f in a copy of the shell.
func (w *walker) subshell(f func()) {
	saved := w.shell
	m := w.vars.mark()
	lost, defined := w.vars.lost, len(w.defined)
	f()
	w.vars.undo(m)
	w.vars.lost = lost
	w.unsure(defined)
	w.shell = saved
}

// maybe runs f, which the shell may skip or repeat.
func (w *walker) maybe(f func()) {
	m := w.vars.mark()
	dirs, defined := w.dirs, len(w.defined)
	f()
	w.vars.blur(m)
	w.unsure(defined)
	w.dirs = unite(dirs, w.dirs)
	w.passed = nil
}

// unsure forgets the functions that were defined since: text that may not have
// run, or ran in another shell, defines nothing for sure.
func (w *walker) unsure(since int) {
	for _, name := range w.defined[since:] {
		delete(w.sure, name)
	}
	w.defined = w.defined[:since]
}

// variable is what is known of a variable where the walk is. In text that runs
// at another time, what the text sets elsewhere is not known.
func (w *walker) variable(name string) value {
	v := w.vars.get(name)
	plain, set := w.facts.outside[name]
	if w.later == 0 || !set && !w.facts.dynamic {
		return v
	}
	out := value{plain: plain && !w.facts.dynamic && !v.private, node: v.node, alts: v.alts}
	if v.known {
		out.alts = append(slices.Clone(out.alts), v.text)
	}
	return out
}

// unite joins two sets of folders; none at all means not known.
func unite(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	out := slices.Clone(a)
	for _, d := range b {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	if len(out) > maxDirs {
		return nil
	}
	return out
}

// elsewhen walks text that runs at another time, in this shell.
func (w *walker) elsewhen(f func()) {
	if w.facts.anyMove {
		w.dirs = nil
	}
	w.later++
	f()
	w.later--
}
