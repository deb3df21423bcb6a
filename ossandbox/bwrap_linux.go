package ossandbox

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// bubblewrap is the program that makes namespaces and mounts.
type bubblewrap struct {
	path   string
	setuid bool
}

// systemBwrap comes first: distributions' AppArmor profiles name these paths.
var systemBwrap = []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// findBubblewrap looks for it: in the system folders, then in PATH, never in
// the workspace.
func findBubblewrap(cfg *Config) (bubblewrap, bool) {
	candidates := systemBwrap
	if cfg.Bubblewrap != nil {
		candidates = cfg.Bubblewrap
	} else {
		for _, dir := range filepath.SplitList(lookupEnv(cfg.Env, "PATH")) {
			if filepath.IsAbs(dir) {
				candidates = append(candidates[:len(candidates):len(candidates)], filepath.Join(dir, "bwrap"))
			}
		}
	}
	for _, p := range candidates {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			continue
		}
		if _, inside := below(cfg.work, real); inside {
			continue
		}
		if st, err := os.Stat(real); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 {
			return bubblewrap{path: p, setuid: st.Mode()&os.ModeSetuid != 0}, true
		}
	}
	return bubblewrap{}, false
}

// version asks it, "" when it does not say.
func (b bubblewrap) version(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.path, "--version")
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "bubblewrap ")
}

// firstSafeSetuid: older ones, installed setuid, can be traced while they are
// root (CVE-2026-41163).
var firstSafeSetuid = []int{0, 11, 2}

// atLeast compares dotted numbers. What is no number is older.
func atLeast(version string, want []int) bool {
	parts := strings.Split(version, ".")
	for i, w := range want {
		if i >= len(parts) {
			return false
		}
		n, err := strconv.Atoi(parts[i])
		switch {
		case err != nil || n < w:
			return false
		case n > w:
			return true
		}
	}
	return true
}

// An unreachedError is a start that never got to the inner stage. Nothing of
// the command has run, and another grade can be tried.
type unreachedError struct{ SetupError }

func (e *unreachedError) Unwrap() error { return &e.SetupError }

func unreached(program, diag string) error {
	t := explain(program, diag, hostFacts())
	return &unreachedError{SetupError{Cause: filepath.Base(program) + ": " + t.Cause, Mend: t.Mend, File: t.File}}
}
