package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	strictly "github.com/tera-pilot/tera-pilot/agent/model/mend"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// A tiny real model: 0.7 million weights of our own (testdata/tiny-model),
// behind llama.cpp. It is worthless as an assistant and right as a test: at
// temperature 0 it calls tools as text, at 1.2 it breaks them in every way.

// tinyPrompts are what it was trained to be asked, and what it was not.
var tinyPrompts = []string{
	"open go.mod", "read main.go", "show me README.md", "please read util.py", "run ls -la", "run go test ./...",
	"please run npm test", "execute git status", "run cat go.mod", "find retry", "search for user", "rename count in util.py",
	"rename user in main.go", "hello", "who are you", "fix the bug in the parser", "delete everything", "write a poem",
	"read ../../etc/passwd", "<tool_call>",
}

// TestTinyModel leads a real model through the whole chain: discovery, text
// profile, normaliser, gate, tool, result, next turn. It makes no claim about
// the model; what must hold, holds whatever it writes.
func TestTinyModel(t *testing.T) {
	found := serveTiny(t)
	t.Run("reads", func(t *testing.T) { tinyReads(t, found) })
	t.Run("is cancelled", func(t *testing.T) { tinyIsCancelled(t, found) })
	t.Run("keeps to the rules", func(t *testing.T) { tinyKeepsToRules(t, found) })
}

// tinyKeepsToRules: twenty prompts at three temperatures.
func tinyKeepsToRules(t *testing.T, found model.Found) {
	seeds := 1
	if os.Getenv("TERA_PILOT_SOAK") != "" {
		seeds = 3
	}
	ran, asked := 0, 0
	for _, heat := range []float64{0, 0.8, 1.2} {
		for n, prompt := range tinyPrompts {
			for seed := range seeds {
				if heat == 0 && seed > 0 {
					continue // the same again
				}
				r := newTinyRig(t, found, heat, int64(seed*100+n))
				r.turn(prompt)
				a, b := r.hold(prompt, heat)
				ran, asked = ran+a, asked+b
				r.stop()
				r.verify()
			}
		}
	}
	t.Logf("%d calls ran, %d were asked about", ran, asked)
	if ran == 0 || asked == 0 {
		t.Errorf("%d calls ran and %d were asked about: the chain was not walked", ran, asked)
	}
}

// tinyReads: the one thing that it does know, end to end: its words
// become a call, the call a read of the file, and the next request has that.
func tinyReads(t *testing.T, found model.Found) {
	r := newTinyRig(t, found, 0, 1)
	end := r.turn("open go.mod")
	results := r.results()
	if len(results) == 0 || results[0].Tool != "read_file" || results[0].Status != tool.OK.String() || !strings.Contains(results[0].Body, "module tiny.example/x") {
		t.Fatalf("turn %+v, results %+v", end, results)
	}
	if results[0].Decision != "allowed" || results[0].Untrusted == "" {
		t.Errorf("a read of the repository: %+v", results[0])
	}
	replies := find[event.Reply](t, r.rig)
	if len(replies) < 2 || replies[0].Calls[0].Origin != string(model.OriginText) {
		t.Errorf("replies: %+v", replies)
	}
	if last := r.wire.last(); !strings.Contains(last, "module tiny.example/x") || !strings.Contains(last, "Result of read_file") {
		t.Errorf("the next request does not hold the result: %s", last)
	}
	r.hold("open go.mod", 0)
	r.stop()
	r.verify()
}

// tinyIsCancelled stops a reply on its way. The server would go on for
// minutes, so that only the cancel can end the turn; the quickest of five is
// what the way takes, whatever else the machine does.
func tinyIsCancelled(t *testing.T, found model.Found) {
	r := newTinyRig(t, found, 0, 1)
	best := time.Hour
	for range 5 {
		began := make(chan struct{})
		r.wire.stall(began)
		var sent time.Time
		go func() {
			<-began
			sent = time.Now()
			if err := r.session.Send(event.Cancel{}); err != nil {
				t.Error(err)
			}
		}()
		if end := r.turn("open go.mod"); end.Status != "cancelled" {
			t.Fatalf("the turn ended as %+v", end)
		}
		best = min(best, time.Since(sent))
	}
	if best >= 200*time.Millisecond {
		t.Errorf("a cancel took %s at best", best)
	}
	r.hold("open go.mod", 0)
	r.stop()
	r.verify()
}

// A tinyRig is a session whose model is the tiny one.
type tinyRig struct {
	*rig
	wire *tinyWire
}

func newTinyRig(t *testing.T, found model.Found, heat float64, seed int64) *tinyRig {
	t.Helper()
	wire := &tinyWire{heat: heat, seed: seed}
	client, err := model.Open(model.Config{Provider: found.Kind, BaseURL: found.BaseURL, Transport: wire, Tries: 2})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, []step{{Say: "-"}}, func(o *Options) {
		o.Provider, o.Model, o.Small, o.MaxSteps = client, found.Models[0].Name, true, 4
	})
	r.write("go.mod", "module tiny.example/x\n\ngo 1.26\n")
	r.write("main.go", "package main\n")
	r.write("util.py", "count = 1\n")
	r.person = func(q event.Question) event.Answer { // every second answer is a yes
		if seed%2 == 0 {
			return yes(q)
		}
		return event.Answer{Choice: event.Deny, Reason: "no"}
	}
	r.start("")
	state, err := r.session.State()
	if err != nil {
		t.Fatal(err)
	}
	wire.facts = state.Facts
	return &tinyRig{r, wire}
}

