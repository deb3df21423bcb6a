// Package headless is the front end of `tera-pilot run`: one turn, nobody to
// ask, the answer on stdout, progress on stderr, and what was denied in a
// ledger with the smallest rule that would have allowed it.
//
// It decides nothing: it reads the session's events.
package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Session is what a run needs of the session.
type Session interface {
	ID() string
	Send(event.Command) error
	Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error)
	State() (session.State, error)
	Head() audit.Head
}

// Options of a run.
type Options struct {
	Session Session
	Prompt  string
	JSON    bool // one event a line, then the result
	Sandbox bool // commands have a sandbox of an accepted grade
	Out     io.Writer
	Err     io.Writer

	// Schema is what the last message is held against; nil: nothing.
	Schema *Schema

	// OutOfTime says that the run was stopped by its time limit and not by a
	// person. nil: there is none.
	OutOfTime func() bool
}

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

// Run does one turn and says what came of it. The error is about the output
// alone; how the turn ended stands in the result.
func Run(ctx context.Context, o Options) (Result, error) {
	state, err := o.Session.State()
	if err != nil {
		return Result{}, err
	}
	r := &run{Options: o, started: map[string]event.CallStarted{}, last: state.Seq}
	if err := r.follow(ctx, o.Schema.asked(o.Prompt)); err != nil {
		return Result{}, err
	}
	if r.hold(); r.misfit != "" {
		if err := r.follow(ctx, o.Schema.again(r.misfit)); err != nil {
			return Result{}, err
		}
		r.hold()
	}
	return r.result()
}

// hold holds the message of a turn that came to its end against the schema.
func (r *run) hold() {
	r.misfit = ""
	if r.Schema != nil && r.end.Status == "done" {
		r.answer, r.misfit = r.Schema.hold(r.said)
	}
}

type run struct {
	Options
	last    uint64 // the last event that was seen, or is not of this run
	said    string // the text of the turn's last reply
	answer  string // the message that fits the schema
	misfit  string
	checks  []Checked
	started map[string]event.CallStarted
	denied  []Denial
	boxless bool // a command was refused for want of a sandbox
	end     event.TurnEnded
}

// follow sends a message and reads events until its turn has ended. It listens
// before it speaks, so that no end is missed. Falling behind, it goes on from
// the last event it saw.
func (r *run) follow(ctx context.Context, text string) error {
	r.said = ""
	for first := true; ; first = false {
		backlog, live, cancel, err := r.Session.Subscribe(r.last)
		if err != nil {
			return err
		}
		if first {
			if err := r.Session.Send(event.Submit{Text: text}); err != nil {
				cancel()
				return err
			}
		}
		done, err := r.read(ctx, backlog, live)
		cancel()
		if done || err != nil {
			return err
		}
	}
}

func (r *run) read(ctx context.Context, backlog []event.Event, live <-chan event.Event) (done bool, err error) {
	for _, e := range backlog {
		if done, err := r.take(e); done || err != nil {
			return done, err
		}
	}
	stop := ctx.Done()
	for {
		select {
		case e, ok := <-live:
			if !ok {
				return false, nil
			}
			if done, err := r.take(e); done || err != nil {
				return done, err
			}
		case <-stop:
			stop = nil // the turn still ends by itself, and says that it was stopped
			if err := r.Session.Send(event.Cancel{}); err != nil {
				return true, err
			}
		}
	}
}

// take shows one event and remembers what the result needs of it.
func (r *run) take(e event.Event) (done bool, err error) {
	if e.Seq != 0 {
		if e.Seq <= r.last {
			return false, nil
		}
		r.last = e.Seq
	}
	if r.JSON {
		err = r.line(e)
	} else {
		err = r.progress(e)
	}
	switch b := e.Body.(type) {
	case event.Reply:
		r.said = b.Text
	case event.CallStarted:
		r.started[b.Call] = b
	case event.CallDecided:
		r.ledger(b)
	case event.CallResult:
		r.checked(b)
		r.unplanned(b)
	case event.TurnEnded:
		if b.Code == exitCancelled && r.OutOfTime != nil && r.OutOfTime() {
			b.Status, b.Code, b.Message = "incomplete", exitBudget, "stopped at the time limit: raise --max-minutes, or go on with --continue"
		}
		r.end = b
		return true, err
	}
	return false, err
}

// checked keeps the last run of each test.
func (r *run) checked(b event.CallResult) {
	if !b.Check {
		return
	}
	r.checks = slices.DeleteFunc(r.checks, func(c Checked) bool { return c.Title == b.Title })
	r.checks = append(r.checks, Checked{b.Title, b.Status == "ok" && b.Exit != nil && *b.Exit == 0, b.Body, b.Millis})
}

