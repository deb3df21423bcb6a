package undo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/seal"
)

// Limits bound what is kept. The zero value of a member means its default.
type Limits struct {
	File  int64 // bytes of one file
	Total int64 // bytes of a session's store
	Files int   // files of the workspace
}

// The defaults: a file as large as file tools handle, 1 GiB a session.
const (
	DefaultFile  = 8 << 20
	DefaultTotal = 1 << 30
	DefaultFiles = 100_000
)

// Options are what a store is opened with.
type Options struct {
	Dir    string   // undo/<session>, made when something is kept; "" keeps it in memory alone
	Root   string   // of the workspace
	Key    seal.Key // zero: not encrypted
	Limits Limits   // zero: the defaults
	Now    func() time.Time
}

// Store is what undo keeps of one session. Its methods may be called from
// several goroutines; one call at a time is between Begin and End.
type Store struct {
	mu      sync.Mutex // of all of it; held while the disk is written: one line after the other
	o       Options
	limits  Limits
	now     func() time.Time
	blobs   blobs
	tree    map[string]node
	treeN   int // lines of the tree's file
	records []*Record
	byCall  map[string]*Record
	undone  map[pair]bool
	journal *os.File
	lines   int
	lock    *os.File
	err     error // of a failed write: sticky
	sync    func(*os.File) error
}

// A Call is who changes something.
type Call struct {
	ID    string    `json:"id"`
	Turn  int       `json:"turn"`
	Tool  string    `json:"tool"`
	Title string    `json:"title"`
	Time  time.Time `json:"time"`
	Of    []string  `json:"of,omitempty"` // an undo: of these calls
}

// A Record is what one call changed.
type Record struct {
	Call
	Changes   []Change `json:"changes,omitempty"`
	Left      []string `json:"left,omitempty"` // what it touched and is not covered, one line each
	Recovered bool     `json:"recovered,omitempty"`

	planned []Change // of one that has not ended
	survey  bool
	open    bool
}

// pair is a path as one call changed it.
type pair struct{ call, path string }

// Files of a store.
const (
	journalFile = "journal.jsonl"
	treeFile    = "tree.jsonl"
	blobFolder  = "blobs"
	lockName    = "lock"
)

// Open reads a store; one that is not there yet is empty. Nothing is created.
func Open(o Options) (*Store, error) {
	s := &Store{o: o, limits: o.Limits, now: o.Now, tree: map[string]node{}, byCall: map[string]*Record{}, undone: map[pair]bool{}, sync: (*os.File).Sync}
	if s.now == nil {
		s.now = time.Now
	}
	if s.limits.File == 0 {
		s.limits.File = DefaultFile
	}
	if s.limits.Total == 0 {
		s.limits.Total = DefaultTotal
	}
	if s.limits.Files == 0 {
		s.limits.Files = DefaultFiles
	}
	if o.Dir == "" {
		s.blobs = blobs{memory: map[string][]byte{}, limit: s.limits.Total}
		return s, nil
	}
	s.blobs = blobs{dir: filepath.Join(o.Dir, blobFolder), key: o.Key, limit: s.limits.Total, sync: s.sync}
	if err := s.readJournal(); err != nil {
		return nil, err
	}
	return s, s.readTree()
}

// Close gives the files back.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, f := range []*os.File{s.journal, s.lock} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	s.journal, s.lock = nil, nil
	return errors.Join(errs...)
}

// Limits are those in force.
func (s *Store) Limits() Limits { return s.limits }

// Records are the calls that changed something, in order.
func (s *Store) Records() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Record
	for _, r := range s.records {
		if !r.open && (len(r.Changes) > 0 || len(r.Left) > 0) {
			out = append(out, *r)
		}
	}
	return out
}

// Undone says that what a call changed at a path has been taken back.
func (s *Store) Undone(call, path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.undone[pair{call, path}]
}

// Keeps says whether content of that size would be kept.
func (s *Store) Keeps(size int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err == nil && size <= s.limits.File && s.blobs.total+size <= s.limits.Total
}

