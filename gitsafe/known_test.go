package gitsafe

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestEveryKnownKey sets every key that this git knows, but the harmless ones,
// to a command, all at once. Nothing may run, and everyday work must go on: a
// neutral value that git cannot read shows here.
func TestEveryKnownKey(t *testing.T) {
	values := knownKeys(newLab(t))
	if len(values) < 300 {
		t.Fatalf("git names only %d keys", len(values))
	}
	for _, line := range []string{
		"status", "diff HEAD~1", "log -p -2", "show --stat", "blame a.txt", "grep one", "branch -vv", "tag", "describe --all", "stash list", "reflog",
		"shortlog -s", "for-each-ref", "add -A", "commit -a -m x", "commit --amend -m y", "stash -u", "checkout feature", "switch feature", "rebase main",
		"merge feature", "cherry-pick feature", "revert --no-edit HEAD", "tag -m t v1", "reset --hard HEAD~1", "clean -fd", "restore a.txt", "rm b.txt",
		"mv b.txt c.txt", "worktree add ../wt", "branch -D feature", "ls-remote origin", "fetch origin", "pull --rebase", "push origin main:q", "config user.name",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			layRemote(func(*lab) {})(l)
			if strings.HasPrefix(line, "restore") || strings.HasPrefix(line, "commit") || strings.HasPrefix(line, "stash") {
				l.append("repo/a.txt", "more\n")
			}
			base := l.read("repo/.git/config")
			own := map[string]string{}
			for k, v := range values {
				own[k] = v
			}
			for range 60 {
				l.write("repo/.git/config", base+asConfig(own, l.pwned()))
				r, err := l.run(strings.Fields(line)...)
				l.unharmed("git " + line)
				if err == nil && r.Code == 0 {
					return
				}
				// Git dies of a value that is no number or switch before any
				// override is heard, as it would without us: give it a better one.
				said := string(r.Stderr) + fmt.Sprint(err)
				if !tame(own, said) {
					t.Fatalf("exit %d, %v\n%s", r.Code, err, r.Stderr)
				}
			}
			t.Error("git finds no end of bad values")
		})
	}
}

// complaint finds the key in git's words about a bad value.
var complaint = regexp.MustCompile(`(?m)(?:fatal: |error: ).*?(?:for '|bad |value for '|variable ')([A-Za-z]+(?:\.[^' ]+)?\.[A-Za-z]+)`)

// tame replaces the value of the key that git complains about.
func tame(values map[string]string, said string) bool {
	m := complaint.FindStringSubmatch(said)
	if m == nil {
		return false
	}
	for k, v := range values {
		if strings.EqualFold(k, m[1]) {
			if next := map[string]string{"": "true", "true": "1", "1": "none"}[v]; next != "" {
				values[k] = next
			} else {
				delete(values, k)
			}
			return true
		}
	}
	return false
}

var keyName = regexp.MustCompile(`^[A-Za-z0-9-]+(\..+)?\.[A-Za-z][A-Za-z0-9-]*$`)

// knownKeys are the keys of `git help --config` and some newer ones. An empty
// value stands for the command.
func knownKeys(l *lab) map[string]string {
	keys := map[string]string{
		"gpg.format": "ssh", "gpg.minTrustLevel": "fully", "diff.ignoreSubmodules": "all", "remote.ev.push": "main:main", "filter.ev.process": "",
		"diff.ev.future": "", "zz.ev.command": "", "core.zzFuture": "", "lfs.extension.ev.clean": "", "hook.ev.command": "", "alias.ev.command": "",
	}
	for k := range strings.Lines(l.git("help", "--config")) {
		k = regexp.MustCompile(`<[^>]*>|\*`).ReplaceAllString(strings.TrimSpace(k), "ev")
		if _, ok := keys[k]; !ok && keyName.MatchString(k) {
			keys[k] = ""
		}
	}
	for k := range keys {
		how, _ := ruleFor(foldKey(k))
		section, _, _ := strings.Cut(strings.ToLower(k), ".")
		if harmless(foldKey(k), "x") || how == noNet || how == noMerge || section == "include" || section == "includeif" ||
			strings.EqualFold(k, "core.worktree") || strings.EqualFold(k, "blame.ignoreRevsFile") {
			delete(keys, k)
		}
	}
	return keys
}

func asConfig(values map[string]string, command string) string {
	var b strings.Builder
	for k, v := range values {
		section, sub, variable, ok := splitKey(k)
		if !ok {
			continue
		}
		if v == "" {
			v = command + "; cat"
		}
		if sub != "" {
			sub = fmt.Sprintf(" %q", sub)
		}
		fmt.Fprintf(&b, "[%s%s]\n\t%s = \"%s\"\n", section, sub, variable, v)
	}
	return b.String()
}
