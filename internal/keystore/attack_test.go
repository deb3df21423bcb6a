package keystore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestKeyFilesThatAreNone: whatever stands in the place of the file, it is said
// and left as it is, by reading and by writing, and nobody waits or falls over.
func TestKeyFilesThatAreNone(t *testing.T) {
	text := func(s string) func(string) error {
		return func(f string) error { return os.WriteFile(f, []byte(s), 0o600) }
	}
	for name, plant := range map[string]func(string) error{
		"null": text("null"), "empty": text(""), "a list": text("[]"), "null entry": text(`{"openai":null}`), "two texts": text(`{} {"openai":{"value":"other"}}`), "tail": text("{}\nx"),
		"twice": text(`{"openai":{"value":"a"},"openai":{"value":"b"}}`), "member twice": text(`{"openai":{"value":"a","value":"b"}}`), "two sources": text(`{"openai":{"env":"X","value":"b"}}`), "other case": text(`{"openai":{"VALUE":"b"}}`),
		"half a seal": text(`{"seal":{"v":1}}`), "no header": text(`{"seal":null,"keys":"AA=="}`), "an empty box": text(`{"seal":{},"keys":""}`),
		"pipe": func(f string) error { return syscall.Mkfifo(f, 0o600) }, "folder": func(f string) error { return os.Mkdir(f, 0o700) },
		"link": func(f string) error {
			return os.Symlink(filepath.Join(filepath.Dir(f), "elsewhere"), f)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := Open(t.TempDir())
			if err := plant(s.file); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(s.file)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := s.Get("openai", os.Getenv); err == nil {
				t.Errorf("Get: %q", got)
			}
			if err := s.Set("gemini", "stdin", strings.NewReader("key")); err == nil {
				t.Error("Set wrote")
			}
			if after, err := os.Lstat(s.file); err != nil || !os.SameFile(before, after) {
				t.Errorf("something else stands there: %v", err)
			}
		})
	}
}

// TestLocksThatAreNone: nor does what stands in the place of the lock.
func TestLocksThatAreNone(t *testing.T) {
	for name, plant := range map[string]func(string) error{
		"pipe": func(f string) error { return syscall.Mkfifo(f, 0o600) }, "folder": func(f string) error { return os.Mkdir(f, 0o700) },
		"link": func(f string) error { return os.Symlink(filepath.Join(filepath.Dir(f), "made"), f) },
	} {
		s := Open(t.TempDir())
		if err := plant(s.file + ".lock"); err != nil {
			t.Fatal(err)
		}
		_ = s.Set("gemini", "stdin", strings.NewReader("key")) // whether it can be had is not the point
		if _, err := os.Lstat(filepath.Join(filepath.Dir(s.file), "made")); err == nil {
			t.Errorf("%s: a file was made through it", name)
		}
	}
}

// TestASealedFileCut: at no byte of it does a cut give keys, or lose the file.
func TestASealedFileCut(t *testing.T) {
	s := Open(t.TempDir()).With("pass")
	if err := s.Set("openai", "stdin", strings.NewReader("key")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) - 2 {
		if err := os.WriteFile(s.file, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get("openai", os.Getenv); err == nil {
			t.Fatalf("cut at %d: %q", n, got)
		}
	}
}

// TestTokensAreNoKeys: one encrypted file in the place of the other, both with
// the same passphrase, gives nothing.
func TestTokensAreNoKeys(t *testing.T) {
	state := t.TempDir()
	keys, logins := Open(state).With("pass"), OpenLogins(state).With("pass")
	token := func(string) (string, error) { return "token", nil }
	if err := errors.Join(keys.Set("openai", "stdin", strings.NewReader("key")), logins.Exchange("openai", token)); err != nil {
		t.Fatal(err)
	}
	aside := keys.file + ".aside"
	if err := errors.Join(os.Rename(keys.file, aside), os.Rename(logins.file, keys.file), os.Rename(aside, logins.file)); err != nil {
		t.Fatal(err)
	}
	if got, err := keys.Get("openai", os.Getenv); err == nil {
		t.Errorf("as a key: %q", got)
	}
	if got, err := logins.Secret("openai"); err == nil {
		t.Errorf("as a token: %q", got)
	}
	if err := logins.Exchange("openai", token); err == nil {
		t.Error("written over what is not its own")
	}
}