// hold checks what must be true after a turn, whatever the model wrote.
func (r *tinyRig) hold(prompt string, heat float64) (ran, asked int) {
	r.t.Helper()
	where := fmt.Sprintf("%q at %.1f", prompt, heat)
	r.folds()
	calls := map[string]event.Call{}
	for _, reply := range find[event.Reply](r.t, r.rig) {
		for _, c := range reply.Calls {
			calls[c.ID] = c
		}
	}
	said := map[string]string{} // by call
	for _, e := range r.events {
		if q, ok := e.Body.(event.QuestionOpened); ok {
			said[q.Question.Call] = "asked"
			asked++
		}
	}
	answered := map[string]bool{}
	for _, res := range r.results() {
		c, ok := calls[res.Call]
		if !ok || answered[res.Call] {
			r.t.Errorf("%s: a result of no call, or a second one: %+v", where, res)
			continue
		}
		answered[res.Call] = true
		if res.Decision != "allowed" && res.Decision != "approved" {
			continue
		}
		ran++
		t, err := r.opts.Tools.Lookup(res.Tool)
		if c.Status != callOK || err != nil {
			r.t.Errorf("%s: ran with status %q: %+v", where, c.Status, res)
			continue
		}
		if why := outside(t.Spec().Schema, c.Args); why != "" {
			r.t.Errorf("%s: ran outside its schema: %s: %s", where, c.Args, why)
		}
		if c.Origin == string(model.OriginText) && !reads[res.Tool] && said[res.Call] == "" {
			r.t.Errorf("%s: a call written as prose ran unasked: %s %s", where, res.Tool, c.Args)
		}
	}
	for id := range calls {
		if !answered[id] {
			r.t.Errorf("%s: the call %s has no result", where, id)
		}
	}
	if r.read("go.mod") != "module tiny.example/x\n\ngo 1.26\n" && !slices.ContainsFunc(r.results(), func(c event.CallResult) bool { return c.Decision == "approved" }) {
		r.t.Errorf("%s: a file changed with nobody's yes", where)
	}
	return ran, asked
}

// reads are the tools of the small profile that only look.
var reads = map[string]bool{"read_file": true, "list_files": true, "grep": true}

// outside says what is wrong with arguments, by the schema alone.
func outside(schema, args json.RawMessage) string {
	s, err := strictly.ParseSchema(schema)
	if err != nil {
		return err.Error()
	}
	v, mended, err := strictly.Parse(string(args))
	if err != nil || mended {
		return fmt.Sprintf("mended: %v, %v", mended, err)
	}
	repairs, err := strictly.Fit(s, v)
	if err != nil || len(repairs) > 0 {
		return fmt.Sprintf("%v %v", repairs, err)
	}
	return ""
}

// A tinyWire stands between the client and the tiny model's server, whose
// window is 320 bytes: it makes requests short (the system prompt one line, no
// descriptions of tools, no facts), sets heat and seed, and plays the refusals
// of a template that knows neither tools nor a system role.
type tinyWire struct {
	heat  float64
	seed  int64
	facts string

	mu      sync.Mutex
	sent    string
	stalled chan struct{} // the next reply stops at its first byte; closed then
}

func (w *tinyWire) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}

func (w *tinyWire) stall(began chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stalled = began
}

// aboutTools is what the client writes about tools into the system prompt.
var aboutTools = regexp.MustCompile(`(?s)You can call these tools\..*\n  arguments: [^\n]*\n?`)

// tinySystem is the one line in place of the system prompt.
const tinySystem = "show me"

func (w *tinyWire) RoundTrip(r *http.Request) (*http.Response, error) {
	var body map[string]any
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	if body["tools"] != nil {
		return turnedDown(r, "this model does not support tools"), nil
	}
	messages, _ := body["messages"].([]any)
	for i, m := range messages {
		m, ok := m.(map[string]any)
		if !ok || m["role"] == "system" {
			return turnedDown(r, "System role not supported"), nil
		}
		if text, ok := m["content"].(string); ok && i == 0 {
			m["content"] = w.short(text)
		}
	}
	body["temperature"], body["seed"], body["max_tokens"] = w.heat, w.seed, 96
	if raw, err = json.Marshal(body); err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.sent = string(raw)
	stalled := w.stalled
	w.stalled = nil
	w.mu.Unlock()
	again := r.Clone(r.Context())
	again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	resp, err := http.DefaultTransport.RoundTrip(again)
	if err == nil && stalled != nil {
		resp.Body = &stalledBody{resp.Body, r.Context(), stalled}
	}
	return resp, err
}

// short is the first message with one line in place of what is not the
// person's.
func (w *tinyWire) short(text string) string {
	text = strings.Replace(text, w.facts, "", 1)
	if _, rest, ok := strings.Cut(aboutTools.ReplaceAllString(text, "\x00"), "\x00"); ok {
		text = rest
	}
	return tinySystem + "\n\n" + strings.TrimSpace(text)
}

func turnedDown(r *http.Request, why string) *http.Response {
	return &http.Response{
		StatusCode: http.StatusBadRequest, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(fmt.Sprintf(`{"error":{"message":%q}}`, why))),
	}
}

// A stalledBody gives one piece and then nothing until the request ends.
type stalledBody struct {
	io.ReadCloser
	ctx   context.Context
	began chan struct{}
}

func (b *stalledBody) Read(p []byte) (int, error) {
	if b.began != nil {
		n, err := b.ReadCloser.Read(p)
		close(b.began)
		b.began = nil
		return n, err
	}
	<-b.ctx.Done()
	return 0, context.Cause(b.ctx)
}
