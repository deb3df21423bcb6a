package agent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// nothing is a tool that does nothing: what is left is the road.
type nothing struct{}

func (nothing) Spec() tool.Spec {
	return tool.Spec{Name: "nothing", Schema: json.RawMessage(`{"type":"object","additionalProperties":false}`), Free: true, Category: "plan"}
}

func (nothing) Plan(context.Context, tool.View, json.RawMessage) (effect.Set, error) {
	return effect.Set{Tool: "nothing", Title: "nothing", Free: true}, nil
}

func (nothing) Run(context.Context, tool.Env, effect.Set) (tool.Result, error) {
	return tool.Result{Status: tool.OK}, nil
}

// BenchmarkCall is a whole call with its signed intent and outcome, in turns
// with a bare write and sync of the same disk. `x-fdatasync` is the ratio
// that the budget speaks of (docs/architecture.md, section 7): at most 3.
func BenchmarkCall(b *testing.B) {
	r := newRig(b, []step{{Say: "unused"}}, func(o *Options) {
		registry, err := tool.NewRegistry(nothing{})
		if err != nil {
			b.Fatal(err)
		}
		o.Tools = registry
	})
	r.start("")
	defer r.stop()
	bare, err := os.Create(filepath.Join(b.TempDir(), "bare"))
	if err != nil {
		b.Fatal(err)
	}
	defer bare.Close()
	line := make([]byte, 700)
	var ours, disk time.Duration
	for b.Loop() {
		began := time.Now()
		res, err := r.session.disp.Call(b.Context(), event.Call{ID: "c", Tool: "nothing", Args: json.RawMessage(`{}`), Origin: "native", Status: callOK})
		if err != nil || res.Status != "ok" {
			b.Fatal(res, err)
		}
		middle := time.Now()
		if _, err := bare.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := bare.Sync(); err != nil {
			b.Fatal(err)
		}
		ours += middle.Sub(began)
		disk += time.Since(middle)
	}
	b.ReportMetric(float64(ours)/float64(disk), "x-fdatasync")
	b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "µs/call")
}
