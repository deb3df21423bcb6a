// Package keystore keeps the keys of model providers: references to where a key
// is, or, from standard input, the key itself, in a file that only its owner
// may read.
//
// A key is never taken from an argument, and never printed. The file is
// encrypted (package seal) when the person has set a passphrase; otherwise
// whoever can read the person's files can read it. A file that is encrypted is
// never written in the open again by itself. References (env:, file:) keep the
// value where it is.
package keystore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/seal"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// maxKey is the longest key, in bytes.
const maxKey = 16 << 10

// Store is the keys file of one state folder.
type Store struct {
	file       string
	context    string // of what is encrypted
	passphrase string // "" for none

	mu     sync.Mutex // held while the key is derived: whoever needs it waits for that once
	header string     // that key was made of
	key    seal.Key   // made once, since it is made to be slow
}

// Passphrase is the variable of the environment that encrypts the store.
const Passphrase = "TERA_PILOT_KEYS_PASSPHRASE"

// What is encrypted opens where it belongs alone: tokens of a login, sealed
// with the same passphrase, are not taken for keys that are sent to a provider.
const (
	keysContext   = "tera-pilot/keys/1"
	loginsContext = "tera-pilot/logins/1"
)

// sealed is the file of a store with a passphrase.
type sealed struct {
	Seal json.RawMessage `json:"seal"` // the header
	Keys []byte          `json:"keys"`
}

// A LockedError says that the store is encrypted, and no passphrase is set.
type LockedError struct{ File string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("the key store %s is encrypted: set %s", e.File, Passphrase)
}

// Open names the store; nothing is read yet.
func Open(state string) *Store {
	return &Store{file: filepath.Join(state, "keys.json"), context: keysContext}
}

// With is the store with a passphrase: what is written from now on is
// encrypted. An empty one changes nothing.
func (s *Store) With(passphrase string) *Store {
	return &Store{file: s.file, context: s.context, passphrase: passphrase}
}

// entry is one key: exactly one of the members is set.
type entry struct {
	Env   string `json:"env,omitempty"`
	File  string `json:"file,omitempty"`
	Value string `json:"value,omitempty"`
}

// Info tells where a key comes from, and never what it is.
type Info struct{ Name, Source string }

