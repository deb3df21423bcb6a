package app

import (
	"context"
	"errors"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// A search in whose place another one is wanted reads nothing more.
func TestASearchThatIsOver(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	reads := 0
	found, err := firstThat(ctx, []snap.Rested{{Kind: snap.You}, {Kind: snap.You}, {Kind: snap.You}}, "x", func([]uint64) ([]event.Event, error) {
		reads++
		end()
		return []event.Event{{Seq: 1, Body: event.TurnStarted{Text: "a"}}}, nil
	})
	if !errors.Is(err, context.Canceled) || reads != 1 || found.says != nil {
		t.Errorf("%d reads, %+v, %v", reads, found, err)
	}
}

// What the log does not tell is an error, and no gap in the conversation.
func TestAnEntryThatIsNotTold(t *testing.T) {
	text, err := joined([]part{{rested: snap.Rested{Kind: snap.You, Seqs: []uint64{1}}}}, func([]uint64) ([]event.Event, error) { return nil, nil })
	if err == nil {
		t.Errorf("the conversation is %q", text)
	}
}
