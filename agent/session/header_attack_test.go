package session

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestHeadersThatAreNoFile: a pipe, a folder or a link in the place of the
// header is said at once, and is no store in the open.
func TestHeadersThatAreNoFile(t *testing.T) {
	for name, plant := range map[string]func(string) error{
		"pipe": func(f string) error { return syscall.Mkfifo(f, 0o600) }, "folder": func(f string) error { return os.Mkdir(f, 0o700) },
		"link": func(f string) error { return os.Symlink(filepath.Join(filepath.Dir(f), "none"), f) },
	} {
		v := &vault{dir: t.TempDir(), secret: "a long secret"}
		if err := plant(filepath.Join(v.dir, sealFile)); err != nil {
			t.Fatal(err)
		}
		if have, err := v.load(); err == nil || !have {
			t.Errorf("%s: have %v, %v", name, have, err)
		}
	}
}

// TestLogsThatAreNoFile: nor is a pipe or a link in the place of a session's
// log, its lock or the index waited for or followed.
func TestLogsThatAreNoFile(t *testing.T) {
	for name, plant := range map[string]func(string) error{
		"pipe": func(f string) error { return syscall.Mkfifo(f, 0o600) },
		"link": func(f string) error { return os.Symlink("/dev/null", f) },
	} {
		for _, file := range []string{eventsFile, lockFile} {
			store := NewStore(t.TempDir())
			log, err := store.Create(time.Now())
			if err != nil {
				t.Fatal(err)
			}
			id, at := log.ID(), filepath.Join(store.dir, log.ID(), file)
			log.Close()
			if err := errors.Join(os.Remove(at), plant(at), plant(filepath.Join(store.dir, indexFile))); err != nil {
				t.Fatal(err)
			}
			if again, _, _, err := store.Resume(id); err == nil {
				again.Close()
				t.Errorf("%s as %s: the session is resumed", name, file)
			}
			if file == eventsFile {
				if _, err := store.Search(id, "x"); err == nil {
					t.Errorf("%s as %s: it is searched", name, file)
				}
			}
			if list, err := store.List(); err != nil || len(list) != 1 {
				t.Errorf("%s as %s: listed %d, %v", name, file, len(list), err)
			}
		}
	}
}

// TestAHoleIsNoIndex: an index of terabytes of nothing is not read.
func TestAHoleIsNoIndex(t *testing.T) {
	store := NewStore(t.TempDir())
	log, err := store.Create(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
	at := filepath.Join(store.dir, indexFile)
	if err := errors.Join(os.WriteFile(at, nil, 0o600), os.Truncate(at, 1<<42)); err != nil {
		t.Fatal(err)
	}
	if list, err := store.List(); err != nil || len(list) != 1 {
		t.Errorf("listed %d, %v", len(list), err)
	}
}
