package commandpolicy

import (
	"slices"
	"strings"
)

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

// freshWord is a word before anything was added: all that is asked of every
// piece still holds.
var freshWord = word{plain: true, num: true}

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
		s.unknown(piece{plain: true, node: pc.node, alts: []string{pc.text}})
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

// splitOtherwise is text whose words another IFS may have parted, for the deny
// list: as it is, and with blanks in the place of the separators that are known.
func (w *walker) splitOtherwise(text string) []string {
	ifs := w.variable("IFS")
	out := []string{text}
	for _, seps := range append([]string{ifs.text}, ifs.alts...) {
		split := strings.Map(func(r rune) rune {
			if strings.ContainsRune(seps, r) {
				return ' '
			}
			return r
		}, text)
		if !slices.Contains(out, split) && len(out) < maxAlts {
			out = append(out, split)
		}
	}
	return out
}

func (s *splitter) unknown(pc piece) {
	if !s.loose && len(pc.alts) > 0 {
		for _, alt := range pc.alts {
			s.cur.alts = append(s.cur.alts, s.text.String()+alt)
			if s.w.ifsChanged && !pc.quoted && len(s.cur.alts) < 2*maxAlts {
				s.cur.alts = append(s.cur.alts, s.w.splitOtherwise(alt)[1:]...)
			}
		}
	}
	s.open, s.loose = true, true
	s.cur.plain = s.cur.plain && (pc.plain || pc.num)
	s.cur.num = s.cur.num && pc.num
	s.cur.quoted = s.cur.quoted || pc.quoted
	s.cur.stream = s.cur.stream || pc.stream
	s.cur.list = s.cur.list || pc.list
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
