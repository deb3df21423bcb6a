package commandpolicy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxFields bounds the words of one command after expansion.
const maxFields = 20_000

// A word is one argument as the program will receive it.
type word struct {
	text   string // the value when known; else what is known of its beginning
	known  bool
	plain  bool     // not known, but printing it gives nothing away
	num    bool     // not known, but surely an integer
	quoted bool     // some of it was quoted
	glob   string   // the pattern it came from, as written
	under  string   // not known, but the path of a plain file beneath this folder
	stream bool     // a pipe made by <( ) or >( )
	list   bool     // not known, and perhaps several words: "$@", "${a[@]}"
	alts   []string // values it may also have, for the deny list
	node   node     // where its content comes from
}

// known makes a word of text that needs no expansion.
func known(text string) word { return word{text: text, known: true} }

// fields expands words the way bash does: braces, tilde, parameters and
// substitutions, splitting, file names.
func (w *walker) fields(words []*syntax.Word) []word {
	var out []word
	for _, x := range words {
		if s, ok := simpleLit(x); ok {
			out = append(out, known(s))
			continue
		}
		lists, ok := braces(x)
		if !ok {
			w.problem("braces that cannot be followed")
			lists = [][]syntax.WordPart{x.Parts}
		}
		for _, parts := range lists {
			out = append(out, w.expand(parts)...)
			if len(out) > maxFields {
				w.unparsed("more than can be followed after expansion")
				return out
			}
		}
	}
	return out
}

// simpleLit is the quick path for a word without anything to expand.
func simpleLit(x *syntax.Word) (string, bool) {
	if len(x.Parts) != 1 {
		return "", false
	}
	switch p := x.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, !strings.ContainsAny(p.Value, "\\{*?[~")
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	}
	return "", false
}

// staticText is the text of a word in which nothing is to be expanded.
func staticText(x *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, p := range x.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				text = ansiC(text)
			}
			b.WriteString(text)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				l, ok := q.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(unescapeDouble(l.Value))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// expand turns the parts of one word into fields.
func (w *walker) expand(parts []syntax.WordPart) []word {
	f := &splitter{w: w, cur: freshWord}
	parts = joinLits(parts)
	if name, rest, ok := tildeValue(parts); ok {
		f.add(piece{text: name, known: !strings.Contains(rest, ":~"), bare: true})
		parts = append([]syntax.WordPart{&syntax.Lit{Value: rest}}, parts[1:]...)
	}
	for i, p := range parts {
		for _, pc := range w.pieces(p, i == 0, i == len(parts)-1) {
			f.add(pc)
		}
	}
	return f.finish()
}

// tildeValue splits a word that looks like NAME=~…: bash expands the tilde
// there too, also where the word is no assignment (dd of=~/x).
func tildeValue(parts []syntax.WordPart) (name, rest string, ok bool) {
	if len(parts) == 0 {
		return "", "", false
	}
	l, isLit := parts[0].(*syntax.Lit)
	if !isLit {
		return "", "", false
	}
	name, rest, ok = strings.Cut(l.Value, "=")
	if !ok || !syntax.ValidName(name) || !strings.HasPrefix(rest, "~") && !strings.Contains(rest, ":~") {
		return "", "", false
	}
	return name + "=", rest, true
}

// single expands a word that is neither split nor matched against files.
func (w *walker) single(x *syntax.Word) word {
	if x == nil {
		return known("")
	}
	out := word{known: true, plain: true, num: true}
	var b strings.Builder
	for i, p := range x.Parts {
		for _, pc := range w.pieces(p, i == 0, i == len(x.Parts)-1) {
			w.join(&out, &b, pc)
		}
	}
	out.text = b.String()
	return out
}

// join appends a piece to a word that is not split.
func (w *walker) join(out *word, b *strings.Builder, pc piece) {
	text := pc.text
	if pc.bare {
		text = unescape(text)
	}
	switch {
	case !pc.known:
		if len(pc.alts) > 0 && len(out.alts) == 0 && out.known {
			for _, alt := range pc.alts {
				out.alts = append(out.alts, b.String()+alt)
			}
		} else {
			out.alts = nil
		}
		out.known = false
	default:
		if out.known {
			b.WriteString(text)
		}
		for i := range out.alts {
			out.alts[i] += text
		}
	}
	if b.Len() > maxKnownText {
		b.Reset()
		out.known = false
	}
	out.plain = out.plain && (pc.plain || pc.known)
	out.num = out.num && (pc.num || pc.known && isInt(pc.text))
	out.quoted = out.quoted || pc.quoted
	out.stream = out.stream || pc.stream
	out.node = w.merge(out.node, pc.node)
}

// merge joins two sources of content.
func (w *walker) merge(a, b node) node {
	if a == 0 || a == b {
		return b
	}
	if b == 0 {
		return a
	}
	n := w.flow.node()
	w.flow.edge(a, n)
	w.flow.edge(b, n)
	return n
}

// joinLits puts literal parts together that braces have left side by side. A
// name that follows a short $name becomes part of it, since bash expands
// braces before it looks for variables: $a{b,c} is $ab $ac.
func joinLits(parts []syntax.WordPart) []syntax.WordPart {
	var out []syntax.WordPart
	for _, p := range parts {
		l, ok := p.(*syntax.Lit)
		if !ok || len(out) == 0 {
			out = append(out, p)
			continue
		}
		switch last := out[len(out)-1].(type) {
		case *syntax.Lit:
			joined := *last
			joined.Value += l.Value
			out[len(out)-1] = &joined
			continue
		case *syntax.ParamExp:
			if n := nameLength(l.Value); n > 0 && last.Short && last.Index == nil && syntax.ValidName(last.Param.Value) {
				longer, name, rest := *last, *last.Param, *l
				name.Value += l.Value[:n]
				rest.Value = l.Value[n:]
				longer.Param = &name
				out[len(out)-1] = &longer
				l = &rest
			}
		}
		out = append(out, l)
	}
	return out
}

// nameLength is the length of the characters of a name at the start of s.
func nameLength(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || s[n] >= '0' && s[n] <= '9' || s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') {
		n++
	}
	return n
}
