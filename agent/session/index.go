package session

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// indexFile holds what was last found out about each session. It only saves
// work: a line whose log has changed, or that cannot be read, is found out anew.
const indexFile = "index.json"

// indexVersion changes with what a Summary says, so that an older index is no
// index.
const indexVersion = 3

type index struct {
	V    int                `json:"v"`
	Rows map[string]indexed `json:"rows"`
}

// indexed is a summary with what tells that its log has not changed.
type indexed struct {
	Size    int64   `json:"size"`
	ModTime int64   `json:"mtime"`
	Summary Summary `json:"summary"`
}

func (s *Store) readIndex() map[string]indexed {
	var in index
	have, err := s.vault.load()
	if err != nil || have && s.vault.secret == "" {
		return nil
	}
	b, err := statedir.ReadRegular(filepath.Join(s.dir, indexFile), 64<<20)
	if err == nil && have {
		b, err = s.vault.key.OpenLine(indexContext, b)
	}
	if err != nil || json.Unmarshal(b, &in) != nil || in.V != indexVersion {
		return nil
	}
	return in.Rows
}

// indexContext is where an encrypted index belongs.
const indexContext = "tera-pilot/sessions/1 index"

// writeIndex is best effort: without it the next list takes longer. Who has no
// key of encrypted sessions writes none.
func (s *Store) writeIndex(rows map[string]indexed) {
	b, err := json.Marshal(index{indexVersion, rows})
	have, lockErr := s.vault.load()
	if err != nil || lockErr != nil || have && s.vault.secret == "" {
		return
	}
	if have {
		b = s.vault.key.SealLine(indexContext, b)
	}
	tmp, err := os.CreateTemp(s.dir, ".index-*") // 0600
	if err != nil {
		return
	}
	_, err = tmp.Write(b)
	if closeErr := tmp.Close(); err != nil || closeErr != nil || os.Rename(tmp.Name(), filepath.Join(s.dir, indexFile)) != nil {
		_ = os.Remove(tmp.Name()) // best effort, as all of it
	}
}

// dropIndex forgets what was found out about all sessions.
func (s *Store) dropIndex() error {
	if err := os.Remove(filepath.Join(s.dir, indexFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// row is the summary of a session, from the index where that still holds.
func (s *Store) row(id string, known map[string]indexed) indexed {
	info, err := os.Lstat(filepath.Join(s.dir, id, eventsFile))
	if err != nil {
		return indexed{Summary: s.summary(id)}
	}
	r := indexed{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	if k, ok := known[id]; ok && k.Size == r.Size && k.ModTime == r.ModTime && k.Summary.ID == id {
		return k
	}
	r.Summary = s.summary(id)
	return r
}
