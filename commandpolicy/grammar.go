package commandpolicy

import (
	"embed"
	"fmt"
	"sort"
	"strings"
	"sync"
)

// The grammars of programs are data: grammar/*.txt, one file a family. Each
// block begins with the names at the left margin:
//
//	command NAME[,NAME…] [SUBCOMMAND,…] [STYLE] [numeric] [net] [wraps]
//
// and its indented lines say what options and operands do with their text:
//
//	flag     OPTION…          no value, harmless
//	KIND     OPTION…          a value that is used as KIND (read, write, exec …)
//	KIND?    OPTION…          a value that must be attached
//	pattern  OPTION…          harmless text that may begin with a dash (grep -e)
//	last     OPTION…          harmless text, which may be missing at the end of the line
//	ask "why" OPTION…         not harmless; OPTION= takes a value, OPTION=? an attached one
//	follow, recursive OPTION… flags that change what operands mean
//	info     OPTION…          alone on the line, prints about the program itself
//	args     KIND… [KIND*]    the operands, in order; the last may repeat
//	implicit KIND TEXT        the operand that is assumed when there is none
//	never    "why"            the program is never proven to be harmless
//	reads    OPTION…          flags for a mode that only reads: they lift never
//	stdin    code             without a command or a script the input is code
//	local    FILE…            files of a project that decide what the program is: where
//	                          one may lie, info options are not harmless
//	within                    a word, the words from one on, or the input may be a command
//	                          that is run: looked at for the deny list alone
//	deny     RULE             any use hits this row of the built-in deny list
//
// An OPTION is written with all its names: -o,--output.

//go:embed grammar/*.txt
var grammarFiles embed.FS

// style says how a program reads its options.
type style uint8

const (
	styleGNU   style = iota // options anywhere, clusters, --long=value, abbreviations
	stylePOSIX              // the same, but the first operand ends the options
	styleGo                 // -name and --name alike, no clusters, first operand ends
	styleRaw                // a hook reads the words
)

var styles = map[string]style{"gnu": styleGNU, "posix": stylePOSIX, "go": styleGo, "raw": styleRaw}

var kinds = map[string]kind{
	"text": kindText, "read": kindRead, "meta": kindMeta, "name": kindName, "walk": kindWalk, "list": kindList,
	"write": kindWrite, "delete": kindDelete, "chmod": kindChmod, "exec": kindExec, "code": kindCode, "script": kindScript,
	"shell": kindShell, "host": kindHost, "url": kindURL, "ident": kindIdent, "command": kindCommand, "upload": kindUpload, "ask": kindAsk,
}

// arity says whether an option takes a value.
type arity uint8

const (
	noValue arity = iota
	oneValue
	attachedValue // optional, and only in the same word
)

// An option is one row of a grammar.
type option struct {
	name      string // the name that stands for all: the first long one
	arity     arity
	kind      kind
	why       string // why it is not harmless, when kind is kindAsk
	follow    bool
	recursive bool
	info      bool
	last      bool // as the last word it needs no value
	sure      bool // takes a value in every version, whatever that looks like
	reads     bool // chooses a mode that only reads: lifts never
}

// spec is the grammar of one program.
type spec struct {
	name     string
	style    style
	numeric  bool // -20 is an option
	net      bool
	wraps    bool
	never    string
	deny     ruleID   // a row of the built-in deny list that any use hits
	within   bool     // its words and its input may hold commands
	stdin    bool     // without a command or a script the input is code
	local    []string // files of a project that take the info options over
	opts     map[string]*option
	longs    []string // sorted, for abbreviations
	args     []kind
	rest     kind
	hasRest  bool
	implicit *word
	implKind kind
}

// grammars are all specs by name, made on first use.
var grammars = sync.OnceValue(func() map[string]*spec {
	all, err := readGrammars()
	if err != nil {
		// A broken table is a fault of this program, which a test finds; with
		// no grammar at all every command asks.
		return map[string]*spec{}
	}
	return all
})

