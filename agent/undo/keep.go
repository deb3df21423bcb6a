package undo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// treeLine is one line of the tree's file: a path and what stands there.
type treeLine struct {
	Path name  `json:"p"`
	Node *node `json:"n,omitempty"` // nil: nothing
}

// saveTree appends what is different to the tree's file, or writes it anew
// where it has grown to more than twice what it says. It only saves work and
// lets a crash be settled: it is not made durable.
func (s *Store) saveTree(before map[string]node) error {
	if s.o.Dir == "" {
		return nil
	}
	path := filepath.Join(s.o.Dir, treeFile)
	var out []treeLine
	whole := s.treeN > 2*len(s.tree)+1000
	if whole {
		before = nil
	}
	for p, n := range s.tree {
		if was, ok := before[p]; !ok || was != n {
			out = append(out, treeLine{name(p), &n})
		}
	}
	for p := range before {
		if _, ok := s.tree[p]; !ok {
			out = append(out, treeLine{Path: name(p)})
		}
	}
	if len(out) == 0 && !whole {
		return nil
	}
	b, err := s.treeBytes(out)
	if err != nil {
		return err
	}
	if whole {
		s.treeN = len(out)
		if err := statedir.Write(path, b); err != nil {
			return fmt.Errorf("undo store: %w", err)
		}
		return nil
	}
	s.treeN += len(out)
	f, err := statedir.OpenRegular(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return fmt.Errorf("undo store: %w", err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("undo store: %w", err)
	}
	return nil
}

func (s *Store) treeBytes(lines []treeLine) ([]byte, error) {
	var buf bytes.Buffer
	for _, l := range lines {
		b, err := json.Marshal(l)
		if err != nil {
			return nil, fmt.Errorf("undo store: %w", err)
		}
		if !s.o.Key.IsZero() {
			b = s.o.Key.SealLine(s.treeContext(), b)
		}
		buf.Write(append(b, '\n'))
	}
	return buf.Bytes(), nil
}

func (s *Store) treeContext() string { return "tera-pilot/undo/1 tree " + filepath.Base(s.o.Dir) }

// readTree reads what the workspace last held. A tree that cannot be read is
// no tree: it is surveyed again.
func (s *Store) readTree() error {
	f, err := statedir.OpenRegular(filepath.Join(s.o.Dir, treeFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("undo store: %w", err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		plain := in.Bytes()
		if !s.o.Key.IsZero() {
			if plain, err = s.o.Key.OpenLine(s.treeContext(), plain); err != nil {
				break
			}
		}
		var l treeLine
		if json.Unmarshal(plain, &l) != nil {
			break // a torn end
		}
		s.treeN++
		if l.Node == nil {
			delete(s.tree, string(l.Path))
		} else {
			s.tree[string(l.Path)] = *l.Node
		}
	}
	return nil
}

// borrowFrom finds the blobs of the last session in the same workspace, notes
// this one as the last, and takes that one's tree over as a beginning.
func (s *Store) borrowFrom() string {
	undo := filepath.Dir(s.o.Dir)
	note := filepath.Join(undo, "last-"+hashOf([]byte(s.o.Root))[:16])
	last, err := statedir.Read(note, false)
	own := filepath.Base(s.o.Dir)
	if err != nil || string(last) != own {
		_ = statedir.Write(note, []byte(own)) // without it the next session reads everything again
	}
	id := string(last)
	if err != nil || id == own || id == "" || id != filepath.Base(id) || id[0] == '.' {
		return ""
	}
	if sealed, err := Sealed(filepath.Join(undo, id)); err != nil || sealed == s.o.Key.IsZero() {
		return "" // what lies there in the open is of no use here, nor the other way round
	}
	if len(s.tree) == 0 {
		before := &Store{o: Options{Dir: filepath.Join(undo, id), Key: s.o.Key}, tree: map[string]node{}}
		if before.readTree() == nil {
			s.tree = before.tree // nothing is taken for granted that its stamp does not prove
		}
	}
	return filepath.Join(undo, id, blobFolder)
}

// Retention of stores.
const (
	keepStores = 50
	keepFor    = 30 * 24 * time.Hour
)

// Tidy removes what is not needed any more: content that no record of the store
// and no tree names, and the stores of other sessions that are older than
// thirty days or not among the last fifty. One that is in use stays.
func (s *Store) Tidy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.o.Dir == "" {
		return nil
	}
	used := map[string]bool{}
	for _, n := range s.tree {
		used[n.SHA256] = true
	}
	for _, r := range s.records {
		for _, c := range append(slices.Clone(r.Changes), r.planned...) {
			used[c.Before.SHA256], used[c.After.SHA256] = true, true
		}
	}
	return errors.Join(s.blobs.sweep(used), s.tidyOthers())
}

func (s *Store) tidyOthers() error {
	undo, own := filepath.Split(s.o.Dir)
	entries, err := os.ReadDir(undo)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("undo store: %w", err)
	}
	type old struct {
		dir  string
		time time.Time
	}
	var all []old
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(undo, e.Name(), journalFile)); err == nil && e.IsDir() && e.Name() != own {
			all = append(all, old{filepath.Join(undo, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b old) int { return b.time.Compare(a.time) })
	var errs []error
	for i, o := range all {
		if i >= keepStores || s.now().Sub(o.time) > keepFor {
			errs = append(errs, Remove(o.dir))
		}
	}
	return errors.Join(errs...)
}

// Remove deletes a session's store, unless a process uses it.
func Remove(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := takeLock(dir)
	if err != nil {
		return nil // it is in use, and stays
	}
	return errors.Join(os.RemoveAll(dir), lock.Close())
}
