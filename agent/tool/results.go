package tool

import "github.com/tera-pilot/tera-pilot/agent/effect"

// Status is how a call ended, in the words of the audit log. The zero value
// says that nobody knows.
type Status uint8

// Statuses (docs/audit-format.md; Running is for background jobs).
const (
	StatusUnknown Status = iota
	OK
	Error
	Rejected // of a denied effect
	Blocked  // of a blocked one, or one that changed before its run
	Cancelled
	Timeout // of the action
	NotRun  // found after a crash: it did not happen
	Running
)

var statusNames = [...]string{
	StatusUnknown: "unknown", OK: "ok", Error: "error", Rejected: "rejected", Blocked: "blocked",
	Cancelled: "cancelled", Timeout: "timeout", NotRun: "not_run", Running: "running",
}

// String is the status's word.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return statusNames[StatusUnknown]
}

// Result is what came of a call. The dispatcher bounds, redacts and frames it.
type Result struct {
	Status    Status
	Title     string // what was done, in one line; "" keeps the planned title
	Body      string // for the model; whole, the dispatcher cuts it
	Untrusted string // origin of the body when it is not our own words: "file", "command", "web", "mcp"
	Exit      *int
	Signal    string
	Diff      string // "+3 -1"
	Seen      []Seen
	Changes   []Change
	Post      []effect.Path // states afterwards, for the audit log
	Check     bool          // it ran the project's tests, as its files name them
	Tests     bool          // it ran tests, though perhaps not all of them
	Found     []string      // what a command left that could act later, for the person too
	Pictures  []Picture     // for models that take them; Body says what they are
}

// Seen is the content in which the model now knows a file.
type Seen struct {
	Path   effect.Path
	SHA256 string
}

// Change is one file that a call changed: created, written, deleted, renamed,
// mkdir or chmod.
type Change struct {
	Path, To, Change string
}

// Entry is one thing in a folder.
type Entry struct {
	Name string // as View takes it
	Type effect.FileType
	Size int64
}

// Found is one thing that a walk meets. Open is nil for all but regular files.
type Found struct {
	Entry
	ModTime int64                  // seconds since 1970
	Open    func() ([]byte, error) // its content; an error for one over MaxFile
}

// Left counts what a walk left out.
type Left struct {
	Ignored int // by git's ignore files
	Secret  int
	Outside int // links that lead out of the workspace
	Unread  int // folders that could not be opened, or lie too deep
}

// Exit is how a command ended.
type Exit struct {
	Code      int    // exit status; -1 when it was ended by a signal
	Signal    string // "killed", …
	TimedOut  bool
	Cancelled bool
	Output    []byte   // stdout and stderr as they came
	Dropped   int64    // bytes of output beyond the cap
	Hints     []string // what the sandbox blocked, and what would allow it
	Findings  []string // what was found after the run: each says whether it was moved, put right, or is still there
	Changes   []Change // files that it changed, as far as known
	Snapshot  string   // where lost work was kept, "" when nothing was at stake
}

// Page is what came of a fetch. All its texts are a stranger's.
type Page struct {
	URL      string // that answered
	Status   int    // of HTTP
	Type     string // media type
	Size     int64  // bytes of the body as sent
	Title    string
	Text     string // "" for what is no text
	Links    []PageLink
	More     int    // links that are not listed
	Cut      bool   // there was more text
	Redirect string // the other host's address that it leads to
}

// PageLink is one link of a page.
type PageLink struct{ Text, URL string }

// Hit is one result of a search.
type Hit struct {
	Title, URL, Snippet string
	Trusted             bool // the host is in the person's list
}

// TodoItem is one task of the list. Status is pending, active or done.
type TodoItem struct {
	Text   string `json:"text"`
	Status string `json:"status"`
}