func readGrammars() (map[string]*spec, error) {
	files, err := grammarFiles.ReadDir("grammar")
	if err != nil {
		return nil, err
	}
	all := map[string]*spec{}
	for _, f := range files {
		text, err := grammarFiles.ReadFile("grammar/" + f.Name())
		if err != nil {
			return nil, err
		}
		if err := parseGrammar(string(text), f.Name(), all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func parseGrammar(text, file string, all map[string]*spec) error {
	var now *spec
	for i, line := range strings.Split(text, "\n") {
		body, _, _ := strings.Cut(line, " #")
		words := quotedFields(body)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		var err error
		if line[0] != ' ' {
			now, err = parseHeader(words, all)
		} else if now == nil {
			err = fmt.Errorf("a row before any command")
		} else {
			err = now.parseRow(words)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	return nil
}

// quotedFields splits at spaces; "…" is one field and keeps its first quote.
func quotedFields(s string) []string {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if s[0] == '"' {
			end := strings.IndexByte(s[1:], '"')
			if end < 0 {
				end = len(s) - 1
			}
			out = append(out, s[:end+1])
			s = s[min(len(s), end+2):]
			continue
		}
		f, rest, _ := strings.Cut(s, " ")
		out = append(out, f)
		s = rest
	}
	return out
}

func parseHeader(words []string, all map[string]*spec) (*spec, error) {
	s := &spec{opts: map[string]*option{}}
	if words[0] != "command" || len(words) < 2 {
		return nil, fmt.Errorf("expected: command NAME")
	}
	names, attrs := strings.Split(words[1], ","), words[2:]
	if len(attrs) > 0 && !isAttr(attrs[0]) {
		var subs []string
		for _, n := range names {
			for _, sub := range strings.Split(attrs[0], ",") {
				subs = append(subs, n+" "+sub)
			}
		}
		names, attrs = subs, attrs[1:]
	}
	s.name = names[0]
	for _, a := range attrs {
		if !isAttr(a) {
			return nil, fmt.Errorf("unknown attribute %q", a)
		}
		if st, ok := styles[a]; ok {
			s.style = st
		}
		s.numeric = s.numeric || a == "numeric"
		s.net = s.net || a == "net"
		s.wraps = s.wraps || a == "wraps"
	}
	for _, n := range names {
		if all[n] != nil {
			return nil, fmt.Errorf("%s has two grammars", n)
		}
		all[n] = s
	}
	return s, nil
}

func isAttr(s string) bool {
	_, isStyle := styles[s]
	return isStyle || s == "numeric" || s == "net" || s == "wraps"
}

func (s *spec) parseRow(words []string) error {
	switch words[0] {
	case "args":
		return s.parseArgs(words[1:])
	case "implicit":
		return s.parseImplicit(words[1:])
	case "never":
		s.never = strings.TrimPrefix(words[1], `"`)
		return nil
	case "deny":
		s.deny = ruleID("builtin:" + words[1])
		return nil
	case "stdin":
		s.stdin = true
		return nil
	case "within":
		s.within = true
		return nil
	case "local":
		s.local = words[1:]
		return nil
	}
	proto, names, err := protoOption(words)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := s.addOption(proto, n); err != nil {
			return err
		}
	}
	sort.Strings(s.longs)
	return nil
}

func (s *spec) parseImplicit(words []string) error {
	if len(words) != 2 {
		return fmt.Errorf("expected: implicit KIND TEXT")
	}
	k, ok := kinds[words[0]]
	if !ok {
		return fmt.Errorf("implicit operand %q of %s", words[0], s.name)
	}
	x := known(words[1])
	s.implicit, s.implKind = &x, k
	return nil
}

// protoOption is what the first words of a row say about its options.
func protoOption(words []string) (option, []string, error) {
	o := option{kind: kindText}
	first, optional := strings.CutSuffix(words[0], "?")
	switch first {
	case "flag":
	case "follow":
		o.follow = true
	case "recursive":
		o.recursive = true
	case "info":
		o.info = true
	case "reads":
		o.reads = true
	case "last":
		o.last, o.arity = true, oneValue
	case "pattern":
		o.arity, o.sure = oneValue, true
	case "ask":
		if len(words) < 3 || !strings.HasPrefix(words[1], `"`) {
			return o, nil, fmt.Errorf(`expected: ask "why" OPTION…`)
		}
		o.kind, o.why = kindAsk, words[1][1:]
		return o, words[2:], nil
	default:
		k, ok := kinds[first]
		if !ok {
			return o, nil, fmt.Errorf("unknown row %q", words[0])
		}
		o.kind, o.arity = k, oneValue
		if optional {
			o.arity = attachedValue
		}
	}
	return o, words[1:], nil
}

func (s *spec) addOption(proto option, names string) error {
	o := proto
	if n, ok := strings.CutSuffix(names, "=?"); ok {
		o.arity, names = attachedValue, n
	} else if n, ok := strings.CutSuffix(names, "="); ok {
		o.arity, names = oneValue, n
	}
	all := strings.Split(names, ",")
	o.name = all[0]
	for _, n := range all {
		if strings.HasPrefix(n, "--") {
			o.name = n
			break
		}
	}
	for _, n := range all {
		if s.opts[n] != nil {
			return fmt.Errorf("option %s of %s stands twice", n, s.name)
		}
		if !strings.HasPrefix(n, "-") && !strings.HasPrefix(n, "+") {
			return fmt.Errorf("option %q of %s does not begin with -", n, s.name)
		}
		s.opts[n] = &o
		if strings.HasPrefix(n, "--") {
			s.longs = append(s.longs, n)
		}
	}
	return nil
}

func (s *spec) parseArgs(words []string) error {
	for i, a := range words {
		name, many := strings.CutSuffix(a, "*")
		k, ok := kinds[name]
		if !ok || many && i != len(words)-1 {
			return fmt.Errorf("operand %q of %s", a, s.name)
		}
		if many {
			s.rest, s.hasRest = k, true
		} else {
			s.args = append(s.args, k)
		}
	}
	return nil
}

// operandKind is what the operand at place i is used for.
func (s *spec) operandKind(i int) (kind, bool) {
	if i < len(s.args) {
		return s.args[i], true
	}
	return s.rest, s.hasRest
}

// specFor finds the grammar of a program, also of python3.12 or mkfs.ext4.
func specFor(name string) *spec {
	all := grammars()
	if s := all[name]; s != nil {
		return s
	}
	for _, family := range []string{"mkfs", "fsck"} {
		if strings.HasPrefix(name, family+".") {
			return all[family]
		}
	}
	if short := strings.TrimRight(name, "0123456789.-"); short != name && short != "" {
		if s := all[short]; s != nil && versioned[short] {
			return s
		}
	}
	return nil
}

// versioned are the programs that are also installed as NAME-VERSION.
var versioned = setOf(`python pypy ruby perl lua luajit node php gcc g++ clang clang++ pip tclsh wish guile`)
