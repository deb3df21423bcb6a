package commandpolicy

import (
	"errors"
	"io"
)

// A File is one loaded source of rules.
type File struct {
	Name     string
	Layer    Layer
	Digest   string    // SHA-256 of its bytes, hex
	Approved bool      // project files: the user approved exactly this Digest
	Warnings []Problem // dead, duplicate and odd rules; the file still loads
	rules    []Rule
}

// A Rule is one rule of a policy.
type Rule struct {
	Hit
}

// A Problem is a remark about a line of a policy file.
type Problem struct {
	File string
	Line int
	Text string
}

// A LoadError lists everything that is wrong with a policy file. Nothing of a
// file with errors is in force, and commands must then be refused.
type LoadError struct{ Problems []Problem }

func (e *LoadError) Error() string { return "policy file has errors" }

// Load reads a policy file (TOML; see docs/policy.md). A returned error is a
// [*LoadError] or an error of r.
func Load(r io.Reader, name string, layer Layer) (*File, error) { return nil, errors.ErrUnsupported }

// LoadCommandsJSON reads the commands.json of the original.
func LoadCommandsJSON(r io.Reader, name string, layer Layer) (*File, error) {
	return nil, errors.ErrUnsupported
}

// A Policy is a set of files. The nil Policy holds the built-in list alone.
type Policy struct{ files []*File }

// New makes a policy of files, in any order.
func New(files ...*File) *Policy { return &Policy{files: files} }

// With returns a copy of p with rules added to the session's layer.
func (p *Policy) With(rules ...Rule) *Policy { return p }

// Digest is the hash of everything in force, hex.
func (p *Policy) Digest() string { return "" }

// Command tells which rules speak about an analysed command.
func (p *Policy) Command(a *Analysis, w When) Spoken { return Spoken{} }

// Path tells which rules speak about an act on an absolute, resolved path.
func (p *Policy) Path(act Act, path string, w When) Spoken { return Spoken{} }

// Host tells which rules speak about traffic: method is GET, PUSH or CONNECT.
func (p *Policy) Host(host, method string, w When) Spoken { return Spoken{} }

// MCP tells which rules speak about a tool of an MCP server.
func (p *Policy) MCP(server, tool string, w When) Spoken { return Spoken{} }

// Smallest is the smallest addition to policy.toml that makes [Policy.Command]
// allow a, or empty where none can.
func (p *Policy) Smallest(a *Analysis, w When) string { return "" }

// A Scope is an offer to remember a yes.
type Scope struct {
	Title   string // in plain words
	Rule    Rule
	TOML    string // the rule as it is stored
	Matches string // a command that it covers
	Not     string // one that it does not
}

// Scopes offers what can be remembered about a, from exact to general; empty
// when nothing can.
func (p *Policy) Scopes(a *Analysis, w When) []Scope { return nil }

// Code is the analysis of a run_code call, judged by rules as "run_code:LANG".
func Code(lang, source string, c Context) *Analysis { return &Analysis{Text: source, Code: lang} }
