package event

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// A Question is what the person decides about. The core makes it whole; a
// front end lays its lines out and changes nothing.
type Question struct {
	ID        string       `json:"id"`
	Digest    string       `json:"digest"` // of the effect set, hex; of the text for ask_user
	Call      string       `json:"call,omitempty"`
	Tool      string       `json:"tool,omitempty"`
	Kind      QuestionKind `json:"kind"`
	Title     string       `json:"title"`
	Lines     []Line       `json:"lines"`
	LinesHash string       `json:"lines_hash"`
	Scopes    []Scope      `json:"scopes,omitempty"`    // what "allow more" offers, from exact to general
	Options   []string     `json:"options,omitempty"`   // ask_user: suggested answers
	Form      []Field      `json:"form,omitempty"`      // ask_user: a server asks for these (MCP elicitation); the digest is HashForm
	From      string       `json:"from,omitempty"`      // of a form: the server that asks, made visible
	Revisable bool         `json:"revisable,omitempty"` // a Revise makes a new version of it
	Danger    bool         `json:"danger,omitempty"`
	Code      string       `json:"code,omitempty"` // Danger: to be typed instead of the allow key
	Raised    bool         `json:"raised,omitempty"`
	Opened    time.Time    `json:"opened"`
	Deadline  time.Time    `json:"deadline"`
	Waiting   int          `json:"waiting,omitempty"` // further questions behind this one

	// Proposals are what an editor would open, in the order of the files in
	// Lines; for front ends in this process only.
	Proposals []Proposal `json:"-"`
}

// A Proposal is one text of a revisable question, whole.
type Proposal struct {
	Path string // of the file; "" is the command
	Text string
}

// QuestionKind is what sort of question it is, for the screen's layout.
type QuestionKind string

// Kinds of questions.
const (
	AskCommand QuestionKind = "command"
	AskEdit    QuestionKind = "edit"
	AskRead    QuestionKind = "read"
	AskGit     QuestionKind = "git"
	AskFetch   QuestionKind = "fetch"
	AskMCP     QuestionKind = "mcp"
	AskOther   QuestionKind = "other"
	AskUser    QuestionKind = "ask_user" // the model asks; the answer is text
	AskUnknown QuestionKind = "unknown"  // what to do with a call that a crash left open
)

// A Line is one logical line of a question, before wrapping. Text holds no
// control, bidi or invisible character any more.
type Line struct {
	Kind LineKind `json:"kind"`
	Text string   `json:"text"`
	Mark string   `json:"mark,omitempty"` // MarkYours, or ""
}

// MarkYours marks a line that the person wrote, and not the model.
const MarkYours = "yours"

// LineKind says how a line is to be drawn; it is covered by the lines' hash.
type LineKind string

// Kinds of lines.
const (
	LineFact    LineKind = "fact"    // "program   /usr/bin/go", decoded by the core
	LineWarn    LineKind = "warn"    // a fact that needs attention
	LineFile    LineKind = "file"    // a file's heading in a review
	LineHunk    LineKind = "hunk"    // a hunk's heading
	LineContext LineKind = "context" // unchanged
	LineAdd     LineKind = "add"
	LineDelete  LineKind = "delete"
	LineLeft    LineKind = "left"   // an added or deleted line that the person left out: nothing happens there
	LineScript  LineKind = "script" // the command's own text
	LineModel   LineKind = "model"  // what the model says: never a fact
	LineBlank   LineKind = "blank"
)

// HashLines commits to the lines as they were asked, in hex.
func HashLines(lines []Line) string {
	b, err := json.Marshal(lines)
	if err != nil {
		panic("event: lines of text do not encode: " + err.Error())
	}
	return HashBytes(b)
}

// HashBytes is HashLines of lines that are JSON already.
func HashBytes(lines []byte) string {
	sum := sha256.Sum256(append([]byte("tera-pilot/question/1\n"), lines...))
	return hex.EncodeToString(sum[:])
}

// A Scope is one rule that the person may keep, with what it would match.
type Scope struct {
	ID      string `json:"id"`
	Title   string `json:"title"`    // "this exact command, this session"
	Match   string `json:"match"`    // an example that it would match
	NoMatch string `json:"no_match"` // and one that it would not
	Rule    string `json:"rule"`     // in the policy language

	Until time.Time `json:"until,omitzero"` // when it ends; zero: with the session
	Ends  string    `json:"ends,omitempty"` // how it ends, in place of Until
	Seen  string    `json:"seen,omitempty"` // "covers 12 of 200 earlier commands here"
}

// Choice is the person's word. The zero value denies.
type Choice uint8

// Choices.
const (
	Deny Choice = iota
	Once        // this one digest, once
	Keep        // once, and the rule of the named scope from now on
	Say         // the text is the answer (ask_user)
)

// An Answer is taken once, and only when question, digest and lines hash all
// equal those of the open question.
type Answer struct {
	Question  string
	Digest    string
	LinesHash string
	Choice    Choice
	Scope     string
	Reason    string            // of a denial; travels in the tool result
	Text      string            // Reply
	Form      map[string]string // the values of a form; see Field.Check
	Cancelled bool              // with Deny, of a form: it was put away without a word on it, which is no refusal
	Code      string            // Danger
	Unfenced  bool              // the front end could not make sure that the question was drawn
	By        string            // user:tui, user:acp, demo
	Millis    int64             // from drawn to answered
}
