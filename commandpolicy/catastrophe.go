package commandpolicy

import (
	"path"
	"strings"
)

// ruleID names a row of the built-in deny list.
type ruleID string

// The built-in deny list. No rule of any file lifts one of these.
const (
	ruleWipe       ruleID = "builtin:wipe"
	ruleDisk       ruleID = "builtin:raw-disk"
	ruleForkBomb   ruleID = "builtin:fork-bomb"
	ruleRemoteCode ruleID = "builtin:remote-code"
	rulePower      ruleID = "builtin:power"
	ruleRights     ruleID = "builtin:root-rights"
	ruleKeyLeak    ruleID = "builtin:key-leak"
	ruleForcedPush ruleID = "builtin:forced-push"
	ruleLogin      ruleID = "builtin:login-files"
	ruleOwnState   ruleID = "builtin:own-state"
	ruleAllSignals ruleID = "builtin:all-signals"
)

var builtinReasons = map[ruleID]string{
	ruleWipe:       "wipes the root, a home or a system folder",
	ruleDisk:       "reaches a raw disk or the memory past the file system",
	ruleForkBomb:   "starts processes without end",
	ruleRemoteCode: "runs text that comes from the network",
	rulePower:      "ends or restarts the machine",
	ruleRights:     "changes rights or owners of a system folder and everything beneath",
	ruleKeyLeak:    "sends a private key, credentials or the shell history over the network",
	ruleForcedPush: "rewrites or deletes main or master on a remote",
	ruleLogin:      "changes what runs, or who may enter, at login or start-up",
	ruleOwnState:   "touches the agent's own settings, keys or log",
	ruleAllSignals: "signals every process",
}

// Builtin lists the built-in deny list, in no particular order.
func Builtin() []Hit {
	var out []Hit
	for id := range builtinReasons {
		out = append(out, *builtinHit(id))
	}
	return out
}

func builtinHit(id ruleID) *Hit {
	return &Hit{Decision: Deny, ID: string(id), File: "built in", Layer: LayerBuiltin, Because: builtinReasons[id]}
}

// deny records a hit of the built-in list; the first one is kept.
func (w *walker) deny(id ruleID) {
	if w.a.Catastrophe == nil {
		w.a.Catastrophe = builtinHit(id)
	}
	w.remark(builtinReasons[id])
}

// catastrophes checks one judged command against the list.
func (j *judged) catastrophes() {
	f := j.part.Effects
	home := j.w.places.home
	if j.name == "rm" || j.name == "find" || j.name == "mv" || j.name == "shred" || j.name == "rsync" || j.name == "srm" || j.name == "wipe" {
		for _, p := range f.Deletes {
			if wipes(p, home) && !j.w.places.ours(p) {
				j.w.deny(ruleWipe)
			}
		}
	}
	if j.recursiveRights() {
		for _, p := range f.Chmods {
			if rights(p) {
				j.w.deny(ruleRights)
			}
		}
	}
	j.rootNames()
}

// pathCatastrophes checks the paths of any part.
func (e *effects) pathCatastrophes() {
	f := e.part.Effects
	home := e.w.places.home
	for _, list := range [][]string{f.Writes, f.Deletes, f.Chmods} {
		for _, p := range list {
			if isRawDevice(p) {
				e.w.deny(ruleDisk)
			}
			if isLoginFile(p, home) && !e.w.places.ours(p) {
				e.w.deny(ruleLogin)
			}
			if p == "/proc/sysrq-trigger" || strings.HasPrefix(p, "/sys/power/") {
				e.w.deny(rulePower)
			}
		}
	}
}

// wipes reports whether deleting p, a path or a pattern, takes a system folder
// or a home, or everything in one.
func wipes(p, home string) bool {
	if isSystemFolder(p, home) {
		return true
	}
	dir, base := path.Split(p)
	dir = path.Clean(dir)
	if strings.ContainsAny(base, "*?[") && allNames(base) && isSystemFolder(dir, home) {
		return true
	}
	if !strings.ContainsAny(p, "*?[") {
		return false
	}
	for folder := range systemFolders {
		if globPath(p, folder) {
			return true
		}
	}
	return home != "" && globPath(p, home)
}

// allNames reports whether a pattern fits nearly any name, or nearly any
// hidden one.
func allNames(base string) bool {
	names := []string{"etc", "src", "a"}
	if strings.HasPrefix(base, ".") {
		names = []string{".bashrc", ".config"}
	}
	for _, n := range names {
		if !matchGlob(base, n) {
			return false
		}
	}
	return true
}

// globPath matches a pattern with an absolute path, component by component.
func globPath(pat, name string) bool {
	a, b := strings.Split(pat, "/"), strings.Split(name, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !matchGlob(a[i], b[i]) {
			return false
		}
	}
	return true
}

// rights reports whether recursive rights on p are rights on the root or on a
// system folder.
func rights(p string) bool {
	if systemFolders[p] {
		return true
	}
	dir, base := path.Split(p)
	return strings.ContainsAny(base, "*?[") && allNames(base) && systemFolders[path.Clean(dir)]
}

func (j *judged) recursiveRights() bool {
	switch j.name {
	case "chmod", "chown", "chgrp", "setfacl", "chattr":
		return j.call != nil && (j.call.recursive || j.underFind())
	}
	return false
}

// underFind reports whether find or xargs runs the command on many files.
func (j *judged) underFind() bool {
	for _, n := range j.run.wrappers {
		if strings.HasPrefix(n, "find") || n == "xargs" {
			return true
		}
	}
	return false
}
