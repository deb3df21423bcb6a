package session

import (
	"errors"
	"os"
	"path/filepath"
)

// Delete removes a session with all that was kept of it. One that is open, in
// whatever process, is a *BusyError. The audit log keeps its evidence.
func (s *Store) Delete(id string) error {
	if _, err := s.folder(id); err != nil {
		return err
	}
	l, err := s.open(id, 0)
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(filepath.Join(s.dir, id)), l.file.Close(), l.lock.Close())
}
