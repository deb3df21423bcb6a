package session

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/seal"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"golang.org/x/sys/unix"
)

// Files of a session's folder.
const (
	eventsFile = "events.jsonl"
	lockFile   = "lock"
	outFolder  = "out"
)

// maxLine is the longest event line that is read, in bytes.
const maxLine = 96 << 20

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

// Log appends to one session. Its methods are for one goroutine.
type Log struct {
	id     string
	dir    string
	file   *os.File
	lock   *os.File
	seq    uint64
	dirty  bool
	closed bool
	starts []int64 // of the line of each event, by its number less one
	end    int64   // of the last line
	err    error   // of a failed write: sticky, since the file's end is unknown then
	vault  *vault
	key    seal.Key // zero: not encrypted
}

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

// head writes the first line of an encrypted log.
func (l *Log) head() error {
	if l.key.IsZero() {
		return nil
	}
	line, err := l.vault.firstLine()
	if err == nil {
		_, err = l.file.Write(line)
		l.end = int64(len(line))
	}
	if err != nil {
		return fmt.Errorf("session log: %w", err)
	}
	return nil
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

// load reads what the log holds and puts its end in order.
func (l *Log) load() (events []event.Event, torn int64, err error) {
	have, err := l.vault.load()
	if err != nil {
		return nil, 0, err
	}
	if have && l.vault.secret == "" {
		return nil, 0, &LockedError{l.id}
	}
	events, starts, good, err := l.vault.events(l.id, l.file, &l.key)
	if err != nil {
		return nil, 0, err
	}
	l.starts, l.end = starts, good
	if l.key.IsZero() && good > 0 && l.vault.secret != "" {
		return nil, 0, &OpenError{l.id}
	}
	if torn, err = l.cut(good); err != nil {
		return nil, 0, err
	}
	if good == 0 { // it died before its first line
		if l.key, err = l.vault.writing(); err == nil {
			err = l.head()
		}
		if err != nil {
			return nil, 0, err
		}
	}
	if len(events) > 0 {
		l.seq = events[len(events)-1].Seq
	}
	return events, torn, nil
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

// cut removes what stands behind the last whole line, after keeping a copy.
func (l *Log) cut(good int64) (int64, error) {
	size, err := l.file.Seek(0, io.SeekEnd)
	if err != nil || size == good {
		return 0, err
	}
	rest := make([]byte, size-good)
	if _, err := l.file.ReadAt(rest, good); err != nil {
		return 0, fmt.Errorf("torn end of the session log: %w", err)
	}
	name := filepath.Join(l.dir, fmt.Sprintf("torn-%d", good))
	if err := os.WriteFile(name, rest, 0o600); err != nil {
		return 0, fmt.Errorf("torn end of the session log: %w", err)
	}
	return size - good, l.file.Truncate(good)
}

// Append writes events, whose Seq and Session it sets, and returns them as
// written. Transient ones get the session alone and are not written. After an
// error the log takes nothing more.
func (l *Log) Append(now time.Time, bodies ...event.Body) ([]event.Event, error) {
	if l.err != nil {
		return nil, l.err
	}
	out := make([]event.Event, 0, len(bodies))
	var buf bytes.Buffer
	seq, starts := l.seq, l.starts
	for _, body := range bodies {
		e := event.Event{Time: now.UTC().Truncate(time.Millisecond), Session: l.id, Body: body}
		if !e.Transient() {
			seq++
			e.Seq = seq
			line, err := json.Marshal(e)
			if err != nil {
				return nil, fmt.Errorf("event %d: %w", seq, err)
			}
			if !l.key.IsZero() {
				line = l.key.SealLine(lineContext(l.id, seq), line)
			}
			starts = append(starts, l.end+int64(buf.Len()))
			buf.Write(append(line, '\n'))
		}
		out = append(out, e)
	}
	if buf.Len() > 0 {
		if _, err := l.file.Write(buf.Bytes()); err != nil {
			l.err = fmt.Errorf("session log cannot be written, so nothing more is done in this session: %w", err)
			return nil, l.err
		}
		l.dirty = true
	}
	l.seq, l.starts, l.end = seq, starts, l.end+int64(buf.Len())
	return out, nil
}

// Sync makes what was appended durable.
func (l *Log) Sync() error {
	if l.err != nil || !l.dirty {
		return l.err
	}
	if err := datasync(l.file); err != nil {
		l.err = fmt.Errorf("session log cannot be made durable, so nothing more is done in this session: %w", err)
		return l.err
	}
	l.dirty = false
	return nil
}

// ID is the session's id.
func (l *Log) ID() string { return l.id }

// OutDir is the folder for outputs that were cut; it may not exist yet.
func (l *Log) OutDir() string { return filepath.Join(l.dir, outFolder) }

// Empty says that nothing was ever written.
func (l *Log) Empty() bool { return l.seq == 0 }

// Close makes everything durable and lets others write. A second Close does
// nothing.
func (l *Log) Close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	return errors.Join(l.Sync(), l.file.Close(), l.lock.Close())
}

// Read returns the events of a session without opening it for writing. A torn
// last line is left out.
func (s *Store) Read(id string) ([]event.Event, error) {
	return s.read(id, every)
}

// Said are the messages of the person in a session, oldest first. What else the
// session holds is passed over.
func (s *Store) Said(id string) ([]string, error) {
	mark := []byte(`"type":"` + event.TurnStarted{}.Type() + `"`)
	events, err := s.read(id, func(line []byte) bool { return bytes.Contains(line, mark) })
	var out []string
	for _, e := range events {
		if b, ok := e.Body.(event.TurnStarted); ok {
			out = append(out, b.Text)
		}
	}
	return out, err
}

func (s *Store) read(id string, want func(line []byte) bool) ([]event.Event, error) {
	dir, err := s.folder(id)
	if err != nil {
		return nil, err
	}
	file, err := statedir.OpenRegular(filepath.Join(dir, eventsFile), os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	defer file.Close()
	events, _, _, err := s.vault.some(id, file, new(seal.Key), want)
	return events, err
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

// events reads whole lines; starts is where each of them begins, good where the
// last of them ends, and key what they are encrypted with. Only the last line may be broken: a torn end. One
// that is encrypted and has its end was written whole.
func (v *vault) events(id string, r io.Reader, key *seal.Key) (events []event.Event, starts []int64, good int64, err error) {
	return v.some(id, r, key, every)
}

// every wants all lines.
func every([]byte) bool { return true }

// some are the events whose lines are wanted; of the others not even the form
// is looked at.
func (v *vault) some(id string, r io.Reader, key *seal.Key, want func(line []byte) bool) (events []event.Event, starts []int64, good int64, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	first, err := in.Peek(len(sealPrefix))
	if err != nil && err != io.EOF {
		return nil, nil, 0, &DamagedError{id, 1, err}
	}
	if *key, err = v.reading(id, first); err != nil {
		return nil, nil, 0, err
	}
	if !key.IsZero() {
		line, err := readLine(in)
		if err == io.EOF {
			return nil, nil, 0, nil
		}
		if err == nil {
			err = v.headed(line)
		}
		if err != nil {
			return nil, nil, 0, &DamagedError{id, 1, err}
		}
		good = int64(len(line)) + 1
	}
	for n := uint64(1); ; n++ {
		line, readErr := readLine(in)
		if readErr == io.EOF {
			return events, starts, good, nil
		}
		if readErr != nil {
			return nil, nil, 0, &DamagedError{id, int(n), readErr}
		}
		e, err := readEvent(id, n, line, *key, want)
		if err != nil {
			if _, more := in.Peek(1); more == io.EOF && key.IsZero() {
				return events, starts, good, nil
			}
			return nil, nil, 0, &DamagedError{id, int(n), err}
		}
		if e.Body != nil {
			events, starts = append(events, e), append(starts, good)
		}
		good += int64(len(line)) + 1
	}
}

// readEvent reads one line; an event without a body is one that is not wanted.
func readEvent(id string, n uint64, line []byte, key seal.Key, want func([]byte) bool) (e event.Event, err error) {
	if !key.IsZero() {
		if line, err = key.OpenLine(lineContext(id, n), line); err != nil {
			return e, err
		}
	}
	if !want(line) {
		return e, nil
	}
	err = e.UnmarshalJSON(line) // which checks the whole line itself
	if err == nil && e.Seq != n {
		err = fmt.Errorf("event %d stands there", e.Seq)
	}
	return e, err
}

// readLine returns the next line without its end; io.EOF for a line that has
// none.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("line of more than %d bytes", maxLine)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return nil, err
		}
		return line[:len(line)-1], nil
	}
}

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
	Archive bool      `json:"archived,omitempty"`
	Sealed  bool      `json:"encrypted,omitempty"`
	Problem string    `json:"problem,omitempty"`
}

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
	sum.Sealed = header != nil
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
// nothing was said or done (a look at an MCP server) counts only where there is
// no other.
func (s *Store) Latest(root string) (string, error) {
	all, err := s.List()
	if err != nil {
		return "", err
	}
	empty := ""
	for _, sum := range all {
		switch {
		case sum.Root != root || sum.Problem != "" || sum.Parent != "":
		case sum.Turns > 0 || sum.Files > 0:
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
