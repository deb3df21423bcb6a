package undo

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPlantedStoreFiles: a pipe, a folder or a link in the place of a file of
// the store neither hangs a start nor leads to another file.
func TestPlantedStoreFiles(t *testing.T) {
	for _, file := range []string{journalFile, treeFile, treeFile + ".new", lockName, blobFolder, "last"} {
		for kind, plant := range map[string]func(at, outside string) error{
			"pipe":   func(at, _ string) error { return unix.Mkfifo(at, 0o600) },
			"folder": func(at, _ string) error { return os.Mkdir(at, 0o700) },
			"link":   func(at, outside string) error { return os.Symlink(outside, at) },
			"dangling link": func(at, outside string) error {
				return os.Symlink(filepath.Join(filepath.Dir(outside), "made"), at)
			},
		} {
			t.Run(file+"/"+kind, func(t *testing.T) {
				base, root := t.TempDir(), t.TempDir()
				dir := filepath.Join(base, "undo", "s1")
				outside := filepath.Join(base, "outside")
				at := filepath.Join(dir, file)
				if file == "last" {
					at = filepath.Join(base, "undo", "last-"+hashOf([]byte(root))[:16])
				}
				must(t, os.MkdirAll(dir, 0o700))
				must(t, os.WriteFile(outside, []byte("outside"), 0o600))
				must(t, os.WriteFile(filepath.Join(root, "a"), []byte("a"), 0o600))
				must(t, plant(at, outside))
				over := make(chan struct{})
				go func() {
					defer close(over)
					s, err := Open(Options{Dir: dir, Root: root})
					if err != nil {
						return
					}
					defer s.Close()
					s.treeN = 5000 // it is written anew
					if _, err := s.Begin(Call{ID: "c"}, nil, nil, disk{t, root}.survey); err == nil {
						_, _ = s.End("c", nil, disk{t, root}.survey) // whether it can be kept is not the point
					}
				}()
				select {
				case <-over:
				case <-time.After(30 * time.Second):
					t.Fatal("it hangs")
				}
				if b, err := os.ReadFile(outside); err != nil || string(b) != "outside" {
					t.Errorf("outside: %q, %v", b, err)
				}
				if _, err := os.Lstat(filepath.Join(base, "made")); err == nil {
					t.Error("a file was made through a link")
				}
			})
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
