package commandpolicy

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// a piece is a part of a word before splitting.
type piece struct {
	text   string
	known  bool
	quoted bool // not subject to splitting and globbing
	bare   bool // literal text with active glob characters, escaped with \
	plain  bool
	num    bool
	stream bool
	list   bool
	alts   []string
	node   node
}

// pieces evaluates one part of a word, which may be its first and its last.
func (w *walker) pieces(p syntax.WordPart, first, last bool) []piece {
	switch p := p.(type) {
	case *syntax.Lit:
		return w.literal(p.Value, first, last)
	case *syntax.SglQuoted:
		if p.Dollar {
			return []piece{{text: ansiC(p.Value), known: true, quoted: true}}
		}
		return []piece{{text: p.Value, known: true, quoted: true}}
	case *syntax.DblQuoted:
		return w.doubleQuoted(p)
	case *syntax.ParamExp:
		return []piece{w.param(p)}
	case *syntax.CmdSubst:
		return []piece{w.substitution(p)}
	case *syntax.ArithmExp:
		text, ok := w.arithm(p.X)
		return []piece{{text: text, known: ok, plain: true, num: true}}
	case *syntax.ProcSubst:
		return []piece{w.process(p)}
	case *syntax.ExtGlob:
		// Without `shopt -s extglob` bash reads !(x) as a negated subshell.
		w.problem("an extended pattern, which may also be a subshell")
		w.nested(p.Pattern.Value, "(…)")
		return []piece{{}}
	case *syntax.BraceExp:
		w.problem("braces where none are expanded")
		return []piece{{}}
	}
	w.unparsed("a kind of word that is not known")
	return []piece{{}}
}

// literal evaluates unquoted text: escapes become quoted characters, a leading
// tilde the home folder. The name behind a tilde ends at a slash or with the
// word; one that runs on into another part is none.
func (w *walker) literal(s string, first, last bool) []piece {
	if first && strings.HasPrefix(s, "~") {
		name, rest, slash := cutAt(s[1:], "/")
		if strings.Contains(name, ":") {
			return []piece{{}} // bash leaves what follows unexpanded in some versions
		}
		if slash || last {
			if home := w.tilde(name); home.known || len(home.alts) > 0 {
				return []piece{home, {text: rest, known: true, bare: true}}
			}
		}
	}
	return []piece{{text: s, known: true, bare: true}}
}

// cutAt splits s before the first of any character of set.
func cutAt(s, set string) (before, rest string, found bool) {
	if i := strings.IndexAny(s, set); i >= 0 {
		return s[:i], s[i:], true
	}
	return s, "", false
}

// tilde is the folder that ~name stands for. Whether there is a user of that
// name is not known, so that it may also stand for itself.
func (w *walker) tilde(name string) piece {
	switch {
	case name == "":
		v := w.variable("HOME")
		return piece{text: v.text, known: v.known, quoted: true, alts: v.alts}
	case name == "+" && len(w.dirs) == 1:
		return piece{text: w.dirs[0], known: true, quoted: true}
	case name == "root":
		return piece{text: "/root", known: true, quoted: true}
	case name == "+" || name == "-" || strings.Trim(name, "0123456789") == "":
		return piece{quoted: true, alts: []string{"/"}}
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "":
		return piece{}
	case w.places.home != "" && path.Base(w.places.home) == name:
		return piece{text: w.places.home, known: true, quoted: true}
	}
	return piece{quoted: true, alts: []string{"/home/" + name, "~" + name}}
}

func (w *walker) doubleQuoted(q *syntax.DblQuoted) []piece {
	if q.Dollar {
		w.problem(`a $"…" string, which is translated at run time`)
	}
	out := []piece{{known: true, quoted: true}}
	for _, p := range q.Parts {
		var got []piece
		if l, ok := p.(*syntax.Lit); ok {
			got = []piece{{text: unescapeDouble(l.Value), known: true}}
		} else {
			got = w.pieces(p, false, true)
		}
		for _, pc := range got {
			pc.quoted = true
			pc.bare = false
			out = append(out, pc)
		}
	}
	return out
}
