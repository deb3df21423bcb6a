package agent

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/fit"
	"github.com/tera-pilot/tera-pilot/agent/model"
)

// bare is a body without the marks of the cache.
func bare(b []byte) string {
	return strings.ReplaceAll(string(b), `,"cache_control":{"type":"ephemeral"}`, "")
}

// TestTenThousandTurns: however long a session, a request fits its window, and
// the session its memory; all of it is still in the log.
func TestTenThousandTurns(t *testing.T) {
	turns := 10_000
	if testing.Short() || raceDetector {
		turns = 500
	}
	const window = 32 << 10
	m := &talker{answer: func(int, model.Request) (model.Reply, error) {
		return answers("Goal: go on.\nOpen: the thing that is open"), nil
	}}
	r := newRig(t, []step{{Say: "-"}}, func(o *Options) { o.Provider, o.Model, o.Window = m, "talks", window })
	r.start("")
	defer r.stop()
	output := strings.Repeat("a line of output that nobody needs for long 0123456789\n", 150)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(r.session.owner.emit(event.TodoChanged{Items: []event.TodoItem{{Text: "the thing that is open", Status: "active"}}}))
	mind, err := r.session.mind()
	must(err)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	largest := int64(0)
	for i := range turns {
		id := fmt.Sprintf("c%d", i)
		parts, err := json.Marshal([]model.Part{{Kind: model.PartCall, CallID: id, Name: "execute_command", Args: json.RawMessage(`{"command":"make"}`)}})
		must(err)
		zero := 0
		must(r.session.owner.emit(
			event.TurnStarted{Turn: i + 1, Text: fmt.Sprintf("message %d: never touch file %d", i, i)},
			event.Reply{Parts: parts, Calls: []event.Call{{ID: id, Tool: "execute_command", Status: "ok"}}, Stop: "tool_calls"},
			event.CallResult{Call: id, Tool: "execute_command", Status: "ok", Decision: "allowed", Exit: &zero, Title: "make", Body: output, Untrusted: "command", Boundary: "0123456789abcdef"},
			event.TurnEnded{Turn: i + 1, Status: "done"},
		))
		req, err := r.session.fitted(t.Context(), mind)
		must(err)
		largest = max(largest, fit.Request(req, nil))
	}
	if largest > window*fit.CompactAt/100+4096 {
		t.Errorf("a request of %d tokens was made for a window of %d", largest, window)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > max(4<<20, int64(turns)*4<<10) {
		t.Errorf("the session holds %d MB", grown>>20)
	}
	t.Logf("%d turns, %d MB of output: the largest request has %d of %d tokens, the session holds %d MB", turns, turns*len(output)>>20, largest, window, max(0, int64(after.HeapAlloc)-int64(before.HeapAlloc))>>20)
	state, err := r.session.State()
	must(err)
	if state.Compaction == nil || !strings.Contains(state.Compaction.Summary, "the thing that is open") || !strings.Contains(state.Compaction.Summary, "message 0: never touch file 0") {
		t.Error("the summary has lost the open task or the first words of the person")
	}
	r.folds()
}
