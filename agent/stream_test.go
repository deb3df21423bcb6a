package agent

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

// TestACallOnItsWay: while the model writes a long call, which can take a slow
// one minutes, it is told which call that is and how long it has become.
func TestACallOnItsWay(t *testing.T) {
	s, err := scenario.Parse(fmt.Appendf(nil, `{"steps": [{"say": "a long file", "chunk": 128, "calls": [
		{"tool": "write_file", "args": {"path": "a.txt", "content": %q}}, {"tool": "grep", "args": {"pattern": "long"}}]}, {"say": "done"}]}`, strings.Repeat("a long line\n", 400)))
	if err != nil {
		t.Fatal(err)
	}
	var looks atomic.Int64 // a clock that goes on when it is looked at
	r := newRig(t, []step{{Say: "nothing"}}, func(o *Options) {
		o.Now = func() time.Time {
			return time.Unix(1_700_000_000, 0).Add(time.Duration(looks.Add(1)) * 40 * time.Millisecond)
		}
	})
	r.opts.Provider = model.NewScripted(s, r.root)
	r.person = yes
	r.start("")
	r.turn("go")
	r.stop()
	var told []event.Working
	for _, e := range r.events {
		if w, ok := e.Body.(event.Working); ok && w.Writes != "" {
			told = append(told, w)
		}
	}
	if len(told) == 0 {
		t.Fatal("nothing was told of the call")
	}
	for i, w := range told {
		if w.On != "model" || w.Since.IsZero() || w.Writes == "write_file" && i > 0 && w.Bytes < told[i-1].Bytes || w.Bytes > 6000 {
			t.Errorf("%d: %+v", i, w)
		}
	}
}
