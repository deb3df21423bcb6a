package audit

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"time"
)

// A Front names the front end that a session belongs to.
type Front string

// The front ends that write a log.
const (
	FrontTUI  Front = "tui"
	FrontRun  Front = "run"
	FrontACP  Front = "acp"
	FrontMCP  Front = "mcp"
	FrontDemo Front = "demo"
	FrontCLI  Front = "cli" // a command typed by a person, such as audit export
)

// SessionInfo is what the open record states about a session. The log adds the
// process (id, start time, boot), the keys and the id of the redaction rules.
type SessionInfo struct {
	Session   string      // id of the session log; kept over resumes
	Tool      string      // name of the program; "tera-pilot" when empty
	Version   string      // version of the program
	Binary    string      // SHA-256 of the running binary, hex
	Host      string      // name of the machine
	User      string      // account
	Front     Front       // front end
	Workspace string      // root folder
	Head      string      // commit that the workspace is at, when there is one
	Level     string      // autonomy level
	NoConfirm bool        // the opt-out was given at the launch
	Sandbox   SandboxInfo // the setting and the grade reached
	Policy    string      // digest of the policy in force, hex
	Settings  string      // digest of the settings in force, hex
	Parent    *Parent     // of a sub-agent: who started it
}

// SandboxInfo says how a session is confined.
type SandboxInfo struct {
	Setting string // auto, on, off
	Grade   string // A, A-, B, none
}

// Parent names the record that started a sub-agent.
type Parent struct {
	Sid    string // sid of the parent
	Record string // hash of the parent's intent, as Token.Hash gives it
}

// A Category is one of the fifteen names that the activity log is filtered by.
type Category string

// The categories.
const (
	CategoryShell    Category = "shell"
	CategoryCode     Category = "code"
	CategoryFile     Category = "file"
	CategoryOffice   Category = "office"
	CategorySubagent Category = "subagent"
	CategoryVerify   Category = "verify"
	CategoryGit      Category = "git"
	CategoryMCP      Category = "mcp"
	CategorySkill    Category = "skill"
	CategoryThought  Category = "thought"
	CategoryPlan     Category = "plan"
	CategoryError    Category = "error"
	CategoryInfo     Category = "info"
	CategoryOther    Category = "other"
	CategoryWeb      Category = "web"
)

// An Origin says how a call reached the agent.
type Origin string

// The origins of a call.
const (
	OriginNative Origin = "native" // a tool call of the model's protocol
	OriginText   Origin = "text"   // recovered from prose
)

// A Decision is what the gate, or a person, said. The zero value is none of
// them, and an intent with it is refused.
type Decision string

// The words of a decision, the same everywhere (docs/architecture.md).
const (
	Allowed  Decision = "allowed"  // by a rule or the table
	Approved Decision = "approved" // a person said yes
	Denied   Decision = "denied"   // a person said no, or nobody answered
	Blocked  Decision = "blocked"  // a rule, the floor or a guard said no
)

// permits reports whether an effect may follow the decision.
func (d Decision) permits() bool { return d == Allowed || d == Approved }

// A By says who or what decided.
type By string

// Who decides.
const (
	ByTUI        By = "user:tui"
	ByACP        By = "user:acp"
	ByCLI        By = "user:cli"
	ByRule       By = "rule"
	ByRemembered By = "remembered"
	ByWindow     By = "window"
	ByBuiltIn    By = "built-in"
	ByTable      By = "table"
	ByFloor      By = "floor"
	ByParent     By = "parent"
	ByHook       By = "hook"
	ByGuardian   By = "guardian"
	ByTaint      By = "taint"
	ByHeadless   By = "headless"
	ByNoConfirm  By = "no-confirm"
	ByTimeout    By = "timeout"
	ByStopped    By = "stopped" // the turn ended while it was asked: nobody answered
	ByDemo       By = "demo"
)

// A Status is how an action ended: a typed value, never guessed from text.
type Status string

// How an action ends.
const (
	OK            Status = "ok"
	Failed        Status = "error"
	Rejected      Status = "rejected"  // of a denied intent
	StatusBlocked Status = "blocked"   // of a blocked intent, or changed at the recheck
	Cancelled     Status = "cancelled" // stopped by the person
	TimedOut      Status = "timeout"   // of the action, not of the question
	NotRun        Status = "not_run"   // found after a crash: it did not happen
	Unknown       Status = "unknown"   // found after a crash, or never settled
)

// Categories are all of them, the everyday ones first.
func Categories() []Category {
	return []Category{CategoryShell, CategoryCode, CategoryFile, CategoryGit, CategoryMCP, CategoryWeb, CategorySubagent, CategoryVerify,
		CategorySkill, CategoryThought, CategoryPlan, CategoryError, CategoryInfo, CategoryOffice, CategoryOther}
}

// Statuses are what the status of an Entry can be.
func Statuses() []Status {
	return []Status{OK, Failed, Rejected, StatusBlocked, Cancelled, TimedOut, NotRun, Unknown, StatusOpen}
}

// A CloseStatus is how a session ended.
type CloseStatus string

// How a session ends.
const (
	CloseOK        CloseStatus = "ok"
	CloseCancelled CloseStatus = "cancelled"
	CloseError     CloseStatus = "error"
)

