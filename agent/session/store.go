package session

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"golang.org/x/sys/unix"
)

// Files of a session's folder.
const (
	eventsFile = "events.jsonl"
	lockFile   = "lock"
	outFolder  = "out"
)

// Store is the folder that holds the sessions of one state folder.
type Store struct {
	dir   string
	vault *vault
}

// NewStore names the folder; nothing is created or read yet.
func NewStore(dir string) *Store { return (&Store{dir: dir}).With("") }

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{8}-[0-9a-f]{12}$`) })

// A NotFoundError says that there is no such session.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no session %q: `tera-pilot sessions list` shows those there are", e.ID)
}

// A BusyError says that another process writes the session.
type BusyError struct{ ID string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("session %s is open in another tera-pilot: close that one, or start a new session", e.ID)
}

// A DamagedError says that a log cannot be understood at a line that is not
// the last one, so that nothing after it can be trusted.
type DamagedError struct {
	ID   string
	Line int
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the log of session %s is damaged at line %d (%v): it is kept as it is; start a new session", e.ID, e.Line, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Create starts a new session.
func (s *Store) Create(now time.Time) (*Log, error) {
	var random [6]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, fmt.Errorf("session id: %w", err)
	}
	id := now.UTC().Format("20060102") + "-" + hex.EncodeToString(random[:])
	key, err := s.vault.writing()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("session store: %w", err)
	}
	dir := filepath.Join(s.dir, id)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("session store: %w", err)
	}
	l, err := s.open(id, os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	l.key = key
	return l, l.head()
}

// Resume opens a session to go on with it. A torn last line is cut off and
// kept in a file of its own; torn is its size in bytes.
func (s *Store) Resume(id string) (l *Log, events []event.Event, torn int64, err error) {
	if _, err := s.folder(id); err != nil {
		return nil, nil, 0, err
	}
	l, err = s.open(id, 0)
	if err != nil {
		return nil, nil, 0, err
	}
	if events, torn, err = l.load(); err != nil {
		return nil, nil, 0, errors.Join(err, l.Close())
	}
	return l, events, torn, nil
}

func (s *Store) open(id string, flag int) (*Log, error) {
	dir := filepath.Join(s.dir, id)
	lock, err := statedir.OpenRegular(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("session lock: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, &BusyError{id}
		}
		return nil, fmt.Errorf("session lock: %w", err)
	}
	file, err := statedir.OpenRegular(filepath.Join(dir, eventsFile), flag|os.O_RDWR|os.O_APPEND)
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("session log: %w", err)
	}
	return &Log{id: id, dir: dir, file: file, lock: lock, vault: s.vault}, nil
}

// Has says that there is a session of that id.
func (s *Store) Has(id string) bool {
	_, err := s.folder(id)
	return err == nil
}

func (s *Store) folder(id string) (string, error) {
	if !idForm().MatchString(id) {
		return "", &NotFoundError{id}
	}
	dir := filepath.Join(s.dir, id)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return "", &NotFoundError{id}
	}
	return dir, nil
}
