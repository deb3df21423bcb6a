package mcpserver

import (
	"context"
	"errors"
	"io"
	"strings"
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

// A client that asks much and reads nothing.
type deaf struct{ reached, never chan struct{} }

func (d deaf) Write([]byte) (int, error) {
	close(d.reached)
	<-d.never
	return 0, io.ErrClosedPipe
}

// TestAClientThatReadsNothing does not keep the server from ending when it is
// told to.
func TestAClientThatReadsNothing(t *testing.T) {
	client := deaf{make(chan struct{}), make(chan struct{})}
	t.Cleanup(func() { close(client.never) })
	ctx, cancel := context.WithCancel(t.Context())
	in := strings.NewReader(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", 50))
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, Options{In: in, Out: client, Version: "1"}) }()
	<-client.reached
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestAClientThatIsGone ends the server, with the error.
func TestAClientThatIsGone(t *testing.T) {
	in, feed := io.Pipe()
	defer feed.Close()
	go io.WriteString(feed, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	if err := Run(t.Context(), Options{In: in, Out: broken{}, Version: "1"}); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}
