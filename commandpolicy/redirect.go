package commandpolicy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect judges one redirection, and points the stream of the command that
// it belongs to at its new place.
func (w *walker) redirect(r *syntax.Redirect) {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
		if name := strings.Trim(fd, "{}"); name != fd {
			w.assignment(name, value{num: true, plain: true})
			defer func() {
				n := w.leads(fd)
				w.flow.edge(n, w.flow.variable(name))
				w.flow.edge(w.flow.variable(name), n)
			}()
		}
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		w.input(fd, w.heredoc(r))
	case syntax.WordHdoc:
		x := w.single(r.Word)
		n := w.flow.node()
		w.flow.write(n, x.text+"\n", x.known)
		w.flow.edge(x.node, n)
		w.input(fd, n)
	case syntax.DplIn, syntax.DplOut:
		w.duplicate(fd, r)
	case syntax.RdrIn:
		w.openFile(fd, "0", r, true, false)
	case syntax.RdrInOut:
		w.openFile(fd, "0", r, true, true)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
		w.openFile(fd, "1", r, false, true)
	case syntax.RdrAll, syntax.AppAll:
		n := w.openFile(fd, "1", r, false, true)
		w.point("2", n)
	default:
		w.unparsed("a kind of redirection that is not known")
		w.single(r.Word)
	}
}

// heredoc is the node of a here-document: its text is expanded unless the
// delimiter is quoted.
func (w *walker) heredoc(r *syntax.Redirect) node {
	n := w.flow.node()
	if r.Hdoc == nil {
		return n
	}
	if quotedWord(r.Word) {
		for _, p := range r.Hdoc.Parts {
			l, ok := p.(*syntax.Lit)
			w.flow.write(n, litValue(l), ok)
		}
		return n
	}
	for _, p := range r.Hdoc.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			w.flow.write(n, unescapeHeredoc(l.Value), true)
			continue
		}
		for _, pc := range w.pieces(p, false, true) {
			w.flow.write(n, pc.text, pc.known)
			w.flow.edge(pc.node, n)
		}
	}
	return n
}

// unescapeHeredoc removes the backslashes that count in a here-document.
func unescapeHeredoc(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\$`, `$`, "\\`", "`").Replace(s)
}

func quotedWord(x *syntax.Word) bool {
	for _, p := range x.Parts {
		if l, ok := p.(*syntax.Lit); !ok || strings.Contains(l.Value, `\`) {
			return true
		}
	}
	return false
}

func (w *walker) input(fd string, n node) {
	if fd == "" {
		fd = "0"
	}
	w.point(fd, n)
}

// point makes a descriptor lead to n.
func (w *walker) point(fd string, n node) {
	switch fd {
	case "0":
		w.io.in = n
	case "1":
		w.io.out = n
	case "2":
		w.io.err = n
	default:
		if len(w.fds) == 0 {
			w.fds = map[string]node{}
		}
		w.fds[fd] = n
	}
}

func (w *walker) leads(fd string) node {
	switch fd {
	case "0":
		return w.io.in
	case "1":
		return w.io.out
	case "2":
		return w.io.err
	}
	return w.fds[fd]
}

// duplicate handles 2>&1, <&3, >&-, and `>& file`.
func (w *walker) duplicate(fd string, r *syntax.Redirect) {
	dflt := "0"
	if r.Op == syntax.DplOut {
		dflt = "1"
	}
	target := r.Word.Lit()
	number := strings.TrimSuffix(target, "-")
	switch {
	case target == "-":
		return
	case number != "" && strings.Trim(number, "0123456789") == "":
		if fd == "" {
			fd = dflt
		}
		w.point(fd, w.leads(number))
		return
	}
	n := w.openFile(fd, dflt, r, r.Op == syntax.DplIn, r.Op == syntax.DplOut)
	if r.Op == syntax.DplOut && fd == "" {
		w.point("2", n)
	}
}

// openFile judges a redirection to or from a named file.
func (w *walker) openFile(fd, dflt string, r *syntax.Redirect, reads, writes bool) node {
	if fd == "" {
		fd = dflt
	}
	n := w.flow.node()
	names := w.expand(r.Word.Parts)
	if len(names) != 1 {
		names = []word{{}}
	}
	name := names[0]
	e := w.begin(Part{Kind: PartRedirect, Name: r.Op.String(), Argv: []Arg{name.arg()}}, n)
	defer e.end()
	if strings.HasPrefix(name.text, "/dev/tcp/") || strings.HasPrefix(name.text, "/dev/udp/") {
		e.socket(name.text)
		w.point(fd, n)
		return n
	}
	if r.Op == syntax.DplOut {
		w.flow.edge(n, name.node) // a number that a variable holds
	}
	if reads {
		e.use(kindRead, name, "")
	}
	if writes {
		e.use(kindWrite, name, "")
	}
	w.point(fd, n)
	return n
}

// socket notes that bash itself connects to a host.
func (e *effects) socket(name string) {
	host := "*"
	if p := strings.Split(name, "/"); len(p) > 3 && p[3] != "" {
		host = p[3]
	}
	e.network(host)
	e.refuse("connects to " + host)
}
