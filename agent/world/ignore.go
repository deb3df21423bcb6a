package world

import (
	"path"
	"regexp"
	"strings"
)

// ignoreRules are the patterns of one ignore file, on top of those of the
// folders above (gitignore(5)). A nil *ignoreRules ignores nothing.
type ignoreRules struct {
	above    *ignoreRules
	base     string // folder of the file, "." for the top
	patterns []ignorePattern
}

// ignorePattern is one line. A plain one is compared as it is, which most are.
type ignorePattern struct {
	negated    bool
	folderOnly bool
	whole      bool   // compared with the name beneath base, else with its last part
	plain      string // the text to be equal to, or to end in when suffix is set
	suffix     bool   // "*.o" and the like
	re         *regexp.Regexp
}

// Most of an ignore file that counts.
const (
	maxIgnoreBytes    = 1 << 20
	maxIgnorePatterns = 20_000
	maxIgnoreLine     = 1000
)

// with adds the patterns of an ignore file in the folder base.
func (r *ignoreRules) with(base string, data []byte) *ignoreRules {
	out := &ignoreRules{above: r, base: base}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	for line := range strings.SplitSeq(text, "\n") {
		if p, ok := parseIgnore(strings.TrimSuffix(line, "\r")); ok && len(out.patterns) < maxIgnorePatterns {
			out.patterns = append(out.patterns, p)
		}
	}
	if len(out.patterns) == 0 {
		return r
	}
	return out
}

// ignored says whether git would ignore a name, given that it ignores none of
// the folders above it. The last pattern that matches decides, and a deeper
// file counts before one above.
func (r *ignoreRules) ignored(name string, folder bool) bool {
	for ; r != nil; r = r.above {
		below := name
		if r.base != "." {
			below = strings.TrimPrefix(name, r.base+"/")
		}
		for i := len(r.patterns) - 1; i >= 0; i-- {
			if p := &r.patterns[i]; p.matches(below, folder) {
				return !p.negated
			}
		}
	}
	return false
}

func (p *ignorePattern) matches(name string, folder bool) bool {
	if p.folderOnly && !folder {
		return false
	}
	if !p.whole {
		name = path.Base(name)
	}
	switch {
	case p.re != nil:
		return p.re.MatchString(name)
	case p.suffix:
		return strings.HasSuffix(name, p.plain)
	default:
		return name == p.plain
	}
}

// parseIgnore reads one line; ok is false for those that match nothing.
func parseIgnore(line string) (p ignorePattern, ok bool) {
	if strings.HasPrefix(line, "#") || len(line) > maxIgnoreLine {
		return p, false
	}
	line = trimSpaces(line)
	if rest, negated := strings.CutPrefix(line, "!"); negated {
		p.negated, line = true, rest
	}
	if rest, folder := strings.CutSuffix(line, "/"); folder {
		p.folderOnly, line = true, rest
	}
	p.whole = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	switch {
	case !strings.ContainsAny(line, `*?[\`):
		p.plain = line
	case !p.whole && strings.HasPrefix(line, "*") && !strings.ContainsAny(line[1:], `*?[\`):
		p.plain, p.suffix = line[1:], true
	default:
		expr, valid := ignoreRegexp(line, p.whole)
		if !valid {
			return p, false
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return p, false
		}
		p.re = re
	}
	return p, true
}

// trimSpaces takes spaces off the end, but for one behind a backslash.
func trimSpaces(line string) string {
	end := len(line)
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
			end = min(i+1, len(line))
		case ' ':
		default:
			end = i + 1
		}
	}
	if strings.Trim(line, " ") == "" {
		return ""
	}
	return line[:end]
}

// ignoreRegexp writes a pattern of git's wildmatch as a regular expression.
// With slashes, ** stands for any number of folders where it is a whole part.
func ignoreRegexp(pattern string, slashes bool) (string, bool) {
	const one = `[^/]` // any character of a name
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case '*':
			n := len(pattern[i:]) - len(strings.TrimLeft(pattern[i:], "*"))
			rest := pattern[i+n:]
			starts, ends := i == 0 || pattern[i-1] == '/', rest == "" || rest[0] == '/'
			switch {
			case n == 2 && slashes && starts && ends && rest != "":
				b.WriteString(`(?:.*/)?`)
				n++ // the slash
			case n == 2 && slashes && starts && ends:
				b.WriteString(`.*`)
			default:
				b.WriteString(one + `*`)
			}
			i += n
		case '?':
			b.WriteString(one)
			i++
		case '[':
			class, n, ok := ignoreClass(pattern[i:])
			if !ok {
				return "", false
			}
			b.WriteString(class)
			i += n
		case '\\':
			if i+1 == len(pattern) {
				return "", false
			}
			b.WriteString(regexp.QuoteMeta(pattern[i+1 : i+2]))
			i += 2
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
			i++
		}
	}
	b.WriteString(`\z`)
	return b.String(), true
}

// ignoreClass writes a bracket expression, which never matches a slash; n is
// its length. One that is not closed matches nothing.
func ignoreClass(s string) (class string, n int, ok bool) {
	i := 1
	negated := i < len(s) && (s[i] == '!' || s[i] == '^')
	if negated {
		i++
	}
	var b strings.Builder
	for first := true; ; first = false {
		if i >= len(s) {
			return "", 0, false
		}
		if s[i] == ']' && !first {
			break
		}
		if strings.HasPrefix(s[i:], "[:") {
			end := strings.Index(s[i+2:], ":]")
			if end < 0 {
				return "", 0, false
			}
			b.WriteString(s[i : i+2+end+2])
			i += 2 + end + 2
			continue
		}
		from, size, ok := classByte(s[i:])
		if !ok {
			return "", 0, false
		}
		i += size
		to := from
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			if to, size, ok = classByte(s[i+1:]); !ok {
				return "", 0, false
			}
			i += 1 + size
		}
		addRange(&b, from, to)
	}
	return closeClass(b.String(), negated), i + 1, true
}

func classByte(s string) (c byte, size int, ok bool) {
	if s[0] != '\\' {
		return s[0], 1, true
	}
	if len(s) < 2 {
		return 0, 0, false
	}
	return s[1], 2, true
}

// addRange writes a range without the slash.
func addRange(b *strings.Builder, from, to byte) {
	write := func(from, to byte) {
		if from <= to {
			b.WriteString(regexpByte(from) + "-" + regexpByte(to))
		}
	}
	if from <= '/' && '/' <= to {
		write(from, '/'-1)
		write('/'+1, to)
		return
	}
	write(from, to)
}

func regexpByte(c byte) string {
	const hex = "0123456789abcdef"
	return `\x` + string(hex[c>>4]) + string(hex[c&15])
}

func closeClass(members string, negated bool) string {
	switch {
	case negated:
		return `[^/` + members + `]`
	case members == "":
		return `[^\x00-\x{10FFFF}]` // nothing
	default:
		return `[` + members + `]`
	}
}