// Begin keeps what a call is about to change: of planned paths the content
// that data gives, or, with a survey, everything in the workspace. The id is
// the one that the record goes by: models use theirs more than once. An error
// says that it could not be kept; then nothing must be changed.
func (s *Store) Begin(c Call, planned []Change, data map[string][]byte, survey Survey) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return "", err
	}
	if survey != nil {
		if _, err := s.refresh(survey); err != nil {
			return "", err
		}
	}
	if planned, err = s.keepAll(planned, data); err != nil {
		return "", err
	}
	c.ID = s.unused(c.ID)
	c.Time = s.now().UTC().Truncate(time.Millisecond)
	if err := s.append(line{Kind: "begin", Call: &c, Planned: planned, Survey: survey != nil}, len(planned) > 0); err != nil {
		return "", err
	}
	s.begin(c, planned, survey != nil)
	return c.ID, nil
}

// unused makes an id one that no record has.
func (s *Store) unused(id string) string {
	for n, first := 2, id; s.byCall[id] != nil; n++ {
		id = fmt.Sprintf("%s~%d", first, n)
	}
	return id
}

// keepAll stores what planned changes would overwrite.
func (s *Store) keepAll(planned []Change, data map[string][]byte) ([]Change, error) {
	out := make([]Change, len(planned))
	copy(out, planned)
	for i := range out {
		b := &out[i].Before
		if b.Type != File || b.Left != "" || sameContent(*b, out[i].After) {
			continue
		}
		content, ok := data[string(out[i].Path)]
		switch {
		case !ok:
			b.Left = "its content was not looked at"
			continue
		case int64(len(content)) > s.limits.File:
			b.Left = "larger than " + bytesWord(s.limits.File)
			continue
		}
		sum, err := s.blobs.keep(content, true)
		switch {
		case errors.Is(err, errFull):
			b.Left = "the undo store of this session is full (" + bytesWord(s.limits.Total) + ")"
		case err != nil:
			return nil, fmt.Errorf("what %s holds could not be kept for undo, so it is not changed: %w", out[i].Path, err)
		case sum != b.SHA256:
			return nil, fmt.Errorf("%s is not what it was", out[i].Path)
		}
	}
	return out, nil
}

// End records what a call changed: what was done of the plan and, with a
// survey, what else is different now. left is what else is not covered.
func (s *Store) End(id string, done []Change, survey Survey, left ...string) (Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.byCall[id]
	if !ok || !r.open {
		return Record{}, fmt.Errorf("undo: call %s did not begin", id)
	}
	l := line{Kind: "end", ID: id}
	l.Changes, l.Left = s.settled(r, done)
	if r.survey && survey != nil {
		before, err := s.refresh(survey)
		if err != nil {
			return Record{}, err
		}
		l.Changes, l.Left = differences(before, s.tree)
	}
	l.Left = append(l.Left, left...)
	if err := s.append(l, len(done) > 0); err != nil {
		return Record{}, err
	}
	s.end(r, l)
	return *r, nil
}

// settled takes over what Begin found about the content of planned paths.
func (s *Store) settled(r *Record, done []Change) (changes []Change, left []string) {
	was := map[name]Entry{}
	for _, p := range r.planned {
		was[p.Path] = p.Before
	}
	for _, c := range done {
		if b, ok := was[c.Path]; ok {
			c.Before.Left = b.Left
		}
		if c.Before.Left != "" && !sameContent(c.Before, c.After) {
			left = append(left, uncovered(string(c.Path), c.Before, c.After))
			continue
		}
		if c.Before.Left != "" { // the mode alone: no content is needed
			c.Before.Left = ""
		}
		if !same(c.Before, c.After) || c.Keeps() {
			changes = append(changes, c)
		}
	}
	return changes, left
}

func (s *Store) begin(c Call, planned []Change, survey bool) {
	r := &Record{Call: c, planned: planned, survey: survey, open: true}
	s.records = append(s.records, r)
	s.byCall[c.ID] = r
}

func (s *Store) end(r *Record, l line) {
	r.open, r.planned, r.Changes, r.Left, r.Recovered = false, nil, l.Changes, l.Left, l.Recovered
	for _, c := range r.Changes {
		for _, of := range c.Of {
			s.mark(of, string(c.Path), true, 0)
		}
	}
}

// mark notes that a call's change of a path is taken back, or holds again. An
// undo that is taken back lets what it took back hold again.
func (s *Store) mark(call, path string, undone bool, depth int) {
	s.undone[pair{call, path}] = undone
	r, ok := s.byCall[call]
	if !ok || depth > len(s.records) {
		return
	}
	for _, c := range r.Changes {
		if string(c.Path) == path {
			for _, of := range c.Of {
				s.mark(of, path, !undone, depth+1)
			}
		}
	}
}
