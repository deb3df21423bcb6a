package effect

// Kind says what sort of thing an effect is. The zero value is Unknown, which
// every judge treats as the strictest.
type Kind uint8

// The kinds of effect (docs/architecture.md, section 2).
const (
	Unknown Kind = iota
	Read         // the content or the facts of one file, or the entries of one folder
	Walk         // many files beneath a folder; leaves secret-like ones out
	Create       // a file that is not there
	Write        // a file that is there gets other bytes
	Delete       // a file or an empty folder
	Rename
	Mkdir // a folder that is not there
	Chmod
	Exec   // a command in the sandbox
	Git    // a git call of gitsafe's closed table
	Fetch  // one URL
	Search // a query to a search back end
	MCP    // a tool of an MCP server
	Memory // instruction files such as AGENTS.md
	Config // our own settings, policy, keys or log: the floor
	Spawn  // a sub-agent
	Start  // an approved hook or MCP server
)

var kindNames = [...]string{
	Unknown: "unknown", Read: "read", Walk: "walk", Create: "create", Write: "write",
	Delete: "delete", Rename: "rename", Mkdir: "mkdir", Chmod: "chmod", Exec: "exec",
	Git: "git", Fetch: "fetch", Search: "search", MCP: "mcp", Memory: "memory",
	Config: "config", Spawn: "spawn", Start: "start",
}

// String is the kind's word in logs, rules and questions.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[Unknown]
}

// Kinds lists every kind but Unknown.
func Kinds() []Kind {
	out := make([]Kind, 0, len(kindNames)-1)
	for k := range kindNames {
		if Kind(k) != Unknown {
			out = append(out, Kind(k))
		}
	}
	return out
}

// ChangesFiles says whether effects of the kind alter the workspace by
// themselves, without a process.
func (k Kind) ChangesFiles() bool {
	switch k {
	case Create, Write, Delete, Rename, Mkdir, Chmod, Memory:
		return true
	default:
		return false
	}
}
