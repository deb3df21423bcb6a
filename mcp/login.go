package mcp

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/tera-pilot/tera-pilot/mcp/oauth"
)

// Keeper holds the login of a server that is reached by HTTP.
func (s *Servers) Keeper(name string) (*oauth.Keeper, error) {
	e, ok := s.entry(name)
	if !ok {
		return nil, fmt.Errorf("%w %s, or it is disabled: `tera-pilot mcp list` shows them", ErrNoServer, name)
	}
	x, _, err := s.resolve(e)
	if err != nil {
		return nil, fmt.Errorf("MCP server %s: %w", name, err)
	}
	k := s.keeper(e, x)
	switch {
	case x.URL == "":
		return nil, fmt.Errorf("MCP server %s is started here: a login is for servers that are reached by HTTP", name)
	case k == nil:
		return nil, fmt.Errorf("MCP server %s is told who you are by a header of its entry: take that out to log in", name)
	}
	return k, nil
}

// keeper is nil for a server that takes no login: a process, or one that the
// entry gives a header for.
func (s *Servers) keeper(e, x Entry) *oauth.Keeper {
	if x.URL == "" || s.o.Logins == nil {
		return nil
	}
	for name := range x.Headers {
		if strings.EqualFold(name, "Authorization") {
			return nil
		}
	}
	u, err := url.Parse(x.URL)
	if err != nil {
		return nil // its start says what is wrong
	}
	at := u.String()
	return &oauth.Keeper{
		Server: e.Name, Name: "mcp." + digest([]byte(Key(e, s.o.Workspace) + "\n" + at))[:40], Store: s.o.Logins, Net: s.o.Net, Learn: s.o.Learn,
		Config: oauth.Config{
			Server: at, ClientID: x.Login.ClientID, ClientSecret: x.Login.ClientSecret, Issuer: x.Login.Issuer, Audience: x.Login.Audience, Scopes: x.Login.Scopes,
		},
	}
}
