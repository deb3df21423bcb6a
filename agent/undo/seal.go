package undo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/internal/seal"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// openLine says that a line of a journal is not encrypted.
func openLine(b []byte) bool { return len(b) == 0 || b[0] == '{' }

// Sealed says that a store is encrypted. One that is not there is not.
func Sealed(dir string) (bool, error) {
	f, err := statedir.OpenRegular(filepath.Join(dir, journalFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("undo store: %w", err)
	}
	defer f.Close()
	first := make([]byte, 1)
	n, err := f.Read(first)
	if err != nil && err != io.EOF {
		return false, fmt.Errorf("undo store: %w", err)
	}
	return n == 1 && !openLine(first), nil
}

// Seal encrypts a store that nobody uses. It may be called again after it was
// interrupted: the journal, by which a store is told to be encrypted, is last.
func Seal(dir string, key seal.Key) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if sealed, err := Sealed(dir); err != nil || sealed {
		return err
	}
	lock, err := takeLock(dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := sealBlobs(filepath.Join(dir, blobFolder), key); err != nil {
		return fmt.Errorf("undo store: %w", err)
	}
	// The tree only saves work: it is made again.
	if err := os.Remove(filepath.Join(dir, treeFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("undo store: %w", err)
	}
	if err := sealJournal(dir, key); err != nil {
		return fmt.Errorf("undo store: %w", err)
	}
	return nil
}

// sealBlobs files all content anew, under names that need the key.
func sealBlobs(dir string, key seal.Key) error {
	b := blobs{dir: dir, key: key, limit: 1 << 62, sync: (*os.File).Sync}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !hashForm().MatchString(d.Name()) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || hashOf(data) != d.Name() {
			return err // encrypted already, or damaged: nothing would be put back from it
		}
		if _, err := b.keep(data, true); err != nil {
			return err
		}
		return os.Remove(path)
	})
}

func sealJournal(dir string, key seal.Key) error {
	path := filepath.Join(dir, journalFile)
	from, err := statedir.OpenRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := statedir.OpenRegular(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
	if err != nil {
		return err
	}
	in, s := bufio.NewReader(from), &Store{o: Options{Dir: dir, Key: key}}
	for n := 0; err == nil; n++ {
		var b []byte
		if b, err = in.ReadBytes('\n'); err == nil {
			_, err = to.Write(append(key.SealLine(s.lineContext(n), b[:len(b)-1]), '\n'))
		}
	}
	if err == io.EOF { // a torn end is left behind
		err = nil
	}
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
