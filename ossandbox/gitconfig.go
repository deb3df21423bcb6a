package ossandbox

import "strings"

// A configEntry is one assignment of a git configuration file.
type configEntry struct {
	section    string // lower case
	subsection string // as written, unescaped
	key        string // lower case
	value      string // unquoted
}

// scanGitConfig reads a git configuration file without running git, as
// git-config(1) describes the syntax. It is lenient: what it cannot read it
// leaves out. The sandbox uses it to find further paths to protect, never to
// allow something.
func scanGitConfig(text string) (entries []configEntry) {
	section, subsection := "", ""
	s := configScanner{text: text}
	for s.skipBlank() {
		if s.peek() == '[' {
			section, subsection = s.header()
			continue
		}
		key, value, ok := s.assignment()
		if ok && section != "" {
			entries = append(entries, configEntry{section, subsection, key, value})
		}
	}
	return entries
}

type configScanner struct {
	text string
	at   int
}

func (s *configScanner) more() bool { return s.at < len(s.text) }
func (s *configScanner) peek() byte { return s.text[s.at] }

// skipBlank goes to the next character that is neither blank nor comment, and
// says whether there is one.
func (s *configScanner) skipBlank() bool {
	for s.more() {
		switch c := s.peek(); {
		case c == '#' || c == ';':
			s.line()
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0xef || c == 0xbb || c == 0xbf:
			s.at++
		default:
			return true
		}
	}
	return false
}

// line takes the rest of the line.
func (s *configScanner) line() string {
	rest := s.text[s.at:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		s.at += i + 1
		return rest[:i]
	}
	s.at = len(s.text)
	return rest
}

// header reads [section], [section.sub] or [section "sub"].
func (s *configScanner) header() (section, subsection string) {
	s.at++ // [
	start := s.at
	for s.more() && strings.IndexByte("]\" \t\n", s.peek()) < 0 {
		s.at++
	}
	section = strings.ToLower(s.text[start:s.at])
	if i := strings.IndexByte(section, '.'); i >= 0 {
		section, subsection = section[:i], section[i+1:]
	}
	for s.more() && (s.peek() == ' ' || s.peek() == '\t') {
		s.at++
	}
	if s.more() && s.peek() == '"' {
		subsection = s.quoted()
	}
	for s.more() && s.peek() != ']' && s.peek() != '\n' {
		s.at++
	}
	if s.more() {
		s.at++
	}
	return section, subsection
}

func (s *configScanner) quoted() string {
	var b strings.Builder
	for s.at++; s.more() && s.peek() != '"' && s.peek() != '\n'; s.at++ {
		if s.peek() == '\\' && s.at+1 < len(s.text) {
			s.at++
		}
		b.WriteByte(s.peek())
	}
	if s.more() && s.peek() == '"' {
		s.at++
	}
	return b.String()
}

// assignment reads key = value, with quotes, escapes and continued lines.
func (s *configScanner) assignment() (key, value string, ok bool) {
	start := s.at
	for s.more() && (isAlnum(s.peek()) || s.peek() == '-') {
		s.at++
	}
	key = strings.ToLower(s.text[start:s.at])
	for s.more() && (s.peek() == ' ' || s.peek() == '\t') {
		s.at++
	}
	if key == "" || !s.more() || s.peek() != '=' {
		rest := strings.TrimSpace(s.line()) // a bare key means true
		return key, "true", key != "" && (rest == "" || rest[0] == '#' || rest[0] == ';')
	}
	s.at++
	return key, s.value(), true
}

func (s *configScanner) value() string {
	var b strings.Builder
	quoted, kept := false, 0 // kept: length up to the last character that is not a trailing blank
	for ; s.more(); s.at++ {
		c := s.peek()
		switch {
		case c == '\n': // an open quote ends with its line
			s.at++
			return b.String()[:kept]
		case (c == '#' || c == ';') && !quoted:
			s.line()
			return b.String()[:kept]
		case c == '"':
			quoted = !quoted
			continue
		case c == '\\' && s.at+1 == len(s.text):
			continue
		case c == '\\':
			s.at++
			switch e := s.peek(); e {
			case '\n', '\r': // the value goes on in the next line
				continue
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'b':
				b.WriteByte('\b')
			default:
				b.WriteByte(e)
			}
			kept = b.Len()
			continue
		case (c == ' ' || c == '\t' || c == '\r') && !quoted:
			if b.Len() > 0 {
				b.WriteByte(c)
			}
			continue
		}
		b.WriteByte(c)
		kept = b.Len()
	}
	return b.String()[:kept]
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
