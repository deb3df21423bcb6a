package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStateFolderIsCarriedAway: a state folder whose content goes elsewhere as a
// whole, by git or by a service, is named; names that only look alike are not.
func TestStateFolderIsCarriedAway(t *testing.T) {
	for dir, want := range map[string]string{
		"home/.tera_pilot":                      "",
		"home/Dropbox/.tera_pilot":              "synchronised folder",
		"home/Dropbox (Work)/cfg/.tera_pilot":   "synchronised folder",
		"home/OneDrive - Firm/.tera_pilot":      "synchronised folder",
		"home/Nextcloud/a/b/.tera_pilot":        "synchronised folder",
		"home/dropboxes/nextclouds/.tera_pilot": "",
		"dotfiles/.tera_pilot":                  "git working tree",
	} {
		top := t.TempDir()
		state := filepath.Join(top, filepath.FromSlash(dir))
		if err := os.MkdirAll(state, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(top, "dotfiles", ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		c := Place{State: state}.stateFolder()
		if (c.Status == Warn) != (want != "") || !strings.Contains(c.Detail, want) {
			t.Errorf("%s: %v", dir, c)
		}
	}
}
