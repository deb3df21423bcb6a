package commandpolicy

import (
	"regexp"
	"strings"
	"sync"
)

// awk judges the program of awk(1). Programs that can start a command, write a
// file, read one that is not an operand, or see the environment are refused.
func (j *judged) awk() bool {
	c := j.call
	files := *c
	if !c.has("--file", "--exec", "--source") && len(c.operands) > 0 {
		p := c.operands[0]
		j.w.flow.edge(p.node, j.d)
		files.operands = c.operands[1:]
		switch {
		case !p.known:
			j.unknown("a program that is not known before the run")
		default:
			if why := awkDanger(p.text); why != "" {
				j.refuse("awk program: " + why)
			}
			j.awkShell(p.text)
		}
	}
	// An operand name=value is an assignment, not a file.
	var ops []word
	for _, x := range files.operands {
		if x.known && awkAssignment().MatchString(x.text) {
			continue
		}
		ops = append(ops, x)
	}
	files.operands = ops
	j.apply(c.spec, &files)
	return true
}

var awkAssignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`) })

var awkSystem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`system\s*\(\s*"((?:[^"\\]|\\.)*)"`) })

// awkPipe finds strings that a pipe begins or ends with.
var awkPipe = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"((?:[^"\\]|\\.)*)"\s*\|&?\s*(?:getline|"[a-z/]*sh")|[^|]\|&?\s*"((?:[^"\\]|\\.)*)"`)
})

// awkShell walks the text of plain system("…") calls, for the deny list.
func (j *judged) awkShell(program string) {
	for _, m := range awkSystem().FindAllStringSubmatch(program, 32) {
		j.w.nested(m[1], "awk system")
	}
	for _, m := range awkPipe().FindAllStringSubmatch(program, 32) {
		j.w.elsewhereHere(m[1] + m[2])
	}
}

// awkNames are the functions and variables that reach out of the program. A
// digit may stand right before one: 1system("x") is a number and a call.
var awkNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^A-Za-z_])(system|getline|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|ARGV|ARGC)\b|@`)
})

// awkDanger says why a program is not harmless, or "".
func awkDanger(program string) string {
	if m := awkNames().FindStringSubmatch(program); m != nil {
		return "uses " + strings.TrimLeft(m[0], " \t\n(){};,!$0123456789")
	}
	budget := 16
	if !awkPlain(program, 0, awkState{}, &budget) {
		return "may write a file or run a command"
	}
	return ""
}

// awkState is the reader's place in an awk program.
type awkState struct {
	printing bool // in a print statement, where > writes
	depth    int  // of parentheses and brackets since print
	value    bool // the last token was a value: / divides
	unsure   bool // it may or may not have been one
	last     byte // the last operator: a newline after some goes on
}

// awkPlain reads a program from i and reports whether it holds no pipe and no
// output redirection. Where a slash may divide or begin a pattern, both
// readings must be plain.
func awkPlain(p string, i int, s awkState, budget *int) bool {
	for i < len(p) {
		c := p[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\\' && i+1 < len(p) && p[i+1] == '\n':
			i += 2
		case c == '\\':
			return false // versions differ on what may stand before the newline
		case c == '#':
			for i < len(p) && p[i] != '\n' {
				i++
			}
		case c == '"':
			end, ok := awkString(p, i)
			if !ok {
				return false
			}
			i, s.value, s.unsure, s.last = end, true, false, 0
		case c == '/':
			if s.unsure {
				if !awkDivides(p, i, s, budget) {
					return false
				}
				s.value = false
			}
			if s.value {
				i, s.value = i+1, false
				continue
			}
			end, ok := awkRegex(p, i)
			if !ok {
				return s.unsure
			}
			i, s.value, s.unsure, s.last = end, true, false, 0
		case isAwkWord(c):
			i = s.word(p, i)
		default:
			n, ok := s.operator(p[i:])
			if !ok {
				return false
			}
			i += n
		}
	}
	return true
}

// awkDivides reports whether what follows is plain when the slash at i divides.
func awkDivides(p string, i int, s awkState, budget *int) bool {
	if *budget--; *budget < 0 {
		return false
	}
	s.value, s.unsure = false, false
	return awkPlain(p, i+1, s, budget)
}

func isAwkWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c >= 0x80
}

