package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Summary is what a list of sessions shows of one.
type Summary struct {
	ID      string    `json:"id"`
	Root    string    `json:"root"`
	Title   string    `json:"title"`
	Turns   int       `json:"turns"`
	Files   int       `json:"files"`
	Updated time.Time `json:"updated"`
	Open    bool      `json:"open_calls"`       // a crash left calls open
	Parent  string    `json:"parent,omitempty"` // of a sub-agent: the session that started it
	Forked  string    `json:"forked,omitempty"` // the session that this one was forked from
	Turn    int       `json:"fork_turn,omitempty"`
	Hand    bool      `json:"by_hand,omitempty"` // no conversation: calls that a person or another program handed in, by `mcp call` and the like
	Archive bool      `json:"archived,omitempty"`
	Sealed  bool      `json:"encrypted,omitempty"`
	Problem string    `json:"problem,omitempty"`
}

// Aside says that the session is none that a person talks in: a sub-agent's, or
// one of calls that were handed in. Lists leave it out unless all are wanted.
func (s Summary) Aside() bool { return s.Parent != "" || s.Hand }

// List describes all sessions, the last changed first. One that cannot be
// read is listed with its problem.
func (s *Store) List() ([]Summary, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("session store: %w", err)
	}
	var out []Summary
	known, rows, fresh := s.readIndex(), map[string]indexed{}, false
	for _, entry := range entries {
		if id := entry.Name(); entry.IsDir() && idForm().MatchString(id) {
			rows[id] = s.row(id, known)
			fresh = fresh || rows[id] != known[id]
			out = append(out, rows[id].Summary)
		}
	}
	if fresh || len(rows) != len(known) {
		s.writeIndex(rows)
	}
	slices.SortFunc(out, func(a, b Summary) int {
		if c := b.Updated.Compare(a.Updated); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return out, nil
}

func (s *Store) summary(id string) Summary {
	header, _ := sealOf(filepath.Join(s.dir, id)) // what is wrong with it, Read says
	events, err := s.Read(id)
	if err != nil {
		return Summary{ID: id, Sealed: header != nil, Problem: err.Error()}
	}
	state := Fold(events)
	sum := Summary{ID: id, Root: state.Root, Title: state.Title, Turns: state.Turn, Open: len(state.Open) > 0}
	sum.Sealed, sum.Hand = header != nil, handed(events)
	if sum.Archive = state.Archived; state.Fork == 0 {
		sum.Parent = state.Parent
	} else {
		sum.Forked, sum.Turn = state.Parent, forkTurn(events, state.Fork)
	}
	paths := map[string]bool{}
	for _, c := range state.Changed {
		paths[c.Path] = true
	}
	sum.Files = len(paths)
	if len(events) > 0 {
		sum.Updated = events[len(events)-1].Time
	}
	return sum
}

// handed says that no front end with a model ever opened the session.
func handed(events []event.Event) bool {
	opened := false
	for _, e := range events {
		if b, ok := e.Body.(event.Opened); ok {
			if opened = true; b.Front != "cli" && b.Front != "mcp" {
				return false
			}
		}
	}
	return opened
}

// forkTurn is the turn at whose end a fork begins.
func forkTurn(events []event.Event, at uint64) int {
	turn := 0
	for _, e := range events {
		if t, ok := e.Body.(event.TurnEnded); ok && e.Seq <= at {
			turn = t.Turn
		}
	}
	return turn
}

// Latest is the id of the last changed session whose root is root. One in which
// nothing was said or changed (a look at an MCP server, a call of a tool that
// only reads) counts only where there is no other.
func (s *Store) Latest(root string) (string, error) {
	all, err := s.List()
	if err != nil {
		return "", err
	}
	empty := ""
	for _, sum := range all {
		switch {
		case sum.Root != root || sum.Problem != "" || sum.Parent != "":
		case sum.Turns > 0 && !sum.Hand || sum.Files > 0:
			return sum.ID, nil
		case empty == "":
			empty = sum.ID
		}
	}
	if empty != "" {
		return empty, nil
	}
	switch have, err := s.vault.load(); {
	case err != nil:
		return "", err
	case have && !s.Keyed():
		return "", &LockedError{}
	}
	return "", fmt.Errorf("no session in %s yet: `tera-pilot` or `tera-pilot run` begins one", root)
}
