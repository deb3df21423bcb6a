package model

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// RelayID is the provider id of Relay.
const RelayID = "relay"

// Relay stands in the place of a model where a person or a program makes the
// calls: a turn of the session plays the one call that was handed in, and ends.
// So such a call goes the road that a model's goes. It can be used by many
// goroutines.
type Relay struct {
	mu    sync.Mutex
	next  *Call
	count int
}

// Hand gives the call that the next turn plays, in place of one that was not
// played.
func (r *Relay) Hand(tool string, args json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	r.next = &Call{ID: fmt.Sprintf("relay-%d", r.count), Name: tool, Args: args, Status: CallOK, Origin: OriginNative}
}

// ID implements Provider.
func (r *Relay) ID() string { return RelayID }

// Complete implements Provider: the call where one waits, else the end.
func (r *Relay) Complete(ctx context.Context, req Request, _ func(Delta)) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := Reply{Stop: StopEnd, Usage: &Usage{}, Provider: RelayID, Model: RelayID}
	if r.next == nil {
		out.Text = "Done."
		out.Parts = []Part{{Kind: PartText, Text: out.Text}}
		return out, nil
	}
	call := *r.next
	r.next = nil
	if !slices.ContainsFunc(req.Tools, func(t ToolSpec) bool { return t.Name == call.Name }) {
		call.Status, call.Problem = CallUnknownTool, "there is no tool "+call.Name+" here"
	}
	out.Stop, out.Calls = StopToolCalls, []Call{call}
	out.Parts = []Part{{Kind: PartCall, CallID: call.ID, Name: call.Name, Args: call.Args}}
	return out, nil
}
