package event

// Masked says that the bodies of old results are no longer sent to the model.
type Masked struct {
	Calls []string `json:"calls"`
	Freed int64    `json:"freed"` // tokens, estimated
}

// Compacted says that what came before the event After is sent to the model as
// a summary. The log keeps all of it.
type Compacted struct {
	After   uint64   `json:"after"` // events with a lower or equal number are summed up
	Summary string   `json:"summary"`
	Kept    []string `json:"kept,omitempty"`    // what stands in it word for word: rules, denials, tasks
	Dropped []string `json:"dropped,omitempty"` // what it leaves out, by name
	SHA256  string   `json:"sha256"`            // of what was dropped, as it was sent
	From    int64    `json:"from"`              // tokens before, estimated
	To      int64    `json:"to"`                // and after
	Tainted bool     `json:"tainted,omitempty"` // the summary covers untrusted text
	By      string   `json:"by,omitempty"`      // the model that wrote the summary; "" when the program did
	Usage   Usage    `json:"usage,omitzero"`    // of the requests for it
}

// Uncompacted takes the compaction with the number Of back.
type Uncompacted struct {
	Of uint64 `json:"of"`
}

// Instructed is what the project's own files tell the model from now on: its
// notes (AGENTS.md and the like), framed as data.
type Instructed struct {
	Files []InstructionFile `json:"files"`
	Text  string            `json:"text"` // as the model reads it; "" for none any more
}

// InstructionFile is one file of project notes.
type InstructionFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Cut    bool   `json:"cut,omitempty"` // only its beginning is sent
}

// Tainted says that untrusted text is in the context from now on.
type Tainted struct {
	Source string `json:"source"` // command, file, web, mcp
	What   string `json:"what"`
}
