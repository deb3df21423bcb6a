package commandpolicy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tera-pilot/tera-pilot/internal/edits"
)

// A File is one loaded source of rules.
type File struct {
	Name     string
	Layer    Layer
	Digest   string    // SHA-256 of its bytes, hex
	Approved bool      // project files: the user approved exactly this Digest
	Warnings []Problem // dead, duplicate and over-broad rules; the file still loads
	Rules    []Rule
	Source   []byte // its bytes: never changed
}

// A Problem is a remark about a line of a policy file.
type Problem struct {
	File string
	Line int
	Text string
}

// String is "file:line: text".
func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text) }

// A LoadError lists everything that is wrong with a policy file. Nothing of a
// file with errors is in force, and commands must then be refused.
type LoadError struct{ Problems []Problem }

// Error lists the problems, one a line.
func (e *LoadError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// maxPolicyFile bounds a policy file; a larger one is refused.
const maxPolicyFile = 4 << 20

// Load reads a policy file (TOML; see docs/policy.md). A returned error is a
// [*LoadError] or an error of r.
func Load(r io.Reader, name string, layer Layer) (*File, error) {
	src, err := readAll(r, name)
	if err != nil {
		return nil, err
	}
	l := &loader{file: &File{Name: name, Layer: layer, Digest: hashHex(src), Source: src}}
	var doc document
	d := toml.NewDecoder(bytes.NewReader(src)).DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		l.decodeError(err)
		return nil, &LoadError{l.errors}
	}
	l.lines = tableLines(src)
	l.tables(&doc)
	if len(l.errors) == 0 {
		l.examples()
		l.remarks()
	}
	if len(l.errors) > 0 {
		slices.SortStableFunc(l.errors, func(a, b Problem) int { return a.Line - b.Line })
		return nil, &LoadError{l.errors}
	}
	return l.file, nil
}

func readAll(r io.Reader, name string) ([]byte, error) {
	src, err := io.ReadAll(io.LimitReader(r, maxPolicyFile+1))
	if err != nil {
		return nil, fmt.Errorf("read policy %s: %w", name, err)
	}
	if len(src) > maxPolicyFile {
		return nil, &LoadError{[]Problem{{File: name, Line: 1, Text: "larger than 4 MiB; split it, or remove rules"}}}
	}
	return src, nil
}

func hashHex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// loader turns the tables of one file into rules.
type loader struct {
	file   *File
	errors []Problem
	lines  map[ruleKind][]int
}

func (l *loader) fail(line int, format string, args ...any) {
	l.errors = append(l.errors, Problem{File: l.file.Name, Line: line, Text: fmt.Sprintf(format, args...)})
}

func (l *loader) warn(line int, format string, args ...any) {
	l.file.Warnings = append(l.file.Warnings, Problem{File: l.file.Name, Line: line, Text: fmt.Sprintf(format, args...)})
}

// decodeError gives each unknown key, or the fault of the syntax, its line.
func (l *loader) decodeError(err error) {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		for _, e := range strict.Errors {
			row, _ := e.Position()
			key := e.Key()
			name := key[len(key)-1]
			l.fail(row, "unknown key %q%s", name, suggest(name, knownKeys(key)))
		}
		return
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, _ := decode.Position()
		l.fail(row, "%s", strings.TrimPrefix(decode.Error(), "toml: "))
		return
	}
	l.fail(1, "%s", strings.TrimPrefix(err.Error(), "toml: "))
}

var commonKeys = []string{"id", "decision", "because", "expires", "untainted_only", "match", "no_match", "grade", "question", "since", "root", "source"}

// knownKeys are the keys that may stand where key stands.
func knownKeys(key toml.Key) []string {
	if len(key) == 1 {
		return []string{"rule", "path", "host", "mcp"}
	}
	switch key[0] {
	case "rule": // the decoder leaves the name of an inline table out of the key
		return append([]string{"cmd", "sub", "args", "flags", "paths", "files", "only", "forbid", "any"}, commonKeys...)
	case "path":
		return append([]string{"glob", "effect"}, commonKeys...)
	case "host":
		return append([]string{"host", "method"}, commonKeys...)
	}
	return append([]string{"server", "tool"}, commonKeys...)
}

// suggest names the nearest known key, if one is near.
func suggest(name string, known []string) string {
	best, at := "", len(name)/2+1
	for _, k := range known {
		if d := edits.Between(name, k); d < at {
			best, at = k, d
		}
	}
	if best == "" {
		return "; known are " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// tableLines finds the line of every [[table]], in order.
func tableLines(src []byte) map[ruleKind][]int {
	lines := map[ruleKind][]int{}
	var p unstable.Parser
	p.Reset(src)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.ArrayTable {
			continue
		}
		k := e.Key()
		if !k.Next() {
			continue
		}
		n := k.Node()
		line := 1 + bytes.Count(src[:n.Raw.Offset], []byte("\n"))
		lines[ruleKind(n.Data)] = append(lines[ruleKind(n.Data)], line)
	}
	return lines
}

func (l *loader) line(k ruleKind, i int) int {
	if i < len(l.lines[k]) {
		return l.lines[k][i]
	}
	return 1
}
