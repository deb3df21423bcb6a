package commandpolicy

import (
	"path"
	"slices"
	"strings"
)

// A Hasher is a [Look] that also knows the content of files.
type Hasher interface {
	// Hash is the SHA-256 of the regular file at the absolute path, in hex; ok
	// is false when it cannot be told. The path holds no links.
	Hash(path string) (sha256 string, ok bool)
}

// A Pin is a file of the workspace that decides what a part runs: a program
// that is named by its path, the script of an interpreter, the file in which
// make or npm look up their words.
type Pin struct {
	File   string // beneath the workspace
	SHA256 string // of its content, in hex; "" when it could not be told
}

// pin notes the file at an absolute, resolved path as what the part runs.
func (e *effects) pin(abs string) {
	p := Pin{}
	if rel, ok := strings.CutPrefix(abs, e.w.places.workspace+"/"); ok {
		p.File = rel
		if h, ok := e.w.places.look.(Hasher); ok {
			if sum, ok := h.Hash(abs); ok {
				p.SHA256 = sum
			}
		}
	}
	if !slices.Contains(e.part.Pins, p) {
		e.part.Pins = append(e.part.Pins, p)
	}
	e.part.pinned = true
}

// pinWord pins the one file that a word stands for. Where it may be one of
// several, nothing is known of what runs.
func (e *effects) pinWord(x word) {
	paths := e.paths(x, true)
	if len(paths) != 1 || len(e.w.dirs) != 1 || !x.known {
		e.pin("")
		return
	}
	e.pin(paths[0])
}

// manifests are the files in which a runner looks up what its words stand for,
// in the order in which it looks.
func manifests(name string) []string {
	switch name {
	case "make", "gmake":
		return []string{"GNUmakefile", "makefile", "Makefile"}
	case "just":
		return []string{"justfile", "Justfile", ".justfile"}
	case "task":
		return []string{"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"}
	case "rake":
		return []string{"rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"}
	case "npm", "pnpm", "yarn", "bun":
		return []string{"package.json"}
	}
	return nil
}

// elsewhere are the options by which a runner looks its words up in another
// place, or takes code from its command line.
var elsewhere = setOf(`-C -f -I -E --directory --file --makefile --include-dir --eval --justfile --working-directory --taskfile --dir
--rakefile --prefix --cwd -g --global -w --workspace --workspaces -F --filter --rakelib --libdir -r --require -d`)

// pinRunner pins the file that says what a runner's words stand for.
func (j *judged) pinRunner() {
	files := manifests(j.name)
	if files == nil || j.call == nil {
		return
	}
	odd := func(u flagUse) bool { return elsewhere[u.raw] || elsewhere[u.name] }
	if len(j.w.dirs) != 1 || slices.ContainsFunc(j.call.flags, odd) {
		j.pin("")
		return
	}
	j.part.pinned = true
	for _, f := range files {
		abs, loop := j.w.places.resolve(path.Join(j.w.dirs[0], f), true)
		kind, _ := j.w.places.lstat(abs)
		if loop || kind == KindUnknown || kind == KindDir || kind == KindOther {
			j.pin("")
			return
		}
		if kind == KindFile {
			j.pin(abs)
			return
		}
	}
}

// pinModule pins what python -m runs when it lies in the workspace.
func (j *judged) pinModule(name word) {
	if len(j.w.dirs) != 1 || !name.known {
		j.pin("")
		return
	}
	top, _, _ := strings.Cut(name.text, ".")
	if kind, _ := j.w.places.lstat(path.Join(j.w.dirs[0], top)); kind == KindAbsent {
		if kind, _ := j.w.places.lstat(path.Join(j.w.dirs[0], top+".py")); kind == KindAbsent {
			j.part.pinned = true
			return // an installed module
		}
	}
	base := path.Join(j.w.dirs[0], strings.ReplaceAll(name.text, ".", "/"))
	for _, f := range []string{base + ".py", base + "/__main__.py"} {
		abs, loop := j.w.places.resolve(f, true)
		if kind, _ := j.w.places.lstat(abs); !loop && kind == KindFile {
			j.pin(abs)
			return
		}
	}
	j.pin("")
}

// pinsKnown reports whether everything that decides what the part runs is a
// file of the workspace whose content is known.
func (p *Part) pinsKnown() bool {
	return !slices.ContainsFunc(p.Pins, func(pin Pin) bool { return pin.File == "" || pin.SHA256 == "" })
}

// fitsPins compares the files of an allow rule with what the part would run.
func (r *Rule) fitsPins(p *Part) bool {
	if !r.hasFiles {
		return true
	}
	if len(p.Pins) != len(r.files) {
		return false
	}
	for _, pin := range p.Pins {
		if pin.File == "" || pin.SHA256 == "" || r.files[pin.File] != pin.SHA256 {
			return false
		}
	}
	return true
}

// runners are the programs of which every operand names something to run, so
// that a rule about one of them says nothing about another.
var runners = setOf(`make gmake just task rake ninja gradle mvn ant invoke inv fab doit nox cargo-make mage`)

// fitsRunner keeps an allow rule about a subcommand from covering a second
// one, or a variable that says what the first one runs.
func (r *Rule) fitsRunner(p *Part) bool {
	if r.exact || len(r.subs) == 0 || !runners[p.Name] && p.program() != "./gradlew" && p.program() != "./mvnw" {
		return true
	}
	for _, x := range p.call.operands {
		if !x.known || !slices.ContainsFunc(r.subs, func(sub []string) bool { return slices.Contains(sub, x.text) }) {
			return false
		}
	}
	return true
}

// rewrites reports whether another part of the text changes a file that
// decides what part i runs: what was looked at is then not what runs.
func (a *Analysis) rewrites(i int) bool {
	for _, pin := range a.Parts[i].Pins {
		abs := path.Join(a.where.Workspace, pin.File)
		for n := range a.Parts {
			for _, use := range pathUses(&a.Parts[n]) {
				if use.Act != ActRead && (below(abs, use.Path) || below(use.Path, abs)) {
					return true
				}
			}
		}
	}
	return false
}

// program is a path program as rules name it: "./" and its place beneath the
// workspace, links resolved; "" for any other part.
func (p *Part) program() string {
	if p.Kind != PartCall || p.Name != "" || p.byPath == "" {
		return ""
	}
	return "./" + p.byPath
}
