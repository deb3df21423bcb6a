package commandpolicy

import "strings"

// sed judges the script of sed(1): w, W and e write and run, r and R read, as
// do the flags of s.
func (j *judged) sed() bool {
	c := j.call
	var script []string
	ops := c.operands
	for _, u := range c.flags {
		if u.name == "--expression" {
			if !u.value.known {
				j.unknown("a script that is not known before the run")
			}
			script = append(script, u.value.text)
		}
	}
	if len(script) == 0 && !c.has("--file") && len(ops) > 0 {
		if !ops[0].known {
			j.unknown("a script that is not known before the run")
		}
		script = append(script, ops[0].text)
		j.w.flow.edge(ops[0].node, j.d)
		ops = ops[1:]
	}
	if !c.has("--sandbox") {
		s := sedScript{text: strings.Join(script, "\n"), j: j}
		s.commands()
	}
	files := *c
	files.operands = ops
	j.apply(c.spec, &files)
	if c.has("--in-place") {
		for _, x := range ops {
			j.use(kindWrite, x, "")
		}
	}
	return true
}

// sedScript is a reader of sed scripts (sed(1) and the GNU manual, "sed
// scripts"). What it does not understand it refuses.
type sedScript struct {
	text string
	i    int
	j    *judged
}

func (s *sedScript) more() bool { return s.i < len(s.text) }

func (s *sedScript) peek() byte {
	if !s.more() {
		return 0
	}
	return s.text[s.i]
}

func (s *sedScript) skip(set string) {
	for s.more() && strings.IndexByte(set, s.text[s.i]) >= 0 {
		s.i++
	}
}

func (s *sedScript) fail(why string) {
	s.j.refuse("sed script: " + why)
	s.i = len(s.text)
}

func (s *sedScript) commands() {
	for {
		s.skip(" \t\n;")
		if !s.more() {
			return
		}
		s.addresses()
		s.command()
	}
}

// addresses skips first[,second][!].
func (s *sedScript) addresses() {
	for {
		if !s.address() {
			break
		}
		s.skip(" \t")
		if s.peek() != ',' {
			break
		}
		s.i++
		s.skip(" \t")
	}
	s.skip(" \t")
	for s.peek() == '!' {
		s.i++
		s.skip(" \t")
	}
}

func (s *sedScript) address() bool {
	switch c := s.peek(); {
	case c >= '0' && c <= '9', c == '+', c == '~':
		s.i++
		s.skip("0123456789")
		s.skip(" \t")
		if s.peek() == '~' {
			s.i++
			s.skip("0123456789")
		}
	case c == '$':
		s.i++
	case c == '/':
		s.i++
		s.delimited('/', true)
		s.skip("IM")
	case c == '\\':
		s.i++
		d := s.peek()
		s.i++
		s.delimited(d, true)
		s.skip("IM")
	default:
		return false
	}
	return true
}

// delimited skips to behind the next unescaped d. GNU sed looks for it without
// regard to brackets, POSIX asks that it be skipped within them: where the two
// differ the script is refused.
func (s *sedScript) delimited(d byte, regex bool) {
	if d == 0 || d == '\n' || d == '\\' {
		s.fail("a delimiter that is not known")
		return
	}
	bracket := false
	for s.more() {
		c := s.text[s.i]
		s.i++
		switch {
		case c == '\\' && s.more():
			s.i++
		case c == d:
			if bracket && strings.IndexByte(s.text[s.i:], ']') >= 0 {
				s.fail("a delimiter within brackets")
			}
			return
		case regex && c == '[' && !bracket:
			bracket = true
			if s.peek() == '^' {
				s.i++
			}
			if s.peek() == ']' {
				s.i++
			}
		case bracket && c == '[' && s.more() && strings.IndexByte(":.=", s.text[s.i]) >= 0:
			if end := strings.Index(s.text[s.i+1:], s.text[s.i:s.i+1]+"]"); end >= 0 {
				s.i += end + 3
			}
		case c == ']':
			bracket = false
		}
	}
	s.fail("an unterminated pattern")
}

func (s *sedScript) command() {
	c := s.peek()
	s.i++
	switch c {
	case '{': // a command may follow at once
	case '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		s.ending()
	case 'q', 'Q', 'l', 'L':
		s.skip(" \t")
		s.skip("0123456789")
		s.ending()
	case ':', 'b', 't', 'T', 'v':
		s.label()
	case '#':
		s.line()
	case 'a', 'i', 'c':
		s.textBlock()
	case 's':
		s.substitute()
	case 'y':
		d := s.peek()
		s.i++
		s.delimited(d, false)
		s.delimited(d, false)
		s.ending()
	case 'r', 'R':
		s.j.use(kindRead, known(s.fileName()), "")
	case 'w', 'W':
		s.writes()
	case 'e':
		s.executes()
	default:
		s.fail("the command " + string(rune(c)) + " is not known")
	}
}

// ending checks what may follow a command.
func (s *sedScript) ending() {
	s.skip(" \t")
	switch s.peek() {
	case 0, ';', '\n', '}', '#':
	default:
		s.fail("unexpected text after a command")
	}
}

// label skips a label. Versions differ in what ends one; what follows is read
// as a command in any case.
func (s *sedScript) label() {
	s.skip(" \t")
	for s.more() && strings.IndexByte(" \t\n;}", s.text[s.i]) < 0 {
		s.i++
	}
}

func (s *sedScript) line() string {
	start := s.i
	for s.more() && s.text[s.i] != '\n' {
		s.i++
	}
	return s.text[start:s.i]
}

func (s *sedScript) fileName() string {
	s.skip(" \t")
	return s.line()
}

func (s *sedScript) writes() {
	name := s.fileName()
	if name == "/dev/stdout" || name == "/dev/stderr" {
		return
	}
	s.j.use(kindWrite, known(name), "")
	s.j.refuse("sed script: writes " + name)
}

func (s *sedScript) executes() {
	text := s.fileName()
	s.j.refuse("sed script: runs a command")
	s.j.part.Effects.Executes = append(s.j.part.Effects.Executes, "code:sh")
	s.j.w.nested(text, "sed e")
}

// textBlock skips the text of a, i and c: it ends at a newline that no
// backslash stands before.
func (s *sedScript) textBlock() {
	for s.more() {
		c := s.text[s.i]
		s.i++
		if c == '\\' && s.more() {
			s.i++
			continue
		}
		if c == '\n' {
			return
		}
	}
}

func (s *sedScript) substitute() {
	d := s.peek()
	s.i++
	s.delimited(d, true)
	s.delimited(d, false)
	for s.more() {
		switch c := s.peek(); {
		case c == 'g' || c == 'p' || c == 'i' || c == 'I' || c == 'm' || c == 'M' || c >= '0' && c <= '9':
			s.i++
		case c == 'e':
			s.i++
			s.j.refuse("sed script: runs the result as a command")
		case c == 'w':
			s.i++
			s.writes()
			return
		default:
			s.ending()
			return
		}
	}
}
