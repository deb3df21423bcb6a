package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/client/transport"
	protocol "github.com/mark3labs/mcp-go/mcp"
)

// tap stands between the library's client and its transport: it lets us see a
// result as it came (a pin covers the whole of it, and the library's types drop
// what they do not know), and answers what a server may not ask.
type tap struct {
	transport.BidirectionalInterface
	answers map[string]bool // requests that the client may answer
}

// httpTap is a tap over HTTP, which the library treats in its own way.
type httpTap struct {
	tap
	conn transport.HTTPConnection
}

// SetProtocolVersion implements transport.HTTPConnection.
func (t httpTap) SetProtocolVersion(v string) { t.conn.SetProtocolVersion(v) }

// captured is where the raw result of one request goes.
type captured struct{ raw json.RawMessage }

type captureKey struct{}

// capturing gives a context whose next result is kept.
func capturing(ctx context.Context) (context.Context, *captured) {
	c := &captured{}
	return context.WithValue(ctx, captureKey{}, c), c
}

// SendRequest implements transport.Interface.
func (t tap) SendRequest(ctx context.Context, q transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	r, err := t.BidirectionalInterface.SendRequest(ctx, q)
	if err == nil && r != nil && r.ID.String() != q.ID.String() {
		return nil, fmt.Errorf("it answered another request (%s) than it was sent (%s)", cutWord(r.ID.String()), q.ID)
	}
	if c, ok := ctx.Value(captureKey{}).(*captured); ok && err == nil && r != nil && r.Error == nil {
		c.raw = r.Result
	}
	return r, err
}

// SetRequestHandler implements transport.BidirectionalInterface.
func (t tap) SetRequestHandler(h transport.RequestHandler) {
	t.BidirectionalInterface.SetRequestHandler(func(ctx context.Context, q transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		if !t.answers[q.Method] {
			return transport.NewJSONRPCErrorResponse(q.ID, protocol.METHOD_NOT_FOUND, "not offered by this client", nil), nil
		}
		return h(ctx, q)
	})
}
