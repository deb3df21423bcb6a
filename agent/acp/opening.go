package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/agent/acp/wire"
	"github.com/tera-pilot/tera-pilot/agent/event"
	store "github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// newSession implements session/new.
func (s *server) newSession(r *wire.Request, p params) error {
	dir, err := workspace(p, true)
	if err != nil {
		return err
	}
	open, _, live, seq, err := s.open(dir, "")
	if err != nil {
		return err
	}
	result := open.result()
	result.SessionID = open.id
	r.Reply(result)
	open.welcome(p)
	go open.follow(live, seq) // ends with the session; its end waits for it
	return nil
}

// loadSession implements session/load: everything is shown before the answer.
func (s *server) loadSession(r *wire.Request, p params) error { return s.again(r, p, true) }

// resumeSession implements session/resume: nothing is shown.
func (s *server) resumeSession(r *wire.Request, p params) error { return s.again(r, p, false) }

func (s *server) again(r *wire.Request, p params, show bool) error {
	id, err := p.text("sessionId")
	if err != nil {
		return err
	}
	dir, err := workspace(p, show)
	if err != nil {
		return err
	}
	if open, err := s.find(p); err == nil {
		if !sameFolder(dir, open.folder.asked) {
			return &paramError{"cwd", "the session is open in another folder"}
		}
		return s.showOpen(r, open, show)
	}
	open, past, live, seq, err := s.open(dir, id)
	if err != nil {
		return err
	}
	if show {
		open.replay(past)
	}
	r.Reply(open.result())
	open.welcome(p)
	go open.follow(live, seq) // ends with the session; its end waits for it
	return nil
}

// showOpen loads a session that this client has open already.
func (s *server) showOpen(r *wire.Request, open *session, show bool) error {
	if open.busy("") {
		return &failure{wire.CodeRequest, "sessionId: a turn is under way in this session"}
	}
	if show {
		past, _, cancel, err := open.opened.Subscribe(0)
		if err != nil {
			return err
		}
		cancel()
		open.replay(past)
	}
	open.mu.Lock()
	result := open.result()
	open.mu.Unlock()
	r.Reply(result)
	return nil
}

// open starts or resumes a session.
func (s *server) open(dir, id string) (open *session, past []event.Event, live <-chan event.Event, seq uint64, err error) {
	s.mu.Lock()
	full := len(s.sessions) >= maxSessions
	s.mu.Unlock()
	if full {
		return nil, nil, nil, 0, &failure{wire.CodeInternal, "too many sessions are open: close one"}
	}
	editor := &Editor{conn: s.conn, reads: s.reads, writes: s.writes}
	opened, err := s.o.Open(s.ctx, Request{Dir: dir, Resume: id, Editor: editor})
	if err != nil {
		return nil, nil, nil, 0, s.openError(err)
	}
	editor.id, editor.folder = opened.ID(), folder{opened.Root, filepath.Clean(dir)}
	open = &session{server: s, id: opened.ID(), opened: opened, folder: editor.folder, ended: make(chan struct{}), mode: s.o.Launch.first(), model: opened.Model}
	open.view = newView(open.update, open.folder, opened.Window)
	if s.deaf.Load() {
		err = opened.Send(event.Unattended{})
	}
	if err == nil {
		past, live, _, err = opened.Subscribe(0)
	}
	if err != nil {
		return nil, nil, nil, 0, errors.Join(err, opened.Close(audit.CloseError))
	}
	if len(past) > 0 {
		seq = past[len(past)-1].Seq
	}
	if state, err := opened.State(); err == nil {
		open.thought = state.Thought
	}
	s.logAt(LogSessions, "session %s in %s", open.id, opened.Root)
	s.mu.Lock()
	s.sessions[open.id] = open
	s.mu.Unlock()
	return open, past, live, seq, nil
}

// workspace reads the parameters that all ways to open a session share. MCP
// servers of a client are read and not started: the person approves servers.
// The schema lets only session/resume leave them out.
func workspace(p params, servers bool) (string, error) {
	dir, err := p.folder("cwd")
	if err != nil {
		return "", err
	}
	list, err := p.list("mcpServers", servers)
	if err != nil {
		return "", err
	}
	for i, raw := range list {
		if !readsAsServer(raw) {
			return "", &paramError{fmt.Sprintf("mcpServers[%d]", i), "a name, and a command with args and env, or a type with a url and headers, are needed"}
		}
	}
	if more, err := p.list("additionalDirectories", false); err != nil || len(more) > 0 {
		return "", errors.Join(&paramError{"additionalDirectories", "a session has one folder"}, err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", &paramError{"cwd", "no such folder"}
	}
	return dir, nil
}

// readsAsServer says that a value has the members of an MCP server: of a
// program, or of one with a type at an address.
func readsAsServer(raw json.RawMessage) bool {
	m, err := strictjson.Object(raw)
	if err != nil {
		return false
	}
	texts, lists := []string{"name", "command"}, []string{"args", "env"}
	if _, typed := m["type"]; typed {
		texts, lists = []string{"name", "type", "url"}, []string{"headers"}
	}
	for _, name := range texts {
		if _, err := params(m).text(name); err != nil {
			return false
		}
	}
	for _, name := range lists {
		if _, err := params(m).list(name, true); err != nil {
			return false
		}
	}
	return true
}

// sameFolder says that two names lead to one folder now.
func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// openError says why a session could not be opened, in fixed words.
func (s *server) openError(err error) error {
	var none *store.NotFoundError
	var busy *store.BusyError
	s.log("open: %v", err)
	switch {
	case errors.As(err, &none):
		return &failure{wire.CodeNoResource, "sessionId: no such session"}
	case errors.As(err, &busy):
		return &failure{wire.CodeInternal, "sessionId: the session is open in another tera-pilot"}
	case errors.Is(err, ErrFolder):
		return &paramError{"cwd", "it cannot be the workspace of this session; the agent's stderr says why"}
	default:
		return &failure{wire.CodeInternal, "the session could not be opened; the agent's stderr says why"}
	}
}
