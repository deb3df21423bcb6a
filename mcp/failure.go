package mcp

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/tera-pilot/tera-pilot/mcp/oauth"
)

// An Error is a failure of a server, with its name and its last words.
type Error struct {
	Server string
	Why    string
	Err    error
}

func (e *Error) Error() string { return "MCP server " + e.Server + ": " + e.Why }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// ChangedError says that a tool is not offered as it was approved.
type ChangedError struct {
	Server, Tool string
	State        State
	Changes      []Change
}

func (e *ChangedError) Error() string {
	if len(e.Changes) == 0 {
		return fmt.Sprintf("MCP server %s does not offer the tool %s any more", e.Server, e.Tool)
	}
	what := ""
	for i, c := range e.Changes {
		if i > 0 {
			what += ", "
		}
		what += c.Field
	}
	return fmt.Sprintf("MCP server %s offers %s with another %s than was approved: look at it with `tera-pilot mcp approve %s`", e.Server, e.Tool, what, e.Server)
}

// failed tells a failure with what is known of the server's fate.
func (s *Server) failed(c *conn, what string, err error) error {
	why := what
	if needed := (*oauth.NeededError)(nil); errors.As(err, &needed) {
		return &Error{s.Name(), needed.Error(), err}
	}
	if err != nil {
		why += ": " + cutWord(err.Error())
	}
	if c.process != nil && (c.process.gone() || errors.Is(err, transport.ErrTransportClosed)) {
		why += "; " + c.process.fate()
	} else if c.process != nil {
		if last := c.process.stderr.tail(5, 2000); last != "" {
			why += "; " + c.process.fate()
		}
	}
	if c.process != nil && s.o.Entry.fetches() && s.o.Entry.Sandbox != Net && s.o.Entry.Sandbox != Off {
		why += "\n" + filepath.Base(s.o.Entry.Command[0]) + " gets its package when it is started, and the server's sandbox has no network: install the package first and name its program as the command, or give the server the sandbox net with the registry among its hosts"
	}
	return &Error{s.Name(), why, err}
}
