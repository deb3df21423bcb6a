package mcp

import (
	"log/slog"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/mcp/oauth"
)

// overHTTP makes the transport to a server at an address. Exactly that origin
// is reached, local or not, since the person named it; a redirect is an answer
// like any other, and so an error. login is nil for none.
func overHTTP(e Entry, o netguard.Options, login *oauth.Keeper) (*transport.StreamableHTTP, error) {
	policy, err := netguard.Origin(e.URL)
	if err != nil {
		return nil, err
	}
	guard, err := netguard.New(policy.AllowLocal(), o)
	if err != nil {
		return nil, err
	}
	httpClient := guard.Client(netguard.Limits{Body: maxLine, Response: callTime})
	if login != nil {
		httpClient.Transport = login.Bearer(httpClient.Transport)
	}
	return transport.NewStreamableHTTP(e.URL,
		transport.WithHTTPBasicClient(httpClient),
		transport.WithHTTPHeaders(e.Headers),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler))) // what counts is an error of the call; stderr is the terminal's
}
