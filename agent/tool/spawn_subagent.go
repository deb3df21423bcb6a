package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type spawnSubagent struct{}

type spawnArgs struct {
	Goal          string `json:"goal"`
	Role          string `json:"role,omitempty"`
	MaxIterations int    `json:"max_iterations,omitempty"`
}

// childSteps is how many model calls a sub-agent makes when none are named.
const childSteps = 12

// What sub-agents of a role are offered. Those that only read act in plan mode
// as well, which the gate holds them to whatever they call.
var (
	readers = []string{
		"read_file", "list_files", "glob", "grep", "file_info", "git_status", "git_diff", "git_log", "todo",
		"execute_command", // plan mode lets pass what is proven to read only
	}
	surfers = append(slices.Clone(readers), "web_fetch", "web_search")
	writers = append(slices.Clone(surfers),
		"str_replace", "multi_edit", "write_file", "apply_diff", "delete_file", "rename_file", "mkdir", "run_code", "job", "git_stage", "git_commit", "self_verify")
)

// role says what sub-agents of a role are offered, and whether they may change
// anything.
func role(name string) (tools []string, writes, ok bool) {
	switch name {
	case "", "explore", "plan", "architect", "reviewer":
		return readers, false, true
	case "researcher":
		return surfers, false, true
	case "tester", "implementer", "generalist", "general-purpose":
		return writers, true, true
	default:
		return nil, false, false
	}
}

// ChildReport is what a sub-agent hands back.
type ChildReport struct {
	Text    string // its last words
	Status  string // done, incomplete, error or cancelled
	Message string // why, when it is not done
	Session string
	Steps   int
	Taint   []string // the untrusted sources in its context
	Changes []Change
}

// maxReport is how much of a sub-agent's report its parent reads, in bytes.
const maxReport = 2 << 10

// Spec implements Tool.
func (spawnSubagent) Spec() Spec {
	return Spec{
		Name: "spawn_subagent", Aliases: []string{"task", "subagent", "delegate"}, Category: "subagent",
		Description: "Give one question or piece of work to a sub-agent with a context of its own; you read its short report. " +
			"It does not know this conversation: write all that it needs into goal. It only reads, unless the role writes; it can do nothing that you may not.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["goal"],"properties":{
			"goal":{"type":"string","minLength":1,"description":"what to find out or do, and what to report"},
			"role":{"type":"string","enum":["explore","plan","architect","reviewer","researcher","tester","implementer","generalist","general-purpose"],"description":"default explore; the last four may write"},
			"max_iterations":{"type":"integer","minimum":1,"maximum":50,"description":"model calls, default 12"}}}`),
	}
}

// Plan implements Tool.
func (t spawnSubagent) Plan(_ context.Context, _ View, args json.RawMessage) (effect.Set, error) {
	var a spawnArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if strings.TrimSpace(a.Goal) == "" {
		return effect.Set{}, &ArgumentError{"goal is empty"}
	}
	tools, writes, ok := role(a.Role)
	if !ok {
		return effect.Set{}, &ArgumentError{fmt.Sprintf("there is no role %q", a.Role)}
	}
	if a.Role == "" {
		a.Role = "explore"
	}
	if a.MaxIterations == 0 {
		a.MaxIterations = childSteps
	}
	child := &effect.Child{Goal: a.Goal, Role: a.Role, Tools: tools, Writes: writes, Steps: a.MaxIterations}
	return set(t.Spec(), a.Role+" sub-agent: "+firstLine(a.Goal), nil, effect.Effect{Kind: effect.Spawn, Child: child}), nil
}

// Run implements Tool.
func (spawnSubagent) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	rep, err := e.Spawn(ctx, planned.Effects[0])
	if err != nil {
		return failed("sub-agent", err)
	}
	r := Result{Status: OK, Changes: rep.Changes}
	if n := len(rep.Taint); n > 0 {
		r.Untrusted = rep.Taint[n-1]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the sub-agent (session %s) ended as %s after %s", rep.Session, rep.Status, count(rep.Steps, "model call", "model calls"))
	if rep.Message != "" {
		b.WriteString(": " + clip(rep.Message, 300))
	}
	b.WriteString("\n")
	for i, c := range rep.Changes {
		if i == 20 {
			fmt.Fprintf(&b, "and %d more changes\n", len(rep.Changes)-i)
			break
		}
		fmt.Fprintf(&b, "it %s %s\n", c.Change, quote(c.Path))
	}
	switch rep.Status {
	case "done":
	case "cancelled":
		r.Status = Cancelled
	default:
		r.Status = Error
	}
	text := strings.TrimSpace(rep.Text)
	if text == "" {
		text = "[it gave no report]"
	}
	if len(text) > maxReport {
		text = strings.ToValidUTF8(text[:maxReport], "") + fmt.Sprintf("\n[the report had %s; ask for a shorter one]", size(int64(len(text))))
	}
	r.Body = b.String() + text + "\n"
	return r, nil
}
