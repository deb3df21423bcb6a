package commandpolicy

import "time"

// Context is where a text would run. Workspace is needed; the rest has
// defaults.
type Context struct {
	Workspace string // absolute, links resolved
	Dir       string // absolute; empty means Workspace
	Home      string // absolute; empty means that ~ is not known
	State     string // the agent's own state folder, beside Home/.tera_pilot
	// Env holds the variables that the command will find, with their values.
	// Of others the policy assumes nothing.
	Env  map[string]string
	Look Look // nil means that nothing is known about files

	within int // analyses within an analysis
}

// Kind is the kind of a file.
type Kind uint8

// The kinds. The zero value says that nothing could be learned.
const (
	KindUnknown Kind = iota
	KindAbsent
	KindFile
	KindDir
	KindLink
	KindOther // device, socket, pipe
)

// Look answers questions about files and changes nothing. It is the only way
// in which this package learns of them.
type Look interface {
	// Lstat tells the kind of the file at the absolute path, whose parent
	// holds no links, and the target if it is a link.
	Lstat(path string) (kind Kind, target string)
	// Names lists the names in the folder at path, in any order; ok is false
	// when they cannot be told.
	Names(path string) (names []string, ok bool)
}

// When holds what the lookups of a [Policy] depend on besides the rules.
type When struct {
	Now     time.Time // rules past their `expires` are silent
	Grade   string    // sandbox grade of this run: "A", "A-", "B" or "" for none
	Tainted bool      // untrusted text is in the context: untainted_only rules are silent
	// Workspace and Home anchor the globs of [[path]] rules: `src/**` lies in
	// the workspace, `~/…` in home. [Policy.Command] takes what is empty here
	// from the analysis. Without them an allow rule with such a glob is silent,
	// and a deny or ask rule speaks about every path that ends alike.
	Workspace, Home string
}
