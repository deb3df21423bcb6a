package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
)

// A guard watches one turn for a model that goes in circles. It knows calls
// and results, not what they are about.
type guard struct {
	recent   [][32]byte // signatures of the last calls, oldest first
	nudged   bool       // it was told of a loop already
	edits    map[string]int
	failed   bool // a check failed since the counting of edits began
	emptied  bool // it was told that an answer was empty
	verified bool // it was told to run the tests

	misformed bool // it was told that a call of its could not be used
}

// Bounds of a loop (docs/context.md).
const (
	rowOfSame   = 3  // the same call with the same result, one after the other
	lastCalls   = 10 // among so many calls …
	sameAmong   = 5  // … so many are the same
	editsOfFile = 6  // of one file, with failing checks between
)

// saw takes a call and its result. nudge is what the model is told; stop is
// why the turn ends.
func (g *guard) saw(c event.Call, r event.CallResult) (nudge, stop string) {
	if r.Status == "running" || r.Status == "cancelled" || c.Tool == "job" {
		return "", "" // waiting is no loop
	}
	if nudge := g.edited(r); nudge != "" {
		return nudge, ""
	}
	g.recent = append(g.recent, signature(c, r))
	if n := len(g.recent) - lastCalls; n > 0 {
		g.recent = g.recent[n:]
	}
	if !circles(g.recent) {
		return "", ""
	}
	g.recent = nil
	name := toolName(c.Tool)
	if g.nudged {
		return "", fmt.Sprintf("the model goes in circles: it repeated %s with the same result, also after it was told so. Say what it should do instead, or take another model", name)
	}
	g.nudged = true
	return fmt.Sprintf("[from tera-pilot] You repeated %s with the same arguments and the same result. Another try will give the same. Use what you have, try something different, or say what you need.", name), ""
}

// edited counts the edits of each file between failing checks.
func (g *guard) edited(r event.CallResult) string {
	if r.Check {
		if r.Status == "ok" && r.Exit != nil && *r.Exit == 0 {
			g.edits, g.failed = nil, false
		} else {
			g.failed = true
		}
	}
	for _, c := range r.Changes {
		if g.edits == nil {
			g.edits = map[string]int{}
		}
		if g.edits[c.Path]++; g.edits[c.Path] >= editsOfFile && g.failed {
			g.edits[c.Path] = 0
			return fmt.Sprintf("[from tera-pilot] You have changed one file %d times, and the checks still fail. Stop editing. Read the failure again, say what the cause is, and only then change something.", editsOfFile)
		}
	}
	return ""
}

// signature is a call with its result, without what differs by chance.
func signature(c event.Call, r event.CallResult) [32]byte {
	var args any
	canonical := []byte(c.Args)
	if json.Unmarshal(c.Args, &args) == nil {
		if b, err := json.Marshal(args); err == nil {
			canonical = b
		}
	}
	exit := ""
	if r.Exit != nil {
		exit = fmt.Sprint(*r.Exit)
	}
	text := strings.Join([]string{c.Tool, string(canonical), r.Status, exit, times().ReplaceAllString(r.Body, "#")}, "\x00")
	return sha256.Sum256([]byte(text))
}

// times are durations and times of day, which differ though nothing else does.
var times = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b\d+(\.\d+)?\s?(ns|µs|us|ms|s|m|seconds?|minutes?)\b|\b\d\d:\d\d:\d\d(\.\d+)?\b`)
})

// circles says that the newest calls repeat themselves.
func circles(recent [][32]byte) bool {
	n := len(recent)
	if n == 0 {
		return false
	}
	last, row, among := recent[n-1], 0, 0
	for i := n - 1; i >= 0 && bytes.Equal(recent[i][:], last[:]); i-- {
		row++
	}
	for _, s := range recent {
		if s == last {
			among++
		}
	}
	if row >= rowOfSame || among >= sameAmong {
		return true
	}
	return n >= 6 && recent[n-1] != recent[n-2] && // A B A B A B
		recent[n-1] == recent[n-3] && recent[n-3] == recent[n-5] &&
		recent[n-2] == recent[n-4] && recent[n-4] == recent[n-6]
}

// emptyNudge is said once to a model that answered nothing.
const emptyNudge = "[from tera-pilot] Your last answer was empty. Answer in words, or call a tool."

// formNudge is said once to a model that wrote something like a call as text.
const formNudge = "[from tera-pilot] Your last message looks like a tool call, but it cannot be used: it must be the last thing in your message, name one offered tool, and have all its arguments as one JSON object: <tool_call>{\"name\": NAME, \"arguments\": {…}}</tool_call>. Write it again so, or answer in words."

// misformed says that an answer holds the markup of a call that is none.
func misformed(r event.Reply) bool {
	return len(r.Calls) == 0 && slices.Contains(r.Warnings, model.WarnTextCall)
}

// verifyNudge is said once to a model that wants to end with untested changes.
func verifyNudge(changed, checks []string) string {
	const most = 20
	files := strings.Join(changed[:min(len(changed), most)], ", ")
	if len(changed) > most {
		files += fmt.Sprintf(" and %d more", len(changed)-most)
	}
	return fmt.Sprintf("[from tera-pilot] You changed %s and no check has run since. Known checks: %s. Run one with self_verify, or say why not. Then end with your report.", files, strings.Join(checks, "; "))
}

// Notes about plan mode, said when it begins and ends.
const (
	planNote   = "[from tera-pilot] Plan mode is on, and the program enforces it: you can read, search and run commands that are proven to read only. Everything else is refused. Look, then write a plan; do not try to change anything."
	noPlanNote = "[from tera-pilot] Plan mode has ended. What is allowed is decided call by call, as before."
)

// planNudge tells the model that plan mode begins or ends.
func planNudge(on bool, turn int) event.Nudged {
	n := event.Nudged{Turn: turn, Kind: "plan", Text: noPlanNote}
	if on {
		n.Text = planNote
	}
	return n
}
