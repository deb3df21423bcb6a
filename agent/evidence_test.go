package agent

import (
	"context"
	"errors"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
)

// noOutcomes is an audit log that states intents and takes no outcome.
type noOutcomes struct{ evidence }

func (noOutcomes) Outcome(audit.Token, audit.Outcome) error { return errors.New("the disk is gone") }

// TestAnOutcomeThatCannotBeStated ends the session's turn as a fault of the
// evidence, wherever on the road the outcome was due.
func TestAnOutcomeThatCannotBeStated(t *testing.T) {
	create := []call{{"write_file", map[string]any{"path": "one.txt", "content": "1\n"}}}
	reads := []call{{"read_file", map[string]any{"path": "a.txt"}}, {"read_file", map[string]any{"path": "b.txt"}}}
	for name, c := range map[string]struct {
		calls  []call
		person func(event.Question) event.Answer
		at     string // where do is done
		do     func(*rig, context.CancelFunc)
	}{
		"ran":     {calls: create, person: yes},
		"refused": {calls: create},
		"changed": {calls: create, person: yes, at: "intent", do: func(r *rig, _ context.CancelFunc) { r.write("one.txt", "2\n") }},
		"stopped": {calls: create, person: yes, at: "intent", do: func(_ *rig, stop context.CancelFunc) { stop() }},
		"reads":   {calls: reads},
		"a read of several that changed": {calls: reads, at: "intent", do: func(r *rig, _ context.CancelFunc) {
			r.write("a.txt", "other\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var r *rig
			r = newRig(t, []step{{Say: "x", Calls: c.calls}, {Say: "done"}}, func(o *Options) {
				o.Step = func(at string) {
					if at == c.at {
						c.do(r, stop)
					}
				}
			})
			r.person = c.person
			r.write("a.txt", "a\n")
			r.write("b.txt", "b\n")
			r.startIn(ctx, "")
			r.session.disp.log = noOutcomes{r.session.disp.log}
			if end := r.turn("go"); end.Code != codeNoEvidence {
				t.Errorf("end = %+v", end)
			}
		})
	}
}
