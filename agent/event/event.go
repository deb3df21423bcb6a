package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// Version is the version of the event format.
const Version = 1

// An Event is one thing that happened in a session (docs/contracts.md, section 3).
type Event struct {
	Seq     uint64    // from 1 without a gap; 0 for a transient event
	Time    time.Time // UTC
	Session string
	Body    Body
}

// A Body is the content of an event: one of the types of this file.
type Body interface{ Type() string }

// Transient says that the event is not stored.
func (e Event) Transient() bool {
	switch e.Body.(type) {
	case TextDelta, ReasoningDelta, OutputDelta, CallPreview, AuditHead, Working, Queued, UndoPoints, UndoPlan, Offered:
		return true
	default:
		return false
	}
}

// Opened starts a session, or goes on with it in a new process.
type Opened struct {
	Root     string `json:"root"`
	Front    string `json:"front"` // tui, run, acp, mcp, demo
	Level    string `json:"level"`
	Sandbox  string `json:"sandbox"` // setting and grade, "auto A"
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Version  string `json:"version"`
	Resumed  bool   `json:"resumed,omitempty"`
	Title    string `json:"title,omitempty"`
	Facts    string `json:"facts,omitempty"` // of the environment, for the model; the first ones count

	Network string `json:"network,omitempty"`  // what commands reach: "off", or the hosts
	Window  int64  `json:"window,omitempty"`   // the model's context, in tokens; 0 when unknown
	MaxCost int64  `json:"max_cost,omitempty"` // of the session, in millionths of a dollar; 0 for none
	Parent  string `json:"parent,omitempty"`   // the session that this one was forked from
	Fork    uint64 `json:"fork,omitempty"`     // the last event of the parent that it shares
}

// TurnStarted begins a turn with what the person said.
type TurnStarted struct {
	Turn   int        `json:"turn"`
	Text   string     `json:"text"`
	Images []ImageRef `json:"images,omitempty"`
	Notes  []Note     `json:"notes,omitempty"` // what hooks add for the model
}

// A Note is text for the model that neither the person nor the model wrote.
type Note struct {
	From     string `json:"from"` // the hook
	Text     string `json:"text"`
	Boundary string `json:"boundary"` // random mark around it
}

// ImageRef is a picture that came with a message or a result. Its bytes lie in
// the session's folder under the name of their hash.
type ImageRef struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	SHA256    string `json:"sha256"`
	Size      int64  `json:"size"`
}

// TurnEnded closes a turn. Status is done, incomplete, error or cancelled.
type TurnEnded struct {
	Turn         int    `json:"turn"`
	Status       string `json:"status"`
	Message      string `json:"message,omitempty"` // why, when it is not done
	Verification string `json:"verification,omitempty"`
	Code         int    `json:"code,omitempty"` // exit code that a headless run maps it to
}

// TextDelta is a piece of the answer as it streams.
type TextDelta struct {
	Text string `json:"text"`
}

// ReasoningDelta is a piece of the model's reasoning as it streams.
type ReasoningDelta struct {
	Text string `json:"text"`
}

// Reply is a whole answer of the model.
type Reply struct {
	Text      string          `json:"text,omitempty"`
	Reasoning string          `json:"reasoning,omitempty"`
	Calls     []Call          `json:"calls,omitempty"`
	Parts     json.RawMessage `json:"parts,omitempty"` // the message as the model layer made it, to be sent back unread
	Usage     Usage           `json:"usage"`
	Stop      string          `json:"stop"`
	Provider  string          `json:"provider"`
	Model     string          `json:"model"`
	Warnings  []string        `json:"warnings,omitempty"` // what was odd about it, in the words of agent/model
}

// Call is a tool call that the model proposes.
type Call struct {
	ID      string          `json:"id"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args,omitempty"`
	Origin  string          `json:"origin"`            // native or text
	Status  string          `json:"status"`            // ok, invalid_args, unknown_tool, duplicate, truncated
	Problem string          `json:"problem,omitempty"` // why it is not ok, in words for the model
}

