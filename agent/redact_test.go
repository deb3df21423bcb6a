package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

const plantedToken = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// TestNoSecretReachesOverItsValue has events in which a mask over the event's
// text would take structure with it, or find nothing.
func TestNoSecretReachesOverItsValue(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("AbCd", 30)
	r := secret.New()
	r.Add("123456789")
	for _, c := range []struct {
		body   event.Body
		hidden string
	}{
		{event.CallResult{Call: "c", Tool: "read_file", Status: "ok", Body: key, Boundary: "ab12", Untrusted: "file"}, "AbCdAbCd"},
		{event.Reply{Text: key, Reasoning: "because", Stop: "end"}, "AbCdAbCd"},
		{event.Reply{Calls: []event.Call{{ID: "c", Args: json.RawMessage(`{"command":"\u0067hp_` + plantedToken[4:] + `"}`)}}}, plantedToken[4:]},
		{event.Reply{Calls: []event.Call{{ID: "c", Args: json.RawMessage(`{"n":123456789,"` + plantedToken + `":1}`)}}}, "123456789"},
		{event.TodoChanged{Items: []event.TodoItem{{Text: "\x1b" + plantedToken, Status: "pending"}}}, plantedToken},
	} {
		got := redactEvent(r.Bytes)(c.body)
		if got.Type() != c.body.Type() {
			t.Errorf("%s became %+v", c.body.Type(), got)
			continue
		}
		b, err := json.Marshal(event.Event{Body: got})
		if err != nil || strings.Contains(string(b), c.hidden) || !strings.Contains(string(b), "[secret:") {
			t.Errorf("%s is stored as %s, %v", c.body.Type(), b, err)
		}
	}
	plain := event.CallResult{Call: "c", Body: "nothing\u2028 <here> \xff"}
	if got := redactEvent(r.Bytes)(plain); got.(event.CallResult).Body != plain.Body {
		t.Errorf("an event without a secret was changed: %+v", got)
	}
}

// TestOpaqueBlocksStayWhole: a signature that happens to look like a key goes
// back as it came, beside a secret that is masked; nothing else may call itself
// opaque.
func TestOpaqueBlocksStayWhole(t *testing.T) {
	parts, err := json.Marshal([]model.Part{
		{Kind: model.PartReasoning, Text: "with " + plantedToken},
		{Kind: model.PartOpaque, Opaque: &model.Opaque{Kind: "anthropic.signature", Value: plantedToken + "==", Provider: "anthropic", Model: "m"}},
		{Kind: model.PartOpaque, Opaque: &model.Opaque{Kind: "openai-chat.reasoning_details", Value: `[{"text":"it is ` + plantedToken + `"}]`}},
		{Kind: model.PartText, Text: "x", Opaque: &model.Opaque{Kind: "none", Value: plantedToken}},
		{Kind: model.PartCall, CallID: "c", Name: "t", Args: json.RawMessage(`{"kind":"opaque","opaque":{"value":"` + plantedToken + `"}}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, ok := redactEvent(secret.New().Bytes)(event.Reply{Text: plantedToken, Parts: parts, Stop: "end"}).(event.Reply)
	if !ok || strings.Contains(got.Text, plantedToken) {
		t.Fatalf("%+v", got)
	}
	var after []model.Part
	if err := json.Unmarshal(got.Parts, &after); err != nil {
		t.Fatal(err)
	}
	if len(after) != 5 || after[1].Opaque == nil || after[1].Opaque.Value != plantedToken+"==" {
		t.Errorf("the block is another one: %s", got.Parts)
	}
	if n := strings.Count(string(got.Parts), plantedToken); n != 1 {
		t.Errorf("%d secrets left in %s", n, got.Parts)
	}
}

// TestTheLooksOfAKeyHideNothingInAQuestion puts what only looks like a secret
// around what a person must see.
func TestTheLooksOfAKeyHideNothingInAQuestion(t *testing.T) {
	commands := []string{
		"echo '-----BEGIN PRIVATE KEY-----' | rm -rf ../x | echo '-----END PRIVATE KEY-----'",
		"echo https://u:a$(touch${IFS}pwned)@h",
		"touch bearer src/deep/folder1/of/the/repo",
		"echo " + plantedToken + " > out.txt",
	}
	var calls []call
	for _, c := range commands {
		calls = append(calls, call{"execute_command", map[string]any{"command": c}})
	}
	calls = append(calls, call{"execute_command", map[string]any{"command": "echo the-key-of-the-provider > out.txt"}})
	r := newRig(t, []step{{Say: "x", Calls: calls}, {Say: "done"}}, func(o *Options) { o.Redactor.Add("the-key-of-the-provider") })
	var asked []event.Question
	r.person = func(q event.Question) event.Answer {
		asked = append(asked, q, r.lateQuestion(q.ID))
		return event.Answer{}
	}
	r.start("")
	r.turn("go")
	r.stop()
	if len(asked) != 2*len(calls) {
		t.Fatalf("%d questions of %d calls", len(asked)/2, len(calls))
	}
	for i, q := range asked {
		shown := lineText(q.Lines)
		if q.LinesHash != event.HashLines(q.Lines) {
			t.Errorf("a question's hash is not of its lines:\n%s", shown)
		}
		if n := i / 2; n < len(commands) && !strings.Contains(shown, commands[n]) {
			t.Errorf("a question does not show %q:\n%s", commands[n], shown)
		}
		if strings.Contains(shown, "the-key-of-the-provider") {
			t.Errorf("a question shows a known key:\n%s", shown)
		}
	}
	stored, err := r.opts.Store.Read(r.opts.Log.ID())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range stored {
		if b, err := json.Marshal(e); err != nil || strings.Contains(string(b), plantedToken) || strings.Contains(string(b), "the-key-of-the-provider") {
			t.Errorf("the log holds a token: %s, %v", b, err)
		}
	}
}

// lateQuestion is the question as a front end sees it that comes later.
func (r *rig) lateQuestion(id string) event.Question {
	r.t.Helper()
	backlog, _, cancel, err := r.session.Subscribe(0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer cancel()
	for _, e := range backlog {
		if b, ok := e.Body.(event.QuestionOpened); ok && b.Question.ID == id {
			return b.Question
		}
	}
	r.t.Fatalf("a late front end does not see question %s", id)
	return event.Question{}
}

func lineText(lines []event.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

// TestACutShowsNoHalfOfASecret puts a secret where the body of a result is cut.
func TestACutShowsNoHalfOfASecret(t *testing.T) {
	at := outputLimit*2/5 - len(plantedToken)/2
	line := strings.Repeat("x", at-1) + " " + plantedToken + " " + strings.Repeat("y", 2*outputLimit)
	r := newRig(t, []step{{Say: "x", Calls: []call{{"execute_command", map[string]any{"command": "cat long.txt"}}}}, {Say: "done"}}, nil)
	r.write("long.txt", line)
	r.person = yes
	r.start("")
	r.turn("go")
	r.stop()
	res := r.results()[0]
	if res.Status != "ok" || res.Body == "" || strings.Contains(res.Body, plantedToken[:15]) {
		t.Errorf("%s, half a token: %v", res.Status, strings.Contains(res.Body, plantedToken[:15]))
	}
}