// word reads a name, a keyword or a number.
func (s *awkState) word(p string, i int) int {
	start := i
	s.last = 0
	for i < len(p) && isAwkWord(p[i]) {
		i++
	}
	s.value, s.unsure = true, false
	// A keyword may follow a number without a space.
	name := strings.TrimLeft(p[start:i], "0123456789.")
	switch name {
	case "print", "printf":
		s.printing, s.depth, s.value = true, 0, false
	case "in", "return", "if", "while", "for", "do", "else", "delete", "exit", "case", "BEGIN", "END", "function", "func", "switch":
		s.value = false
	case "length", "next", "nextfile", "break", "continue", "default":
		s.unsure = true
	}
	return i
}

// operator reads one operator; ok is false for one that reaches out.
func (s *awkState) operator(p string) (n int, ok bool) {
	value, unsure := false, false
	switch p[0] {
	case '(', '[':
		s.depth++
	case ')', ']':
		s.depth--
		value = true
		unsure = p[0] == ')'
	case '\n':
		if s.last != 0 && strings.IndexByte(")]}{;$+-", s.last) < 0 {
			return 1, true // a statement may go on behind an operator, as in a ? b :
		}
		s.printing, s.depth = false, 0
	case '{', '}', ';':
		s.printing, s.depth = false, 0
	case '>':
		if s.printing && s.depth <= 0 {
			return 0, false
		}
	case '|':
		if len(p) < 2 || p[1] != '|' {
			return 0, false
		}
		s.value, s.unsure, s.last = false, false, '|'
		return 2, true
	case '+', '-':
		if len(p) > 1 && p[1] == p[0] {
			s.unsure = true
			return 2, true
		}
	}
	s.value, s.unsure, s.last = value, unsure, p[0]
	return 1, true
}

// awkString finds the end of a string.
func awkString(p string, i int) (int, bool) {
	for i++; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '"':
			return i + 1, true
		case '\n':
			return 0, false
		}
	}
	return 0, false
}

// awkRegex finds the end of a pattern. Versions differ on a slash in brackets;
// there the program is refused.
func awkRegex(p string, i int) (int, bool) {
	bracket := false
	for i++; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			if !bracket && i+1 < len(p) {
				bracket = true
				if p[i+1] == '^' {
					i++
				}
				if i+1 < len(p) && p[i+1] == ']' {
					i++
				}
			}
		case ']':
			bracket = false
		case '/':
			if bracket {
				return 0, false
			}
			return i + 1, true
		case '\n':
			return 0, false
		}
	}
	return 0, false
}

var jqReach = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^.\w"'$])(env|import|include|modulemeta|get_search_list)\b|\$(\s|#[^\n]*\n)*(ENV|__prog)`)
})

// jq judges the program of jq(1): it can read the environment and modules.
func (j *judged) jq() bool {
	j.call = j.call.spec.take(j.name, j.jqPairs())
	c := j.call
	files := *c
	ops := c.operands
	if !c.has("--from-file") && len(ops) > 0 {
		if !ops[0].known {
			j.unknown("a program that is not known before the run")
		}
		if m := jqReach().FindString(jqKey().ReplaceAllString(ops[0].text, "$1:$2")); m != "" {
			j.refuse("jq program: uses " + strings.TrimSpace(m))
		}
		ops = ops[1:]
	}
	if c.has("--args", "--jsonargs") {
		ops = nil
	}
	files.operands = ops
	j.apply(c.spec, &files)
	return true
}

// jqKey finds keys of objects in the making: {env: .x} has nothing to do with env.
var jqKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([{,]\s*)[a-z]+\s*:([^:])`) })

// jqPairs takes --arg NAME VALUE and its like out of the words: they take two.
func (j *judged) jqPairs() []word {
	var rest []word
	for i := 0; i < len(j.args); i++ {
		x := j.args[i]
		pair := i+2 < len(j.args) && x.known
		switch {
		case pair && (x.text == "--arg" || x.text == "--argjson"):
			j.use(kindText, j.args[i+1], "")
			j.use(kindText, j.args[i+2], "")
			i += 2
		case pair && (x.text == "--rawfile" || x.text == "--slurpfile" || x.text == "--argfile"):
			j.use(kindRead, j.args[i+2], "")
			i += 2
		default:
			rest = append(rest, x)
		}
	}
	return rest
}
