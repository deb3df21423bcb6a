package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// held is a model that waits before its first answer until it may go on.
func held(answer func(n int, r model.Request) (model.Reply, error)) (func(int, model.Request) (model.Reply, error), chan struct{}, chan struct{}) {
	asked, goOn := make(chan struct{}), make(chan struct{})
	return func(n int, r model.Request) (model.Reply, error) {
		if n == 1 {
			close(asked)
			<-goOn
		}
		return answer(n, r)
	}, asked, goOn
}

// ends waits for so many turns to end, and gives their ends.
func (r *rig) turnEnds(live <-chan event.Event, n int) []event.TurnEnded {
	r.t.Helper()
	var out []event.TurnEnded
	for deadline := time.After(time.Minute); len(out) < n; {
		select {
		case e, ok := <-live:
			if !ok {
				r.t.Fatal("the session ended")
			}
			if b, ok := e.Body.(event.TurnEnded); ok {
				out = append(out, b)
			}
		case <-deadline:
			r.t.Fatalf("%d of %d turns ended", len(out), n)
		}
	}
	return out
}

func (r *rig) listen() (<-chan event.Event, func()) {
	r.t.Helper()
	state, err := r.session.State()
	if err != nil {
		r.t.Fatal(err)
	}
	_, live, cancel, err := r.session.Subscribe(state.Seq)
	if err != nil {
		r.t.Fatal(err)
	}
	return live, cancel
}

func (r *rig) sendAll(commands ...event.Command) {
	r.t.Helper()
	for _, c := range commands {
		if err := r.session.Send(c); err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestInterject: what the person says while the agent works is read after the
// present call; the calls that have not begun are closed.
func TestInterject(t *testing.T) {
	answer, asked, goOn := held(func(n int, _ model.Request) (model.Reply, error) {
		if n > 1 {
			return answers("as you say"), nil
		}
		two := calls(1, "write_file", `{"path":"one","content":"x"}`)
		two.Calls = append(two.Calls, model.Call{ID: "second", Name: "write_file", Args: json.RawMessage(`{"path":"two","content":"x"}`), Status: model.CallOK, Origin: model.OriginNative})
		return two, nil
	})
	r, m := talking(t, answer, func(o *Options) { o.Level, o.Interactive = 2, true })
	defer r.stop()
	live, cancel := r.listen()
	defer cancel()
	r.sendAll(event.Submit{Text: "write both"})
	<-asked
	r.sendAll(event.Interject{Text: "wrong"}, event.Withdraw{}, event.Interject{Text: "only the first one"})
	close(goOn)
	if end := r.turnEnds(live, 1)[0]; end.Status != "done" {
		t.Errorf("%+v", end)
	}
	if r.read("one") == "" || r.read("two") != "" {
		t.Error("the call that had not begun was not held back")
	}
	last := m.asked[1].Messages
	if n := len(last); last[n-1].Role != model.RoleUser || last[n-1].Parts[0].Text != "only the first one" || last[n-2].Role != model.RoleTool {
		t.Errorf("%+v", last)
	}
	r.folds()
}

// TestInterrupt: with ! the turn is stopped, and the words are the next one.
func TestInterrupt(t *testing.T) {
	answer, asked, goOn := held(func(n int, _ model.Request) (model.Reply, error) { return answers("so"), nil })
	r, _ := talking(t, answer, nil)
	defer r.stop()
	live, cancel := r.listen()
	defer cancel()
	r.sendAll(event.Submit{Text: "a"})
	<-asked
	r.sendAll(event.Submit{Text: "later"}, event.Interject{Text: "! now this"})
	close(goOn)
	r.turnEnds(live, 3)
	var texts []string
	for _, b := range find[event.TurnStarted](t, r) {
		texts = append(texts, b.Text)
	}
	if !slices.Equal(texts, []string{"a", "now this", "later"}) {
		t.Errorf("%q", texts)
	}
}

// TestACancelCoversWhatCameBefore: a message after the cancel is a turn like
// any other.
func TestACancelCoversWhatCameBefore(t *testing.T) {
	answer, asked, goOn := held(func(n int, _ model.Request) (model.Reply, error) { return answers("so"), nil })
	r, _ := talking(t, answer, nil)
	defer r.stop()
	live, cancel := r.listen()
	defer cancel()
	r.sendAll(event.Submit{Text: "a"})
	<-asked
	r.sendAll(event.Cancel{}, event.Submit{Text: "b"})
	close(goOn)
	ends := r.turnEnds(live, 2)
	if ends[1].Status != "done" {
		t.Errorf("%+v", ends)
	}
}

// TestASignalBeginsNothingMore: when the session's own context ends, what waits
// is named, and no turn is begun only to be cancelled.
func TestASignalBeginsNothingMore(t *testing.T) {
	answer, asked, goOn := held(func(n int, _ model.Request) (model.Reply, error) { return answers("so"), nil })
	r := newRig(t, []step{{Say: "-"}}, func(o *Options) { o.Provider, o.Model = &talker{answer: answer}, "talks" })
	ctx, signal := context.WithCancel(t.Context())
	r.startIn(ctx, "")
	defer r.stop()
	live, cancel := r.listen()
	defer cancel()
	r.sendAll(event.Submit{Text: "a"})
	<-asked
	r.sendAll(event.Submit{Text: "b"}, event.Submit{Text: "c"}, event.Interject{Text: "d"})
	signal()
	close(goOn)
	r.turnEnds(live, 1)
	if _, err := r.session.State(); err != nil {
		t.Fatal(err)
	}
	if err := r.session.owner.do(func(*owned) {}); err != nil {
		t.Fatal(err)
	}
	named := false
	for deadline := time.After(time.Minute); !named; {
		select {
		case e := <-live:
			n, ok := e.Body.(event.Notice)
			named = ok && strings.Contains(n.Text, "2 messages")
		case <-deadline:
			t.Fatal("nobody said what became of the messages that waited")
		}
	}
	if n := len(find[event.TurnStarted](t, r)); n != 1 {
		t.Errorf("%d turns began", n)
	}
}

// TestAStopIsForOneTask: what is stopped before it ran is stopped, and what
// comes after it is not.
func TestAStopIsForOneTask(t *testing.T) {
	for name, first := range map[string]task{
		"a turn": {saying: saying{text: "a"}}, "an undo": {undo: &event.Undo{}}, "a compaction": {compact: &event.Compact{}},
		"a question to a server": {asking: &asking{tool: tool.MCPList}}, "an approval of a server": {approve: "near"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := talking(t, func(int, model.Request) (model.Reply, error) { return answers("so"), nil }, nil)
			defer r.stop()
			live, cancel := r.listen()
			defer cancel()
			if err := r.session.owner.do(func(o *owned) {
				r.session.start(o, first)
				o.stop() // before the worker could begin
			}); err != nil {
				t.Fatal(err)
			}
			r.sendAll(event.Submit{Text: "b"})
			turns := 1
			if first.saying.text != "" {
				turns = 2
			}
			if end := r.turnEnds(live, turns)[turns-1]; end.Status != "done" {
				t.Errorf("the turn after it: %+v", end)
			}
		})
	}
}
