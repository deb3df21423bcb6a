package agent

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
)

// close records what came of a call that ran, and what of it the model reads.
func (d *Dispatcher) close(ctx context.Context, p proposal, v verdict, out tool.Result, took time.Duration) (event.CallResult, error) {
	res := event.CallResult{
		Call: p.call.ID, Tool: p.set.Tool, Status: out.Status.String(), Decision: string(v.decision),
		Exit: out.Exit, Signal: out.Signal, Title: out.Title, Diff: out.Diff,
		Untrusted: out.Untrusted, Check: out.Check, Tests: out.Tests, Millis: took.Milliseconds(),
	}
	if res.Title == "" {
		res.Title = p.set.Title
	}
	for _, s := range out.Seen {
		res.Files = append(res.Files, event.FileSeen{Path: s.Path.Abs, SHA256: s.SHA256})
	}
	for _, c := range out.Changes {
		res.Changes = append(res.Changes, event.Change{Path: c.Path, To: c.To, Change: c.Change})
	}
	if len(out.Changes) > 0 {
		note := undoNote(p.set)
		res.Undone, res.Conflicts = note.Calls, note.Conflicts
	}
	if res.Body = out.Body; p.revision != nil {
		changed := p.deviation()
		res.Revised, res.Body = changed != "", changed+out.Body
	}
	for _, pic := range out.Pictures {
		sum, err := d.pictures(pic.Data)
		if err != nil {
			return res, err
		}
		res.Images = append(res.Images, event.ImageRef{Name: pic.Name, MediaType: pic.MediaType, SHA256: sum, Size: int64(len(pic.Data))})
	}
	if err := d.afterCall(ctx, p, &res); err != nil {
		return res, err
	}
	return d.tell(res)
}

// tell cuts and frames the body of a result, and stores the result. The first
// text of an untrusted source taints the session.
func (d *Dispatcher) tell(res event.CallResult) (event.CallResult, error) {
	var err error
	if res.Body, res.Hidden, err = d.cutBody(res.Call, res.Body); err != nil {
		return event.CallResult{}, err
	}
	if res.Untrusted != "" && res.Body != "" {
		res.Boundary = newBoundary()
	}
	taint, err := d.taint(res)
	if err != nil {
		return event.CallResult{}, err
	}
	return res, d.owner.emit(append(taint, res)...)
}

// refused closes a call that was denied or blocked, in both logs.
func (d *Dispatcher) refused(p proposal, v verdict, token audit.Token) (event.CallResult, error) {
	status, recorded := tool.Rejected, audit.Rejected
	if v.decision == audit.Blocked {
		status, recorded = tool.Blocked, audit.StatusBlocked
	}
	if err := d.writeOutcome(token, audit.Outcome{Status: recorded, Reason: v.reason}); err != nil {
		return event.CallResult{}, err
	}
	res := event.CallResult{
		Call: p.call.ID, Tool: p.set.Tool, Title: p.set.Title, Status: status.String(), Decision: string(v.decision),
		Body: refusal(v),
	}
	return res, d.owner.emit(res)
}

// saidNo is the reason of a no without one.
const saidNo = "the person said no"

// refusal tells the model what was decided, by whom and what to do now.
func refusal(v verdict) string {
	if v.decision == audit.Denied && v.by != audit.ByHeadless && v.by != audit.ByTimeout && v.by != audit.ByStopped {
		why := ""
		if v.reason != saidNo {
			why = " Reason: " + v.reason
		}
		return "Not done: " + saidNo + "." + why + "\nDo not repeat the call; respect the reason, or ask what to do instead."
	}
	return "Not done: " + strings.TrimSuffix(v.reason, ".") + ".\nDo not repeat the call and do not work around it; go on without it, or say in your report that it is needed."
}

// stoppedBefore closes a call of a turn that was stopped between its intent and
// its run, in both logs.
func (d *Dispatcher) stoppedBefore(c event.Call, token audit.Token) (event.CallResult, error) {
	err := d.writeOutcome(token, audit.Outcome{Status: audit.Cancelled, Reason: "stopped before the run"})
	res := d.untried(c, tool.Cancelled, audit.Denied, notBegun)
	return res, errors.Join(err, d.owner.emit(res))
}

// cutBody cuts a body to what the model reads and stores the whole where some of
// it was cut, under the name @out/CALL.
func (d *Dispatcher) cutBody(call, body string) (cut string, hidden int, err error) {
	body = d.redactor.Text(body) // first: a cut through a secret would show its half
	cut, hidden = bound(body, d.limit(), outName(call))
	if cut == body {
		return body, 0, nil
	}
	if err := d.store(outFile(call), []byte(body)); err != nil {
		return "", 0, err
	}
	return cut, hidden, nil
}

// outName is the name under which a model reads the output of a call.
func outName(call string) string { return "@out/" + outFile(call) }

// outFile is a file name made of a call's id, which a model's server chose.
func outFile(call string) string { return safeName(call) }

// safeName keeps the letters, digits, _ and - of a name, and its first 80 bytes.
func safeName(name string) string {
	safe := []byte(name)
	for i, c := range safe {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			safe[i] = '_'
		}
	}
	return string(safe[:min(len(safe), 80)])
}

// seen is the content that the model was last shown of a file.
func (d *Dispatcher) seen(abs string) (string, bool) {
	s, err := d.owner.state()
	if err != nil {
		return "", false // then the model has to read again
	}
	sum, ok := s.Seen[abs]
	return sum, ok
}
