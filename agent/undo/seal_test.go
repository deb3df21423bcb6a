package undo

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/seal"
)

// TestSealingAStore encrypts what is there, twice, and looks for it; then the
// journal is put back in the open, and content is exchanged.
func TestSealingAStore(t *testing.T) {
	_, key, err := seal.New([]byte("a key of the test"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "undo", "s")
	open := func(k seal.Key) *Store {
		t.Helper()
		s, err := Open(Options{Dir: dir, Root: "/w", Key: k})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	texts := map[string]string{"one.txt": "SECRET one", "two.txt": "SECRET two"}
	s := open(seal.Key{})
	for path, text := range texts {
		c := Change{Path: name(path), Before: Entry{Type: File, Mode: 0o644, Size: int64(len(text)), SHA256: hashOf([]byte(text))}, After: Entry{Type: File, Mode: 0o644, SHA256: hashOf(nil)}}
		id, err := s.Begin(Call{ID: "c" + path, Title: text}, []Change{c}, map[string][]byte{path: []byte(text)}, nil)
		if err == nil {
			_, err = s.End(id, []Change{c}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	plain, err := os.ReadFile(filepath.Join(dir, journalFile))
	if err != nil || !bytes.Contains(plain, []byte("SECRET")) {
		t.Fatalf("%s %v", plain, err)
	}
	for range 2 {
		if err := Seal(dir, key); err != nil {
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, text := range texts {
			if bytes.Contains(b, []byte("SECRET")) || strings.Contains(path, hashOf([]byte(text))) {
				t.Errorf("%s is in the open", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s = open(key)
	if n := len(s.Records()); n != 2 {
		t.Errorf("%d records", n)
	}
	one, two := hashOf([]byte(texts["one.txt"])), hashOf([]byte(texts["two.txt"]))
	if b, err := s.blobs.load("one.txt", one); err != nil || string(b) != texts["one.txt"] {
		t.Errorf("%q %v", b, err)
	}
	if err := os.Rename(s.blobs.file(two), s.blobs.file(one)); err != nil {
		t.Fatal(err)
	}
	if b, err := s.blobs.load("one.txt", one); err == nil {
		t.Errorf("the content of another was given: %q", b)
	}
	if _, err := Open(Options{Dir: dir, Root: "/w"}); err == nil {
		t.Error("opened without the key")
	}
	if err := os.WriteFile(filepath.Join(dir, journalFile), plain, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Dir: dir, Root: "/w", Key: key}); err == nil {
		t.Error("a journal in the open was taken")
	}
}
