package agent

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/mcp"
	"github.com/tera-pilot/tera-pilot/ossandbox"
	"github.com/tera-pilot/tera-pilot/websearch"
)

// A rig is a whole session in a throw-away place: real files, sandbox, logs
// and gate; the model is scripted and the person is a function.
type rig struct {
	t                 testing.TB
	home, state, root string
	opts              Options
	session           *Session
	evidence          *audit.Log
	mu                sync.Mutex // over events, which a scripted model looks at too
	events            []event.Event

	internet   *internet         // nil: the web cannot be read
	mcp        *mcp.Servers      // nil: there are none
	setting    ossandbox.Setting // Auto when it is zero
	bubblewrap []string          // where bwrap may be; nil is the usual places

	// person answers questions; nil says no.
	person func(event.Question) event.Answer
	// revise wants another version of a question; nil or nothing for none.
	revise func(event.Question) []event.Revision
	// silent says that a question gets no answer.
	silent func(event.Question) bool
}

// step is one turn of the scripted model.
type step struct {
	Say   string `json:"say,omitempty"`
	Calls []call `json:"calls,omitempty"`
}

type call struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

func script(t testing.TB, steps ...step) *scenario.Scenario {
	t.Helper()
	b, err := json.Marshal(map[string]any{"steps": steps})
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newRig makes the place. adjust may change the options before the start.
func newRig(t testing.TB, steps []step, adjust func(*Options)) *rig {
	t.Helper()
	return newRigAt(t, t.TempDir(), steps, adjust)
}

// newRigAt is newRig in a folder that may have been used before.
func newRigAt(t testing.TB, base string, steps []step, adjust func(*Options)) *rig {
	t.Helper()
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, home: filepath.Join(base, "home")}
	r.state, r.root = filepath.Join(r.home, ".tera_pilot"), filepath.Join(r.home, "repo")
	for _, dir := range []string{r.state, r.root} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.opts = Options{
		Person:   Person{Front: audit.FrontTUI, CanAsk: true, Interactive: true},
		Allowed:  Allowed{Sandbox: gate.SandboxAuto},
		Place:    Place{Home: r.home, State: r.state, Redactor: secret.New(), Now: time.Now},
		Thinking: Thinking{Mind: Mind{Provider: model.NewScripted(script(t, steps...), r.root), Model: "scripted"}, MaxSteps: 50},
		Keeping:  Keeping{Store: session.NewStore(filepath.Join(r.state, "sessions"))},
	}
	if adjust != nil {
		adjust(&r.opts)
	}
	return r
}

