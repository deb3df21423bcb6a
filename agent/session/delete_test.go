package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

func TestDelete(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(filepath.Join(dir, "sessions"))
	l, err := s.Create(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var busy *BusyError
	if err := s.Delete(l.ID()); !errors.As(err, &busy) {
		t.Errorf("an open session: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	keep := filepath.Join(dir, "keep")
	if err := os.Mkdir(keep, 0o700); err != nil {
		t.Fatal(err)
	}
	var none *NotFoundError
	for _, id := range []string{"", ".", "..", "../keep", keep, "20260101-000000000000"} {
		if err := s.Delete(id); !errors.As(err, &none) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if err := s.Delete(l.ID()); err != nil {
		t.Error(err)
	}
	if _, err := s.Read(l.ID()); !errors.As(err, &none) {
		t.Errorf("afterwards: %v", err)
	}
	if _, err := os.Stat(keep); err != nil {
		t.Error(err)
	}
}

// What was deleted leaves no title behind: the index held it.
func TestADeletedTitleIsGone(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(filepath.Join(dir, "sessions"))
	l, err := s.Create(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	const title = "a title that nobody may find"
	if _, err := l.Append(time.Now(), event.Renamed{Title: title}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.List(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "sessions", indexFile)); err != nil || !strings.Contains(string(b), title) {
		t.Fatalf("the index does not hold the title, so the test shows nothing: %s, %v", b, err)
	}
	if err := s.Delete(l.ID()); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), title) {
			t.Errorf("%s holds the title", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
