package tool

import (
	"context"
	"encoding/json"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// A Tool is one thing that a model can ask for (docs/contracts.md, section 1).
type Tool interface {
	Spec() Spec
	// Plan looks, and touches nothing. An error is shown to the model, so it
	// says what is wrong with the arguments and what to do instead.
	Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error)
	// Run does what was planned, through e alone. A failure of the act itself
	// is a Result with status Error; err is for what should not happen.
	Run(ctx context.Context, e Env, planned effect.Set) (Result, error)
}

// Spec describes a tool to a model and to the dispatcher.
type Spec struct {
	Name        string
	Aliases     []string          // other names that mean the same
	Renamed     map[string]string // other names of arguments, which came with those, and what they are called
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object that takes no further members
	Free        bool            // has no effects at all
	Foreign     bool            // a server's: its schema is any, and the server's to check
	Commits     bool            // makes commits, which may bear the head of the audit log
	Small       bool            // offered to models with a small window too
	Category    string          // the audit log's category: shell, code, file, git, plan, verify, …
}

// View sees the world and changes nothing. Every name is the model's: relative
// to the root, or absolute, or "@out/…". Like Env it is long on purpose: all that
// a tool can learn stands in one list, and all that it can do in the other.
type View interface {
	// Path resolves a name and looks at what is there, without its content.
	// A name that does not exist is no error: Exists is false.
	Path(ctx context.Context, name string) (effect.Path, error)
	// File is Path, and the content of a regular file with its hash. A file
	// over MaxFile bytes is an error.
	File(ctx context.Context, name string) (effect.Path, error)
	// Seen is the hash of the content that the model was last shown of a file
	// in this session, or that its last edit left there.
	Seen(p effect.Path) (sha256 string, ok bool)
	// Carries says which protected name something has, or would get, that a
	// rename moves along with a folder; "" when nothing has one.
	Carries(ctx context.Context, from, to effect.Path) (protected string, err error)
	// Command resolves and parses a command. One that is a single git call
	// comes back as a Git effect.
	Command(ctx context.Context, c CommandSpec) (effect.Effect, error)
	// Git plans a call of gitsafe's closed table; args begin with the subcommand.
	Git(ctx context.Context, args []string) (effect.Effect, error)
	// Fetch understands an address of the web, and Search the words of a search;
	// nobody is asked for anything. reason is the model's, for the person.
	Fetch(ctx context.Context, url, reason string) (effect.Effect, error)
	Search(ctx context.Context, query string) (effect.Effect, error)
	// MCP plans a call of an approved tool of an MCP server: the call comes first,
	// then, where it needs one, the start of the server.
	MCP(ctx context.Context, server, tool string, args json.RawMessage) ([]effect.Effect, error)
	// Checks lists the project's detected test commands, most likely first.
	Checks(ctx context.Context) ([]Check, error)
	// Trailer is a line that a commit message ends in, "" for none.
	Trailer() string
}

// MaxFile is the largest file, in bytes, whose content a tool handles.
const MaxFile = 8 << 20

// CommandSpec is a command as it was asked for.
type CommandSpec struct {
	Script   string // for bash, or code of Language
	Language string // python, node or bash: Script is code that its interpreter runs; "" for a command
	Dir      string // a name; "" is the root
	Stdin    string
	Seconds  int      // time limit; 0 is the default
	Hosts    []string // host or host:port, all that it may reach; none: no network
	Detected bool     // found by Checks, not asked for in these words

	Background bool // it goes on after the call, as a job
	Plain      bool // with the interpreter of Language itself, and nothing that chooses one by the folder
}

// A Check is a command that tests the project.
type Check struct {
	Command string
	Because string // the file that told so
}

// Env does what a grant covers, for one call. Each method refuses an effect
// that is not in the granted set with a *NotGrantedError.
type Env interface {
	// Read returns the content of a Read effect's regular file or output.
	Read(ctx context.Context, e effect.Effect) ([]byte, error)
	// List returns the entries of a Read effect's folder, sorted by name.
	List(ctx context.Context, e effect.Effect) ([]Entry, error)
	// Walk visits what is beneath a Walk effect's folder: files, links and,
	// before their content, folders; the names in a folder in lexical order. It
	// leaves out what git ignores, `.git` and secret-like files (not those of a
	// secret-like folder that was named), and follows no links. visit returning ErrSkip for a folder leaves out its content, and
	// ErrStop ends the walk early.
	Walk(ctx context.Context, e effect.Effect, visit func(Found) error) (Left, error)
	// Apply carries out Create, Write, Delete, Rename, Mkdir and Chmod, and
	// returns the state afterwards (of the target, for Rename).
	Apply(ctx context.Context, e effect.Effect) (effect.Path, error)
	// ApplyAll carries out a row of such effects, all of them or none: when one
	// fails, those before it are taken back. What could not be taken back is
	// named by a *PartialError.
	ApplyAll(ctx context.Context, row []effect.Effect) ([]effect.Path, error)
	// Exec runs an Exec effect in the sandbox.
	Exec(ctx context.Context, e effect.Effect) (Exit, error)
	// Start begins an Exec effect that is meant for the background and returns
	// the id of its job.
	Start(ctx context.Context, e effect.Effect) (id string, err error)
	// Job looks after the jobs of this session.
	Job(ctx context.Context, q JobQuery) ([]JobState, error)
	// Spawn runs the sub-agent of a Spawn effect to its end.
	Spawn(ctx context.Context, e effect.Effect) (ChildReport, error)
	// Git runs a Git effect through gitsafe.
	Git(ctx context.Context, e effect.Effect) (Exit, error)
	// Fetch reads the page of a Fetch effect, and Search asks for at most n hits.
	Fetch(ctx context.Context, e effect.Effect) (Page, error)
	Search(ctx context.Context, e effect.Effect, n int) ([]Hit, error)
	// MCP calls the tool of an MCP effect. isError is the server's own word.
	MCP(ctx context.Context, e effect.Effect) (text string, isError bool, err error)
	// Ask puts a question of the model to the person. ErrNobody when there is
	// none who could answer.
	Ask(ctx context.Context, question string, options []string) (string, error)
	// Todo replaces the list of tasks.
	Todo(ctx context.Context, items []TodoItem) error
}
