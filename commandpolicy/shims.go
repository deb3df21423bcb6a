package commandpolicy

import (
	"path"
	"slices"
	"strings"
)

// steering are the files by which version managers let a folder choose what
// stands behind a name; some of them name a program of the folder itself.
var steering = []string{
	".tool-versions", ".config", ".mise", "mise", "mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml", ".rtx.toml", ".prototools", "package.json",
	".python-version", ".ruby-version", ".node-version", ".nvmrc", ".java-version", ".go-version", ".perl-version", ".php-version", ".sdkmanrc", ".terraform-version", ".lua-version", ".rust-version",
}

// steered reports whether the program is one that a version manager put before
// the real one, while a file of the workspace may tell it what to run. What
// such a program does is then not known, even for --version.
func (j *judged) steered() bool {
	if j.run.lookup || isBuiltin(j.name) || strings.Contains(j.name, "/") {
		return false
	}
	if !slices.ContainsFunc(j.w.places.programs, ofShims) {
		return false
	}
	for _, dir := range j.w.places.programs {
		switch kind, _ := j.w.places.lstat(path.Join(dir, j.name)); {
		case kind == KindAbsent:
		case ofShims(dir):
			return j.taken(steering)
		case kind == KindFile || kind == KindLink:
			return false // the real one comes first
		}
	}
	return false
}

// ofShims says that a folder of the PATH is a version manager's.
func ofShims(dir string) bool {
	return path.IsAbs(dir) && (path.Base(dir) == "shims" || strings.HasSuffix(dir, "/.volta/bin"))
}
