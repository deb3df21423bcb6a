package statedir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestEnsure(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "state")
	if err := Ensure(dir); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := Ensure(dir); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestUnsafeFoldersAreRefused(t *testing.T) {
	base := t.TempDir()
	mustUnsafe := func(name string, err error) {
		t.Helper()
		var unsafe *UnsafeError
		if !errors.As(err, &unsafe) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	wide := filepath.Join(base, "wide")
	_ = os.Mkdir(wide, 0o700)
	_ = os.Chmod(wide, 0o770)
	mustUnsafe("group may write", Check(wide))
	link := filepath.Join(base, "link")
	_ = os.Symlink(base, link)
	mustUnsafe("link", Check(link))
	file := filepath.Join(base, "file")
	_ = os.WriteFile(file, nil, 0o600)
	mustUnsafe("file", Check(file))
	_ = os.Chmod(file, 0o640)
	if _, err := Read(file, false); err != nil {
		t.Errorf("a readable settings file: %v", err)
	}
	_ = os.Symlink(file, file+"2")
	for name, path := range map[string]string{"opened: readable key": file, "opened: link": file + "2", "opened: folder": base} {
		_, err := Open(path, true)
		mustUnsafe(name, err)
	}
	if _, err := Open(file+"3", true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if os.Geteuid() == 0 {
		other := filepath.Join(base, "other")
		_ = os.Mkdir(other, 0o700)
		_ = os.Chown(other, 12345, 12345)
		mustUnsafe("somebody else's", Check(other))
	}
}
