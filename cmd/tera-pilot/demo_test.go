package main

import (
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// TestWhatBecameOfTheEdit: the end of the demo tells an edit that was refused
// from one that is back already, and from one that could not be taken back.
func TestWhatBecameOfTheEdit(t *testing.T) {
	there, back := event.UndoFile{Path: "calc.sh"}, event.UndoFile{Path: "calc.sh", Undone: true}
	for want, points := range map[string][]event.UndoPoint{
		"there was none: no file was changed": {{Call: "c1"}},
		"by you, in the session":              {{Call: "c2", Files: []event.UndoFile{back}}, {Call: "c1"}},
		"NOT: it was changed since":           {{Call: "c2", Files: []event.UndoFile{back, there}}},
	} {
		if got := notTaken(points, "it was\nchanged since\n"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
