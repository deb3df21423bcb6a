package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/seal"
)

// Encrypt encrypts the sessions that lie in the open, and returns their ids.
// beside does the same for what is kept of a session elsewhere, before its log
// counts as encrypted. One that is open somewhere, or damaged, is an error and
// stays as it is. recover makes the store's header anew from those that are
// encrypted. What was interrupted is finished by the next call.
func (s *Store) Encrypt(recover bool, beside func(id string, key seal.Key) error) (done []string, err error) {
	if !s.Keyed() {
		return nil, errors.New("no key is set: set TERA_PILOT_SESSION_KEY, or `tera-pilot keys set sessions --from …`")
	}
	if err := s.header(recover); err != nil {
		return nil, err
	}
	open, _, err := s.vault.survey()
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, id := range open {
		if err := s.encrypt(id, beside); err != nil {
			errs = append(errs, err)
			continue
		}
		done = append(done, id)
	}
	if err := os.Remove(filepath.Join(s.dir, indexFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, err)
	}
	return done, errors.Join(append(errs, s.vault.shorten())...)
}

// header makes sure that the store has one.
func (s *Store) header(recover bool) error {
	have, err := s.vault.load()
	if err != nil || have {
		return err
	}
	s.vault.mu.Lock()
	defer s.vault.mu.Unlock()
	return s.vault.begin(recover)
}

func (s *Store) encrypt(id string, beside func(string, seal.Key) error) error {
	l, err := s.open(id, 0)
	if err != nil {
		return err
	}
	defer func() { _ = l.file.Close(); _ = l.lock.Close() }() // nothing was written through them
	events, _, good, err := s.vault.events(id, l.file, new(seal.Key))
	if err != nil {
		return err
	}
	l.key = s.vault.key
	if err := errors.Join(l.sealFiles(events), l.sealTorn(good)); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	if err := beside(id, l.key); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	first, err := s.vault.firstLine()
	if err != nil {
		return err
	}
	log := bytes.NewBuffer(first)
	for _, e := range events {
		line, err := e.MarshalJSON()
		if err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
		log.Write(append(l.key.SealLine(lineContext(id, e.Seq), line), '\n'))
	}
	if err := place(filepath.Join(l.dir, eventsFile), log.Bytes(), false); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	return nil
}

// sealFiles encrypts outputs and pictures, but for those that are already.
func (l *Log) sealFiles(events []event.Event) error {
	err := each(l.OutDir(), func(name string, stored []byte) error {
		if _, err := l.OpenOutput(name, stored); err == nil {
			return nil
		}
		return place(filepath.Join(l.OutDir(), name), sealOutput(l.key, l.id, name, stored), false)
	})
	if err != nil {
		return err
	}
	dir := filepath.Join(l.dir, blobFolder)
	return each(dir, func(name string, data []byte) error {
		if hashOf(data) != name {
			return nil // encrypted already
		}
		if _, err := l.KeepBlob(data); err != nil {
			return err
		}
		return os.Remove(filepath.Join(dir, name))
	})
}

// sealTorn encrypts the ends that were torn off, and the one that is there.
func (l *Log) sealTorn(good int64) error {
	if _, err := l.cut(good); err != nil {
		return err
	}
	return each(l.dir, func(name string, data []byte) error {
		if !strings.HasPrefix(name, "torn-") {
			return nil
		}
		if _, err := l.key.Open(fileContext(l.id, "torn", name), data); err == nil {
			return nil
		}
		return place(filepath.Join(l.dir, name), l.key.Seal(fileContext(l.id, "torn", name), data), false)
	})
}
