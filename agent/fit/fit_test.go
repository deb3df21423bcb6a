package fit

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/session"
)

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		text string
		code bool
		want int64
	}{
		{"", false, 0},
		{strings.Repeat("a", 36), false, 10},
		{strings.Repeat("a", 30), true, 10},
		{strings.Repeat("語", 10), false, 15},
	} {
		if got := Tokens(c.text, c.code); got != c.want {
			t.Errorf("%q: %d, want %d", c.text, got, c.want)
		}
	}
	if a, b := Request(model.Request{}, nil), Request(model.Request{Messages: []model.Message{model.UserText("hello")}}, nil); b <= a {
		t.Error("a message costs nothing")
	}
}

// TestLearning: reports move the factor towards the truth and never out of
// bounds; what no whole count can be is passed over.
func TestLearning(t *testing.T) {
	k := Known{}
	for range 30 {
		k = k.Saw(1000, 1500)
	}
	if math.Abs(k.Factor-1.5) > 0.01 || k.Tokens(1000) < 1490 {
		t.Errorf("%+v", k)
	}
	for _, odd := range []int64{0, -5, 10, math.MaxInt64} {
		if got := k.Saw(1000, odd); got != k {
			t.Errorf("learnt from a report of %d: %+v", odd, got)
		}
	}
	for range 50 {
		k = k.Saw(1000, 3900)
	}
	if k.Factor > maxFactor {
		t.Errorf("%+v", k)
	}
	if got := (Known{Factor: math.NaN()}).Tokens(10); got != 10 {
		t.Errorf("no number: %d", got)
	}
	k = Known{}.Refused(8192, 9000, 8000)
	if k.Window != 8192 || k.Factor <= 1 || k.In(200_000) != 8192 || k.In(4096) != 4096 {
		t.Errorf("%+v", k)
	}
	if k = (Known{}).Refused(0, 0, 10_000); k.Window != 9000 {
		t.Errorf("a refusal without numbers: %+v", k)
	}
	if k = (Known{}).Refused(3, 0, 0); k.Window != 0 || k.In(0) != DefaultWindow {
		t.Errorf("a window of 3 tokens was believed: %+v", k)
	}
}

