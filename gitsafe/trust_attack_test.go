package gitsafe

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// TestAgreementsSideBySide: no process brings back what another one withdrew,
// or loses what another one agreed to.
func TestAgreementsSideBySide(t *testing.T) {
	a := Agreements{File: filepath.Join(t.TempDir(), "git_trust.json")}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			gone := Agreement{Digest: fmt.Sprintf("gone%d", i)}
			if err := a.Add(gone); err != nil {
				t.Error(err)
			}
			if err := a.Add(Agreement{Digest: fmt.Sprintf("kept%d", i)}); err != nil {
				t.Error(err)
			}
			if err := a.Remove(gone.Digest); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 8 {
		if !a.Covers(fmt.Sprintf("kept%d", i)) || a.Covers(fmt.Sprintf("gone%d", i)) {
			t.Errorf("%d: an agreement was lost, or is back", i)
		}
	}
}

// TestAgreementsThatAreNone: what stands in the place of the file covers
// nothing, and is not waited for.
func TestAgreementsThatAreNone(t *testing.T) {
	text := func(s string) func(string) error {
		return func(f string) error { return os.WriteFile(f, []byte(s), 0o600) }
	}
	const good = `[{"kind":"hook","name":"pre-commit","digest":"d","where":"/","at":"2026-11-01T00:00:00Z"}]`
	for name, plant := range map[string]func(string) error{
		"a bracket behind": text(good + "]"), "a brace behind": text(good + "}"), "two lists": text(good + good), "another form": text(`{"digest":"d"}`), "unknown": text(`[{"digest":"d","all":true}]`),
		"pipe": func(f string) error { return syscall.Mkfifo(f, 0o600) }, "folder": func(f string) error { return os.Mkdir(f, 0o700) },
		"others may write": func(f string) error {
			if err := os.WriteFile(f, []byte(good), 0o600); err != nil {
				return err
			}
			return os.Chmod(f, 0o666)
		},
		"link": func(f string) error {
			if err := os.WriteFile(f+".real", []byte(good), 0o600); err != nil {
				return err
			}
			return os.Symlink(f+".real", f)
		},
	} {
		a := Agreements{File: filepath.Join(t.TempDir(), "git_trust.json")}
		if err := plant(a.File); err != nil {
			t.Fatal(err)
		}
		if a.Covers("d") {
			t.Errorf("%s: it covers", name)
		}
		if err := a.Add(Agreement{Digest: "e"}); err == nil {
			t.Errorf("%s: it was written over", name)
		}
	}
}
