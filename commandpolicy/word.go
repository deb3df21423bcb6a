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
	whole  bool     // with under: stands for everything beneath it
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
			w.unparsed("braces that stand for too many words")
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

// expand turns the parts of one word into fields.
func (w *walker) expand(parts []syntax.WordPart) []word {
	f := &splitter{w: w}
	for i, p := range parts {
		for _, pc := range w.pieces(p, i == 0, false) {
			f.add(pc)
		}
	}
	return f.finish()
}

// single expands a word that is neither split nor matched against files.
func (w *walker) single(x *syntax.Word) word {
	if x == nil {
		return known("")
	}
	out := word{known: true, plain: true, num: true}
	var b strings.Builder
	for i, p := range x.Parts {
		for _, pc := range w.pieces(p, i == 0, true) {
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

func (s *splitter) put(text, pat string, pc piece) {
	if s.text.Len() == 0 && len(s.cur.alts) == 0 && !s.open {
		s.cur.known, s.cur.plain, s.cur.num = true, true, true
	}
	if s.cur.known || !s.loose {
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
	s.cur.plain = (s.cur.plain || s.text.Len() == 0) && (pc.plain || pc.num)
	s.cur.num = pc.num && s.text.Len() == 0
	s.cur.quoted = s.cur.quoted || pc.quoted
	s.cur.stream = s.cur.stream || pc.stream
	s.cur.node = s.w.merge(s.cur.node, pc.node)
}

// flush ends the field that is being built, and matches it against files.
func (s *splitter) flush() {
	defer func() {
		s.cur, s.open, s.glob, s.loose = word{}, false, false, false
		s.text.Reset()
		s.pat.Reset()
	}()
	if !s.open {
		return
	}
	s.cur.text = s.text.String()
	s.cur.known = !s.loose
	if !s.glob || s.loose {
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
	if w.globChanged || len(w.dirs) == 0 {
		base.known = false
		return []word{base}
	}
	if !strings.HasPrefix(pat, "/") && len(w.dirs) > 1 {
		base.known = false
		return []word{base}
	}
	names, ok := w.places.expandGlob(pat, w.dirs[0])
	if !ok {
		base.known = false
		return []word{base}
	}
	out := make([]word, len(names))
	for i, n := range names {
		out[i] = base
		out[i].text = n
	}
	return out
}

// pieces evaluates one part of a word. single is true where nothing is split.
func (w *walker) pieces(p syntax.WordPart, first, single bool) []piece {
	switch p := p.(type) {
	case *syntax.Lit:
		return w.literal(p.Value, first)
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
// tilde the home folder.
func (w *walker) literal(s string, first bool) []piece {
	if first && strings.HasPrefix(s, "~") {
		name, rest, _ := cutAt(s[1:], "/")
		if home, ok := w.tilde(name); ok {
			return []piece{{text: home, known: true, quoted: true}, {text: rest, known: true, bare: true}}
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

// tilde is the folder that ~name stands for.
func (w *walker) tilde(name string) (string, bool) {
	switch {
	case name == "":
		v := w.vars.get("HOME")
		if v.known {
			return v.text, true
		}
		return "", false
	case name == "+" && len(w.dirs) == 1:
		return w.dirs[0], true
	case name == "root":
		return "/root", true
	case strings.ContainsAny(name, "+-0123456789\\\"'$`") || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "":
		return "", false
	}
	if w.places.home != "" && path.Base(w.places.home) == name {
		return w.places.home, true
	}
	return "/home/" + name, true
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
