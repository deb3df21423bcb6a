package house

import (
	"strings"
	"testing"
)

// TestChangelog keeps the changelog a list by subject: each entry stands below
// a subject, each subject and each first line stands once. A merge that keeps
// both sides of a change leaves exactly such doubles.
func TestChangelog(t *testing.T) {
	for _, p := range changelogFaults(read(t, "CHANGELOG.md")) {
		t.Error(p)
	}
}

func TestChangelogFaults(t *testing.T) {
	good := "## 1\n\n### A\n\n- one\n  more\n\n### B\n\n- two\n"
	for text, want := range map[string]int{
		good:                                0,
		good + "## 2\n\n### A\n\n- one\n":   0, // another version may say the same
		good + "- one\n":                    1,
		good + "\n### A\n":                  1,
		"## 1\n\n- old\n\n### A\n\n- one\n": 1,
		"## 1\n\n- old\n- old\n\n### A\n":   3,
	} {
		if got := changelogFaults(text); len(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func changelogFaults(text string) (faults []string) {
	subject, seen := "", map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
			subject, seen = "", map[string]bool{}
			continue
		case strings.HasPrefix(line, "### "):
			subject = line
		case !strings.HasPrefix(line, "- "):
			continue
		case subject == "":
			faults = append(faults, "an entry of CHANGELOG.md stands below no subject: "+line)
		}
		if seen[line] {
			faults = append(faults, "CHANGELOG.md says twice: "+line)
		}
		seen[line] = true
	}
	return faults
}
