package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
)

// interrupted is a session whose process died while a command ran.
func interrupted(t *testing.T) *rig {
	t.Helper()
	r := newRigAt(t, t.TempDir(), []step{{Say: "I look how far it came."}}, nil)
	var err error
	if r.opts.Log, err = r.opts.Store.Create(time.Now()); err != nil {
		t.Fatal(err)
	}
	id := r.opts.Log.ID()
	parts, err := json.Marshal([]model.Part{{Kind: model.PartCall, CallID: "c1", Name: "execute_command", Args: []byte(`{"command":"make deploy"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.opts.Log.Append(time.Now(),
		event.Opened{Root: r.root, Front: "tui", Level: "always_ask"},
		event.TurnStarted{Turn: 1, Text: "deploy"},
		event.Reply{Calls: []event.Call{{ID: "c1", Tool: "execute_command", Status: callOK}}, Parts: parts},
	)
	if err != nil {
		t.Fatal(err)
	}
	r.opts.Log.Close()
	r.start(id)
	return r
}

func TestTheFateOfAnInterruptedCallIsAsked(t *testing.T) {
	for how, want := range map[string]string{"done": "it did happen", "again": "do what is left of it", "look": ""} {
		t.Run(how, func(t *testing.T) {
			r := interrupted(t)
			err := r.session.owner.do(func(o *owned) {
				o.unknown = []event.CallStarted{{Call: "c1", Tool: "execute_command", Title: "run make deploy"}}
				r.session.openUnknown(o)
			})
			if err != nil {
				t.Fatal(err)
			}
			state, _ := r.session.State()
			if state.Question == nil || state.Question.Kind != event.AskUnknown {
				t.Fatalf("question = %+v", state.Question)
			}
			_, live, cancel, err := r.session.Subscribe(state.Seq)
			if err != nil {
				t.Fatal(err)
			}
			defer cancel()
			// Not an answer to another call, and not a yes.
			_ = r.session.Send(event.Settle{Call: "other", How: "done"})
			_ = r.session.Send(event.Answer{Question: state.Question.ID, Digest: state.Question.Digest, LinesHash: state.Question.LinesHash, Choice: event.Once})
			_ = r.session.Send(event.Settle{Call: "c1", How: how})
			said := ""
			for wait := time.After(5 * time.Second); ; {
				select {
				case e := <-live:
					if b, ok := e.Body.(event.TurnStarted); ok {
						said = b.Text
					}
					if _, ok := e.Body.(event.TurnEnded); !ok && !(want == "" && e.Body.Type() == "question.closed") {
						continue
					}
				case <-wait:
					t.Fatal("nothing came of it")
				}
				break
			}
			if (want == "") != (said == "") || !strings.Contains(said, want) {
				t.Errorf("the model is told %q", said)
			}
			r.stop()
			r.verify()
		})
	}
}

func TestTypingPassesTheQuestionOfAnInterruptedCall(t *testing.T) {
	r := interrupted(t)
	err := r.session.owner.do(func(o *owned) {
		o.unknown = []event.CallStarted{{Call: "c1", Title: "run make deploy"}}
		r.session.openUnknown(o)
	})
	if err != nil {
		t.Fatal(err)
	}
	if end := r.turn("something else"); end.Status != "done" {
		t.Errorf("end = %+v", end)
	}
	if state, _ := r.session.State(); state.Question != nil {
		t.Error("the question is still open")
	}
	r.stop()
}