var (
	nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9._-]{0,63}$`) })
	envForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
)

// Check says what is wrong with a name or a source of a key, before anything is
// read or written. It never repeats the source: people paste the key there.
func Check(name, from string) error {
	kind, rest, _ := strings.Cut(from, ":")
	switch {
	case !nameForm().MatchString(name):
		return fmt.Errorf("%q is no name of a provider: small letters, digits, dots and dashes", name)
	case kind == "env" && envForm().MatchString(rest), kind == "file" && filepath.IsAbs(rest), from == "stdin":
		return nil
	case kind == "file":
		return errors.New("--from file: takes the absolute path of the key's file")
	default:
		return errors.New("--from takes env:VAR, file:/PATH or stdin; if that was the key itself, other processes could see it: have a new one made")
	}
}

// Set stores the key called name. from is env:VAR, file:PATH or stdin.
func (s *Store) Set(name, from string, stdin io.Reader) error {
	if err := Check(name, from); err != nil {
		return err
	}
	e, err := newEntry(from, stdin)
	if err != nil {
		return err
	}
	return s.update(func(all map[string]entry) error {
		all[name] = e
		return nil
	})
}

// newEntry is the entry of a source that was checked.
func newEntry(from string, stdin io.Reader) (entry, error) {
	kind, rest, _ := strings.Cut(from, ":")
	switch kind {
	case "env":
		return entry{Env: rest}, nil
	case "file":
		return entry{File: filepath.Clean(rest)}, nil
	default:
		key, err := readKey(stdin)
		return entry{Value: key}, err
	}
}

func readKey(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxKey+1))
	if err != nil {
		return "", fmt.Errorf("key: %w", err)
	}
	key := strings.TrimSpace(string(b))
	switch {
	case key == "":
		return "", errors.New("the key is empty")
	case len(key) > maxKey:
		return "", fmt.Errorf("the key is longer than %d bytes", maxKey)
	case strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }):
		return "", errors.New("the key holds a character that no key has (a line feed, or one beyond ASCII)")
	}
	return key, nil
}

// Remove forgets a key.
func (s *Store) Remove(name string) error {
	return s.update(func(all map[string]entry) error {
		if _, ok := all[name]; !ok {
			return fmt.Errorf("no key is stored for %q: `tera-pilot keys list` shows those there are", name)
		}
		delete(all, name)
		return nil
	})
}

// List says which keys there are and where they come from, by name.
func (s *Store) List() ([]Info, error) {
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	var out []Info
	for name, e := range all {
		source := "stored here"
		switch {
		case e.Env != "":
			source = "env:" + e.Env
		case e.File != "":
			source = "file:" + e.File
		}
		out = append(out, Info{name, source})
	}
	slices.SortFunc(out, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Get returns the key called name, "" when none is stored. getenv looks up the
// environment that the program was started with.
func (s *Store) Get(name string, getenv func(string) string) (string, error) {
	all, err := s.read()
	if err != nil {
		return "", err
	}
	e, ok := all[name]
	if !ok {
		return "", nil
	}
	return e.value(name, getenv)
}

// Must is Get for a key that is to be used wherever one is stored: a reference
// that gives nothing is an error.
func (s *Store) Must(name string, getenv func(string) string) (string, error) {
	all, err := s.read()
	if err != nil {
		return "", err
	}
	e, ok := all[name]
	if !ok {
		return "", nil
	}
	key, err := e.value(name, getenv)
	if err == nil && key == "" {
		err = fmt.Errorf("the key called %s is stored as env:%s, and that is empty: set it, or `tera-pilot keys remove %s`", name, e.Env, name)
	}
	return key, err
}

// value is the key that an entry holds or refers to.
func (e entry) value(name string, getenv func(string) string) (string, error) {
	switch {
	case e.Env != "":
		return strings.TrimSpace(getenv(e.Env)), nil
	case e.File != "":
		f, err := statedir.Open(e.File, true)
		if err != nil {
			return "", fmt.Errorf("key of %s: %w", name, err)
		}
		defer f.Close()
		key, err := readKey(f)
		if err != nil {
			return "", fmt.Errorf("key of %s in %s: %w", name, e.File, err)
		}
		return key, nil
	default:
		return e.Value, nil
	}
}

func (s *Store) read() (map[string]entry, error) {
	data, err := statedir.Read(s.file, true)
	if err != nil {
		return nil, fmt.Errorf("key store: %w", err)
	}
	if data == nil {
		return map[string]entry{}, nil
	}
	if data, err = s.unseal(data); err != nil {
		return nil, err
	}
	all, err := parse(data)
	if err != nil {
		// The text of a decoding error can hold a piece of the file.
		return nil, fmt.Errorf("key store: %s is damaged: remove it and set the keys again", s.file)
	}
	return all, nil
}

// parse reads the keys one way or not at all: each name and member once, each
// entry with one source.
func parse(data []byte) (map[string]entry, error) {
	members, err := strictjson.Object(data)
	if err != nil {
		return nil, err
	}
	all := make(map[string]entry, len(members))
	for name, raw := range members {
		fields, err := strictjson.Members(raw, "env", "file", "value")
		if err != nil {
			return nil, err
		}
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, err
		}
		if len(fields) != 1 || e == (entry{}) {
			return nil, errors.New("a key has one source")
		}
		all[name] = e
	}
	return all, nil
}

// unseal decrypts a file that is encrypted, and passes on one that is not.
func (s *Store) unseal(data []byte) ([]byte, error) {
	var box sealed
	if json.Unmarshal(data, &box) != nil || box.Seal == nil || box.Keys == nil {
		return data, nil
	}
	if s.passphrase == "" {
		return nil, &LockedError{s.file}
	}
	h, err := seal.ParseHeader(box.Seal)
	if err != nil {
		return nil, fmt.Errorf("key store %s: %w", s.file, err)
	}
	key, err := s.unlock(h, string(box.Seal))
	if err != nil {
		return nil, fmt.Errorf("key store %s: %w (%s)", s.file, err, Passphrase)
	}
	plain, err := key.Open(s.context, box.Keys)
	if err != nil {
		return nil, fmt.Errorf("key store %s: %w: remove it and set the keys again", s.file, err)
	}
	return plain, nil
}

// unlock makes the key of a header, once.
func (s *Store) unlock(h seal.Header, text string) (seal.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.header == text {
		return s.key, nil
	}
	key, err := h.Unlock([]byte(s.passphrase))
	if err == nil {
		s.header, s.key = text, key
	}
	return key, err
}

// seal encrypts what is to be written, when there is a passphrase.
func (s *Store) seal(data []byte) ([]byte, error) {
	if s.passphrase == "" {
		return data, nil
	}
	h, key, err := seal.New([]byte(s.passphrase))
	if err != nil {
		return nil, fmt.Errorf("key store: %w", err)
	}
	header, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("key store: %w", err)
	}
	return json.Marshal(sealed{header, key.Seal(s.context, data)})
}

// update replaces the file by what change makes of the keys in it, whole or not
// at all. Processes that do so wait for each other.
func (s *Store) update(change func(all map[string]entry) error) error {
	return statedir.Update(s.file, func([]byte) ([]byte, error) {
		all, err := s.read()
		if err == nil {
			err = change(all)
		}
		if err != nil {
			return nil, err
		}
		data, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("key store: %w", err)
		}
		if data, err = s.seal(data); err != nil {
			return nil, err
		}
		return append(data, '\n'), nil
	})
}

// OpenLogins names the store of what logins gave (tokens), a file of its own
// beside the keys and kept like them.
func OpenLogins(state string) *Store {
	return &Store{file: filepath.Join(state, "mcp_logins.json"), context: loginsContext}
}

// maxSecret is the longest value that Exchange keeps, in bytes.
const maxSecret = 256 << 10

// Secret is the value that is stored here under a name, "" for none. References
// are none.
func (s *Store) Secret(name string) (string, error) {
	all, err := s.read()
	return all[name].Value, err
}

// Exchange replaces a stored value by what f makes of it; "" forgets it.
// Processes that do so wait for each other. When f fails, all stays as it was.
func (s *Store) Exchange(name string, f func(old string) (string, error)) error {
	if !nameForm().MatchString(name) {
		return fmt.Errorf("%q is no name in the key store", name)
	}
	return s.update(func(all map[string]entry) error {
		value, err := f(all[name].Value)
		switch {
		case err != nil:
			return err
		case len(value) > maxSecret:
			return fmt.Errorf("key store: a value is longer than %d bytes", maxSecret)
		case value == "":
			delete(all, name)
		default:
			all[name] = entry{Value: value}
		}
		return nil
	})
}
