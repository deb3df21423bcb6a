package effect

import "time"

// A Set is everything that one tool call would do. The gate completes it (see
// Command.Profile and following); after that it is not changed any more.
type Set struct {
	Tool    string // registered name of the tool
	Title   string // one line for people, made by the tool from decoded facts
	Args    string // what Run must know beyond the effects (a pattern, a range of lines): JSON, made by Plan
	Free    bool   // the tool is declared to have no effects at all
	Effects []Effect
}

// An Effect is one thing that would happen. Which members are set depends on
// Kind; the others are nil.
type Effect struct {
	Kind  Kind
	Path  *Path  // Read, Walk, Create, Write, Delete, Mkdir, Chmod, Memory; the source of Rename
	To    *Path  // Rename: the target
	After *Bytes // Create, Write, Memory: what the file will hold
	Mode  uint32 // Create, Mkdir, Chmod: permission bits afterwards
	Exact bool   // Create, Mkdir: just that mode, whatever the umask (undo)
	Link  bool   // Create: not a file but a symbolic link, whose text After holds (undo)
	Exec  *Command
	Git   *GitCall
	Net   *NetCall // Fetch, Search; one host of a command's network grant
	MCP   *MCPCall
	Child *Child // Spawn
}

// A Child is a sub-agent that is to be started.
type Child struct {
	Goal   string
	Role   string
	Tools  []string // all that it is offered
	Writes bool     // it may do more than read; else it acts in plan mode
	Steps  int      // model calls at most
}

// A Path is a place in the file system as it was when the effect was planned.
type Path struct {
	Name      string // beneath the root, slash separated ("." is the root); absolute when Outside; "@out/…" when Virtual
	Abs       string // absolute, links resolved as far as the path exists
	Outside   bool   // not beneath any root of the session
	Virtual   bool   // an output of an earlier call, which is no path
	Secret    bool   // its name is on the list of secret-like files
	Named     bool   // the caller named this very file, and did not just meet it on a walk
	Protected string // the protected name that it matches, "" when none
	Exists    bool
	Type      FileType
	Device    uint64
	Inode     uint64
	Links     uint64 // hard links
	Mode      uint32 // permission bits
	Size      int64
	SHA256    string // hex, of a regular file's content; "" when not looked at
	Target    string // a link's resolved target
	Before    []byte // the content, when the planner read it; not part of the digest (SHA256 is)
}

// FileType is the kind of thing a path names.
type FileType uint8

// Types of files.
const (
	NoFile FileType = iota
	Regular
	Dir
	Link
	Special // device, socket, pipe
)

var typeNames = [...]string{NoFile: "none", Regular: "file", Dir: "folder", Link: "link", Special: "special"}

// String is the type's word in questions and results.
func (t FileType) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return typeNames[Special]
}

// Bytes is content together with what commits to it.
type Bytes struct {
	Data   []byte // not part of the digest (SHA256 is)
	SHA256 string
	Size   int64
}

// A Command is what an Exec effect runs.
type Command struct {
	Script   string   // text for bash; empty when Argv is run directly
	Argv     []string // what is executed: for a script, the shell and its arguments
	Program  Program
	Programs []Program // what the names in the text stand for, where they are programs
	Dir      string    // absolute working folder
	Set      []string  // environment added or changed, "NAME=value"
	Dropped  []string  // names of the caller's environment that the command does not get
	Stdin    []byte
	Timeout  time.Duration
	Parts    []Part // the simple commands that the text comes to, for the question
	Facts    []Fact // what was seen of the world while parsing: the gate parses again from these alone
	Parsed   bool
	Reads    []Path // outside, secret and protected paths that the parse found read
	Writes   []Path // all paths that the parse found created or changed
	Deletes  []Path // all paths that it found deleted, a folder with everything beneath
	Chmods   []Path // outside, secret and protected paths whose rights or owner it found changed
	Detected bool   // not asked for in these words: the detected test command

	Background bool     // it goes on after the call, until it ends or the session does
	Hosts      []string // host or host:port that the call asks to reach; put in order by the gate, which judges each

	// Completed by the gate.
	Profile  string // sandbox profile
	Grade    string // sandbox grade in force
	ReadOnly bool   // the policy proved that it only reads
}

// Program is a resolved executable.
type Program struct {
	Path   string // absolute
	SHA256 string // hex
}

// A Part is one simple command of a script, decoded.
type Part struct {
	Argv  []string // words; an unknown word is shown as its source text
	Known bool     // every word was statically known
	Note  string   // why it matters, "" when there is nothing to say
}

// A Fact is one thing that was looked up while a command was parsed.
type Fact struct {
	Op     string   // what was asked: "stat", "link", "glob", "list", "path"
	Name   string   // of what
	Found  bool     // whether there is such a thing
	Text   string   // the answer: a type, a link's target
	Values []string // the answer where it is a list
}

// GitClass says what a git call does to the world.
type GitClass uint8

// Classes of git calls; the zero value is none of them.
const (
	GitUnknown GitClass = iota
	GitReads
	GitWrites
	GitNetwork
)

var classNames = [...]string{GitUnknown: "unknown", GitReads: "reads", GitWrites: "writes", GitNetwork: "network"}

// String is the class's word in questions.
func (c GitClass) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return classNames[GitUnknown]
}

// A GitCall is a call of gitsafe's closed table.
type GitCall struct {
	Args    []string // from the subcommand on
	Class   GitClass
	Program Program
	Dir     string
	Remotes []string // resolved URLs of a network call
	Reads   []Path   // secret, outside or protected paths that it reads
	Writes  []Path   // paths of the working tree that it writes, as far as known
	Loses   []string // what could be lost, one line each
	Notes   []string // what was neutralised or not run
	Head    string   // commit the repository is at, "" for none
}

// A NetCall is one act on the network.
type NetCall struct {
	URL       string // Fetch: as written
	Query     string // Search
	Host      string // as written, without port
	Port      int
	Method    string // GET, PUSH, CONNECT, …
	Reason    string
	SecretHit bool // the secret scan found something in what would leave
}

// An MCPCall is a call of an MCP server's tool.
type MCPCall struct {
	Server, Identity, Tool string
	Args                   string // canonical JSON
	Pin                    string // hash of the pinned definition
	Pinned                 bool   // the pin is valid and approved
	Remote                 bool   // HTTP, or a server that may use the network
}
