package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Fork starts a new session with what another one holds up to the end of a
// turn; turn 0 is the last one that has ended. The new one stands alone: the
// other can be deleted. What its calls changed in files is the other's, and is
// undone there.
func (s *Store) Fork(id string, turn int, now time.Time) (string, error) {
	events, err := s.Read(id)
	if err != nil {
		return "", err
	}
	end := endOf(events, turn)
	if end == 0 {
		if turn == 0 {
			return "", fmt.Errorf("session %s has no turn that has ended: there is nothing to fork from", id)
		}
		return "", fmt.Errorf("session %s has no turn %d that has ended: `tera-pilot sessions show %s` lists them", id, turn, id)
	}
	l, err := s.Create(now)
	if err != nil {
		return "", err
	}
	var opened event.Opened
	for _, e := range events[:end] {
		if o, ok := e.Body.(event.Opened); ok {
			opened = o
		}
		if _, err = l.Append(e.Time, e.Body); err != nil {
			break
		}
	}
	opened.Parent, opened.Fork, opened.Resumed = id, events[end-1].Seq, true
	if err == nil {
		_, err = l.Append(now, opened)
	}
	if err == nil {
		err = copyOutputs(filepath.Join(s.dir, id, outFolder), l.OutDir())
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return "", errors.Join(err, s.Delete(l.ID()))
	}
	return l.ID(), nil
}

// endOf counts the events up to the end of a turn, or of the last that ended.
func endOf(events []event.Event, turn int) int {
	end := 0
	for i, e := range events {
		if t, ok := e.Body.(event.TurnEnded); ok && (turn == 0 || t.Turn == turn) {
			end = i + 1
		}
	}
	return end
}

// copyOutputs takes the outputs along that results refer to.
func copyOutputs(from, to string) error {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("outputs of the session: %w", err)
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return fmt.Errorf("outputs of the session: %w", err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		b, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, e.Name()), b, 0o600)
		}
		if err != nil {
			return fmt.Errorf("outputs of the session: %w", err)
		}
	}
	return nil
}

// Note adds one event to a session that nobody has open, such as its name.
func (s *Store) Note(id string, now time.Time, body event.Body) error {
	l, _, _, err := s.Resume(id)
	if err != nil {
		return err
	}
	_, err = l.Append(now, body)
	return errors.Join(err, l.Close())
}
