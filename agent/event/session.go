package event

import (
	"time"
)

// Opened starts a session, or goes on with it in a new process.
type Opened struct {
	Root     string `json:"root"`
	Front    string `json:"front"` // tui, run, acp, mcp, demo
	Level    string `json:"level"`
	Sandbox  string `json:"sandbox"` // setting and grade, "auto A"
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Host     string `json:"host,omitempty"` // where requests to it go: "local" for this machine, else the host
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
	Host     string `json:"host,omitempty"`   // as in Opened
	Window   int64  `json:"window,omitempty"` // in tokens; 0 when unknown
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

// Notice is a banner: what happened, and the next step.
type Notice struct {
	Severity string `json:"severity"` // info, warn, error
	Text     string `json:"text"`
	Hint     string `json:"hint,omitempty"`
	Key      string `json:"key,omitempty"` // notices of one key replace each other; "" in Text clears
}

// FoundKey begins the key of a notice about what a call left that could act
// later; the call follows.
const FoundKey = "found:"

// Renamed gives the session a title.
type Renamed struct {
	Title string `json:"title"`
}

// Archived moves the session out of the everyday list, or back into it.
type Archived struct {
	Archived bool `json:"archived"`
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
