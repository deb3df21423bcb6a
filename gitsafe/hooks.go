package gitsafe

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// hookEvents are the hooks that git knows (githooks(5)).
var hookEvents = []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit",
	"prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive",
	"update", "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc",
	"post-rewrite", "sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist",
	"p4-post-changelist", "p4-pre-submit", "post-index-change"}

// hooksOf are the hooks that plain git would run for a subcommand, besides
// those of every change (everyChange).
var hooksOf = [...]struct {
	sub   string
	hooks []string
}{
	{"commit", []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite"}},
	{"merge", []string{"pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-merge"}},
	{"pull", []string{"pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-merge", "pre-rebase", "post-rewrite", "post-checkout"}},
	{"rebase", []string{"pre-rebase", "prepare-commit-msg", "post-commit", "post-rewrite", "post-checkout"}},
	{"cherry-pick", []string{"prepare-commit-msg", "commit-msg", "post-commit"}},
	{"revert", []string{"prepare-commit-msg", "commit-msg", "post-commit"}},
	{"checkout", []string{"post-checkout"}},
	{"switch", []string{"post-checkout"}},
	{"stash branch", []string{"post-checkout"}},
	{"worktree add", []string{"post-checkout"}},
	{"push", []string{"pre-push"}},
}

var everyChange = []string{"reference-transaction", "post-index-change"}

// hooksFor names the hooks that a call would run under plain git.
func hooksFor(c Call) []string {
	if c.Class == Read || c.spec == nil {
		return nil
	}
	for _, h := range hooksOf {
		if h.sub == c.Sub {
			return append(slices.Clone(h.hooks), everyChange...)
		}
	}
	return everyChange
}

// maxHook bounds the hook files that are read.
const maxHook = 1 << 20

// offers lists the executable hooks in dir that the call would run.
func offers(c Call, dir string) []Offer { return hooksIn(hooksFor(c), dir) }

func hooksIn(names []string, dir string) []Offer {
	var found []Offer
	for _, name := range names {
		path := filepath.Join(dir, name)
		if content, ok := readHook(path); ok {
			found = append(found, Offer{Kind: "hook", Name: name, Text: path, Digest: hookDigest(name, content)})
		}
	}
	return found
}

// ReadHook is the content of a hook that was offered; it is an error when it is
// no longer that.
func ReadHook(o Offer) ([]byte, error) {
	content, ok := readHook(o.Text)
	if !ok || hookDigest(o.Name, content) != o.Digest {
		return nil, &ChangedError{What: "the hook " + o.Name}
	}
	return content, nil
}

func readHook(path string) ([]byte, bool) {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Mode()&0o111 == 0 || fi.Size() > maxHook {
		return nil, false
	}
	f, err := roots.Plain(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxHook+1))
	return content, err == nil && len(content) <= maxHook
}

// staleHooks is how old a folder of copies is that no run can need any more.
const staleHooks = 24 * time.Hour

// copyHooks puts the trusted hooks into a new folder below private, so that
// what runs is what was hashed. The caller removes the folder; one that a crash
// left behind goes a day later.
func copyHooks(private string, hooks []Offer, now time.Time) (string, error) {
	if err := os.MkdirAll(private, 0o700); err != nil {
		return "", err
	}
	old, err := filepath.Glob(filepath.Join(private, "hooks-*"))
	if err != nil {
		return "", err
	}
	for _, dir := range old {
		if fi, err := os.Stat(dir); err == nil && now.Sub(fi.ModTime()) > staleHooks {
			os.RemoveAll(dir)
		}
	}
	dir, err := os.MkdirTemp(private, "hooks-")
	if err != nil {
		return "", err
	}
	for _, h := range hooks {
		content, ok := readHook(h.Text)
		if !h.Runs {
			continue
		}
		if !ok || hookDigest(h.Name, content) != h.Digest {
			os.RemoveAll(dir)
			return "", &ChangedError{What: "a hook"}
		}
		if err := os.WriteFile(filepath.Join(dir, h.Name), content, 0o700); err != nil {
			os.RemoveAll(dir)
			return "", err
		}
	}
	return dir, nil
}

func hookDigest(name string, content []byte) string {
	return digest("tera-pilot/git-hook/1\n"+name+"\n", content)
}

func driverDigest(key, command string) string {
	return digest("tera-pilot/git-driver/1\n"+key+"\n", []byte(command))
}

func digest(prefix string, content []byte) string {
	h := sha256.New()
	h.Write([]byte(prefix))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
