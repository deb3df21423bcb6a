package mcpserver

import (
	"context"
	"testing"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// TestACallThatWaitsCanBeCancelled: calls run one after the other, and one that
// the client cancels does not wait for the one before it.
func TestACallThatWaitsCanBeCancelled(t *testing.T) {
	h := &host{turn: make(chan struct{}, 1)}
	h.turn <- struct{}{} // another call runs, and never ends
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res, err := h.tool(ctx, protocol.CallToolRequest{})
	if err != nil || !res.IsError {
		t.Errorf("%+v, %v", res, err)
	}
}
