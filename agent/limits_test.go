package agent

import (
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/audit"
)

// writing is a model that writes one new file.
var writing = []step{
	{Calls: []call{{Tool: "write_file", Args: map[string]any{"path": "new.txt", "content": "x\n"}}}},
	{Say: "done"},
}

// overACP opens sessions as an editor does.
func overACP(o *Options) { o.Front, o.Interactive = audit.FrontACP, false }

func (r *rig) send(c event.Command) {
	r.t.Helper()
	if err := r.session.Send(c); err != nil {
		r.t.Fatal(err)
	}
}

func TestNoFrontEndRisesAboveTheLaunch(t *testing.T) {
	for _, tt := range []struct {
		name   string
		launch gate.Level
		optOut bool
		set    event.SetLevel
		wrote  bool
	}{
		{"as launched", gate.AlwaysAsk, false, event.SetLevel{Level: "always_ask"}, false},
		{"never_ask by the client", gate.AlwaysAsk, false, event.SetLevel{Level: "never_ask"}, false},
		{"never_ask by setting and client", gate.NeverAsk, false, event.SetLevel{Level: "never_ask"}, false},
		{"new files by the client", gate.AlwaysAsk, false, event.SetLevel{Level: "new_files_only"}, false},
		{"new files by the launch", gate.NewFilesOnly, false, event.SetLevel{Level: "new_files_only"}, true},
		{"nonsense", gate.AlwaysAsk, true, event.SetLevel{Level: "root"}, true},
		{"opt-out", gate.AlwaysAsk, true, event.SetLevel{Level: "never_ask"}, true},
		{"opt-out given up", gate.AlwaysAsk, true, event.SetLevel{Level: "always_ask"}, false},
		{"plan mode within the opt-out", gate.AlwaysAsk, true, event.SetLevel{Level: "never_ask", Plan: true}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, writing, func(o *Options) { overACP(o); o.Level, o.OptOut = tt.launch, tt.optOut })
			r.start("")
			r.send(tt.set)
			r.turn("write") // the person says no to every question
			r.stop()
			if wrote := r.read("new.txt") != ""; wrote != tt.wrote {
				t.Errorf("written: %t", wrote)
			}
			r.verify()
		})
	}
}

func TestUnattendedIsNeverAskedAgain(t *testing.T) {
	r := newRig(t, writing, overACP)
	r.person = yes
	r.start("")
	r.send(event.Unattended{})
	r.turn("write")
	r.stop()
	for _, e := range r.events {
		if _, ok := e.Body.(event.QuestionOpened); ok {
			t.Error("a question was put to nobody")
		}
	}
	if r.read("new.txt") != "" {
		t.Error("the file was written unasked")
	}
}

func TestCancelRightBehindAMessageIsNotLost(t *testing.T) {
	r := newRig(t, writing, overACP)
	r.person = yes
	r.start("")
	_, live, cancel, err := r.session.Subscribe(0)
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	// Both reach the owner before the worker can have begun the turn.
	if err := r.session.owner.do(func(o *owned) {
		r.session.handle(o, event.Submit{Text: "write"})
		r.session.handle(o, event.Cancel{})
	}); err != nil {
		t.Fatal(err)
	}
	for e := range live {
		if end, ok := e.Body.(event.TurnEnded); ok {
			if end.Status != "cancelled" {
				t.Errorf("the turn ended as %s", end.Status)
			}
			break
		}
	}
	r.send(event.Cancel{}) // an idle session takes no note of it
	if end := r.turn("again"); end.Status != "done" {
		t.Errorf("the next turn ended as %s: %s", end.Status, end.Message)
	}
	r.stop()
}

func TestAttachedTextTaints(t *testing.T) {
	r := newRig(t, writing, overACP)
	r.start("")
	r.send(event.Attached{Source: "file", What: "notes.md"})
	r.send(event.Attached{Source: "file", What: "more.md"})
	state, err := r.session.State()
	if err != nil || len(state.Taint) != 1 || state.Taint[0] != "file" {
		t.Errorf("%v, %v", state.Taint, err)
	}
	r.stop()
}

func TestPreviewShowsWholeFiles(t *testing.T) {
	r := newRig(t, writing, func(o *Options) { overACP(o); o.Preview = true })
	r.person = yes
	r.start("")
	r.turn("write")
	r.stop()
	for i, e := range r.events {
		p, ok := e.Body.(event.CallPreview)
		if !ok {
			continue
		}
		if len(p.Files) != 1 || p.Files[0].Before != nil || p.Files[0].After == nil || *p.Files[0].After != "x\n" {
			t.Errorf("%+v", p)
		}
		if next, ok := r.events[i+1].Body.(event.CallStarted); !ok || next.Call != p.Call {
			t.Errorf("the preview does not come right before its call")
		}
		return
	}
	t.Error("no preview")
}

func TestCancelAtAQuestionIsNoLossOfEvidence(t *testing.T) {
	r := newRig(t, writing, overACP)
	r.person = func(event.Question) event.Answer {
		r.send(event.Cancel{})
		return event.Answer{Choice: event.Deny} // too late, and no answer any more
	}
	r.start("")
	if end := r.turn("write"); end.Status != "cancelled" {
		t.Errorf("the turn ended as %s: %s", end.Status, end.Message)
	}
	r.stop()
	r.verify()
}
