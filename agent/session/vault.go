package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/seal"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// sealFile says, beside the sessions, that they are encrypted, and how the key
// is made.
const sealFile = "seal.json"

// sealedStore is the content of sealFile.
type sealedStore struct {
	Seal json.RawMessage `json:"seal"` // the header
	Open []byte          `json:"open"` // encrypted: the sessions that were there before, in the open
}

// A LockedError says that sessions are encrypted, and no key is set.
type LockedError struct{ ID string }

func (e *LockedError) Error() string {
	what := "the sessions here are"
	if e.ID != "" {
		what = "session " + e.ID + " is"
	}
	return what + " encrypted, and no key is set: set TERA_PILOT_SESSION_KEY, or `tera-pilot keys set sessions --from …`"
}

// An OpenError says that a session lies on the disk in the open, although a
// key is set.
type OpenError struct{ ID string }

func (e *OpenError) Error() string {
	return fmt.Sprintf("session %s is not encrypted, and a key is set, so that nothing is written to it in the open: `tera-pilot sessions encrypt` encrypts what there is", e.ID)
}

// A ReplacedError says that a session lies in the open that was not there when
// the store was encrypted: this program did not write it.
type ReplacedError struct{ ID string }

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("session %s is not encrypted, and was not here when the sessions were: somebody put it there, or replaced an encrypted one; look at its folder, and move it away", e.ID)
}

// Sealed says that sessions are encrypted here, whether or not a key is set.
func (s *Store) Sealed() bool {
	_, err := os.Lstat(filepath.Join(s.dir, sealFile))
	return err == nil
}

// Prepare makes the key, and the header where there is none yet.
func (s *Store) Prepare() error {
	_, err := s.vault.writing()
	return err
}

// vault is the key of a store, made at its first use.
type vault struct {
	dir    string
	secret string // "" for none

	mu     sync.Mutex      // held while the key is derived: whoever needs it waits for that once
	key    seal.Key        // zero: not made yet, or nothing is encrypted
	header json.RawMessage // its, in compact form
	open   map[string]bool // sessions that may lie in the open
	err    error           // of an attempt that cost a derivation
}

// With is the store with a secret: what is written from now on is encrypted.
// An empty one changes nothing. The key is made of it once, when it is needed.
func (s *Store) With(secret string) *Store {
	return &Store{dir: s.dir, vault: &vault{dir: s.dir, secret: secret}}
}

// Keyed says that a secret is set.
func (s *Store) Keyed() bool { return s.vault.secret != "" }

// load reads the header and makes the key; have says that there is a header.
// Without a secret it makes no key.
func (v *vault) load() (have bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.loadLocked()
}

func (v *vault) loadLocked() (bool, error) {
	if v.err != nil || !v.key.IsZero() {
		return true, v.err
	}
	b, err := statedir.Read(filepath.Join(v.dir, sealFile), false)
	if err != nil {
		return true, fmt.Errorf("key of the sessions: %w", err)
	}
	if b == nil {
		return false, nil
	}
	if v.secret == "" {
		return true, nil
	}
	key, header, open, err := unlock(b, v.secret)
	if err != nil {
		v.err = fmt.Errorf("sessions: %s: %w", filepath.Join(v.dir, sealFile), err)
		return true, v.err
	}
	v.key, v.header, v.open = key, header, open
	return true, nil
}

// unlock makes the key of a stored header.
func unlock(b []byte, secret string) (seal.Key, json.RawMessage, map[string]bool, error) {
	var f sealedStore
	if json.Unmarshal(b, &f) != nil || f.Seal == nil {
		return seal.Key{}, nil, nil, errors.New("it is cut off or damaged: put it back from a copy, or move it away and run `tera-pilot sessions encrypt --recover`")
	}
	h, err := seal.ParseHeader(f.Seal)
	if err != nil {
		return seal.Key{}, nil, nil, fmt.Errorf("%w: put it back from a copy, or move it away and run `tera-pilot sessions encrypt --recover`", err)
	}
	key, err := h.Unlock([]byte(secret))
	if err != nil {
		return key, nil, nil, fmt.Errorf("%w: look at TERA_PILOT_SESSION_KEY, or at the key that is called sessions", err)
	}
	plain, err := key.Open(openContext, f.Open)
	var ids []string
	if err == nil {
		err = json.Unmarshal(plain, &ids)
	}
	if err != nil {
		return seal.Key{}, nil, nil, fmt.Errorf("the list in it: %w: put it back from a copy", err)
	}
	header, err := compact(f.Seal)
	return key, header, set(ids), err
}