func TestStore(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	s := NewStore(state)
	if s.Get("p", "m") != (Known{}) {
		t.Error("something was known")
	}
	want := Known{Factor: 1.2, Window: 32768}
	for i := range maxKnown + 5 {
		if err := s.Put("p", fmt.Sprint("m", i), Known{Factor: 1}); err != nil {
			t.Fatal(err)
		}
		if i > 10 && i < maxKnown-10 {
			continue
		}
	}
	if err := s.Put("p", "m", want); err != nil {
		t.Fatal(err)
	}
	if got := NewStore(state).Get("p", "m"); got != want {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{"{", `{"p m":{"factor":1e300}}`, `{"p m":{"window":-4}}`, `[]`, `null`} {
		if err := os.WriteFile(filepath.Join(state, "learnt.json"), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.Get("p", "m"); got != (Known{}) {
			t.Errorf("%s: %+v", bad, got)
		}
		if err := s.Put("p", "m", want); err != nil || s.Get("p", "m") != want {
			t.Errorf("%s: nothing is kept over it: %v", bad, err)
		}
	}
	if (Store{}).Get("p", "m") != (Known{}) || (Store{}).Put("p", "m", want) != nil {
		t.Error("the zero store")
	}
}

// talk makes messages: each is a reply that calls, and its result.
func talk(n, size int, change func(i int, r *event.CallResult)) []session.Message {
	out := []session.Message{{Seq: 1, User: "go"}}
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		r := event.CallResult{Call: id, Tool: "read_file", Status: "ok", Decision: "allowed", Body: strings.Repeat("x", size)}
		if change != nil {
			change(i, &r)
		}
		out = append(out,
			session.Message{Seq: uint64(2*i + 2), Reply: &event.Reply{Calls: []event.Call{{ID: id}}}},
			session.Message{Seq: uint64(2*i + 3), Call: &r})
	}
	return out
}

// TestMask: whatever is in the conversation, only old results of calls that
// were done are masked, in one batch that is worth it.
func TestMask(t *testing.T) {
	const window = 20_000
	size := func(m session.Message) int64 { return Tokens(m.Call.Body, true) + 1500*int64(len(m.Call.Images)) }
	calls, freed := Mask(talk(20, 3000, nil), Known{}, window, size)
	if !slices.Contains(calls, "c0") || slices.Contains(calls, "c19") || !slices.IsSortedFunc(calls, func(a, b string) int { return len(a) - len(b) }) || !Over(freed, window, leastFreed) {
		t.Errorf("%v, %d", calls, freed)
	}
	if calls, _ := Mask(talk(6, 500, nil), Known{}, window, size); calls != nil {
		t.Errorf("a batch that frees little: %v", calls)
	}
	kinds := map[string]func(*event.CallResult){
		"ask_user": func(r *event.CallResult) { r.Tool = "ask_user" },
		"todo":     func(r *event.CallResult) { r.Tool = "todo" },
		"rejected": func(r *event.CallResult) { r.Status = "rejected" },
		"denied":   func(r *event.CallResult) { r.Decision = "denied" },
		"last read of an edited file": func(r *event.CallResult) {
			r.Files = []event.FileSeen{{Path: "/a"}}
		},
	}
	for name, change := range kinds {
		calls, _ := Mask(talk(20, 3000, func(i int, r *event.CallResult) {
			switch i {
			case 0:
				change(r)
			case 1:
				r.Files, r.Changes = []event.FileSeen{{Path: "/a"}}, []event.Change{{Path: "a"}}
			}
		}), Known{}, window, size)
		if slices.Contains(calls, "c0") || !slices.Contains(calls, "c2") {
			t.Errorf("%s: %v", name, calls)
		}
	}
	pictures, freed := Mask(talk(20, 40, func(i int, r *event.CallResult) {
		if i < 3 {
			r.Images = []event.ImageRef{{Name: "p"}}
		}
	}), Known{}, window, size)
	if !slices.Equal(pictures, []string{"c0", "c1", "c2"}) || freed < 4500 {
		t.Errorf("of old pictures: %v, %d", pictures, freed)
	}
}

// TestCut: a cut never parts a call from its result, and what is behind it fits.
func TestCut(t *testing.T) {
	size := func(m session.Message) int64 {
		if m.Call != nil {
			return 100
		}
		return 10
	}
	messages := talk(10, 1, nil)
	for keep := int64(0); keep < 1300; keep += 7 {
		n := Cut(messages, Known{}, keep, size)
		total := int64(0)
		for _, m := range messages[n:] {
			total += size(m)
		}
		if n != 0 && total > keep {
			t.Errorf("keep %d: %d are kept", keep, total)
		}
		if n < len(messages) && n > 0 && messages[n].Call != nil {
			t.Errorf("keep %d: the cut at %d parts a call from its result", keep, n)
		}
	}
	if n := Cut(messages, Known{}, 1<<40, size); n != 0 {
		t.Errorf("with room for all of it, %d are summed up", n)
	}
}

// TestKeptIsBounded: rules and the newest words are kept before the others, and
// what is not kept is named.
func TestKeptIsBounded(t *testing.T) {
	s := session.State{Setting: session.Setting{Level: "always_ask"}, Work: session.Work{Todo: []event.TodoItem{{Text: "open one", Status: "pending"}}}}
	var sent []session.Message
	sent = append(sent, session.Message{User: "the first word"})
	for i := range 300 {
		text := fmt.Sprintf("message %d %s", i, strings.Repeat("chatter ", 20))
		if i == 150 {
			text = "never touch main.go"
		}
		sent = append(sent, session.Message{User: text})
	}
	for i := range 60 {
		sent = append(sent, session.Message{Call: &event.CallResult{Tool: "write_file", Title: fmt.Sprint("write ", i), Status: "rejected", Decision: "denied", Body: "Not done: the person said no. Reason: no"}})
	}
	kept, dropped := Kept(s, sent, Known{}, 20_000)
	text := strings.Join(kept, "\n")
	for _, must := range []string{"said: the first word", "said: never touch main.go", "message 299 ", "refused: write 59: Not done", "level: always_ask", "task: pending: open one"} {
		if !strings.Contains(text, must) {
			t.Errorf("%q is not kept", must)
		}
	}
	if Tokens(text, false) > 20_000*30/100 || len(dropped) < 200 || !strings.Contains(strings.Join(dropped, "\n"), "message 5 ") {
		t.Errorf("%d tokens kept, %d things dropped", Tokens(text, false), len(dropped))
	}
	s.Compaction = &session.Compaction{Compacted: event.Compacted{Kept: kept}}
	again, _ := Kept(s, []session.Message{{User: "one more"}}, Known{}, 20_000)
	if text := strings.Join(again, "\n"); !strings.Contains(text, "never touch main.go") || !strings.Contains(text, "one more") || strings.Count(text, "task: ") != 1 {
		t.Errorf("a second summary loses the first one's words:\n%s", text)
	}
}

// TestSourceFits: however much is summed up, the request for it fits.
func TestSourceFits(t *testing.T) {
	for _, n := range []int{1, 50, 3000} {
		source := Source(talk(n, 20_000, nil), nil, Known{Factor: 1.5}, 8000)
		if got := (Known{Factor: 1.5}).Tokens(Tokens(source, true)); got > 4400 {
			t.Errorf("%d calls: %d tokens", n, got)
		}
	}
}

// TestPicturesOf: each maker's own rule, from its examples where it gives any; a
// picture that says no size is a large one.
func TestPicturesOf(t *testing.T) {
	for _, c := range []struct {
		provider, model string
		w, h            int
		want            int64
	}{
		{"anthropic", "claude-opus-4-7", 1000, 1000, 1334},
		{"openrouter", "anthropic/claude-sonnet-4-6", 200, 200, 54},
		{"anthropic", "claude-opus-4-7", 8000, 8000, 4784},
		{"openai", "gpt-4o", 1024, 1024, 765},
		{"openai", "gpt-4o", 2048, 4096, 1105},
		{"openai", "gpt-4o-mini", 512, 512, 8500},
		{"openai-chat", "gpt-4.1-nano", 1024, 1024, 2520},
		{"openai", "gpt-5-mini", 8000, 8000, 3779},
		{"gemini", "gemini-2.5-flash", 384, 384, 258},
		{"gemini", "gemini-2.5-flash", 1536, 800, 4 * 258},
		{"openrouter", "google/gemini-3-pro", 8000, 10, 1120},
		{"ollama", "qwen2.5vl:7b", 1008, 1008, 1296},
		{"lmstudio", "gemma3", 1, 1, 256},
		{"ollama", "qwen2.5vl:7b", 8000, 8000, 4096},
		{"", "", 1 << 40, 1, 4096},
		{"gemini", "gemini-2.5-flash", 1, 1, 258},
		{"openai", "gpt-4o", 8000, 1, 85 + 4*170},
	} {
		if got := PicturesOf(c.provider, c.model)(c.w, c.h); got != c.want {
			t.Errorf("%s %s %d × %d: %d, want %d", c.provider, c.model, c.w, c.h, got, c.want)
		}
	}
	gif := []byte("GIF89a\x38\x04\x38\x04\x00\x00") // 1,080 pixels a side
	shown := func(data []byte) model.Message {
		return model.Message{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartImage, Image: &model.Image{Data: data}}}}
	}
	if got := Message(shown(gif), PicturesOf("anthropic", "claude-x")); got != perMessage+1556 {
		t.Errorf("a picture of 1,080 pixels a side: %d", got)
	}
	if got := Message(shown([]byte("no head")), PicturesOf("anthropic", "claude-x")); got != perMessage+4784 {
		t.Errorf("a picture without a size: %d", got)
	}
	if got := Message(shown(gif), nil); got != perMessage+39*39 {
		t.Errorf("for a model that nobody named: %d", got)
	}
}
