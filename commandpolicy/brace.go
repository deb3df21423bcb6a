package commandpolicy

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds the words that one word may become.
const maxBraces = 4_096

// braces expands the braces of a word into the words that bash makes of it;
// ok is false when there are more than can be followed.
func braces(x *syntax.Word) (words [][]syntax.WordPart, ok bool) {
	if !mayBrace(x) {
		return [][]syntax.WordPart{x.Parts}, true
	}
	if oddBraces(x) {
		return nil, false
	}
	split := &syntax.Word{Parts: x.Parts}
	if !syntax.SplitBraces(split) {
		return [][]syntax.WordPart{x.Parts}, true
	}
	budget := maxBraces
	return expandParts(split.Parts, &budget)
}

// oddBraces recognises what bash and the parser take apart in different ways:
// braces that are not paired, {} among other braces, and braces beside escapes.
func oddBraces(x *syntax.Word) bool {
	open, shut, divided := 0, 0, false
	for _, p := range x.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok {
			continue
		}
		plain := strings.NewReplacer(`\\`, "", `\{`, "", `\}`, "").Replace(l.Value)
		if strings.Contains(plain, "{") && strings.Contains(l.Value, `\`) {
			return true
		}
		open += strings.Count(plain, "{")
		shut += strings.Count(plain, "}")
		divided = divided || strings.Contains(plain, ",") || strings.Contains(plain, "..")
		if strings.Contains(plain, "{}") && shut > 1 && divided {
			return true
		}
	}
	return divided && open != shut
}

func mayBrace(x *syntax.Word) bool {
	for _, p := range x.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") {
			return true
		}
	}
	return false
}

func expandParts(parts []syntax.WordPart, budget *int) ([][]syntax.WordPart, bool) {
	out := [][]syntax.WordPart{nil}
	for _, p := range parts {
		b, isBrace := p.(*syntax.BraceExp)
		if !isBrace {
			for i := range out {
				out[i] = append(out[i], p)
			}
			continue
		}
		tails, ok := expandBrace(b, budget)
		if !ok || len(out)*len(tails) > *budget {
			return nil, false
		}
		*budget -= len(out) * len(tails)
		next := make([][]syntax.WordPart, 0, len(out)*len(tails))
		for _, head := range out {
			for _, tail := range tails {
				next = append(next, append(head[:len(head):len(head)], tail...))
			}
		}
		out = next
	}
	return out, true
}

func expandBrace(b *syntax.BraceExp, budget *int) ([][]syntax.WordPart, bool) {
	if b.Sequence {
		return sequence(b, *budget)
	}
	var out [][]syntax.WordPart
	for _, e := range b.Elems {
		words, ok := expandParts(e.Parts, budget)
		if !ok {
			return nil, false
		}
		out = append(out, words...)
	}
	return out, true
}

// sequence expands {1..9..2} and {a..e}.
func sequence(b *syntax.BraceExp, budget int) ([][]syntax.WordPart, bool) {
	from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
	step := int64(1)
	if len(b.Elems) == 3 {
		step, _ = strconv.ParseInt(b.Elems[2].Lit(), 10, 32)
	}
	if step < 0 {
		step = -step
	}
	if step == 0 {
		step = 1
	}
	lo, err1 := strconv.ParseInt(from, 10, 32)
	hi, err2 := strconv.ParseInt(to, 10, 32)
	letters := err1 != nil || err2 != nil
	if letters {
		if len(from) != 1 || len(to) != 1 {
			return nil, false
		}
		lo, hi = int64(from[0]), int64(to[0])
	}
	if (max(lo, hi)-min(lo, hi))/step >= int64(budget) {
		return nil, false
	}
	format := func(v int64) string { return strconv.FormatInt(v, 10) }
	if letters {
		format = func(v int64) string {
			if c := string([]byte{byte(v)}); nameLength(c) == 1 {
				return c
			}
			return string([]byte{'\\', byte(v)})
		}
	} else if width := max(len(from), len(to)); zeroPadded(from) || zeroPadded(to) {
		format = func(v int64) string { return padded(v, width) }
	}
	var out [][]syntax.WordPart
	for v := lo; lo <= hi && v <= hi || lo > hi && v >= hi; {
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: format(v)}})
		if lo <= hi {
			v += step
		} else {
			v -= step
		}
	}
	return out, true
}

func zeroPadded(s string) bool {
	s = strings.TrimLeft(s, "-+")
	return len(s) > 1 && s[0] == '0'
}

func padded(v int64, width int) string {
	if v < 0 {
		return "-" + padded(-v, width-1)
	}
	s := strconv.FormatInt(v, 10)
	return strings.Repeat("0", max(0, width-len(s))) + s
}
