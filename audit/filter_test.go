package audit

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestFilterByPlace: a filter by session or by place gives what going through
// everything would give, over several segments, and outcomes that another
// process wrote.
func TestFilterByPlace(t *testing.T) {
	dir := t.TempDir()
	o := Options{Dir: dir, segmentSize: 4 << 10}
	l := openLog(t, o)
	var left Token
	for i := range 12 {
		s, err := l.Session(t.Context(), SessionInfo{Session: fmt.Sprintf("s%d", i%3), Front: FrontRun})
		must(t, err)
		act(t, s, edit(fmt.Sprintf("f%d", i)), Outcome{Status: OK})
		if left, err = s.Intent(t.Context(), edit("left")); err != nil {
			t.Fatal(err)
		}
		must(t, s.Outcome(left, Outcome{Status: Failed}))
		closeSession(t, s)
	}
	must(t, l.Close())
	r, err := OpenReader(t.Context(), o)
	must(t, err)
	if len(r.lim.numbers) < 4 {
		t.Fatalf("%d segments only", len(r.lim.numbers))
	}
	all := entries(t, r, Filter{})
	of := map[string]string{} // sid to session
	for _, e := range all {
		if e.Type == "open" {
			of[e.Sid] = e.Title
		}
	}
	for _, id := range []string{"s0", "s1", "s2", "none", ""} {
		var want []Entry
		for _, e := range all {
			if id == "" || of[e.Sid] == "session "+id+" (run)" {
				want = append(want, e)
			}
		}
		if d := cmp.Diff(want, entries(t, r, Filter{Session: id})); d != "" {
			t.Errorf("session %q: %s", id, d)
		}
	}
	for after := range all[len(all)-1].Seq + 3 {
		for _, e := range entries(t, r, Filter{After: after}) {
			if e.Seq < after {
				t.Fatalf("after %d: %+v", after, e)
			}
		}
		var want int
		for _, e := range all {
			if e.Seq >= after || e.Outcome >= after && e.Outcome != 0 {
				want++
			}
		}
		if got := len(entries(t, r, Filter{After: after})); got != want {
			t.Errorf("after %d: %d entries, and %d were to come", after, got, want)
		}
		line, _, err := r.Record(t.Context(), after)
		if (err == nil) != (after <= all[len(all)-1].Seq) || err == nil && len(line) == 0 {
			t.Errorf("record %d: %v", after, err)
		}
	}
}

func entries(t *testing.T, r *Reader, f Filter) []Entry {
	t.Helper()
	var out []Entry
	for e, err := range r.Entries(t.Context(), f) {
		must(t, err)
		out = append(out, e)
	}
	return out
}

// BenchmarkEntriesOfASession is what a resume pays for looking up one session
// in a long log, against reading all of it.
func BenchmarkEntriesOfASession(b *testing.B) {
	dir := b.TempDir()
	l := openLog(b, Options{Dir: dir})
	for i := range 20 {
		s, err := l.Session(b.Context(), SessionInfo{Session: fmt.Sprint(i), Front: FrontRun})
		must(b, err)
		for range 1000 {
			must(b, s.Event(b.Context(), Event{Kind: KindModel, Title: "a call of the model", Data: map[string]any{"input": 12345, "output": 77}}))
		}
		closeSession(b, s)
	}
	must(b, l.Close())
	r, err := OpenReader(b.Context(), Options{Dir: dir, Now: time.Now})
	must(b, err)
	for name, f := range map[string]Filter{"all": {}, "session": {Session: "7"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, err := range r.Entries(b.Context(), f) {
					must(b, err)
				}
			}
		})
	}
}
