package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/internal/seal"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// sealPrefix begins the first line of an encrypted log. The line holds the
// store's header once more, so that it can be had again from any session.
const sealPrefix = `{"sealed":`

// sealLine is that first line.
type sealLine struct {
	Sealed json.RawMessage `json:"sealed"`
}

// lineContext ties a line to its place in its session.
func lineContext(id string, n uint64) string {
	return fmt.Sprintf("tera-pilot/session/1 %s line %d", id, n)
}

// fileContext ties a file beside the log to its session and name.
func fileContext(id, kind, name string) string {
	return fmt.Sprintf("tera-pilot/session/1 %s %s %s", id, kind, name)
}

// sealOf is the header of the session in a folder; nil for one in the open.
func sealOf(dir string) (json.RawMessage, error) {
	f, err := statedir.OpenRegular(filepath.Join(dir, eventsFile), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, 4096)
	n, err := io.ReadFull(f, b)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	line, _, whole := bytes.Cut(b[:n], []byte("\n"))
	if !bytes.HasPrefix(line, []byte(sealPrefix)) || !whole {
		return nil, nil
	}
	var l sealLine
	if json.Unmarshal(line, &l) != nil {
		return nil, nil
	}
	return l.Sealed, nil
}

// reading returns what opens the lines of a log, of which first is the start:
// the zero key for one in the open.
func (v *vault) reading(id string, first []byte) (seal.Key, error) {
	if bytes.HasPrefix(first, []byte(sealPrefix)) {
		have, err := v.load()
		switch {
		case err != nil:
			return seal.Key{}, err
		case v.secret == "":
			return seal.Key{}, &LockedError{id}
		case !have:
			return seal.Key{}, fmt.Errorf("sessions: %s is gone: put it back from a copy, or run `tera-pilot sessions encrypt --recover`", filepath.Join(v.dir, sealFile))
		}
		return v.key, nil
	}
	if v.secret == "" || bytes.HasPrefix([]byte(sealPrefix), first) { // nothing yet, or torn in its first bytes
		return seal.Key{}, nil
	}
	have, err := v.load()
	if err == nil && have && !v.mayBeOpen(id) {
		err = &ReplacedError{id}
	}
	return seal.Key{}, err
}

func (v *vault) mayBeOpen(id string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.open[id]
}

// headed holds the first line of a log to the store's header.
func (v *vault) headed(line []byte) error {
	var l sealLine
	if json.Unmarshal(line, &l) == nil {
		if h, err := compact(l.Sealed); err == nil && bytes.Equal(h, v.header) {
			return nil
		}
	}
	return errors.New("its first line is not that of this store: it was altered, or encrypted elsewhere or under another key")
}

func (v *vault) firstLine() ([]byte, error) {
	b, err := json.Marshal(sealLine{v.header})
	return append(b, '\n'), err
}
