package snap

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tera-pilot/tera-pilot/agent/event"
)

func TestCommand(t *testing.T) {
	for line, want := range map[[2]string]event.Command{
		{"/plan", ""}:            event.SetLevel{Level: "always_ask", Plan: true},
		{"/think", "high"}:       event.SetThought{Level: "high"},
		{"/compact", ""}:         event.Compact{},
		{"/compact", "back"}:     event.Compact{Back: true},
		{"/rename", "a title"}:   event.Rename{Title: "a title"},
		{"/model", "m"}:          event.SetModel{Model: "m"},
		{"/model", "p  m:8b"}:    event.SetModel{Provider: "p", Model: "m:8b"},
		{"/mcp", "read NAME"}:    event.Servers{Words: "read NAME"},
		{"/forget", "r1"}:        event.Forget{Rule: "r1"},
		{"/reload", ""}:          event.Reload{},
		{"/cancel", ""}:          event.Cancel{},
		{"/model", ""}:           nil, // which one?
		{"/level", "never_ask"}:  nil, // raising asks, in each front end's own way
		{"/unsafe", "5m"}:        nil,
		{"/undo", "all"}:         nil,
		{"plan", ""}:             nil,
		{"/something else", "x"}: nil,
	} {
		got, ok := Command(line[0], line[1])
		if ok != (want != nil) || ok && !cmp.Equal(got, want) {
			t.Errorf("%v is %+v, %v; want %+v", line, got, ok, want)
		}
	}
}
