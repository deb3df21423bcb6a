package commandpolicy

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxOpeners bounds what can nest within one statement. The parser and the
	// walker recurse; Go ends the program when a stack passes 1 GB, and a level
	// costs up to 7 KB. Measured at 10,000: under 70 MB.
	maxOpeners = 10_000
	// maxOperators does the same for chains, whose levels cost less.
	maxOperators = 100_000
	// maxNested bounds shell text within shell text (sh -c "sh -c …").
	maxNested = 16
)

var errTooDeep = fmt.Errorf("more than %d brackets and blocks or %d operators in one statement", maxOpeners, maxOperators)

// Parse analyses the text of a bash command. It reads c.Look, and nothing else.
func Parse(text string, c Context) *Analysis {
	a := &Analysis{Text: text, BadBytes: badBytes(text), Parsed: true, where: c}
	w := newWalker(a, c)
	for _, b := range a.BadBytes {
		w.unparsed("holds a " + b.String())
	}
	w.script(asBash(text))
	w.finish()
	return a
}

// parseShell parses text as bash, or says why it cannot.
func parseShell(text string) ([]*syntax.Stmt, error) {
	var stmts []*syntax.Stmt
	g := &guard{r: strings.NewReader(text)}
	p := syntax.NewParser(syntax.Variant(syntax.LangBash))
	var first error
	for s, err := range p.StmtsSeq(g) {
		// The parser may go on after an error, so this loop is never left early.
		if err != nil || first != nil {
			first = cmp.Or(first, err)
			continue
		}
		stmts = append(stmts, s)
		g.openers, g.operators = 0, 0
	}
	if errors.Is(first, errTooDeep) {
		return stmts, errTooDeep
	}
	if first == nil && commentEnd().MatchString(text) {
		first = errCommentEnd
	}
	return stmts, first
}

// commentEnd finds a backslash at the end of a line that may end in a comment.
// To bash the comment ends there and the next line is a command; the parser
// takes the line for more words of the command before.
var commentEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(#[^\n]*)\\\r?\n`) })

var errCommentEnd = errors.New("a comment that ends in a backslash")

// bashComments is text with such comments as bash ends them.
func bashComments(text string) string { return commentEnd().ReplaceAllString(text, "$1 \n") }

// guard counts, while the parser reads, everything that can open a level of
// recursion, and stops a statement that could go too deep. Closing brackets
// are not subtracted: in quotes they close nothing.
type guard struct {
	r         io.Reader
	openers   int
	operators int
	word      []byte // the letters at the end of what was read so far
}

// Read implements [io.Reader].
func (g *guard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	for _, c := range p[:n] {
		g.count(c)
	}
	if g.openers > maxOpeners || g.operators > maxOperators {
		return 0, errTooDeep
	}
	return n, err
}

func (g *guard) count(c byte) {
	if c >= 'a' && c <= 'z' {
		if len(g.word) <= len("function") {
			g.word = append(g.word, c)
		}
		return
	}
	switch c {
	case '(', '{', '[', '`':
		g.openers++
	case '+', '-', '*', '/', '%', '?', '=', '~', '!', '^', ',', '&', '|', '<', '>':
		g.operators++
	}
	switch string(g.word) {
	case "if", "elif", "while", "until", "for", "select", "case", "function", "time", "coproc":
		g.openers++
	}
	g.word = g.word[:0]
}
