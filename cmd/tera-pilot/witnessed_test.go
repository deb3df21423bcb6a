package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
)

// TestWhatAHandTypesIsStated: deleting a session and forgetting a rule stand in
// the log; what could not be done, or was not there, deletes nothing.
func TestWhatAHandTypesIsStated(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, ".tera_pilot")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	remembered := filepath.Join(state, "remembered.toml")
	rule := "[[rule]]\nid = \"r1\"\ncmd = \"make\"\nargs = [\"test\"]\ndecision = \"allow\"\n"
	if err := os.WriteFile(remembered, []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	store := session.NewStore(filepath.Join(state, "sessions"))
	log, err := store.Create(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(home, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cli := func(args ...string) int {
		return run(context.Background(), process{args: append(args, "--home", state), stdin: os.Stdin, stdout: out, stderr: out})
	}
	count := func(kind string) (n int) {
		r, err := audit.OpenReader(t.Context(), audit.Options{Dir: state})
		if err != nil {
			return 0
		}
		for e, err := range r.Entries(t.Context(), audit.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind == kind {
				n++
			}
		}
		return n
	}
	if code := cli("sessions", "delete", log.ID()); code == exitOK || count(audit.KindDeleted) != 0 {
		t.Errorf("an open session: exit %d", code)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if code := cli("sessions", "delete", "20260101-000000000000"); code != exitUsage || count(audit.KindDeleted) != 0 {
		t.Errorf("one that is not there: exit %d", code)
	}
	if code := cli("sessions", "delete", log.ID()); code != exitOK || count(audit.KindDeleted) != 1 {
		t.Errorf("exit %d, stated %d times", code, count(audit.KindDeleted))
	}
	if _, err := os.Stat(filepath.Join(state, "sessions", log.ID())); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if code := cli("policy", "forget", "none"); code == exitOK || count(audit.KindPolicy) != 0 {
		t.Errorf("a rule that is not there: exit %d", code)
	}
	if code := cli("policy", "forget", "r1"); code != exitOK || count(audit.KindPolicy) != 1 {
		b, _ := os.ReadFile(out.Name())
		t.Errorf("exit %d, stated %d times: %s", code, count(audit.KindPolicy), b)
	}
	if code := cli("audit", "verify"); code != exitOK {
		t.Errorf("the log: exit %d", code)
	}
}
