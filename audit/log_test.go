package audit

import (
	"os"
	"testing"
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
	rep := verifyLive(t, dir, VerifyOptions{})
	wantIntact(t, rep)
	if rep.Records != 15 || rep.Sessions != 3 || len(rep.Warnings) != 0 {
		t.Errorf("%+v", rep)
	}
	if b, _ := os.ReadFile(dir + "/audit/000001.jsonl"); testing.Verbose() {
		t.Logf("%s", b)
	}
}