// Usage counts tokens. Cost is in millionths of a dollar, nil when unknown.
type Usage struct {
	Input      int64  `json:"input"`
	Output     int64  `json:"output"`
	CacheRead  int64  `json:"cache_read,omitempty"`
	CacheWrite int64  `json:"cache_write,omitempty"`
	Cost       *int64 `json:"cost,omitempty"`
}

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

// LevelChanged says that the autonomy level is another one now.
type LevelChanged struct {
	From string `json:"from"`
	To   string `json:"to"`
	By   string `json:"by"`
}

// ModelChanged says that another model answers from now on.
type ModelChanged struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Window   int64  `json:"window,omitempty"` // in tokens; 0 when unknown
}

// TodoChanged is the whole list of tasks.
type TodoChanged struct {
	Items []TodoItem `json:"items"`
}

// TodoItem is one task. Status is pending, active or done.
type TodoItem struct {
	Text   string `json:"text"`
	Status string `json:"status"`
}

// Interjected is a message of the person that joined the running turn.
type Interjected struct {
	Turn int    `json:"turn"`
	Text string `json:"text"`
}

// WindowChanged says that a timed window opened ("trust", "unsafe") or that
// none is open any more ("").
type WindowChanged struct {
	Mode  string    `json:"mode"`
	Until time.Time `json:"until,omitzero"`
	Why   string    `json:"why,omitempty"` // of its end: strict, over, cancel, reload, grade
}

// PolicyChanged says that other rules are in force from now on.
type PolicyChanged struct {
	What string `json:"what"` // remembered, forgotten, reloaded, host granted
	Rule string `json:"rule,omitempty"`
	From string `json:"from"` // digests of the policy
	To   string `json:"to"`
}

// ThoughtChanged says how much the model may think from the next request on.
type ThoughtChanged struct {
	Level string `json:"level"`
}

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

