package audit

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestSessionsMakeOneChain(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir})
	for range 3 {
		s := begin(t, l)
		act(t, s, edit("a.go"), Outcome{Status: OK})
		if err := s.Event(t.Context(), Event{Kind: "note", Title: "hello", Data: map[string]any{"n": 1}}); err != nil {
			t.Fatal(err)
		}
		closeSession(t, s)
	}
	rep := verifyLive(t, dir, VerifyOptions{Strict: true})
	wantIntact(t, rep)
	if rep.Records != 15 || rep.Sessions != 3 || len(rep.Warnings) != 0 || !rep.Complete {
		t.Errorf("%+v", rep)
	}
	if h := l.Head(); rep.Head.Hash != h.Hash || rep.Head.Size != h.Size || rep.Head.Log != key(t, dir).LogID() {
		t.Errorf("head %+v, verified %+v", h, rep.Head)
	}
}

func TestATokenCoversOneEffectOnce(t *testing.T) {
	l := openLog(t, Options{Layer: newMemLayer()})
	s := begin(t, l)
	var zero Token
	if zero.Valid() || zero.Covers([32]byte{}) || zero.Covers([32]byte{1}) {
		t.Error("the zero token covers something")
	}
	tok, err := s.Intent(t.Context(), edit("a"))
	if err != nil {
		t.Fatal(err)
	}
	if !tok.Covers([32]byte{1}) || tok.Covers([32]byte{2}) || tok.Covers([32]byte{}) {
		t.Error("the token covers another effect than its own")
	}
	if err := s.Outcome(tok, Outcome{Status: Rejected}); err == nil {
		t.Error("an approved intent was rejected")
	}
	if err := s.Outcome(tok, Outcome{}); err == nil {
		t.Error("an outcome without a status is accepted")
	}
	if err := s.Outcome(tok, Outcome{Status: OK}); err != nil {
		t.Fatal(err)
	}
	if tok.Covers([32]byte{1}) || tok.Valid() {
		t.Error("the token covers its effect after the outcome")
	}
	if err := s.Outcome(tok, Outcome{Status: OK}); !errors.Is(err, ErrSettled) {
		t.Errorf("a second outcome: %v", err)
	}
	for _, d := range []Decision{Denied, Blocked} {
		in := edit("b")
		in.Decision = d
		tok, err := s.Intent(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if tok.Covers(in.Digest) {
			t.Errorf("a token of a %s intent covers its effect", d)
		}
		if err := s.Outcome(tok, Outcome{Status: OK}); err == nil {
			t.Errorf("a %s intent ended as ok", d)
		}
	}
	open, err := s.Intent(t.Context(), edit("c"))
	if err != nil {
		t.Fatal(err)
	}
	closeSession(t, s)
	if open.Covers([32]byte{1}) {
		t.Error("a token covers its effect after the session was closed")
	}
	if err := s.Outcome(open, Outcome{Status: OK}); !errors.Is(err, ErrClosed) {
		t.Errorf("an outcome after the close: %v", err)
	}
	if _, err := s.Intent(t.Context(), edit("d")); !errors.Is(err, ErrClosed) {
		t.Errorf("an intent after the close: %v", err)
	}
	rep := verifyLayer(t, Options{Layer: l.layer}, VerifyOptions{Strict: true})
	wantIntact(t, rep)
}

// What is not decided, or not one of our words, never becomes a token.
func TestZeroValuesAreRefused(t *testing.T) {
	l := openLog(t, Options{Layer: newMemLayer()})
	if _, err := l.Session(t.Context(), SessionInfo{}); err == nil {
		t.Error("a session without a front end")
	}
	s := begin(t, l)
	for name, spoil := range map[string]func(*Intent){
		"no decision":       func(in *Intent) { in.Decision = "" },
		"unknown decision":  func(in *Intent) { in.Decision = "yes" },
		"nobody":            func(in *Intent) { in.By = "" },
		"no category":       func(in *Intent) { in.Category = "" },
		"aid of the model":  func(in *Intent) { in.AID = "call_1" },
		"policy no digest":  func(in *Intent) { in.Policy = "sk-ant-secret" },
		"file no digest":    func(in *Intent) { in.Pre[0].SHA256 = "x" },
		"origin":            func(in *Intent) { in.Origin = "else" },
		"too many hosts":    func(in *Intent) { in.Net = make([]string, 1000) },
		"too many a origin": func(in *Intent) { in.Taint = make([]string, 1000) },
	} {
		in := edit("a")
		spoil(&in)
		if tok, err := s.Intent(t.Context(), in); err == nil || tok.Valid() {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, ev := range map[string]Event{
		"no kind": {}, "category": {Kind: "note", Category: "x"}, "deep": {Kind: "note", Data: map[string]any{"a": map[string]any{"b": map[string]any{"c": map[string]any{}}}}},
		"float": {Kind: "note", Data: map[string]any{"a": 1.5}}, "large": {Kind: "note", Data: map[string]any{"a": 1 << 60}},
		"long": {Kind: "note", Data: map[string]any{"a": strings.Repeat("x", longData)}},
	} {
		if err := s.Event(t.Context(), ev); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := s.Close(""); err == nil {
		t.Error("a session ended in no way")
	}
	closeSession(t, s)
	wantIntact(t, verifyLayer(t, Options{Layer: l.layer}, VerifyOptions{}))
}

func TestTheLargestIntentFits(t *testing.T) {
	l := openLog(t, Options{Layer: newMemLayer()})
	s := begin(t, l)
	in := edit("a")
	long := strings.Repeat("\x01\"é", 20_000)
	in.Command, in.Title, in.Reason, in.Tool, in.Level = long, long, long, long, long
	in.Args, in.Inputs = []byte(strings.Repeat("x", 3<<20)), []byte{0xff, 0xfe}
	in.Rule = &Rule{ID: long, File: long, Line: 1}
	for range longList {
		in.Net, in.Taint = append(in.Net, strings.Repeat("h", 100)), append(in.Taint, strings.Repeat("w", 100))
	}
	for range 3000 {
		in.Paths = append(in.Paths, strings.Repeat("p", 100))
		in.Pre = append(in.Pre, FileRef{Path: "p\xff", SHA256: hexOf('1'), Size: 1, Mode: 0o600})
	}
	act(t, s, in, Outcome{Status: OK, Post: in.Pre, Reason: long})
	closeSession(t, s)
	wantIntact(t, verifyLayer(t, Options{Layer: l.layer}, VerifyOptions{}))
}

// A clock that is set back is a warning, and mono never goes backwards.
func TestClockSetBack(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	layer := newMemLayer()
	l := openLog(t, Options{Layer: layer, Now: func() time.Time { return now }})
	s := begin(t, l)
	act(t, s, edit("a"), Outcome{Status: OK})
	now = now.Add(-48 * time.Hour)
	act(t, s, edit("b"), Outcome{Status: OK})
	now = now.Add(time.Minute)
	act(t, s, edit("c"), Outcome{Status: OK})
	closeSession(t, s)
	rep := verifyLayer(t, Options{Layer: layer}, VerifyOptions{})
	wantIntact(t, rep)
	if len(rep.Warnings) != 1 || rep.Warnings[0] != (Warning{Kind: warnClock, Index: 3}) {
		t.Errorf("%+v", rep.Warnings)
	}
	if rep := verifyLayer(t, Options{Layer: layer}, VerifyOptions{Strict: true}); rep.OK || rep.Exit != ExitTampered {
		t.Errorf("strict: %+v", rep)
	}
}

// Segments end when they are full, and when a new month begins.
func TestRotation(t *testing.T) {
	for size := int64(2000); size < 3000; size += 7 {
		layer := newMemLayer()
		l := openLog(t, Options{Layer: layer, segmentSize: size})
		s := begin(t, l)
		for range 3 {
			act(t, s, edit("a"), Outcome{Status: OK})
		}
		closeSession(t, s)
		closeSession(t, begin(t, l))
		if n, err := listSegments(layer); err != nil || len(n) < 2 {
			t.Fatalf("segments %v, %v", n, err)
		}
		wantIntact(t, verifyLayer(t, Options{Layer: layer}, VerifyOptions{Strict: true}))
	}
	now := time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC)
	layer := newMemLayer()
	l := openLog(t, Options{Layer: layer, Now: func() time.Time { return now }})
	s := begin(t, l)
	act(t, s, edit("a"), Outcome{Status: OK})
	now = now.AddDate(0, 0, 1)
	act(t, s, edit("b"), Outcome{Status: OK})
	closeSession(t, s)
	if n, err := listSegments(layer); err != nil || len(n) != 2 {
		t.Errorf("segments after the month %v, %v", n, err)
	}
	wantIntact(t, verifyLayer(t, Options{Layer: layer}, VerifyOptions{Strict: true}))
}
