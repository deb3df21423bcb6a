package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// TestVersionOfABuild: only a release, or the module of one, goes without devel,
// and changes that are not committed are said.
func TestVersionOfABuild(t *testing.T) {
	vcs := func(module, modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: module}, Settings: []debug.BuildSetting{
			{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}, {Key: "vcs.modified", Value: modified},
		}}
	}
	module := func(version string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}}
	}
	for _, c := range []struct {
		name   string
		info   *debug.BuildInfo
		commit string
		want   string
	}{
		{"release", module("(devel)"), "0123456789abcdef0123456789abcdef01234567", release + " (0123456789ab)"},
		{"go build", vcs("v"+release, "false"), "", release + "-devel (0123456789ab)"},
		{"go build of changes", vcs("v"+release+"+dirty", "true"), "", release + "-devel (0123456789ab, dirty)"},
		{"go build, state not known", vcs("", ""), "", release + "-devel (0123456789ab, dirty)"},
		{"go install of a release", module("v" + release), "", release + " (module v" + release + ")"},
		{"go install of a commit", module("v0.0.0-20261130000000-0123456789ab"), "", release + "-devel (module v0.0.0-20261130000000-0123456789ab)"},
		{"go install of another release", module("v9.9.9"), "", release + "-devel (module v9.9.9)"},
		{"-buildvcs=false", module("(devel)"), "", release + "-devel (commit not known)"},
		{"no build information", nil, "", release + "-devel (commit not known)"},
	} {
		if got := versionOf(c.info, c.commit); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestTheVersionIsSaidEverywhere: --version, doctor, and the record that opens a
// session in the audit log say the same.
func TestTheVersionIsSaidEverywhere(t *testing.T) {
	h := newHurt(t)
	said, ok := strings.CutPrefix(strings.TrimSpace(h.must("--version")), "tera-pilot version ")
	if !ok || !strings.HasPrefix(said, release) {
		t.Fatalf("--version: %q", said)
	}
	doctor := exec.Command(built(t), "doctor", "--json")
	doctor.Dir, doctor.Env = h.repo, h.env
	out, _ := doctor.Output() // exit 1 says that no model is set
	var report struct{ Version string }
	if err := json.Unmarshal(out, &report); err != nil || report.Version != said {
		t.Errorf("doctor: %q, %v", report.Version, err)
	}
	h.past()
	var export struct {
		Records []struct{ Type, Version string }
	}
	file := filepath.Join(h.home, "log.json")
	h.must("audit", "export", "--out", file)
	text, err := os.ReadFile(file)
	if err = errors.Join(err, json.Unmarshal(text, &export)); err != nil || len(export.Records) == 0 {
		t.Fatalf("%v\n%s", err, text)
	}
	if first := export.Records[0]; first.Type != "open" || first.Version != said {
		t.Errorf("the log begins with %+v", first)
	}
}
