package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
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
		err = s.copyFiles(id, l, events[:end])
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

// copyFiles takes along what results refer to: outputs and pictures.
func (s *Store) copyFiles(id string, to *Log, events []event.Event) error {
	key, err := s.Key(id)
	if err != nil {
		return err
	}
	from := &Log{id: id, dir: filepath.Join(s.dir, id), key: key}
	err = each(from.OutDir(), func(name string, stored []byte) error {
		body, err := from.OpenOutput(name, stored)
		if err != nil {
			return err
		}
		return to.KeepOutput(name, body)
	})
	if err != nil {
		return fmt.Errorf("outputs of the session: %w", err)
	}
	for _, ref := range pictures(events) {
		data, err := from.Blob(ref.SHA256)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the model is told that it is not kept
		}
		if err == nil {
			_, err = to.KeepBlob(data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func pictures(events []event.Event) (out []event.ImageRef) {
	for _, e := range events {
		switch b := e.Body.(type) {
		case event.TurnStarted:
			out = append(out, b.Images...)
		case event.CallResult:
			out = append(out, b.Images...)
		}
	}
	return out
}

// each goes through the files of a folder, which may be missing.
func each(dir string, do func(name string, data []byte) error) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		b, err := statedir.ReadRegular(filepath.Join(dir, e.Name()), maxWhole)
		if err == nil {
			err = do(e.Name(), b)
		}
		if err != nil {
			return err
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