func (r *run) line(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = r.Out.Write(append(b, '\n'))
	return err
}

// progress says on stderr what happens, one line an act.
func (r *run) progress(e event.Event) error {
	var err error
	switch b := e.Body.(type) {
	case event.CallDecided:
		if b.Decision == string(audit.Denied) || b.Decision == string(audit.Blocked) {
			_, err = fmt.Fprintf(r.Err, "%s: %s: %s\n", b.Decision, visible.Strict(r.started[b.Call].Title), visible.Strict(b.Reason))
		}
	case event.CallResult:
		if b.Status == "rejected" || b.Status == "blocked" {
			if _, planned := r.started[b.Call]; !planned {
				_, err = fmt.Fprintf(r.Err, "%s: %s: %s\n", b.Decision, visible.Strict(b.Tool), visible.Strict(b.Body))
			}
			return err
		}
		line := b.Status + "  " + visible.Strict(b.Tool) + "  " + visible.Strict(b.Title)
		if b.Exit != nil {
			line += fmt.Sprintf("  exit %d", *b.Exit)
		}
		if b.Diff != "" && !strings.Contains(line, b.Diff) {
			line += "  " + b.Diff
		}
		if b.Status == "error" && b.Exit == nil && b.Untrusted == "" {
			if why, _, _ := strings.Cut(strings.TrimSpace(b.Body), "\n"); why != "" {
				line += ": " + visible.Strict(why)
			}
		}
		_, err = fmt.Fprintln(r.Err, line)
	case event.JobChanged:
		_, err = fmt.Fprintln(r.Err, b.Status+"  job "+visible.Strict(b.Job)+"  "+visible.Strict(b.Title))
	case event.Egress:
		_, err = fmt.Fprintln(r.Err, strings.TrimSpace(fmt.Sprintf("%s  network  %s %s  %s", b.Status, visible.Strict(b.Method), visible.Strict(b.Host), visible.Strict(b.Reason))))
	case event.Working:
		if b.Says != "" {
			_, err = fmt.Fprintln(r.Err, visible.Strict(b.Says))
		}
	case event.Notice:
		_, err = fmt.Fprintln(r.Err, strings.TrimSpace(b.Severity+": "+visible.Strict(b.Text)+"  "+visible.Strict(b.Hint)))
	}
	return err
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

// shown is the answer on stdout. JSON that fits its schema is data for another
// program: it is written as it is, but for bytes that a terminal would act on,
// which JSON can spell.
func (r *run) shown(message string) string {
	if r.Schema != nil {
		return message
	}
	return visible.Prose(message)
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
		Usage: Usage{state.Usage.Input, state.Usage.Output, state.Usage.CacheRead, state.Usage.CacheWrite},
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

// counted says how many files and folders changed.
func counted(changes []event.Change) string {
	folders := 0
	for _, c := range changes {
		if c.Change == "mkdir" {
			folders++
		}
	}
	number := func(n int, what string) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	switch files := len(changes) - folders; {
	case folders == 0:
		return number(files, "file")
	case files == 0:
		return number(folders, "folder")
	default:
		return number(files, "file") + " and " + number(folders, "folder")
	}
}

// report ends the output: the result object, or the answer and the ledger.
func (r *run) report(res Result) error {
	if r.JSON {
		return r.line(res)
	}
	var errs []error
	if r.end.Status == "done" && r.misfit == "" {
		_, err := fmt.Fprintln(r.Out, r.shown(res.Message))
		errs = append(errs, err)
	} else {
		_, err := fmt.Fprintf(r.Err, "%s: %s\n", res.Status, visible.Prose(res.Message))
		errs = append(errs, err)
	}
	for _, d := range res.Denied {
		if d.WouldAllow != nil {
			_, err := fmt.Fprintf(r.Err, "to allow %s, put this into policy.toml (in ~/.tera_pilot):\n%s\n", visible.Strict(d.Effect), visible.Prose(*d.WouldAllow))
			errs = append(errs, err)
		}
	}
	if len(res.Files) > 0 {
		_, err := fmt.Fprintf(r.Err, "%s changed: tera-pilot undo --session %s takes that back\n", counted(res.Files), res.Session)
		errs = append(errs, err)
	}
	_, err := fmt.Fprintf(r.Err, "tests %s  session %s  audit %d %.8s\n", res.Verification, res.Session, res.Audit.Size, res.Audit.Head)
	return errors.Join(append(errs, err)...)
}
