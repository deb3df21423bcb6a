// Package keystore keeps the keys of model providers: references to where a key
// is, or, from standard input, the key itself, in a file that only its owner
// may read.
//
// A key is never taken from an argument, and never printed. The file is not
// encrypted: whoever can read the person's files can read it. References
// (env:, file:) keep the value where it is.
package keystore

import (
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

	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// maxKey is the longest key, in bytes.
const maxKey = 16 << 10

// Store is the keys file of one state folder.
type Store struct{ file string }

// Open names the store; nothing is read yet.
func Open(state string) *Store { return &Store{filepath.Join(state, "keys.json")} }

// entry is one key: exactly one of the members is set.
type entry struct {
	Env   string `json:"env,omitempty"`
	File  string `json:"file,omitempty"`
	Value string `json:"value,omitempty"`
}

// Info tells where a key comes from, and never what it is.
type Info struct{ Name, Source string }

var (
	nameForm = regexp.MustCompile(`^[a-z][a-z0-9._-]{0,63}$`)
	envForm  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Set stores the key called name. from is env:VAR, file:PATH or stdin.
func (s *Store) Set(name, from string, stdin io.Reader) error {
	if !nameForm.MatchString(name) {
		return fmt.Errorf("%q is no name of a provider: small letters, digits, dots and dashes", name)
	}
	e, err := newEntry(from, stdin)
	if err != nil {
		return err
	}
	all, err := s.read()
	if err != nil {
		return err
	}
	all[name] = e
	return s.write(all)
}

func newEntry(from string, stdin io.Reader) (entry, error) {
	kind, rest, _ := strings.Cut(from, ":")
	switch {
	case kind == "env" && envForm.MatchString(rest):
		return entry{Env: rest}, nil
	case kind == "file" && filepath.IsAbs(rest):
		return entry{File: filepath.Clean(rest)}, nil
	case kind == "file":
		return entry{}, fmt.Errorf("%q: name the key's file by its absolute path", from)
	case from == "stdin":
		key, err := readKey(stdin)
		return entry{Value: key}, err
	default:
		return entry{}, fmt.Errorf("%q is no source of a key: use env:VAR, file:/PATH or stdin; a key in the command line would be seen by every process", from)
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
	all, err := s.read()
	if err != nil {
		return err
	}
	if _, ok := all[name]; !ok {
		return fmt.Errorf("no key is stored for %q: `tera-pilot keys list` shows those there are", name)
	}
	delete(all, name)
	return s.write(all)
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
	switch {
	case !ok:
		return "", nil
	case e.Env != "":
		return strings.TrimSpace(getenv(e.Env)), nil
	case e.File != "":
		if err := statedir.CheckFile(e.File, true); err != nil {
			return "", fmt.Errorf("key of %s: %w", name, err)
		}
		f, err := os.Open(e.File)
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
	if err := statedir.CheckFile(s.file, true); err != nil {
		return nil, fmt.Errorf("key store: %w", err)
	}
	data, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]entry{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("key store: %w", err)
	}
	all := map[string]entry{}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&all); err != nil {
		// The text of a decoding error can hold a piece of the file.
		return nil, fmt.Errorf("key store: %s is damaged: remove it and set the keys again", s.file)
	}
	return all, nil
}

// write replaces the file, so that a crash leaves the old one or the new one.
func (s *Store) write(all map[string]entry) error {
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("key store: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(s.file), ".keys-*")
	if err != nil {
		return fmt.Errorf("key store: %w", err)
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	_, err = tmp.Write(append(data, '\n'))
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), s.file)
	}
	if err != nil {
		return fmt.Errorf("key store: %w", err)
	}
	return nil
}