// An Intent is an action about to happen, or refused. Fields marked "committed"
// are not written into the log: a salted digest is, and the value goes, after
// redaction, into a side file from where it can be deleted for good.
type Intent struct {
	AID      string    // 128 random bits, hex; made by the log when empty. The idempotency key
	Agent    string    // main, sub:NAME, mcp:CLIENT; "main" when empty
	Category Category  // for filters
	Tool     string    // name of the tool
	Title    string    // one line for a person
	Paths    []string  // what it touches
	Command  string    // text of a command
	Args     []byte    // committed: arguments as the model gave them
	Effect   []byte    // committed: canonical form of the completed effect set
	Digest   [32]byte  // effect digest (docs/contracts.md 2). Never written: Token.Covers compares it
	Origin   Origin    // native when empty
	Decision Decision  // what was decided
	By       By        // by whom or what
	Rule     *Rule     // the rule that decided, when one did
	Reason   string    // why, in words
	Policy   string    // digest of the policy in force, hex
	Inputs   []byte    // committed: all that the gate's function was given
	Asked    *Asked    // the question, when one was put
	Taint    []string  // origins of untrusted text in the context
	Level    string    // autonomy level in force
	Sandbox  Profile   // confinement of this action
	Net      []string  // hosts granted
	Pre      []FileRef // files as they are
	Want     []FileRef // files as they are meant to become
}

// A Rule is the place of a policy rule.
type Rule struct {
	ID   string
	File string
	Line int
}

// Asked is the question that a person answered.
type Asked struct {
	Question string        // id of the question
	Lines    []byte        // committed: the logical lines as they were shown
	Took     time.Duration // from shown to answered
	Unfenced bool          // shown by a front end that cannot keep answers and text apart
}

// Profile is the sandbox profile of one action, and its grade.
type Profile struct {
	Profile string // observe, work, net, debug
	Grade   string // A, A-, B, none
}

// A FileRef is the state of one file. A file that is not there has no digest.
type FileRef struct {
	Path   string
	SHA256 string // hex; committed instead of written when the path is secret-like or Secret is set
	Size   int64
	Mode   fs.FileMode
	Secret bool // the content may be secret although the name does not say so
}

// An Outcome is how an intent ended.
type Outcome struct {
	Status  Status
	Code    *int          // exit code of a command
	Signal  string        // signal that ended it
	Took    time.Duration // how long it ran
	Post    []FileRef     // files as they became
	Out     []byte        // committed: its output
	OutSize int64         // bytes of output in all
	Diff    string        // "+3 -1"
	Reason  string        // of a refusal, an error, or a guess after a crash
}

// An Event is anything else worth stating.
type Event struct {
	Kind     string         // open list: prompt, model, level, policy, trust, …
	Category Category       // CategoryInfo when empty
	Title    string         // one line for a person
	Data     map[string]any // strings, integers, booleans, lists and one more level of maps
}

// A Head is the end of a log at one moment.
type Head struct {
	Log  string // id of the log: 32 hex digits
	Size int64  // records
	Hash string // hash of the last record, 64 hex digits
}

// String is the form that verify --anchor takes.
func (h Head) String() string { return fmt.Sprintf("%d:%s", h.Size, h.Hash) }

// Trailer is the line that makes a commit a witness of this head.
func (h Head) Trailer() string { return fmt.Sprintf("Tera-Audit: %s#%d %s", h.Log, h.Size, h.Hash) }

// A Token says that an intent is on the disk. Only [Session.Intent] makes one;
// the zero Token is invalid and covers nothing.
type Token struct{ p *pending }

// pending is an intent whose outcome has not been written.
type pending struct {
	session  *Session
	aid      string
	hash     [32]byte
	digest   [32]byte
	decision Decision
	taken    chan struct{} // holds one value; whoever takes it writes the outcome
}

// Covers reports whether the effect with this digest may run on the word of this
// token: it was issued for that digest, the decision permits it, no outcome has
// been written yet, and the log can still take one.
func (t Token) Covers(digest [32]byte) bool {
	return t.Valid() && t.p.decision.permits() && digest != [32]byte{} && t.p.digest == digest
}

// Valid reports whether the token stands for an intent without an outcome, in a
// session that is open and a log that has not stopped.
func (t Token) Valid() bool {
	return t.p != nil && len(t.p.taken) == 1 && !t.p.session.closed.Load() && t.p.session.l.Err() == nil
}

// AID is the id of the action, the empty string for the zero Token.
func (t Token) AID() string {
	if t.p == nil {
		return ""
	}
	return t.p.aid
}

// Hash is the hash of the intent's record in hex, the empty string for the
// zero Token.
func (t Token) Hash() string {
	if t.p == nil {
		return ""
	}
	return hex.EncodeToString(t.p.hash[:])
}

// An OpenIntent is an intent without an outcome, left by a process that is
// gone. Its committed members are not known here: the session log has them.
type OpenIntent struct {
	Session string // id of the session log, from the open record
	Sid     string // the dead process and session
	Hash    string // hash of the intent's record, hex
	Seq     int64
	Intent  Intent // as written; committed members are empty
}
