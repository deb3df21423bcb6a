package session

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
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
