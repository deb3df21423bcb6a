package commandpolicy

import (
	"path"
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
	alts   []string // values it may also have, for the deny list
	node   node     // where its content comes from
}

// known makes a word of text that needs no expansion.
func known(text string) word { return word{text: text, known: true} }

// a piece is a part of a word before splitting.
type piece struct {
	text   string
	known  bool
	quoted bool // not subject to splitting and globbing
	bare   bool // literal text with active glob characters, escaped with \
	plain  bool
	num    bool
	stream bool
	alts   []string
	node   node
}

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

// splitter assembles pieces into fields (bash(1), Word Splitting).
type splitter struct {
	w     *walker
	out   []word
	cur   word
	text  strings.Builder
	pat   strings.Builder
	open  bool // a field has begun, though it may be empty
	glob  bool
	slash bool // a backslash came out of an expansion
	loose bool // the field holds an unquoted unknown: it may be none or many
}

func (s *splitter) add(pc piece) {
	if !pc.known {
		s.unknown(pc)
		return
	}
	switch {
	case pc.quoted:
		s.open = true
		s.put(pc.text, escapeGlob(pc.text), pc)
		s.cur.quoted = true
	case pc.bare:
		s.open = s.open || pc.text != ""
		s.glob = s.glob || hasGlob(pc.text)
		s.put(unescape(pc.text), pc.text, pc)
	default: // the value of an unquoted expansion
		s.split(pc)
	}
}

// freshWord is a word before anything was added: all that is asked of every
// piece still holds.
var freshWord = word{plain: true, num: true}

func (s *splitter) put(text, pat string, pc piece) {
	s.cur.num = s.cur.num && (text == "" || isInt(text))
	if !s.loose {
		s.text.WriteString(text)
		s.pat.WriteString(pat)
	}
	for i := range s.cur.alts {
		s.cur.alts[i] += text
	}
	s.cur.node = s.w.merge(s.cur.node, pc.node)
	s.cur.stream = s.cur.stream || pc.stream
	if s.text.Len() > maxKnownText {
		s.loose = true
		s.text.Reset()
		s.pat.Reset()
	}
}

func (s *splitter) split(pc piece) {
	if s.w.ifsChanged {
		s.unknown(piece{plain: true, node: pc.node})
		return
	}
	rest := pc.text
	for rest != "" {
		i := strings.IndexAny(rest, " \t\n")
		if i != 0 {
			if i < 0 {
				i = len(rest)
			}
			s.open = true
			s.glob = s.glob || hasGlob(rest[:i])
			s.slash = s.slash || strings.Contains(rest[:i], `\`)
			s.put(rest[:i], rest[:i], pc)
			rest = rest[i:]
			continue
		}
		s.flush()
		rest = strings.TrimLeft(rest, " \t\n")
	}
}

func (s *splitter) unknown(pc piece) {
	if !s.loose && len(pc.alts) > 0 {
		for _, alt := range pc.alts {
			s.cur.alts = append(s.cur.alts, s.text.String()+alt)
		}
	}
	s.open, s.loose = true, true
	s.cur.plain = s.cur.plain && (pc.plain || pc.num)
	s.cur.num = s.cur.num && pc.num
	s.cur.quoted = s.cur.quoted || pc.quoted
	s.cur.stream = s.cur.stream || pc.stream
	s.cur.node = s.w.merge(s.cur.node, pc.node)
}

// flush ends the field that is being built, and matches it against files.
func (s *splitter) flush() {
	defer func() {
		s.cur, s.open, s.glob, s.slash, s.loose = freshWord, false, false, false, false
		s.text.Reset()
		s.pat.Reset()
	}()
	if !s.open {
		return
	}
	s.cur.text = s.text.String()
	s.cur.known = !s.loose && !(s.glob && s.slash) // versions differ on such patterns
	if !s.glob || !s.cur.known {
		s.out = append(s.out, s.cur)
		return
	}
	s.out = append(s.out, s.w.match(s.cur, s.pat.String())...)
}

func (s *splitter) finish() []word {
	s.flush()
	return s.out
}

// match expands a pattern to file names.
func (w *walker) match(base word, pat string) []word {
	base.glob = base.text
	var names []string
	ok := !w.globChanged && !w.facts.globs && (len(w.dirs) == 1 || len(w.dirs) > 1 && strings.HasPrefix(pat, "/"))
	if ok {
		names, ok = w.places.expandGlob(pat, w.dirs[0])
	}
	if !ok {
		base.known, base.plain = false, false
		return []word{base}
	}
	if len(names) == 0 {
		return []word{base} // the pattern stays as it is written
	}
	out := make([]word, len(names))
	for i, n := range names {
		out[i] = base
		out[i].text = n
	}
	return out
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

// unescapeDouble removes the backslashes that count within double quotes.
func unescapeDouble(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
