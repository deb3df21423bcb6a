package mcp

import (
	"context"
	"encoding/json"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// relist asks for the tools where the list is stale, at most once a second.
func (s *Server) relist(ctx context.Context, c *conn) error {
	select {
	case <-c.stale:
	default:
		return nil
	}
	if wait := relistTime - time.Since(c.listed); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			c.changed()
			return ctx.Err()
		}
	}
	c.listed = time.Now()
	raw, err := s.pages(ctx, c, "tools", func(ctx context.Context, at protocol.Cursor) error {
		var q protocol.ListToolsRequest
		q.Params.Cursor = at
		_, err := c.client.ListToolsByPage(ctx, q)
		return err
	})
	if err != nil {
		c.changed()
		return err
	}
	c.tools, c.refused = definitions(raw, s.echoes)
	return nil
}

// echoes says that a text of the server holds the token of its login, which would
// then stand in pins, on the screen and before the model.
func (s *Server) echoes(text string) bool {
	return s.o.Login != nil && s.o.Login.Told([]byte(text))
}

// maxListed is how many entries of a list are read, however many pages there are.
const maxListed = 4 * maxTools

// pages reads all pages of a list, up to the bounds. member is what the list is
// called in a page.
func (s *Server) pages(ctx context.Context, c *conn, member string, page func(context.Context, protocol.Cursor) error) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var out []json.RawMessage
	seen := map[string]bool{}
	for cursor, n := "", 0; n < maxPages; n++ {
		pageCtx, got := capturing(ctx)
		err := page(pageCtx, protocol.Cursor(cursor))
		if got.raw == nil {
			return nil, s.failed(c, "its "+member+" cannot be listed", err)
		}
		var r map[string]json.RawMessage
		var list []json.RawMessage
		next := ""
		if err := json.Unmarshal(got.raw, &r); err != nil {
			return nil, s.failed(c, "its list of "+member+" is no list", err)
		}
		if r[member] != nil && json.Unmarshal(r[member], &list) != nil || r["nextCursor"] != nil && json.Unmarshal(r["nextCursor"], &next) != nil {
			return nil, s.failed(c, "its list of "+member+" is no list", nil)
		}
		out = append(out, list...)
		if next == "" || seen[next] || len(out) > maxListed {
			break
		}
		seen[next], cursor = true, next
	}
	return out, nil
}
