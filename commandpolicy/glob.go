package commandpolicy

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxMatches bounds the names that one pattern may become.
const maxMatches = 10_000

// A glob is a file name pattern: quoted characters are escaped with \.

// hasGlob reports whether an escaped pattern holds an active character.
func hasGlob(pat string) bool {
	for i := 0; i < len(pat); i++ {
		switch pat[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// unescape removes the escapes of a pattern.
func unescape(pat string) string {
	if !strings.Contains(pat, `\`) {
		return pat
	}
	var b strings.Builder
	for i := 0; i < len(pat); i++ {
		if pat[i] == '\\' && i+1 < len(pat) {
			i++
		}
		b.WriteByte(pat[i])
	}
	return b.String()
}

// expandGlob lists the names that a pattern stands for in dir, as bash does
// without any shopt: hidden names only for a pattern that begins with a dot,
// sorted. ok is false when the facts do not tell.
func (p *places) expandGlob(pat, dir string) (names []string, ok bool) {
	found := []string{""}
	abs := strings.HasPrefix(pat, "/")
	if abs {
		found = []string{"/"}
	}
	parts := strings.Split(strings.Trim(pat, "/"), "/")
	for i, part := range parts {
		var next []string
		for _, base := range found {
			more, ok := p.matchIn(base, part, dir, i < len(parts)-1 || strings.HasSuffix(pat, "/"))
			if !ok || len(next)+len(more) > maxMatches {
				return nil, false
			}
			next = append(next, more...)
		}
		found = next
	}
	if strings.HasSuffix(pat, "/") {
		for i := range found {
			found[i] += "/"
		}
	}
	slices.Sort(found)
	return found, true
}

// matchIn lists what one component of a pattern matches below base.
func (p *places) matchIn(base, part, dir string, wantDir bool) ([]string, bool) {
	if part == "" {
		return []string{base}, true
	}
	at := base
	if !strings.HasPrefix(base, "/") {
		at = dir + "/" + base
	}
	real, loop := p.resolve(at, true)
	if loop {
		return nil, true
	}
	if !p.inside(real) {
		return nil, false // nothing is known of files elsewhere
	}
	if !hasGlob(part) {
		name := unescape(part)
		if name == "." || name == ".." {
			return []string{join(base, name)}, true
		}
		if kind, _ := p.lstat(path.Join(real, name)); kind == KindAbsent {
			return nil, true
		} else if kind == KindUnknown {
			return nil, false
		}
		return []string{join(base, name)}, true
	}
	all, ok := p.names(real)
	if !ok {
		kind, _ := p.lstat(real)
		return nil, kind == KindFile || kind == KindAbsent || kind == KindOther
	}
	var out []string
	for _, n := range all {
		if strings.HasPrefix(n, ".") && !strings.HasPrefix(unescape(part), ".") {
			continue
		}
		if matchGlob(part, n) && (!wantDir || p.isDir(path.Join(real, n))) {
			out = append(out, join(base, n))
		}
	}
	return out, true
}

func (p *places) isDir(name string) bool {
	real, loop := p.resolve(name, true)
	kind, _ := p.lstat(real)
	return !loop && kind != KindFile && kind != KindAbsent
}

func join(base, name string) string {
	if base == "" || strings.HasSuffix(base, "/") {
		return base + name
	}
	return base + "/" + name
}

// matchGlob reports whether one component matches a pattern (bash(1), Pattern
// Matching). It runs in time proportional to the product of the lengths.
func matchGlob(pat, name string) bool {
	var star, mark = -1, 0
	pi, ni := 0, 0
	for ni < len(name) {
		if pi < len(pat) && pat[pi] == '*' {
			star, mark = pi, ni
			pi++
			continue
		}
		if n, w, ok := matchOne(pat[pi:], name[ni:]); ok {
			pi += n
			ni += w
			continue
		}
		if star < 0 {
			return false
		}
		_, w := utf8.DecodeRuneInString(name[mark:])
		mark += w
		pi, ni = star+1, mark
	}
	return strings.Trim(pat[pi:], "*") == ""
}

// matchOne matches one character; n and w are the bytes used of both sides.
func matchOne(pat, name string) (n, w int, ok bool) {
	if pat == "" {
		return 0, 0, false
	}
	r, w := utf8.DecodeRuneInString(name)
	switch pat[0] {
	case '?':
		return 1, w, true
	case '[':
		if in, n, ok := matchClass(pat, r); ok {
			return n, w, in
		}
	case '\\':
		if len(pat) > 1 {
			q, qw := utf8.DecodeRuneInString(pat[1:])
			return 1 + qw, w, q == r
		}
	}
	q, qw := utf8.DecodeRuneInString(pat)
	return qw, w, q == r
}

// matchClass matches a bracket expression; ok is false when pat is none. A
// named class or a collating element counts as a match, which errs towards
// more names.
func matchClass(pat string, r rune) (in bool, n int, ok bool) {
	i := 1
	negate := i < len(pat) && (pat[i] == '!' || pat[i] == '^')
	if negate {
		i++
	}
	loose := false
	for first := true; i < len(pat); first = false {
		if pat[i] == ']' && !first {
			return loose || in != negate, i + 1, true
		}
		if pat[i] == '[' && i+1 < len(pat) && strings.ContainsRune(":.=", rune(pat[i+1])) {
			end := strings.Index(pat[i+2:], pat[i+1:i+2]+"]")
			if end < 0 {
				return false, 0, false
			}
			loose = true
			i += end + 4
			continue
		}
		lo, next := classRune(pat, i)
		hi := lo
		if next+1 < len(pat) && pat[next] == '-' && pat[next+1] != ']' {
			hi, next = classRune(pat, next+1)
		}
		if lo <= r && r <= hi {
			in = true
		} else if lo != hi && (lower(lo) <= lower(r) && lower(r) <= lower(hi)) {
			loose = true // locales order letters regardless of case
		}
		i = next
	}
	return false, 0, false
}

func classRune(pat string, i int) (rune, int) {
	if pat[i] == '\\' && i+1 < len(pat) {
		i++
	}
	r, w := utf8.DecodeRuneInString(pat[i:])
	return r, i + w
}

func lower(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}
