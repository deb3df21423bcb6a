package audit

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// months makes a log whose sessions lie in different months, each month in a
// segment of its own.
func months(t testing.TB) *sample {
	t.Helper()
	x := newSample(t)
	for i, id := range []string{"march", "april", "may", "june"} {
		s := x.session(t, id, 2, nil)
		if i > 0 { // the next month begins in the middle of a session
			act(t, s, edit("b"), Outcome{Status: OK})
		}
		x.now = time.Date(2026, time.Month(4+i), 1, 8, 0, 0, 0, time.UTC)
		act(t, s, edit("c"), Outcome{Status: OK})
		closeSession(t, s)
	}
	return x
}

func TestPurge(t *testing.T) {
	x := months(t)
	before := x.export(t, ExportOptions{})
	whole := x.verify(t, before, VerifyOptions{})
	wantIntact(t, whole)
	may := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	info := SessionInfo{Front: FrontCLI}
	out, err := x.l.Purge(t.Context(), info, may)
	must(t, err)
	if out.Records == 0 || out.First != out.Records || !strings.HasPrefix(out.Since, "2026-05-01") {
		t.Fatalf("%+v", out)
	}
	rep := verifyLayer(t, x.options(), VerifyOptions{Strict: true})
	wantIntact(t, rep)
	if rep.Complete || rep.Start == nil || rep.Start.Seq != out.First {
		t.Errorf("%+v", rep)
	}
	for name, o := range map[string]ExportOptions{
		"whole": {}, "lines": {Lines: true}, "session": {Session: "june"}, "straddling": {Session: "april"}, "disclosed": {Disclose: []string{"all"}},
	} {
		b := x.export(t, o)
		for _, fast := range []bool{true, false} {
			wantIntact(t, x.verify(t, b, VerifyOptions{Fast: fast}))
		}
		if name == "whole" {
			stubIsGuarded(t, x, b)
		}
	}
	if again, err := x.l.Purge(t.Context(), info, may); err != nil || again.Records != 0 {
		t.Errorf("purged again: %+v, %v", again, err)
	}
	more, err := x.l.Purge(t.Context(), info, may.AddDate(0, 1, 0))
	must(t, err)
	if more.Records == 0 || more.First <= out.First {
		t.Errorf("%+v", more)
	}
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{Strict: true}))
	delete(x.layer.names, fileState) // the long way
	l := openLog(t, x.options())
	closeSession(t, begin(t, l))
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{Strict: true}))
	r, err := OpenReader(t.Context(), x.options())
	must(t, err)
	if _, err := r.Prove(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "purged") {
		t.Errorf("a purged record is proven: %v", err)
	}
	proof, err := r.Prove(t.Context(), more.First+1)
	must(t, err)
	wantIntact(t, x.verify(t, proof, VerifyOptions{}))
}

// stubIsGuarded changes a stub in an export in every way.
func stubIsGuarded(t *testing.T, x *sample, b []byte) {
	t.Helper()
	first := func(doc map[string]any) map[string]any { return doc["stub"].([]any)[0].(map[string]any) }
	for name, change := range map[string]func(doc map[string]any){
		"no stub":           func(doc map[string]any) { delete(doc, "stub") },
		"empty stub":        func(doc map[string]any) { doc["stub"] = []any{} },
		"another size":      func(doc map[string]any) { first(doc)["size"] = json.Number("3") },
		"another head":      func(doc map[string]any) { first(doc)["head"] = strings.Repeat("0", 64) },
		"another time":      func(doc map[string]any) { first(doc)["ts"] = "2020-01-01T00:00:00.000Z" },
		"another tree":      func(doc map[string]any) { first(doc)["tree"].([]any)[0] = strings.Repeat("0", 64) },
		"an open missing":   func(doc map[string]any) { doc["stub"] = slices.Delete(doc["stub"].([]any), 1, 2) },
		"no session":        func(doc map[string]any) { delete(first(doc), "sessions") },
		"a segment later":   func(doc map[string]any) { first(doc)["segment"] = json.Number("9") },
		"the first records": func(doc map[string]any) { doc["records"] = doc["records"].([]any)[1:] },
		"more members":      func(doc map[string]any) { first(doc)["x"] = "y" },
	} {
		for _, fast := range []bool{true, false} {
			if rep := x.verify(t, edited(t, b, change), VerifyOptions{Fast: fast}); rep.Exit != ExitTampered {
				t.Errorf("stub with %s: exit %d", name, rep.Exit)
			}
		}
	}
}

func TestCrashAtEachStepOfAPurge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	may := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	purged := 0
	for at := 1; ; at += 2 {
		x := months(t)
		must(t, x.l.Close())
		x.layer.mu.Lock()
		x.layer.count, x.layer.crashAt = 0, at
		x.layer.mu.Unlock()
		l := openLog(t, x.options())
		_, err := l.Purge(t.Context(), SessionInfo{Front: FrontCLI}, may)
		x.layer = x.layer.crash(rng)
		again := openLog(t, x.options())
		closeSession(t, begin(t, again))
		rep := verifyLayer(t, x.options(), VerifyOptions{})
		if !rep.OK {
			t.Fatalf("crash at step %d: %+v\n%s", at, rep.FirstBad, x.layer.dump())
		}
		if !rep.Complete {
			purged++
		}
		if x.layer.names[fileStubNext] != nil {
			t.Errorf("crash at step %d: a stub is left half way", at)
		}
		if err == nil {
			break
		}
	}
	if purged == 0 {
		t.Error("no crash was behind the point of no return")
	}
}

// Open intents of dead processes are settled before they are purged; nothing of
// a running session goes.
func TestPurgeAndOpenSessions(t *testing.T) {
	layer := newMemLayer()
	var dead sync.Map
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	opts := func(pid int64) Options {
		return Options{Layer: layer, Now: func() time.Time { return now }, processes: memProcesses{pid, &dead}}
	}
	crashed, running := openLog(t, opts(1)), openLog(t, opts(2))
	_, err := begin(t, crashed).Intent(t.Context(), edit("a"))
	must(t, err)
	live := begin(t, running)
	now = now.AddDate(0, 1, 0)
	act(t, live, edit("b"), Outcome{Status: OK})
	purger := openLog(t, opts(3))
	next := now.AddDate(0, 1, 0)
	out, err := purger.Purge(t.Context(), SessionInfo{Front: FrontCLI}, next)
	must(t, err)
	if out.Records != 0 {
		t.Errorf("%d records of running sessions were purged", out.Records)
	}
	dead.Store(int64(1), true)
	closeSession(t, live)
	now = next
	act(t, begin(t, purger), edit("c"), Outcome{Status: OK})
	out, err = purger.Purge(t.Context(), SessionInfo{Front: FrontCLI}, next)
	must(t, err)
	if out.Records == 0 {
		t.Error("nothing was purged")
	}
	rep := verifyLayer(t, Options{Layer: layer}, VerifyOptions{})
	wantIntact(t, rep)
	if slices.ContainsFunc(rep.Warnings, func(w Warning) bool { return w.Kind == warnIntent }) {
		t.Errorf("%+v", rep.Warnings)
	}
}