// shortestSecret is the length of the shortest secret that sessions are
// encrypted with, in bytes.
const shortestSecret = 8

const openContext = "tera-pilot/sessions/1 open"

func set(ids []string) map[string]bool {
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out
}

func compact(b []byte) (json.RawMessage, error) {
	var out bytes.Buffer
	err := json.Compact(&out, b)
	return out.Bytes(), err
}

// writing returns the key to write a new session with; zero where nothing is
// encrypted. The first one with a secret makes the header.
func (v *vault) writing() (seal.Key, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	have, err := v.loadLocked()
	switch {
	case err != nil:
		return seal.Key{}, err
	case have && v.secret == "":
		return seal.Key{}, &LockedError{}
	case !have && v.secret != "":
		return v.key, v.begin(false)
	}
	return v.key, nil
}

// begin makes the header of a store: a new one, or, to recover, that of the
// encrypted sessions there are.
func (v *vault) begin(recover bool) error {
	open, header, err := v.survey()
	switch {
	case err != nil:
		return err
	case header != nil && !recover:
		return fmt.Errorf("sessions: %s is gone, and there are encrypted sessions: put it back from a copy, or run `tera-pilot sessions encrypt --recover`", filepath.Join(v.dir, sealFile))
	case header == nil && recover:
		return errors.New("sessions: there is no encrypted session to recover the header from")
	}
	var key seal.Key
	if header != nil {
		open = nil // none is taken for an old one
		var h seal.Header
		if h, err = seal.ParseHeader(header); err == nil {
			key, err = h.Unlock([]byte(v.secret))
		}
	} else {
		if len(v.secret) < shortestSecret {
			return fmt.Errorf("sessions: the key is shorter than %d bytes: take a longer one", shortestSecret)
		}
		var h seal.Header
		if h, key, err = seal.New([]byte(v.secret)); err == nil {
			header, err = json.Marshal(h)
		}
	}
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	if err := v.save(key, header, open, true); errors.Is(err, fs.ErrExist) {
		_, err = v.loadLocked() // another process was first
		return err
	} else if err != nil {
		return err
	}
	v.key, v.header, v.open = key, header, set(open)
	return nil
}

// save writes the header's file: a first one, or in the place of what is there.
func (v *vault) save(key seal.Key, header json.RawMessage, open []string, first bool) error {
	ids, err := json.Marshal(open)
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	b, err := json.Marshal(sealedStore{header, key.Seal(openContext, ids)})
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	if err := os.MkdirAll(v.dir, 0o700); err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	return place(filepath.Join(v.dir, sealFile), append(b, '\n'), first)
}

// place writes a file as a whole and durably. first says that there must not
// be one.
func place(path string, data []byte, first bool) error {
	if !first {
		return statedir.Write(path, data)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // it has its other name then
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Link(tmp.Name(), path)
}

// survey finds the sessions in the open, and the header of an encrypted one.
func (v *vault) survey() (open []string, header json.RawMessage, err error) {
	entries, err := os.ReadDir(v.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("sessions: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !idForm().MatchString(e.Name()) {
			continue
		}
		h, err := sealOf(filepath.Join(v.dir, e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, nil, fmt.Errorf("session %s: %w", e.Name(), err)
		case h == nil:
			open = append(open, e.Name())
		case header == nil:
			header = h
		}
	}
	return open, header, nil
}

// Key is what a session is encrypted with, for what is kept of it elsewhere;
// zero for one in the open.
func (s *Store) Key(id string) (seal.Key, error) {
	dir, err := s.folder(id)
	if err != nil {
		return seal.Key{}, err
	}
	h, err := sealOf(dir)
	if err != nil || h == nil {
		return seal.Key{}, err
	}
	return s.vault.reading(id, []byte(sealPrefix))
}

// shorten takes off the list of those that may lie in the open what does not
// any more.
func (v *vault) shorten() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	there, _, err := v.survey()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(there, func(id string) bool { return !v.open[id] })
	if err := v.save(v.key, v.header, left, false); err != nil {
		return err
	}
	v.open = set(left)
	return nil
}