// write puts a file into the repository.
func (r *rig) write(name, content string) {
	r.t.Helper()
	file := filepath.Join(r.root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// read is a file's content, "" when it is not there.
func (r *rig) read(name string) string {
	b, err := os.ReadFile(filepath.Join(r.root, name))
	if err != nil {
		return ""
	}
	return string(b)
}

// start opens the session; resume goes on with the one that is there.
func (r *rig) start(resume string) {
	r.t.Helper()
	r.startIn(r.t.Context(), resume)
}

// startIn is start with the context that ends the session's turns.
func (r *rig) startIn(ctx context.Context, resume string) {
	r.t.Helper()
	var err error
	if resume == "" {
		r.opts.Log, err = r.opts.Store.Create(time.Now())
	} else {
		r.opts.Log, r.opts.Past, _, err = r.opts.Store.Resume(resume)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	if r.setting == 0 {
		r.setting = ossandbox.Auto
	}
	var web *websearch.Web
	if r.internet != nil {
		web = r.internet.web(r.t, r.opts.Redactor)
	}
	r.opts.World, err = world.Open(ctx, world.Options{
		Root: r.root, Home: r.home, State: r.state, OutDir: r.opts.Log.OutDir(), OpenOutput: r.opts.Log.OpenOutput, Env: os.Environ(), Setting: r.setting, Bubblewrap: r.bubblewrap, Seconds: 60, Web: web, MCP: r.mcp,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	key, err := r.opts.Store.Key(r.opts.Log.ID())
	if err != nil {
		r.t.Fatal(err)
	}
	if r.opts.Undo, err = undo.Open(undo.Options{Dir: filepath.Join(r.state, "undo", r.opts.Log.ID()), Root: r.root, Key: key}); err != nil {
		r.t.Fatal(err)
	}
	if r.opts.Tools == nil {
		r.opts.Tools = tool.New(tool.Options{})
	}
	if r.evidence, err = audit.Open(ctx, audit.Options{Dir: r.state, Redactor: r.opts.Redactor}); err != nil {
		r.t.Fatal(err)
	}
	r.opts.Evidence = r.evidence
	if r.session, err = Open(ctx, r.opts); err != nil {
		r.t.Fatal(err)
	}
}

// turn sends a message and answers questions until the turn has ended.
func (r *rig) turn(text string) event.TurnEnded {
	r.t.Helper()
	state, err := r.session.State()
	if err != nil {
		r.t.Fatal(err)
	}
	_, live, cancel, err := r.session.Subscribe(state.Seq)
	if err != nil {
		r.t.Fatal(err)
	}
	defer cancel()
	if err := r.session.Send(event.Submit{Text: text}); err != nil {
		r.t.Fatal(err)
	}
	deadline := time.After(2 * time.Minute)
	for {
		select {
		case e, ok := <-live:
			if !ok {
				r.t.Fatal("the session ended in the middle of the turn")
			}
			r.mu.Lock()
			r.events = append(r.events, e)
			r.mu.Unlock()
			switch b := e.Body.(type) {
			case event.QuestionOpened:
				r.answer(b.Question)
			case event.TurnEnded:
				return b
			}
		case <-deadline:
			r.t.Fatal("the turn did not end")
		}
	}
}

func (r *rig) answer(q event.Question) {
	if r.silent != nil && r.silent(q) {
		return
	}
	if r.revise != nil {
		if files := r.revise(q); files != nil {
			if err := r.session.Send(event.Revise{Question: q.ID, Digest: q.Digest, Files: files}); err != nil {
				r.t.Fatal(err)
			}
			return
		}
	}
	a := event.Answer{Choice: event.Deny, Reason: "no"}
	if r.person != nil {
		a = r.person(q)
	}
	a.Question, a.Digest, a.LinesHash = q.ID, q.Digest, q.LinesHash
	if a.Choice != event.Deny {
		a.Code = q.Code
	}
	if err := r.session.Send(a); err != nil {
		r.t.Fatal(err)
	}
}

// stop closes everything.
func (r *rig) stop() {
	r.t.Helper()
	if err := r.session.Close(audit.CloseOK); err != nil {
		r.t.Fatal(err)
	}
	if err := r.evidence.Close(); err != nil {
		r.t.Fatal(err)
	}
	if err := errors.Join(r.opts.World.Close(), r.opts.Undo.Close()); err != nil {
		r.t.Fatal(err)
	}
	if r.mcp != nil {
		if err := r.mcp.Close(); err != nil {
			r.t.Fatal(err)
		}
	}
}

// verify holds the whole log to its own rules.
func (r *rig) verify() {
	r.t.Helper()
	report, err := verifyLog(r.t.Context(), r.state)
	if err != nil || !report.OK {
		r.t.Errorf("the audit log does not verify: %+v, %v", report, err)
	}
	r.everyNo()
}

// everyNo holds that no call was denied, blocked or left undone without a record
// of its own that says so; one that kept changing has one for each walk.
func (r *rig) everyNo() {
	r.t.Helper()
	reader, err := audit.OpenReader(r.t.Context(), audit.Options{Dir: r.state})
	if err != nil {
		r.t.Fatal(err)
	}
	stated := map[string]int{}
	for e, err := range reader.Entries(r.t.Context(), audit.Filter{}) {
		if err != nil {
			r.t.Fatal(err)
		}
		if e.Type == "intent" && (isNo(string(e.Decision)) || e.Status == audit.StatusBlocked || e.Status == audit.Cancelled) {
			stated[e.Tool]++
		}
	}
	for _, res := range r.results() {
		if !isNo(res.Decision) && res.Status != tool.Blocked.String() || res.Recovered {
			continue
		}
		if stated[res.Tool]--; stated[res.Tool] < 0 {
			r.t.Errorf("%s %q was %s (%s), and the audit log has no record of it", res.Tool, res.Title, res.Decision, res.Status)
		}
	}
}

// verifyLog checks every signature of the live log.
func verifyLog(ctx context.Context, state string) (audit.Report, error) {
	r, err := audit.OpenReader(ctx, audit.Options{Dir: state})
	if err != nil {
		return audit.Report{}, err
	}
	b, err := os.ReadFile(filepath.Join(state, "audit_key.pub"))
	if err != nil {
		return audit.Report{}, err
	}
	key, err := audit.ParsePublicKey(b)
	if err != nil {
		return audit.Report{}, err
	}
	return r.Verify(ctx, audit.VerifyOptions{Key: key}), nil
}

// results are the results of the calls so far, in order.
func (r *rig) results() []event.CallResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []event.CallResult
	for _, e := range r.events {
		if b, ok := e.Body.(event.CallResult); ok {
			out = append(out, b)
		}
	}
	return out
}

// yes says yes to everything.
func yes(q event.Question) event.Answer {
	if q.Kind == event.AskUser {
		return event.Answer{Choice: event.Say, Text: "this one"}
	}
	return event.Answer{Choice: event.Once}
}
