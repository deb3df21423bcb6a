package undo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"golang.org/x/sys/unix"
)

// line is one line of the journal.
type line struct {
	Kind      string   `json:"k"` // head, begin, end
	V         int      `json:"v,omitempty"`
	Root      string   `json:"root,omitempty"`
	Call      *Call    `json:"call,omitempty"`
	ID        string   `json:"id,omitempty"`
	Planned   []Change `json:"planned,omitempty"`
	Survey    bool     `json:"survey,omitempty"`
	Changes   []Change `json:"changes,omitempty"`
	Left      []string `json:"left,omitempty"`
	Recovered bool     `json:"recovered,omitempty"`
}

// writable makes the store's folder and opens its journal.
func (s *Store) writable() error {
	if s.err != nil || s.journal != nil || s.o.Dir == "" {
		return s.err
	}
	if err := os.MkdirAll(filepath.Join(s.o.Dir, blobFolder), 0o700); err != nil {
		return fmt.Errorf("undo store: %w", err)
	}
	var err error
	if s.lock, err = takeLock(s.o.Dir); err != nil {
		return err
	}
	s.blobs.earlier = s.borrowFrom()
	f, err := statedir.OpenRegular(filepath.Join(s.o.Dir, journalFile), os.O_CREATE|os.O_RDWR|os.O_APPEND)
	if err != nil {
		return fmt.Errorf("undo store: %w", err)
	}
	s.journal = f
	if s.lines == 0 {
		return s.append(line{Kind: "head", V: 1, Root: s.o.Root}, false)
	}
	return nil
}

// takeLock says that a process uses the store.
func takeLock(dir string) (*os.File, error) {
	f, err := statedir.OpenRegular(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("undo store: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(errors.New("the undo store of this session is in use by another tera-pilot"), f.Close())
	}
	return f, nil
}

// append writes one line of the journal. After an error the store takes
// nothing more, since its end is unknown.
func (s *Store) append(l line, durable bool) error {
	b, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("undo journal: %w", err)
	}
	if !s.o.Key.IsZero() {
		b = s.o.Key.SealLine(s.lineContext(s.lines), b)
	}
	if s.o.Dir == "" {
		return nil
	}
	_, err = s.journal.Write(append(b, '\n'))
	if err == nil && durable {
		err = s.sync(s.journal)
	}
	if err != nil {
		s.err = fmt.Errorf("undo journal cannot be written, so nothing more is changed in this session: %w", err)
		return s.err
	}
	s.lines++
	return nil
}

func (s *Store) lineContext(n int) string {
	return fmt.Sprintf("tera-pilot/undo/1 %s line %d", filepath.Base(s.o.Dir), n)
}

// readJournal reads what is there, and cuts a torn end off.
func (s *Store) readJournal() error {
	path := filepath.Join(s.o.Dir, journalFile)
	f, err := statedir.OpenRegular(path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("undo store: %w", err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	good := int64(0)
	for {
		b, err := in.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("undo store: %w", err)
		}
		if err := s.take(b[:len(b)-1]); err != nil {
			return fmt.Errorf("the undo journal %s is damaged at line %d (%w): move it away to go on without what it holds", path, s.lines+1, err)
		}
		s.lines++
		good += int64(len(b))
	}
	if info, err := f.Stat(); err == nil && info.Size() > good {
		return f.Truncate(good)
	}
	return nil
}

// take applies one line of the journal.
func (s *Store) take(b []byte) error {
	if !s.o.Key.IsZero() {
		if openLine(b) {
			return errors.New("it is not encrypted, although its session is")
		}
		plain, err := s.o.Key.OpenLine(s.lineContext(s.lines), b)
		if err != nil {
			return err
		}
		b = plain
	} else if !openLine(b) {
		return errors.New("it is encrypted, and no key is set")
	}
	in := json.NewDecoder(bytes.NewReader(b))
	in.DisallowUnknownFields()
	var l line
	if err := in.Decode(&l); err != nil {
		return err
	}
	switch l.Kind {
	case "head":
		if l.V != 1 {
			return fmt.Errorf("version %d is not known here: use a newer program", l.V)
		}
		if l.Root != s.o.Root {
			return fmt.Errorf("it belongs to %s", l.Root)
		}
	case "begin":
		if l.Call == nil {
			return errors.New("a beginning without its call")
		}
		s.begin(*l.Call, l.Planned, l.Survey)
	case "end":
		r, ok := s.byCall[l.ID]
		if !ok {
			return errors.New("an end without its beginning")
		}
		s.end(r, l)
	default:
		return fmt.Errorf("%q is no kind of line", l.Kind)
	}
	return nil
}
