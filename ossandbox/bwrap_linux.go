package ossandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// bubblewrap is the program that makes namespaces and mounts.
type bubblewrap struct {
	path string
}

// systemBwrap comes first: distributions' AppArmor profiles name these paths.
var systemBwrap = []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// findBubblewrap looks for it: in the system folders, then in PATH, never in
// the workspace.
func findBubblewrap(cfg *Config) (bubblewrap, *Trouble) {
	candidates := systemBwrap
	for _, dir := range filepath.SplitList(lookupEnv(cfg.Env, "PATH")) {
		if filepath.IsAbs(dir) {
			candidates = append(candidates[:len(candidates):len(candidates)], filepath.Join(dir, "bwrap"))
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
			return bubblewrap{path: p}, nil
		}
	}
	return bubblewrap{}, &Trouble{
		Cause: "bubblewrap not found",
		Mend:  "install the package bubblewrap (apt, dnf, pacman, zypper or apk)",
	}
}

// An unreachedError is a start of bubblewrap that never got to the inner stage.
type unreachedError struct{ SetupError }

func (e *unreachedError) Unwrap() error { return &e.SetupError }

// bwrapFailure explains what bubblewrap said.
func bwrapFailure(diag string) error {
	diag = strings.TrimSpace(strings.ReplaceAll(diag, "bwrap: ", ""))
	return &unreachedError{SetupError{Cause: "bubblewrap could not set up the sandbox: " + diag}}
}
