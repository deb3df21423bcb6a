package keystore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/seal"
)

func TestSources(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir)
	file := filepath.Join(dir, "k")
	if err := os.WriteFile(file, []byte("file-key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"MY_KEY": "env-key"}
	for _, c := range []struct{ name, from, stdin, want string }{
		{"openai", "env:MY_KEY", "", "env-key"},
		{"anthropic", "file:" + file, "", "file-key"},
		{"gemini", "stdin", "  typed-key\n", "typed-key"},
	} {
		if err := s.Set(c.name, c.from, strings.NewReader(c.stdin)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(c.name, func(n string) string { return env[n] }); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	list, err := s.List()
	if err != nil || len(list) != 3 || list[0].Name != "anthropic" {
		t.Errorf("list = %v, %v", list, err)
	}
	for _, i := range list {
		if strings.Contains(i.Source, "typed-key") {
			t.Error("the list prints a key")
		}
	}
	if info, _ := os.Stat(s.file); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if err := s.Remove("gemini"); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove("gemini"); err == nil {
		t.Error("removed twice")
	}
	if got, err := s.Get("gemini", os.Getenv); got != "" || err != nil {
		t.Errorf("after removal: %q, %v", got, err)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir)
	for _, c := range []struct{ name, from, stdin string }{
		{"openai", "sk-abcdef", ""},
		{"openai", "env:", ""},
		{"openai", "env:A B", ""},
		{"openai", "file:relative", ""},
		{"openai", "stdin", ""},
		{"openai", "stdin", "a\nb"},
		{"openai", "stdin", strings.Repeat("x", maxKey+1)},
		{"Open AI", "env:X", ""},
	} {
		if err := s.Set(c.name, c.from, strings.NewReader(c.stdin)); err == nil {
			t.Errorf("%v was taken", c)
		} else if c.stdin != "" && len(c.stdin) < 10 && strings.Contains(err.Error(), c.stdin) {
			t.Errorf("the error prints the key: %v", err)
		} else if strings.Contains(err.Error(), "sk-abcdef") || strings.Contains(err.Error(), "relative") {
			t.Errorf("the error prints what may be the key: %v", err)
		}
	}
	open := filepath.Join(dir, "open")
	_ = os.WriteFile(open, []byte("k"), 0o644)
	if err := s.Set("x", "file:"+open, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get("x", os.Getenv); err == nil {
		t.Error("a key file that others can read was used")
	}
	_ = os.Chmod(s.file, 0o644)
	if _, err := s.Get("x", os.Getenv); err == nil {
		t.Error("a store that others can read was used")
	}
	_ = os.WriteFile(s.file, []byte(`{"x": {"value": "secret-value", }}`), 0o600)
	_ = os.Chmod(s.file, 0o600)
	if _, err := s.List(); err == nil || strings.Contains(err.Error(), "secret-value") {
		t.Errorf("damaged store: %v", err)
	}
}

func TestPassphrase(t *testing.T) {
	dir := t.TempDir()
	plain, locked := Open(dir), Open(dir).With("correct horse")
	if err := plain.Set("openai", "stdin", strings.NewReader("first-key")); err != nil {
		t.Fatal(err)
	}
	if err := locked.Set("gemini", "stdin", strings.NewReader("second-key")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(plain.file)
	if err != nil || strings.Contains(string(b), "first-key") || strings.Contains(string(b), "openai") {
		t.Errorf("in the open: %s, %v", b, err)
	}
	for name, want := range map[string]string{"openai": "first-key", "gemini": "second-key"} {
		if got, err := locked.Get(name, os.Getenv); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	var need *LockedError
	if _, err := plain.Get("openai", os.Getenv); !errors.As(err, &need) {
		t.Errorf("without the passphrase: %v", err)
	}
	if err := plain.Set("xai", "stdin", strings.NewReader("third-key")); !errors.As(err, &need) {
		t.Errorf("written in the open: %v", err)
	}
	var wrong *seal.WrongKeyError
	if _, err := plain.With("other").List(); !errors.As(err, &wrong) {
		t.Errorf("another passphrase: %v", err)
	}
	for i := range b {
		bad := bytes.Clone(b)
		bad[i] ^= 1
		if err := os.WriteFile(plain.file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if i%37 != 0 {
			continue // each try costs a derivation
		}
		if got, err := locked.Get("openai", os.Getenv); err == nil && got != "first-key" {
			t.Errorf("byte %d flipped: %q", i, got)
		}
	}
}

// TestKeysSetSideBySide: no process takes back what another one sets.
func TestKeysSetSideBySide(t *testing.T) {
	state := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := Open(state).Set(fmt.Sprintf("p%d", i), "env:VAR", nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := Open(state).List(); err != nil || len(list) != 8 {
		t.Errorf("%d of 8 keys are there: %v", len(list), err)
	}
}
