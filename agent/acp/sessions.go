package acp

import (
	"path/filepath"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/acp/wire"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// pageSize is how many sessions one answer lists.
const pageSize = 100

// listSessions implements session/list.
func (s *server) listSessions(r *wire.Request, p params) error {
	cursor, err := p.maybe("cursor")
	if err != nil {
		return err
	}
	dir, err := p.maybe("cwd")
	if err != nil {
		return err
	}
	if dir != "" {
		if dir, err = p.folder("cwd"); err != nil {
			return err
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
	}
	all, err := s.o.Store.List()
	if err != nil {
		return err
	}
	result := struct {
		Sessions   []sessionInfo `json:"sessions"`
		NextCursor string        `json:"nextCursor,omitempty"`
	}{Sessions: []sessionInfo{}}
	begun := cursor == ""
	for _, sum := range all {
		switch {
		case !begun:
			begun = sum.ID == cursor
			continue
		case sum.Problem != "" || sum.Turns == 0 || sum.Aside() || dir != "" && sum.Root != dir:
			continue
		case len(result.Sessions) == pageSize:
			result.NextCursor = result.Sessions[pageSize-1].SessionID
		}
		if result.NextCursor != "" {
			break
		}
		result.Sessions = append(result.Sessions, sessionInfo{sum.ID, sum.Root, visible.Strict(sum.Title), sum.Updated.UTC().Format(time.RFC3339)})
	}
	if !begun {
		return &paramError{"cursor", "it is not known any more: list from the beginning"}
	}
	r.Reply(result)
	return nil
}

// closeSession implements session/close.
func (s *server) closeSession(r *wire.Request, p params) error {
	open, err := s.find(p)
	if err != nil {
		return err
	}
	s.forget(open)
	s.ends.Go(func() {
		if err := open.end(audit.CloseOK); err != nil {
			s.log("session %s: %v", open.id, err)
		}
		r.Reply(struct{}{})
	})
	return nil
}

func (s *server) forget(open *session) {
	s.mu.Lock()
	delete(s.sessions, open.id)
	s.mu.Unlock()
}

// deleteSession implements session/delete. The evidence of what was done stays
// in the audit log.
func (s *server) deleteSession(r *wire.Request, p params) error {
	id, err := p.text("sessionId")
	if err != nil {
		return err
	}
	open, err := s.find(p)
	if err != nil {
		return s.remove(r, id)
	}
	s.forget(open)
	s.ends.Go(func() {
		if err := open.end(audit.CloseOK); err != nil {
			s.log("session %s: %v", id, err)
		}
		if s.remove(r, id) != nil {
			r.Fail(wire.CodeInternal, "the session could not be deleted")
		}
	})
	return nil
}

func (s *server) remove(r *wire.Request, id string) error {
	if err := s.o.Store.Delete(id); err != nil {
		return s.openError(err)
	}
	r.Reply(struct{}{})
	return nil
}
