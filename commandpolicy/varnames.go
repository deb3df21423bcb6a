package commandpolicy

import (
	"regexp"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/locale"
)

var integerVariables = setOf(`UID EUID PPID RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS BASHPID SHLVL COLUMNS LINES`)

var harmlessVariables = setOf(`
PATH HOME PWD OLDPWD USER LOGNAME SHELL LANG LANGUAGE LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME
TERM COLORTERM HOSTNAME HOSTTYPE OSTYPE MACHTYPE UID EUID PPID RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS
EPOCHREALTIME BASH BASHPID BASH_VERSION SHLVL COLUMNS LINES TMPDIR EDITOR VISUAL PAGER TZ CI NODE_ENV
GOPATH GOROOT GOOS GOARCH GOBIN GOCACHE GOMODCACHE GOTOOLCHAIN JAVA_HOME VIRTUAL_ENV CONDA_PREFIX NVM_DIR PYENV_ROOT
CARGO_HOME RUSTUP_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR`)

// harmlessVariable reports whether printing the variable tells no secret.
func harmlessVariable(name string) bool { return harmlessVariables[name] || ownName(name) }

// ownName reports whether a name is by convention the shell's own, and not one
// of the environment.
func ownName(name string) bool {
	if strings.HasSuffix(name, "_proxy") || strings.HasPrefix(name, "npm_") {
		return false
	}
	return name == strings.ToLower(name) && name != "" && name[0] != '_'
}

// settable are the variables of the environment that a text may set to a plain
// word without changing what a known program does.
var settable = setOf(`LANG LANGUAGE TZ TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI
LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME LC_MONETARY`)

var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.,@+-]*$`) })

// harmlessAssignment reports whether setting name to val changes nothing but
// the text's own variables. Lower-case names are by convention the shell's
// own; the few that programs or bash read are left out.
func harmlessAssignment(name string, val value) bool {
	if val.private {
		return false
	}
	if name == "LANG" || strings.HasPrefix(name, "LC_") && settable[name] {
		return val.known && locale.Plain(val.text)
	}
	if settable[name] {
		return val.known && plainWord().MatchString(val.text)
	}
	switch name {
	case "PAGER", "GIT_PAGER", "MANPAGER":
		return val.known && (val.text == "cat" || val.text == "")
	case "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS":
		return val.known && val.text == "0"
	case "histchars", "auto_resume":
		return false
	}
	return ownName(name) || len(name) == 1 && name != "_"
}
