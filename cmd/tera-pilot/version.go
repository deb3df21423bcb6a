package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
)

// release is the version of the source tree.
const release = "0.1.0"

// commit is what a release was built from. The linker sets it, and nothing else
// does (contrib/release).
var commit string

// version is the release, and what is known about where this program is from.
// It stands in --version, doctor, the manual pages and each `open` record of
// the audit log.
func version() string {
	info, _ := debug.ReadBuildInfo() // nil where there is none
	return versionOf(info, commit)
}

// versionOf is the version of a build. Whatever is not known to be a release, or
// the module of one, is called devel.
func versionOf(info *debug.BuildInfo, commit string) string {
	const shown = 12 // digits of a commit
	if commit != "" {
		return release + " (" + commit[:min(shown, len(commit))] + ")"
	}
	if info == nil {
		return release + "-devel (commit not known)"
	}
	var revision, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(shown, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value != "false":
			dirty = ", dirty"
		}
	}
	switch module := info.Main.Version; {
	case revision != "":
		return release + "-devel (" + revision + dirty + ")"
	case module == "v"+release:
		return release + " (module " + module + ")"
	case module != "" && module != "(devel)":
		return release + "-devel (module " + module + ")"
	}
	return release + "-devel (commit not known)"
}

// binaryHash is the SHA-256 of the running program in hex, "" when it cannot
// be read.
func binaryHash() string {
	file, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
