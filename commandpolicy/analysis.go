package commandpolicy

// An Analysis is everything that the text of a command tells before it runs.
// The zero value is the strictest: not parsed, not read-only.
type Analysis struct {
	Text  string
	Parts []Part // every simple command, redirection, assignment, in the order of the text

	// Parsed is false when the text is not understood as a whole: bytes the
	// policy rejects, a syntax error, or more than can be followed. Such a
	// text always asks; no rule covers it.
	Parsed   bool
	BadBytes []BadByte
	Problems []string // why the text is not proven read-only, for people

	// ReadOnly is the proof described in the package documentation.
	ReadOnly bool
	// Catastrophe is the built-in deny that the text hits, or nil.
	Catastrophe *Hit

	SecretReads    []PathUse // reads of files that are known to hold secrets
	OutsidePaths   []PathUse // any use of a path outside the workspace
	ProtectedPaths []PathUse // changes of a protected name inside the workspace

	// SingleGit is the argv, "git" first, when the whole text is one plain git
	// call with known words: such a call goes through gitsafe.
	SingleGit []string
	// LosesWork says why a git call of the text can lose work, else empty.
	LosesWork string
	// Code is the language of a run_code text ("python", "node", "bash"),
	// else empty.
	Code string

	where Context // for texts that are compared with this one
}

// A BadByte is a character that the policy does not let pass unseen.
type BadByte struct {
	Offset int
	Rune   rune
	What   string // "NUL", "lone carriage return", "bidirectional control" …
}

// PartKind says what a part of a text is.
type PartKind uint8

// The kinds of parts.
const (
	PartUnknown  PartKind = iota // not understood; nothing covers it
	PartCall                     // a simple command
	PartRedirect                 // a redirection to or from a file
	PartAssign                   // an assignment, alone or as a prefix
	PartFunction                 // a call of a function that the text defines
)

// A Part is one thing that the text does.
type Part struct {
	Kind PartKind
	// Argv is what the program receives, after expansion and unwrapping:
	// `timeout 5 env nice grep x *.go` has grep's own argv here.
	Argv     []Arg
	Wrappers []string // the wrappers that were taken off, outermost first
	// Name is the program's own name ("grep" also for /bin/grep), or empty
	// when it is not known before the run or is a file that the text names by
	// a path of its own.
	Name    string
	Effects Effects
	Proven  bool     // understood, and only reads inside and prints
	Why     []string // why not Proven
	// Pins are the files of the workspace whose content is what it runs. A pin
	// without a name stands for a file that could not be told.
	Pins []Pin

	call    *call    // parsed options and operands, for rules
	folders []string // of the paths of Effects: those that are folders, or may be
	pinned  bool     // Pins says all there is to say, even when it is empty
	byPath  string   // the program, beneath the workspace, when the text names it by a path
}

// An Arg is one word as the program receives it.
type Arg struct {
	Text  string // the word; what is known of its beginning when it is not Known
	Known bool
	Glob  string // the pattern that this word came from, else empty
}

// Effects are what a part does to the world besides printing.
type Effects struct {
	Reads    []string // absolute paths, links resolved; a folder stands for all beneath it
	Writes   []string // created or changed
	Deletes  []string
	Chmods   []string // rights or owner changed
	Executes []string // program files, or "code:python" for code in the text
	Network  []string // hosts; "*" where the host is not known
	Env      []string // names of variables that it sets for others
	Unknown  []string // what could not be told, for people
}

// Act is what happens to a path; also the words of `effect` in [[path]] rules.
type Act string

// The acts.
const (
	ActRead   Act = "read"
	ActCreate Act = "create"
	ActWrite  Act = "write"
	ActDelete Act = "delete"
	ActRename Act = "rename"
	ActChmod  Act = "chmod"
)

// A PathUse is an act on a path.
type PathUse struct {
	Path string // absolute, links resolved
	Act  Act
	Part int // index into Parts
	Why  string
}
