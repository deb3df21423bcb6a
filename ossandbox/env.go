package ossandbox

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/locale"
)

// An Environment is the variables of a command and how they differ from those
// of the person.
type Environment struct {
	Vars    []string // NAME=value, sorted
	Added   []string // names that the person's environment does not have, or has with another value
	Removed []string // names of the person's environment that the command does not see
}

// passNames are let through with the person's value, unless it looks like a
// secret. A name that ends in * stands for all that begin so.
var passNames = []string{
	"USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CI",
	"GO*", "CGO_*", "CARGO_TARGET_DIR", "CARGO_BUILD_*", "CARGO_PROFILE_*", "CARGO_TERM_*", "RUSTFLAGS", "RUST_BACKTRACE", "RUST_LOG",
	"RUSTUP_TOOLCHAIN", "RUSTUP_HOME", "JAVA_HOME", "PYTHON*", "PYENV_ROOT", "PYENV_VERSION", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV",
	"NVM_DIR", "VOLTA_HOME", "BUN_INSTALL", "PNPM_HOME", "MISE_*", "SDKMAN_DIR",
	"NODE_ENV", "CC", "CXX", "AR", "LD", "CPP", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "PKG_CONFIG_PATH", "MAKEFLAGS", "CMAKE_*",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
	"SOURCE_DATE_EPOCH", "COLUMNS", "LINES", "TESTFLAGS",
}

// dropNames are not let through, although passNames has them: they carry
// credentials, or start programs that the person did not name.
var dropNames = []string{"GOAUTH", "GOPROXY", "GOCACHE", "GOTMPDIR", "GOMODCACHE", "GOENV", "GOCACHEPROG", "PYTHONSTARTUP", "PYTHONHISTFILE", "PYTHONINSPECT", "MISE_ENV_FILE"}

// fixed are set for every command.
var fixed = []string{"EDITOR=true", "VISUAL=true", "PAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0", "TMPDIR=/tmp"}

// secretNames finds variables that are named after a secret.
var secretNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(TOKEN|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|_AUTH(_|$)|_PAT$|COOKIE|SESSION_?ID)`)
})

// secretValues finds values that carry one: userinfo in a URL, a key block, or
// the prefix of a known kind of token.
var secretValues = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`://[^/@\s]*:[^/@\s]+@|-----BEGIN |\b(gh[pousr]_|github_pat_|glpat-|sk-[A-Za-z0-9]|AKIA[0-9A-Z]{8}|xox[abprs]-|npm_[A-Za-z0-9]{20}|eyJ[A-Za-z0-9_-]{10,}\.)`)
})

// looksSecret says whether a variable is not let through whatever the lists say.
func looksSecret(name, value string) bool {
	return secretNames().MatchString(name) || secretValues().MatchString(value)
}

// validName is what a shell can set: anything else would not be a variable.
var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// environment builds the variables of a command. set are those of the plan
// (HOME, PATH, caches), extra those of the command; each overrides what comes
// before it.
func environment(cfg *Config, set, extra []string) Environment {
	mine := map[string]string{}
	for _, kv := range cfg.Env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			mine[name] = value
		}
	}
	vars := map[string]string{}
	for name, value := range mine {
		if passes(cfg, name, value) {
			vars[name] = value
		}
	}
	for _, kv := range slices.Concat(fixed, set, extra) {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	var e Environment
	for name, value := range vars {
		e.Vars = append(e.Vars, name+"="+value)
		if was, ok := mine[name]; !ok || was != value {
			e.Added = append(e.Added, name)
		}
	}
	for name := range mine {
		if _, ok := vars[name]; !ok {
			e.Removed = append(e.Removed, name)
		}
	}
	sort.Strings(e.Vars)
	sort.Strings(e.Added)
	sort.Strings(e.Removed)
	return e
}

func passes(cfg *Config, name, value string) bool {
	if !validName().MatchString(name) {
		return false
	}
	if slices.Contains(cfg.PassEnv, name) {
		return true // the person's own word, whatever it looks like
	}
	if (name == "LANG" || strings.HasPrefix(name, "LC_")) && !locale.Plain(value) {
		return false
	}
	return nameIn(passNames, name) && !nameIn(dropNames, name) && !looksSecret(name, value)
}

func nameIn(list []string, name string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		if prefix, ok := strings.CutSuffix(p, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return name == p
	})
}
