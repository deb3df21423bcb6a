package world

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestAPipeIsNoFolder asks for the names in a pipe, which nobody writes into.
func TestAPipeIsNoFolder(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", link); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		for _, name := range []string{pipe, link} {
			if names, ok := (look{}).Names(name); ok {
				t.Errorf("%s holds %v", name, names)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("still waiting for somebody to write into the pipe")
	}
	if names, ok := (look{}).Names(dir); !ok || len(names) != 2 {
		t.Errorf("the folder holds %v, %v", names, ok)
	}
}
