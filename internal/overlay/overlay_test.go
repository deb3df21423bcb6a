package overlay

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/seal"
)

func key(s string) func() (string, error) { return func() (string, error) { return s, nil } }

// TestOverlay: with the key, without, with another, each byte changed, each cut.
func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	const text = "Answer in the words of the house."
	if _, err := Load(dir, key("k")); !errors.Is(err, ErrNone) {
		t.Errorf("none: %v", err)
	}
	if err := Set(dir, "the key", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, file)
	whole, err := os.ReadFile(path)
	if err != nil || bytes.Contains(whole, []byte("house")) {
		t.Fatalf("%s %v", whole, err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if got, err := Load(dir, key("the key")); err != nil || got != text {
		t.Errorf("%q %v", got, err)
	}
	var shut *LockedError
	if _, err := Load(dir, key("")); !errors.As(err, &shut) {
		t.Errorf("no key: %v", err)
	}
	var wrong *seal.WrongKeyError
	if _, err := Load(dir, key("another")); !errors.As(err, &wrong) {
		t.Errorf("another key: %v", err)
	}
	var altered *seal.AlteredError
	var cut *seal.CutError
	at := bytes.Index(whole, []byte(`"prompt":"`)) + len(`"prompt":"`)
	bad := bytes.Clone(whole)
	bad[at+5]++
	if _, err := open(bad, "the key"); !errors.As(err, &altered) {
		t.Errorf("altered: %v", err)
	}
	for n := 0; n < len(whole); n += 29 {
		if _, err := open(whole[:n], "the key"); !errors.As(err, &cut) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		bad := bytes.Clone(whole)
		bad[n] ^= 2
		if got, err := open(bad, "the key"); err == nil && got != text {
			t.Fatalf("byte %d: %q", n, got)
		}
	}
	for name, text := range map[string]string{"empty": " \n", "no text": "a\x00b", "long": strings.Repeat("x", Most+1)} {
		if Set(dir, "the key", strings.NewReader(text)) == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if err := Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := Remove(dir); !errors.Is(err, ErrNone) {
		t.Errorf("removed twice: %v", err)
	}
}
