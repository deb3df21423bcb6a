package agent

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// A call that has no plan, or whose turn ended before it began, was tried all
// the same. It is stated like any other no: what was tried, and why it was not
// done. There are no effects to state, and no input that the gate was given.

// unfit closes a call that could not be planned, in both logs; aid is that of its
// CallStarted, if it had one. What the reason quotes of a file is the file's own
// text.
func (d *Dispatcher) unfit(c event.Call, aid string, problem error) (event.CallResult, error) {
	res := d.untried(c, tool.Error, audit.Blocked, problem.Error())
	if changed, ok := errors.AsType[*changedError](problem); ok {
		res.Body, res.Untrusted = changed.text(), "file"
	}
	if kept(problem) {
		res.Status = tool.Blocked.String()
	}
	if _, quotes := errors.AsType[*tool.QuoteError](problem); quotes {
		res.Untrusted = "file"
	}
	if err := d.state(c, aid, audit.ByFloor, res, problem.Error()); err != nil {
		return res, err
	}
	return d.tell(res)
}

// kept says that a call was kept from an act, which is more than arguments that
// do not fit.
func kept(problem error) bool {
	_, outside := errors.AsType[*tool.OutsideError](problem)
	_, refused := errors.AsType[*tool.RefusedError](problem)
	return outside || refused
}

// cancelled closes a call of a turn that was stopped before the call ran, in both
// logs.
func (d *Dispatcher) cancelled(c event.Call) (event.CallResult, error) { return d.unbegun(c, notBegun) }

// unbegun closes a call that was not begun, in both logs.
func (d *Dispatcher) unbegun(c event.Call, why string) (event.CallResult, error) {
	res := d.untried(c, tool.Cancelled, audit.Denied, why)
	if err := d.state(c, newAID(), audit.ByStopped, res, why); err != nil {
		return res, err
	}
	return res, d.owner.emit(res)
}

const notBegun = "the turn was stopped before this call began; nothing was done"

// untried is the result of a call that was not done, and of which nothing is
// known but what the model wrote.
func (d *Dispatcher) untried(c event.Call, status tool.Status, decision audit.Decision, why string) event.CallResult {
	return event.CallResult{Call: c.ID, Tool: c.Tool, Title: d.tried(c), Status: status.String(), Decision: string(decision), Body: why}
}

// state puts a call without a plan into the audit log: its intent, and that
// nothing came of it. Of the reason the first line is stated: what follows may
// quote a file.
func (d *Dispatcher) state(c event.Call, aid string, by audit.By, res event.CallResult, why string) error {
	why, _, _ = strings.Cut(why, "\n")
	why = visible.Strict(d.redactor.Text(why))
	in := audit.Intent{
		AID: aid, Category: audit.CategoryOther, Tool: visible.Strict(d.redactor.Text(c.Tool)), Title: res.Title, Args: c.Args,
		Origin: audit.Origin(c.Origin), Decision: audit.Decision(res.Decision), By: by, Reason: why,
	}
	if t, err := d.tools.Lookup(c.Tool); err == nil {
		in.Category = audit.Category(t.Spec().Category)
	}
	now, _, err := d.judge()
	if err != nil {
		return err
	}
	in.Policy, in.Level, in.Taint = now.Rules.Digest(), now.Level.String(), sources(now.Taint)
	// A turn that is stopped now is evidence, and no reason to lose any.
	token, err := d.log.Intent(context.Background(), in)
	if err != nil {
		err = noEvidence(err)
		return errors.Join(err, d.owner.emit(d.untried(c, tool.Blocked, audit.Blocked, err.Error())))
	}
	status := audit.StatusBlocked
	if in.Decision == audit.Denied {
		status = audit.Rejected
	}
	return d.writeOutcome(token, audit.Outcome{Status: status, Reason: why})
}

// maxTried is how much of what was tried a title shows, in bytes.
const maxTried = 200

// targets are the arguments that say what a call is about, the most telling
// first.
var targets = [...]string{"command", "url", "path", "from", "query", "pattern", "message", "question", "job", "id"}

// tried is the title of a call that has no plan: what it was to do, as far as
// its arguments say, masked, made visible, and cut.
func (d *Dispatcher) tried(c event.Call) string {
	name := clip(visible.Strict(d.redactor.Text(c.Tool)), maxTried)
	what := target(c.Args)
	if what == "" {
		return name
	}
	what = clip(visible.Strict(withoutUser(d.redactor.Text(what))), maxTried)
	if verb := verbOf(c.Tool); verb != "" {
		return verb + " " + what
	}
	return name + " " + what
}

// target is what arguments are about: the most telling of them, or all.
func target(args json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return string(args)
	}
	for _, name := range targets {
		var value, to string
		if json.Unmarshal(fields[name], &value) != nil || value == "" {
			continue
		}
		if name == "from" && json.Unmarshal(fields["to"], &to) == nil {
			value += " to " + to
		}
		if first, more, ok := strings.Cut(strings.TrimSpace(value), "\n"); ok {
			return first + " … (" + strconv.Itoa(2+strings.Count(more, "\n")) + " lines)"
		}
		return value
	}
	if len(fields) == 0 {
		return ""
	}
	return string(args)
}

// user finds the name and password in a URL.
var user = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^/\s@]*@`) })

// withoutUser takes names and passwords out of URLs.
func withoutUser(s string) string { return user().ReplaceAllString(s, "://…@") }

// verbOf is what a tool of ours does, in the word that the titles of its plans
// begin with; "" for others, whose name stands for it.
func verbOf(name string) string {
	switch name {
	case "execute_command":
		return "run"
	case "web_fetch":
		return "fetch"
	case "web_search":
		return "search"
	case "read_file", "write_file", "delete_file", "rename_file", "list_files":
		verb, _, _ := strings.Cut(name, "_")
		return verb
	case "str_replace", "multi_edit":
		return "edit"
	case "file_info":
		return "look at"
	default:
		return ""
	}
}
