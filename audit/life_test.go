package audit

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestRecoverAndSettle(t *testing.T) {
	layer := newMemLayer()
	var dead sync.Map
	opts := func(pid int64) Options { return Options{Layer: layer, processes: memProcesses{pid, &dead}} }
	crashed := openLog(t, opts(1))
	s, err := crashed.Session(t.Context(), SessionInfo{Session: "work", Front: FrontTUI})
	must(t, err)
	in := edit("a.go")
	in.Pre = append(in.Pre, FileRef{Path: ".env", SHA256: hexOf('3'), Size: 9, Mode: 0o600})
	tok, err := s.Intent(t.Context(), in)
	must(t, err)
	denied := edit("b.go")
	denied.Decision, denied.By = Denied, ByHeadless
	_, err = s.Intent(t.Context(), denied)
	must(t, err)

	alive := openLog(t, opts(2))
	two := begin(t, alive)
	if open, err := two.OpenIntents(t.Context()); err != nil || len(open) != 0 {
		t.Fatalf("intents of a running process: %v, %v", open, err)
	}
	dead.Store(int64(1), true)
	closeSession(t, two)
	_, err = s.Intent(t.Context(), edit("c.go")) // it was not dead after all: nobody settles for it
	must(t, err)

	again := openLog(t, opts(3))
	three := begin(t, again)
	open, err := three.OpenIntents(t.Context())
	must(t, err)
	if len(open) != 3 || open[0].Session != "work" || open[0].Hash != tok.Hash() || open[0].Intent.AID != tok.AID() {
		t.Fatalf("%+v", open)
	}
	got := open[0].Intent
	if !slices.Equal(got.Paths, in.Paths) || got.Decision != Approved || !slices.Equal(got.Want, in.Want) {
		t.Errorf("read back: %+v", got)
	}
	if f := got.Pre[1]; f.SHA256 != hexOf('3') || !f.Secret || f.Mode != 0o600 || f.Size != 9 {
		t.Errorf("the digest of a secret file, read back: %+v", f)
	}
	if err := three.Settle(open[1], Outcome{Status: OK}); err == nil {
		t.Error("a denied intent was settled as ok")
	}
	must(t, three.Settle(open[0], Outcome{Status: NotRun, Reason: "the file is as before"}))
	must(t, three.Settle(open[1], Outcome{Status: Rejected}))
	must(t, three.Settle(open[2], Outcome{Status: Unknown}))
	if err := three.Settle(open[0], Outcome{Status: OK}); !errors.Is(err, ErrSettled) {
		t.Errorf("settled twice: %v", err)
	}
	if open, err := three.OpenIntents(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("%v %v", open, err)
	}
	closeSession(t, three)
	closeSession(t, begin(t, again))
	text := string(layer.names[segmentName(1)].data)
	if n := strings.Count(text, `"type":"recover"`); n != 1 {
		t.Errorf("%d recover records: an intent is listed once", n)
	}
	rep := verifyLayer(t, Options{Layer: layer}, VerifyOptions{})
	wantIntact(t, rep)
	if len(rep.Warnings) != 1 || rep.Warnings[0].Kind != warnNoClose {
		t.Errorf("%+v", rep.Warnings)
	}
}

func TestEntries(t *testing.T) {
	x := newSample(t)
	s := x.session(t, "one", 1, nil)
	in := edit("b.go")
	in.Category, in.Decision, in.By = CategoryShell, Denied, ByTUI
	act(t, s, in, Outcome{Status: Rejected, Reason: "not now"})
	_, err := s.Intent(t.Context(), edit("open.go"))
	must(t, err)
	r, err := OpenReader(t.Context(), x.options())
	must(t, err)
	for _, c := range []struct {
		f    Filter
		seqs []int64
	}{
		{Filter{}, []int64{0, 1, 3, 5}},
		{Filter{Category: CategoryShell}, []int64{3}},
		{Filter{Status: Rejected}, []int64{3}},
		{Filter{Status: StatusOpen}, []int64{5}},
		{Filter{Text: "NOT NOW"}, []int64{3}},
		{Filter{Text: "open.go"}, []int64{5}},
		{Filter{Text: "nothing"}, nil},
	} {
		var got []int64
		for e, err := range r.Entries(t.Context(), c.f) {
			must(t, err)
			got = append(got, e.Seq)
		}
		if !slices.Equal(got, c.seqs) {
			t.Errorf("%+v: %v, want %v", c.f, got, c.seqs)
		}
	}
}
