package event

// CallStarted says what a call would do, before anything is decided.
type CallStarted struct {
	Call    string   `json:"call"`
	Tool    string   `json:"tool"`
	Title   string   `json:"title"`
	Effects []string `json:"effects,omitempty"` // one line each, decoded
	Digest  string   `json:"digest,omitempty"`
	// For settling after a crash: the intent's id and the planned states.
	Intent string `json:"intent,omitempty"`
}

// CallPreview shows the files that a call would change or read, before its
// CallStarted. Only front ends that show files themselves ask for it.
type CallPreview struct {
	Call  string        `json:"call"`
	Files []FilePreview `json:"files,omitempty"`
}

// FilePreview is one file of a proposed call.
type FilePreview struct {
	Path   string  `json:"path"` // absolute
	Change bool    `json:"change,omitempty"`
	Before *string `json:"before,omitempty"` // nil: not there yet
	After  *string `json:"after,omitempty"`  // nil: no new text, or it is no text
}

// CallDecided carries the gate's or the person's word on a call.
type CallDecided struct {
	Call     string `json:"call"`
	Decision string `json:"decision"` // allowed, approved, denied, blocked
	By       string `json:"by"`       // rule, table, user:tui, floor, …
	Rule     string `json:"rule,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Allow    string `json:"would_allow,omitempty"` // the smallest rule that would have allowed it
}

// OutputDelta is a piece of a running command's output.
type OutputDelta struct {
	Call   string `json:"call"`
	Stream string `json:"stream"` // stdout or stderr
	Text   string `json:"text"`
}

// CallResult closes a call.
type CallResult struct {
	Call      string     `json:"call"`
	Tool      string     `json:"tool"`
	Status    string     `json:"status"`   // docs/audit-format.md 4.2, or running
	Decision  string     `json:"decision"` // allowed, approved, denied, blocked
	Exit      *int       `json:"exit,omitempty"`
	Signal    string     `json:"signal,omitempty"`
	Title     string     `json:"title"`
	Body      string     `json:"body,omitempty"` // what the model reads, without its frame
	Output    string     `json:"output,omitempty"`
	Hidden    int        `json:"hidden,omitempty"`   // lines that were cut from Body
	Boundary  string     `json:"boundary,omitempty"` // random mark around a body that is not our own words
	Diff      string     `json:"diff,omitempty"`     // "+3 -1"
	Files     []FileSeen `json:"files,omitempty"`
	Changes   []Change   `json:"changes,omitempty"`
	Millis    int64      `json:"ms"`
	Untrusted string     `json:"untrusted,omitempty"` // where the body comes from: file, command, web, mcp; "" are our own words
	Recovered bool       `json:"recovered,omitempty"`
	Check     bool       `json:"check,omitempty"`   // the call ran the project's tests, as its files name them
	Tests     bool       `json:"tests,omitempty"`   // the call ran tests, though perhaps not all of them
	Revised   bool       `json:"revised,omitempty"` // the person changed the proposal; Body says how
	Images    []ImageRef `json:"images,omitempty"`
	Undone    []string   `json:"undone,omitempty"`    // calls that this one took back
	Conflicts []string   `json:"conflicts,omitempty"` // what of them it left as it is, one line each
}

// FileSeen is the state in which the model last saw a file.
type FileSeen struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Change is one file that a call changed.
type Change struct {
	Path   string `json:"path"`
	Change string `json:"change"` // created, written, deleted, renamed, mkdir, chmod
	To     string `json:"to,omitempty"`
}

// QuestionOpened puts a question before the person.
type QuestionOpened struct {
	Question Question `json:"question"`
}

// QuestionClosed ends a question: answered, timeout, cancelled, revised or died.
type QuestionClosed struct {
	ID   string `json:"id"`
	How  string `json:"how"`
	Said string `json:"said,omitempty"` // approved, denied
}

// JobChanged says where a command in the background stands.
type JobChanged struct {
	Job    string `json:"job"`
	Call   string `json:"call"`
	Title  string `json:"title"`
	Status string `json:"status"` // running, or the status of its outcome
	Exit   *int   `json:"exit,omitempty"`
}

// Egress says that something left the machine, or was kept from it.
type Egress struct {
	Call     string `json:"call,omitempty"`
	Door     string `json:"door"` // web, mcp, command, git
	Host     string `json:"host"` // with its port
	Method   string `json:"method,omitempty"`
	Address  string `json:"address,omitempty"` // that was dialled
	Sent     int64  `json:"sent"`              // bytes
	Received int64  `json:"received"`
	Status   string `json:"status"` // ok, error, blocked
	Reason   string `json:"reason,omitempty"`
}

// Refused is a no that a sub-agent got: its own log has the call, and whoever
// looks at its parent's hears of it here.
type Refused struct {
	Call     string   `json:"call"`    // of the parent, that started the sub-agent
	Session  string   `json:"session"` // the sub-agent's
	Tool     string   `json:"tool"`
	Title    string   `json:"title"`
	Effects  []string `json:"effects,omitempty"` // none: it could not be planned
	Decision string   `json:"decision"`          // denied or blocked
	By       string   `json:"by,omitempty"`
	Rule     string   `json:"rule,omitempty"`
	Reason   string   `json:"reason"`
	Allow    string   `json:"would_allow,omitempty"` // as of CallDecided
}

// Recovered says how a call that a crash left open was settled.
type Recovered struct {
	Call   string `json:"call"`
	Tool   string `json:"tool"`
	Title  string `json:"title"`
	Status string `json:"status"`
}
