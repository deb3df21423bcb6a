package session

import (
	"errors"
	"os"
	"path/filepath"
)

// Delete removes a session with all that was kept of it. One that is open, in
// whatever process, is a *BusyError. The audit log keeps its evidence.
func (s *Store) Delete(id string) error {
	return s.DeleteAfter(id, func() error { return nil })
}

// DeleteAfter is Delete that first, when it is sure that the session is there
// and nobody has it open, calls stated. An error of that keeps the session.
func (s *Store) DeleteAfter(id string, stated func() error) error {
	if _, err := s.folder(id); err != nil {
		return err
	}
	l, err := s.open(id, 0)
	if err != nil {
		return err
	}
	err = stated()
	if err == nil {
		// Beside the sessions lies what undo keeps of them; and the index, which
		// is made anew when it is missing, holds their titles.
		err = errors.Join(s.dropIndex(), os.RemoveAll(filepath.Join(filepath.Dir(s.dir), "undo", id)), os.RemoveAll(filepath.Join(s.dir, id)))
	}
	return errors.Join(err, l.file.Close(), l.lock.Close())
}
