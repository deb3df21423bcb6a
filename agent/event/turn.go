package event

import (
	"encoding/json"
	"time"
)

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
	Estimated  bool   `json:"estimated,omitempty"` // by us, for (part of) it: a server did not say
}

// Spent is what a request to a model took that is no reply of this
// conversation: of a sub-agent, or of the guardian. It counts for the session.
type Spent struct {
	Call  string `json:"call,omitempty"` // that started the sub-agent
	For   string `json:"for"`            // sub-agent or guardian
	Usage Usage  `json:"usage"`
}

// Plus is the sum of both; a cost that is not known adds nothing.
func (u Usage) Plus(v Usage) Usage {
	u.Input, u.Output = u.Input+v.Input, u.Output+v.Output
	u.CacheRead, u.CacheWrite = u.CacheRead+v.CacheRead, u.CacheWrite+v.CacheWrite
	u.Estimated = u.Estimated || v.Estimated
	if v.Cost != nil {
		sum := *v.Cost
		if u.Cost != nil {
			sum += *u.Cost
		}
		u.Cost = &sum
	}
	return u
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

// Nudged is what the program itself told the model: Kind is loop, edits,
// verify, empty or plan. It joins the conversation behind the results of the
// calls that are open.
type Nudged struct {
	Turn int    `json:"turn"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Working says what the session is waiting for: model, tool, person or nothing.
type Working struct {
	On    string    `json:"on"`
	Since time.Time `json:"since,omitzero"`
	Says  string    `json:"says,omitempty"` // why it takes long, in our own words

	Writes string `json:"writes,omitempty"` // the tool whose call the model is writing, as the model names it
	Bytes  int    `json:"bytes,omitempty"`  // of that call's arguments so far
}

// Queued is what the person typed while the agent works, oldest first.
type Queued struct {
	Texts []string `json:"texts"`
}
