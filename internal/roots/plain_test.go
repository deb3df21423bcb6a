package roots

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPlain: what is no file is an error at once, by whatever way it is named.
func TestPlain(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"to file": "file", "to pipe": "pipe", "to zero": "/dev/zero", "to itself": "to itself"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"file", "to file"} {
		if b, err := ReadPlain(at(name), 5); err != nil || string(b) != "12345" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if _, err := ReadPlain(at("file"), 4); err == nil {
		t.Error("more than was allowed is read")
	}
	for _, name := range []string{"pipe", "to pipe", "to zero", "to itself", "none", "."} {
		if _, err := ReadPlain(at(name), 5); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}
