package commandpolicy

import (
	"path"
	"slices"
	"strings"
)

// cd follows the current folder.
func (j *judged) cd() bool {
	if j.run.external {
		return false
	}
	j.here()
	w := j.w
	to, sure := j.cdTargets()
	for _, d := range to {
		j.use(kindMeta, known(d), "")
		if len(w.been) < 4*maxDirs && !slices.Contains(w.been, d) {
			w.been = append(w.been, d)
		}
	}
	w.old = w.dirs
	if !sure || len(to) == 0 {
		j.unknown("a folder that is not known before the run")
		w.dirs, w.passed = nil, nil
		return true
	}
	w.passed = to
	w.dirs = unite(w.dirs, to)
	return true
}

// cdTargets are the folders that cd leads to; they are only guesses when not
// sure.
func (j *judged) cdTargets() (to []string, sure bool) {
	w, ops := j.w, j.call.operands
	if j.call.broken != "" || len(ops) > 1 || j.name == "popd" {
		return nil, false
	}
	if len(ops) == 0 {
		home := w.variable("HOME")
		return append(home.alts, home.text), home.known && j.name == "cd"
	}
	switch x := ops[0]; {
	case !x.known:
		for _, alt := range x.alts {
			to = append(to, path.Join("/", alt))
		}
		return to, false
	case x.text == "-":
		return w.old, true
	case path.IsAbs(x.text):
		return []string{path.Clean(x.text)}, !strings.HasPrefix(x.text, "+")
	default:
		for _, d := range w.somewhere() {
			to = append(to, j.cdTo(d, x.text))
		}
		return to, len(w.dirs) > 0 && !w.cdpathChanged && !strings.HasPrefix(x.text, "+")
	}
}

// cdTo is where cd leads: without -P bash takes .. off the name of the folder,
// links or no.
func (j *judged) cdTo(dir, name string) string {
	if !j.call.has("-P") {
		return path.Join(dir, name)
	}
	real, _ := j.w.places.resolve(dir+"/"+name, true)
	return real
}
