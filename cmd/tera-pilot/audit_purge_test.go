package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
)

// Stored sessions that are old enough go, those that are open stay, and the log
// states it.
func TestPurgeSessions(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if err := os.MkdirAll(filepath.Join(state, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	store := session.NewStore(filepath.Join(state, "sessions"))
	var logs []*session.Log
	for range 2 {
		l, err := store.Create(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(time.Now(), event.Notice{Text: "a word"}); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
	}
	if err := logs[0].Close(); err != nil {
		t.Fatal(err)
	}
	defer logs[1].Close()
	out := filepath.Join(t.TempDir(), "out")
	purge := func(before string) (int, string) {
		t.Helper()
		f, err := os.Create(out)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		code := run(t.Context(), process{args: []string{"purge", "--home", state, "--before", before}, env: os.Environ(), stdin: os.Stdin, stdout: f, stderr: f})
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return code, string(b)
	}
	if code, text := purge("2020-01-01"); code != 0 || !strings.Contains(text, "none is older") {
		t.Errorf("exit %d, %s", code, text)
	}
	code, text := purge(time.Now().Add(time.Hour).Format(time.RFC3339))
	if code != 0 || !strings.Contains(text, "1 deleted") || !strings.Contains(text, "is open, and kept") {
		t.Errorf("exit %d, %s", code, text)
	}
	left, err := os.ReadDir(filepath.Join(state, "sessions"))
	if err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
	log, err := os.ReadFile(filepath.Join(state, "audit", "000001.jsonl"))
	if err != nil || !strings.Contains(string(log), `"kind":"deleted"`) {
		t.Errorf("the log does not state it: %v", err)
	}
}
