package session

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
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
