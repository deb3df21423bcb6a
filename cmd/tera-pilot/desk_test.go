package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// TestDesk: what the terminal is told of what is stored, and of the folder.
func TestDesk(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "w")
	for _, name := range []string{"a.go", "a/deep/x.go", "sub/b.go", ".git/config", ".env", "node_modules/x/y.js"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	store := session.NewStore(filepath.Join(dir, "sessions"))
	now := time.Now()
	var ids []string
	for i, texts := range [][]string{{"older"}, {"newer", "newest"}, {}, {"elsewhere"}} {
		log, err := store.Create(now)
		if err != nil {
			t.Fatal(err)
		}
		at := root
		if i == 3 {
			at = dir
		}
		now = now.Add(time.Second)
		bodies := []event.Body{event.Opened{Root: at}}
		for n, text := range texts {
			bodies = append(bodies, event.TurnStarted{Turn: n + 1, Text: text})
		}
		if _, err := log.Append(now, bodies...); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, log.ID())
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	d := desk{a: &app{}, ctx: t.Context(), place: place{root: root, state: dir}, store: store}
	if files, err := d.files(); err != nil || !slices.Equal(files, []string{"a.go", "sub/b.go", "a/deep/x.go"}) {
		t.Errorf("files: %v, %v", files, err)
	}
	if files, err := d.upTo(1); err != nil || !slices.Equal(files, []string{"a.go"}) {
		t.Errorf("files, one at most: %v, %v", files, err)
	}
	if said, err := d.said(); err != nil || !slices.Equal(said, []string{"older", "newer", "newest"}) {
		t.Errorf("said: %v, %v", said, err)
	}
	if err := d.rename(ids[0], "a name"); err != nil {
		t.Error(err)
	}
	rows, err := d.sessions()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%+v, %v", rows, err)
	}
	if !slices.ContainsFunc(rows, func(s snap.SessionRow) bool { return s.ID == ids[0] && s.Title == "a name" && s.Turns == 1 }) {
		t.Errorf("%+v", rows)
	}
	if slices.ContainsFunc(rows, func(s snap.SessionRow) bool { return s.Gone != (s.Root != root && s.Root != dir) }) {
		t.Errorf("%+v", rows)
	}
	if hits, err := d.search("NEWEST"); err != nil || len(hits) != 1 || hits[0] != (snap.SessionHit{ID: ids[1], Turn: 2, Who: "you", Line: "newest"}) {
		t.Errorf("%+v, %v", hits, err)
	}
	if err := d.archive(ids[0], true); err != nil {
		t.Error(err)
	}
	if rows, err = d.sessions(); err != nil || !slices.ContainsFunc(rows, func(s snap.SessionRow) bool { return s.ID == ids[0] && s.Archived }) {
		t.Errorf("%+v, %v", rows, err)
	}
	held, _, _, err := store.Resume(ids[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := d.rename(ids[1], "x"); err == nil {
		t.Error("a session that is open was named behind its back")
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLookingAroundIsSaidAgain: a session that is opened from one without a
// model has none either, and says so.
func TestLookingAroundIsSaidAgain(t *testing.T) {
	l, err := (&app{}).following(launch{mind: &agent.Mind{}}, t.TempDir(), snap.Request{Open: "another"})
	if err != nil || l.says != lookingAround || l.mind == nil {
		t.Errorf("%q, %v", l.says, err)
	}
	if l, err = (&app{}).following(launch{says: "old"}, t.TempDir(), snap.Request{Open: "another"}); err != nil || l.says != "" {
		t.Errorf("with a model: %q, %v", l.says, err)
	}
}
