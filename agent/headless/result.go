package headless

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
)

// Exit codes (docs/exit-codes.md).
const (
	exitFailed     = 1
	exitDenied     = 3
	exitBudget     = 5
	exitNoSandbox  = 6
	exitNoEvidence = 7
	exitCancelled  = 8
	exitModel      = 9
)

// Result is the last object of `run --json` (docs/contracts.md, section 5).
type Result struct {
	Type         string         `json:"type"`
	Exit         int            `json:"exit"`
	Status       string         `json:"status"`
	Message      string         `json:"message"`
	Session      string         `json:"session"`
	Audit        Audit          `json:"audit"`
	Files        []event.Change `json:"files"`
	Denied       []Denial       `json:"denied"`
	Found        []string       `json:"found"` // what commands left that could act later, and where it is
	Verification string         `json:"verification"`
	Usage        Usage          `json:"usage"`
	Cost         *int64         `json:"cost"`

	Checks []Checked `json:"-"` // test runs, the last one of each
	Misfit string    `json:"-"` // how the message does not fit the schema; "" when it does, or none was given
}

// Checked is a test run of the turn.
type Checked struct {
	Title  string
	Passed bool
	Body   string // what it printed
	Millis int64
}

// Audit is where the audit log stands.
type Audit struct {
	Log  string `json:"log"`
	Size int64  `json:"size"`
	Head string `json:"head"`
}

// Usage counts the tokens of the session.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Estimated  bool  `json:"estimated,omitempty"` // (part of) it by us, where a server did not say
}

// Denial is one line of the ledger.
type Denial struct {
	Tool       string  `json:"tool"`
	Effect     string  `json:"effect"`
	Decision   string  `json:"decision"`
	Rule       *string `json:"rule"`
	Reason     string  `json:"reason"`
	WouldAllow *string `json:"would_allow"`
}

// checked keeps the last run of each test.
func (r *run) checked(b event.CallResult) {
	if !b.Check {
		return
	}
	r.checks = slices.DeleteFunc(r.checks, func(c Checked) bool { return c.Title == b.Title })
	r.checks = append(r.checks, Checked{b.Title, b.Status == "ok" && b.Exit != nil && *b.Exit == 0, b.Body, b.Millis})
}

// ledger keeps a decision that said no.
func (r *run) ledger(d event.CallDecided) {
	if d.Decision != string(audit.Denied) && d.Decision != string(audit.Blocked) {
		return
	}
	s := r.started[d.Call]
	r.denied = append(r.denied, Denial{
		Tool: s.Tool, Effect: strings.Join(s.Effects, "; "), Decision: d.Decision, Reason: d.Reason,
		Rule: optional(d.Rule), WouldAllow: optional(d.Allow),
	})
	if d.By == string(audit.ByFloor) && !r.Sandbox && needsSandbox(s) {
		r.boxless = true
	}
}

// below keeps a no that a sub-agent got.
func (r *run) below(b event.Refused) {
	effect := cmp.Or(strings.Join(b.Effects, "; "), b.Title)
	r.denied = append(r.denied, Denial{
		Tool: b.Tool, Effect: "sub-agent: " + effect, Decision: b.Decision, Reason: b.Reason, Rule: optional(b.Rule), WouldAllow: optional(b.Allow),
	})
	if b.By == string(audit.ByFloor) && !r.Sandbox && needsSandbox(event.CallStarted{Effects: b.Effects}) {
		r.boxless = true
	}
}

// unplanned keeps a call that was blocked before there was a plan to decide
// about: what it would change lies where nothing may be changed.
func (r *run) unplanned(b event.CallResult) {
	if _, planned := r.started[b.Call]; b.Status == "blocked" && !planned {
		r.denied = append(r.denied, Denial{Tool: b.Tool, Effect: b.Title, Decision: b.Decision, Reason: b.Body})
	}
}

// needsSandbox says whether a call would have started a process.
func needsSandbox(s event.CallStarted) bool {
	for _, e := range s.Effects {
		if strings.HasPrefix(e, "run ") || strings.HasPrefix(e, "git ") {
			return true
		}
	}
	return false
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (r *run) result() (Result, error) {
	state, err := r.Session.State()
	if err != nil {
		return Result{}, err
	}
	head := r.Session.Head()
	res := Result{
		Type: "result", Exit: r.exit(), Status: r.end.Status, Message: state.Last, Session: r.Session.ID(),
		Audit: Audit{head.Log, head.Size, head.Hash}, Files: state.Changed, Denied: r.denied,
		Verification: state.Verification(), Cost: state.Usage.Cost,
		Usage: Usage{state.Usage.Input, state.Usage.Output, state.Usage.CacheRead, state.Usage.CacheWrite, state.Usage.Estimated},
	}
	res.Checks, res.Misfit = r.checks, r.misfit
	switch {
	case r.misfit != "":
		res.Status, res.Message = "error", "the answer does not fit the schema: "+r.misfit
	case r.end.Message != "":
		res.Message = r.end.Message
	case r.Schema != nil && r.end.Status == "done":
		res.Message = r.answer
	}
	if res.Exit != 0 && res.Status == "done" {
		res.Status = "incomplete"
	}
	if res.Files == nil {
		res.Files = []event.Change{}
	}
	if res.Found = r.found; res.Found == nil {
		res.Found = []string{}
	}
	if res.Denied == nil {
		res.Denied = []Denial{}
	}
	return res, r.report(res)
}

// exit is the first that applies of 7, 9, 6, 5, 8, 3, 1.
func (r *run) exit() int {
	switch {
	case r.end.Code == exitNoEvidence, r.end.Code == exitModel:
		return r.end.Code
	case r.boxless:
		return exitNoSandbox
	case r.end.Code == exitBudget, r.end.Code == exitCancelled:
		return r.end.Code
	case len(r.denied) > 0:
		return exitDenied
	case r.misfit != "":
		return exitFailed
	default:
		return r.end.Code
	}
}