// Nudged is what the program itself told the model: Kind is loop, edits,
// verify, empty or plan. It joins the conversation behind the results of the
// calls that are open.
type Nudged struct {
	Turn int    `json:"turn"`
	Kind string `json:"kind"`
	Text string `json:"text"`
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

// Offered is what the person can call by a slash besides the built-in words.
type Offered struct {
	Commands []SlashCommand `json:"commands"`
}

// SlashCommand is a message that the person has ready under a name.
type SlashCommand struct {
	Name string `json:"name"` // without its slash
	Does string `json:"does"`
	From string `json:"from"` // user, project or skill
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

// Notice is a banner: what happened, and the next step.
type Notice struct {
	Severity string `json:"severity"` // info, warn, error
	Text     string `json:"text"`
	Hint     string `json:"hint,omitempty"`
	Key      string `json:"key,omitempty"` // notices of one key replace each other; "" in Text clears
}

// Recovered says how a call that a crash left open was settled.
type Recovered struct {
	Call   string `json:"call"`
	Tool   string `json:"tool"`
	Title  string `json:"title"`
	Status string `json:"status"`
}

// Tainted says that untrusted text is in the context from now on.
type Tainted struct {
	Source string `json:"source"` // command, file, web, mcp
	What   string `json:"what"`
}

// Renamed gives the session a title.
type Renamed struct {
	Title string `json:"title"`
}

// Archived moves the session out of the everyday list, or back into it.
type Archived struct {
	Archived bool `json:"archived"`
}

// UndoPoints answers ListUndo: the calls of this session that changed files,
// the newest first.
type UndoPoints struct {
	Points []UndoPoint `json:"points"`
}

// UndoPoint is one call that changed files, with what stands in the way of
// taking it back now.
type UndoPoint struct {
	Call      string     `json:"call"`
	Turn      int        `json:"turn"`
	Tool      string     `json:"tool"`
	Title     string     `json:"title"`
	Time      time.Time  `json:"time"`
	Files     []UndoFile `json:"files,omitempty"`
	Uncovered []string   `json:"uncovered,omitempty"` // what it changed or may have changed and cannot be put back, one line each
	Of        []string   `json:"of,omitempty"`        // it is an undo itself: of these calls; undoing it is a redo
	Undone    bool       `json:"undone,omitempty"`    // all that could be taken back has been
}

// UndoFile is one path of an UndoPoint or of an UndoPlan.
type UndoFile struct {
	Path     string `json:"path"`
	Change   string `json:"change"`             // created, written, deleted, chmod, mkdir: what was done, or, in a plan, is to be done
	Undone   bool   `json:"undone,omitempty"`   // this path has been taken back
	Merged   bool   `json:"merged,omitempty"`   // in a plan: later changes of others stay in it
	Conflict string `json:"conflict,omitempty"` // why it is left as it is; "" when it is clean
}

// UndoPlan answers an Undo with Dry: what it would do. Lines is the whole
// diff, laid out as in a question.
type UndoPlan struct {
	Of        []string   `json:"of"` // calls
	Files     []UndoFile `json:"files,omitempty"`
	Uncovered []string   `json:"uncovered,omitempty"`
	Lines     []Line     `json:"lines,omitempty"`
	Problem   string     `json:"problem,omitempty"` // why there is nothing to undo
}

// Closed ends the process's part in a session.
type Closed struct {
	Status string `json:"status"` // ok, cancelled, error
}

// AuditHead is where the audit log stands. Broken says why it takes nothing more.
type AuditHead struct {
	Size   uint64 `json:"size"`
	Head   string `json:"head"`
	Broken string `json:"broken,omitempty"`
}

// Working says what the session is waiting for: model, tool, person or nothing.
type Working struct {
	On    string    `json:"on"`
	Since time.Time `json:"since"`
}

// Queued is what the person typed while the agent works, oldest first.
type Queued struct {
	Texts []string `json:"texts"`
}

// The words of the bodies in the log.
func (Opened) Type() string         { return "session.opened" }
func (TurnStarted) Type() string    { return "turn.started" }
func (TurnEnded) Type() string      { return "turn.ended" }
func (TextDelta) Type() string      { return "reply.delta" }
func (ReasoningDelta) Type() string { return "reasoning.delta" }
func (Reply) Type() string          { return "reply" }
func (CallStarted) Type() string    { return "call.started" }
func (CallPreview) Type() string    { return "call.preview" }
func (CallDecided) Type() string    { return "call.decided" }
func (OutputDelta) Type() string    { return "output.delta" }
func (CallResult) Type() string     { return "call.result" }
func (QuestionOpened) Type() string { return "question.opened" }
func (QuestionClosed) Type() string { return "question.closed" }
func (LevelChanged) Type() string   { return "level.changed" }
func (ModelChanged) Type() string   { return "model.changed" }
func (TodoChanged) Type() string    { return "todo.changed" }
func (Notice) Type() string         { return "notice" }
func (Recovered) Type() string      { return "recovered" }
func (Tainted) Type() string        { return "tainted" }
func (Renamed) Type() string        { return "renamed" }
func (Interjected) Type() string    { return "turn.interjected" }
func (WindowChanged) Type() string  { return "window.changed" }
func (PolicyChanged) Type() string  { return "policy.changed" }
func (ThoughtChanged) Type() string { return "thought.changed" }
func (Masked) Type() string         { return "context.masked" }
func (Compacted) Type() string      { return "context.compacted" }
func (Uncompacted) Type() string    { return "context.uncompacted" }
func (Nudged) Type() string         { return "turn.nudged" }
func (Instructed) Type() string     { return "session.instructed" }
func (Offered) Type() string        { return "offered" }
func (JobChanged) Type() string     { return "job.changed" }
func (Egress) Type() string         { return "egress" }
func (Closed) Type() string         { return "session.closed" }
func (Archived) Type() string       { return "session.archived" }
func (UndoPoints) Type() string     { return "undo.points" }
func (UndoPlan) Type() string       { return "undo.plan" }
func (AuditHead) Type() string      { return "audit.head" }
func (Working) Type() string        { return "working" }
func (Queued) Type() string         { return "queued" }

type header struct {
	V       int    `json:"v"`
	Seq     uint64 `json:"seq,omitempty"`
	TS      string `json:"ts"`
	Session string `json:"session"`
	Type    string `json:"type"`
}

// timeForm is the fixed-width form of time stamps: UTC, milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes the header's members and then the body's, as one object.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Body == nil {
		return nil, fmt.Errorf("event %d has no body", e.Seq)
	}
	head, err := json.Marshal(header{Version, e.Seq, e.Time.UTC().Format(timeForm), e.Session, e.Body.Type()})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(e.Body)
	if err != nil {
		return nil, err
	}
	if len(body) > 2 {
		head = append(append(head[:len(head)-1], ','), body[1:]...)
	}
	return head, nil
}

