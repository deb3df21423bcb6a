package commandpolicy

import "time"

// ruleKind is the table that a rule stands in.
type ruleKind string

const (
	kindRule     ruleKind = "rule"
	kindPathRule ruleKind = "path"
	kindHostRule ruleKind = "host"
	kindMCPRule  ruleKind = "mcp"
)

// A Rule is one rule of a policy. Its Hit says where it stands and what it
// decides, its kind which of the four says what it speaks about; the other
// three are empty.
type Rule struct {
	Hit
	kind ruleKind
	aboutCommand
	aboutPath
	aboutHost
	aboutMCP

	expires       time.Time
	untaintedOnly bool
	kept
	match   []string // examples that must fit, or the file does not load
	noMatch []string // and such that must not
}

// aboutCommand is what a [[rule]] speaks about.
type aboutCommand struct {
	cmds    []string
	subs    [][]string // first operands, each a sequence
	args    []string   // the whole argument list, when exact
	exact   bool
	only    []string // flags: no other may be given
	hasOnly bool
	forbid  []string // flags: none of these may be given
	any     []string // flags: one of these must be given
	anyPath bool     // paths outside the workspace too

	files    map[string]string // content of the files that decide what runs, by name
	hasFiles bool
}

// aboutPath is what a [[path]] speaks about.
type aboutPath struct {
	globs []string
	acts  []Act
}

// aboutHost is what a [[host]] speaks about.
type aboutHost struct{ hosts, methods []string }

// aboutMCP is what an [[mcp]] speaks about.
type aboutMCP struct {
	server string
	tools  []string
}

// kept is what a remembered rule tells of the yes that it comes from.
type kept struct {
	since    time.Time // when that was said: silent before
	root     string    // the one workspace it counts in, "" for every one
	source   string    // where it was said
	question string    // the question it answers
}

// Kind is the table that the rule stands in: "rule", "path", "host" or "mcp".
func (r *Rule) Kind() string { return string(r.kind) }

// Silent says why a rule does not count now, or "".
func (r *Rule) Silent(w When) string {
	switch {
	case !r.expires.IsZero() && !w.Now.Before(r.expires):
		return "expired " + r.expires.UTC().Format(time.DateTime)
	case w.Now.Before(r.since):
		return "the clock stands before the moment it was kept"
	case r.root != "" && r.root != w.Workspace:
		return "counts in " + r.root
	case r.remembered() && r.Grade != "" && gradeRank(w.Grade) < gradeRank(r.Grade):
		return "was kept at sandbox grade " + r.Grade
	case r.untaintedOnly && w.Tainted:
		return "counts only while no untrusted text is in the context"
	}
	return ""
}

// remembered says that a person kept the rule when asked: it was said at a
// sandbox grade, which a rule that somebody wrote down does not depend on.
func (r *Rule) remembered() bool { return r.Layer == LayerRemembered || r.Layer == LayerSession }

// Root is the one workspace that a remembered rule counts in; "" for every one.
func (r *Rule) Root() string { return r.root }

// Expires is when the rule falls silent; the zero time is never.
func (r *Rule) Expires() time.Time { return r.expires }

// active reports whether the rule speaks under w.
func (r *Rule) active(w When) bool { return r.Silent(w) == "" }

// gradeRank orders the grades of the sandbox; none and unknown ones are lowest.
func gradeRank(grade string) int {
	switch grade {
	case "A":
		return 3
	case "A-":
		return 2
	case "B":
		return 1
	}
	return 0
}
