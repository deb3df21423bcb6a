package agent

import (
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// A session that was left in plan mode is in plan mode when it is opened again.
func TestPlanModeOutlivesTheProcess(t *testing.T) {
	r := newRig(t, []step{
		{Say: "x", Calls: []call{{"write_file", map[string]any{"path": "new.txt", "content": "x"}}}}, {Say: "done"},
	}, nil)
	r.person = yes
	r.start("")
	r.do(event.SetLevel{Level: "always_ask", Plan: true}, func(e event.Event) bool { _, ok := e.Body.(event.LevelChanged); return ok })
	id := r.session.ID()
	r.stop()
	r.start(id)
	r.turn("write it")
	state, err := r.session.State()
	r.stop()
	if err != nil || state.Level != "plan" || r.read("new.txt") != "" {
		t.Errorf("level %q, wrote %q, %v", state.Level, r.read("new.txt"), err)
	}
}
