package mcp

import (
	"log/slog"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// overHTTP makes the transport to a server at an address. Exactly that origin
// is reached, local or not, since the person named it; a redirect is an answer
// like any other, and so an error.
func overHTTP(e Entry, o netguard.Options) (*transport.StreamableHTTP, error) {
	policy, err := netguard.Origin(e.URL)
	if err != nil {
		return nil, err
	}
	guard, err := netguard.New(policy.AllowLocal(), o)
	if err != nil {
		return nil, err
	}
	return transport.NewStreamableHTTP(e.URL,
		transport.WithHTTPBasicClient(guard.Client(netguard.Limits{Body: maxLine, Response: callTime})),
		transport.WithHTTPHeaders(e.Headers),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler))) // what counts is an error of the call; stderr is the terminal's
}