// UnmarshalJSON reads what MarshalJSON writes. An unknown type or version is
// an error: a log that we do not understand must not be half read.
func (e *Event) UnmarshalJSON(b []byte) error {
	h, err := readHeader(b)
	if err != nil {
		return err
	}
	if h.V != Version {
		return fmt.Errorf("event %d has version %d: this program reads version %d; use a newer one", h.Seq, h.V, Version)
	}
	ts, err := time.Parse(timeForm, h.TS)
	if err != nil {
		return fmt.Errorf("event %d: time stamp: %w", h.Seq, err)
	}
	body, err := decodeBody(h.Type, b)
	if err != nil {
		return fmt.Errorf("event %d: %w", h.Seq, err)
	}
	*e = Event{Seq: h.Seq, Time: ts, Session: h.Session, Body: body}
	return nil
}

func decodeBody(word string, b []byte) (Body, error) {
	switch word {
	case Opened{}.Type():
		return into[Opened](b)
	case TurnStarted{}.Type():
		return into[TurnStarted](b)
	case TurnEnded{}.Type():
		return into[TurnEnded](b)
	case Reply{}.Type():
		return into[Reply](b)
	case CallStarted{}.Type():
		return into[CallStarted](b)
	case CallPreview{}.Type():
		return into[CallPreview](b)
	case CallDecided{}.Type():
		return into[CallDecided](b)
	case CallResult{}.Type():
		return into[CallResult](b)
	case QuestionOpened{}.Type():
		return into[QuestionOpened](b)
	case QuestionClosed{}.Type():
		return into[QuestionClosed](b)
	case LevelChanged{}.Type():
		return into[LevelChanged](b)
	case ModelChanged{}.Type():
		return into[ModelChanged](b)
	case TodoChanged{}.Type():
		return into[TodoChanged](b)
	case Notice{}.Type():
		return into[Notice](b)
	case Recovered{}.Type():
		return into[Recovered](b)
	case Tainted{}.Type():
		return into[Tainted](b)
	case Renamed{}.Type():
		return into[Renamed](b)
	case Closed{}.Type():
		return into[Closed](b)
	case Archived{}.Type():
		return into[Archived](b)
	case UndoPoints{}.Type():
		return into[UndoPoints](b)
	case UndoPlan{}.Type():
		return into[UndoPlan](b)
	case Interjected{}.Type():
		return into[Interjected](b)
	case WindowChanged{}.Type():
		return into[WindowChanged](b)
	case PolicyChanged{}.Type():
		return into[PolicyChanged](b)
	case ThoughtChanged{}.Type():
		return into[ThoughtChanged](b)
	case Masked{}.Type():
		return into[Masked](b)
	case Compacted{}.Type():
		return into[Compacted](b)
	case Uncompacted{}.Type():
		return into[Uncompacted](b)
	case Nudged{}.Type():
		return into[Nudged](b)
	case Instructed{}.Type():
		return into[Instructed](b)
	case Offered{}.Type():
		return into[Offered](b)
	case JobChanged{}.Type():
		return into[JobChanged](b)
	case Egress{}.Type():
		return into[Egress](b)
	case TextDelta{}.Type():
		return into[TextDelta](b)
	case ReasoningDelta{}.Type():
		return into[ReasoningDelta](b)
	case OutputDelta{}.Type():
		return into[OutputDelta](b)
	case AuditHead{}.Type():
		return into[AuditHead](b)
	case Working{}.Type():
		return into[Working](b)
	case Queued{}.Type():
		return into[Queued](b)
	default:
		return nil, fmt.Errorf("unknown type %q: written by a newer version?", word)
	}
}

func into[T Body](b []byte) (Body, error) {
	var body T
	err := json.Unmarshal(b, &body)
	return body, err
}
