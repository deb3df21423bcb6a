package guide

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// A Map is what a repository looks like from above.
type Map struct {
	Top       []string // two levels of names; folders end in a slash
	Languages []string // by number of files, the most first
	Manifests []string // files that say how the project is built
}

// Bounds of a map: it is to be 400 tokens long at most.
const (
	maxMapBytes = 1200
	maxFolder   = 400 // names of a folder that are looked at
	maxSecond   = 8   // names of a second level that are told
)

// skipped are folders in which a project does not write.
var skipped = []string{".git", "node_modules", "vendor", "target", "dist", "build", "__pycache__", ".venv", "venv", ".tera_pilot"}

var manifests = []string{
	"go.mod", "package.json", "pyproject.toml", "setup.py", "requirements.txt", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts",
	"Makefile", "CMakeLists.txt", "Gemfile", "composer.json", "mix.exs", "Package.swift", "justfile", "Taskfile.yml", "Dockerfile", "flake.nix", "deno.json",
}

var languages = map[string]string{
	".go": "Go", ".py": "Python", ".js": "JavaScript", ".ts": "TypeScript", ".tsx": "TypeScript", ".jsx": "JavaScript", ".rs": "Rust", ".java": "Java",
	".kt": "Kotlin", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++", ".cs": "C#", ".rb": "Ruby", ".php": "PHP", ".swift": "Swift",
	".sh": "Shell", ".ex": "Elixir", ".scala": "Scala", ".lua": "Lua", ".hs": "Haskell", ".zig": "Zig", ".sql": "SQL", ".html": "HTML", ".css": "CSS", ".md": "Markdown",
}

// Look makes the map of the folder root. It reads names and nothing else, and
// follows no link out of it. What cannot be read is left out.
func Look(root string) Map {
	var m Map
	r, err := os.OpenRoot(root)
	if err != nil {
		return m
	}
	defer r.Close() // it was read only
	counts := map[string]int{}
	for _, e := range entries(r, ".") {
		if slices.Contains(skipped, e.Name()) {
			continue
		}
		if !e.IsDir() {
			m.count(counts, "", e.Name())
			m.Top = append(m.Top, e.Name())
			continue
		}
		m.Top = append(m.Top, e.Name()+"/"+m.second(counts, r, e.Name()))
	}
	m.Languages = ranked(counts)
	m.Top = bounded(m.Top, maxMapBytes)
	return m
}

func entries(r *os.Root, name string) []os.DirEntry {
	f, err := r.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close() // it was read only
	list, err := f.ReadDir(maxFolder)
	if err != nil && len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// second tells the names in a folder of the first level.
func (m *Map) second(counts map[string]int, r *os.Root, folder string) string {
	var names []string
	for _, e := range entries(r, folder) {
		if slices.Contains(skipped, e.Name()) {
			continue
		}
		name := e.Name()
		if e.IsDir() {
			name += "/"
		} else {
			m.count(counts, folder, name)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	if n := len(names) - maxSecond; n > 0 {
		names = append(names[:maxSecond], fmt.Sprintf("+%d", n))
	}
	return "{" + strings.Join(names, " ") + "}"
}

func (m *Map) count(counts map[string]int, folder, name string) {
	if l := languages[strings.ToLower(path.Ext(name))]; l != "" {
		counts[l]++
	}
	if slices.Contains(manifests, name) && len(m.Manifests) < 12 {
		m.Manifests = append(m.Manifests, path.Join(folder, name))
	}
}

func ranked(counts map[string]int) []string {
	var out []string
	for l := range counts {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	return out[:min(len(out), 5)]
}

// bounded keeps the first names that fit into most bytes.
func bounded(names []string, most int) []string {
	for i, n := range names {
		if most -= len(n) + 2; most < 0 {
			return append(slices.Clone(names[:i]), fmt.Sprintf("and %d more", len(names)-i))
		}
	}
	return names
}
