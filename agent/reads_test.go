package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// gated is a tool that reads, and whose runs meet: none ends before as many run
// as are meant to at the same time.
type gated struct {
	tool.Tool
	want int

	mu   sync.Mutex
	now  int
	most int
	once sync.Once
	met  chan struct{}
}

func (g *gated) Run(ctx context.Context, e tool.Env, planned effect.Set) (tool.Result, error) {
	g.mu.Lock()
	g.now++
	if g.most = max(g.most, g.now); g.now == g.want {
		g.once.Do(func() { close(g.met) })
	}
	g.mu.Unlock()
	select {
	case <-g.met:
	case <-time.After(20 * time.Second):
		return tool.Result{Status: tool.Error, Body: "alone"}, nil
	}
	time.Sleep(5 * time.Millisecond) // more could come in now
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.now--
	}()
	return g.Tool.Run(ctx, e, planned)
}

// Reads of one reply run side by side, four at most, and answer in order.
func TestReadsRunSideBySide(t *testing.T) {
	const n = 12
	var calls []call
	for i := range n {
		calls = append(calls, call{"read_file", map[string]any{"path": fmt.Sprintf("f%02d", i)}})
	}
	g := &gated{want: maxReads, met: make(chan struct{})}
	r := newRig(t, []step{{Calls: calls}, {Say: "done"}}, func(o *Options) {
		var all []tool.Tool
		for _, x := range tool.Builtin(tool.Options{}) {
			if x.Spec().Name == "read_file" {
				g.Tool, x = x, g
			}
			all = append(all, x)
		}
		o.Tools, _ = tool.NewRegistry(all...)
	})
	for i := range n {
		r.write(fmt.Sprintf("f%02d", i), fmt.Sprintf("content %d\n", i))
	}
	r.start("")
	r.turn("go")
	r.stop()
	for i, res := range r.results() {
		if res.Status != "ok" || !strings.Contains(res.Body, fmt.Sprintf("content %d\n", i)) {
			t.Errorf("result %d: %+v", i, res)
		}
	}
	if g.most != maxReads {
		t.Errorf("%d reads ran at the same time, want %d", g.most, maxReads)
	}
	r.verify()
}

// A call that changes something is a barrier: the reads before it see the old,
// those after it the new.
func TestOtherCallsAreBarriers(t *testing.T) {
	read := func(name string) call { return call{"read_file", map[string]any{"path": name}} }
	r := newRig(t, []step{{Calls: []call{
		read("a"), read("b"),
		{"str_replace", map[string]any{"path": "a", "old_str": "old", "new_str": "new"}},
		{"file_info", map[string]any{"path": "a"}}, {"grep", map[string]any{"pattern": "new"}}, {"grep", map[string]any{"pattern": "old"}},
		{"execute_command", map[string]any{"command": "echo newer > a"}}, {"list_files", map[string]any{}}, {"glob", map[string]any{"pattern": "*"}},
		read("none"), {"todo", map[string]any{"items": []any{}}}, {"grep", map[string]any{"pattern": "newer"}},
	}}, {Say: "done"}}, nil)
	r.write("a", "old\n")
	r.write("b", "old\n")
	r.person = yes
	r.start("")
	r.turn("go")
	r.stop()
	want := []string{"1\told", "1\told", "edited a", "size", "a", "b", "", "a\t", "a", "does not exist", "empty", "a"}
	for i, res := range r.results() {
		if !strings.Contains(res.Body, want[i]) {
			t.Errorf("result %d of %s: %q, want %q", i, res.Tool, res.Body, want[i])
		}
	}
	if got := len(r.results()); got != len(want) {
		t.Errorf("%d results", got)
	}
	r.verify()
}

// A read of what has to be asked about is no part of a row.
func TestOnlyReads(t *testing.T) {
	path := func(p effect.Path) effect.Effect { return effect.Effect{Kind: effect.Read, Path: &p} }
	for _, c := range []struct {
		set  effect.Set
		want bool
	}{
		{effect.Set{Effects: []effect.Effect{path(effect.Path{})}}, true},
		{effect.Set{}, false},
		{effect.Set{Free: true}, false},
		{effect.Set{Effects: []effect.Effect{path(effect.Path{Outside: true})}}, false},
		{effect.Set{Effects: []effect.Effect{path(effect.Path{Secret: true})}}, false},
		{effect.Set{Effects: []effect.Effect{path(effect.Path{}), {Kind: effect.Write, Path: &effect.Path{}}}}, false},
		{effect.Set{Effects: []effect.Effect{{Kind: effect.Git, Git: &effect.GitCall{Class: effect.GitReads}}}}, false},
	} {
		if got := onlyReads(c.set); got != c.want {
			b, _ := json.Marshal(c.set)
			t.Errorf("%s: %v", b, got)
		}
	}
}
