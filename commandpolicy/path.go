package commandpolicy

import (
	"path"
	"strings"
)

// maxPath bounds a path, as the kernel does (PATH_MAX): a longer one names no
// file.
const maxPath = 4096

// maxLinks bounds the links followed for one path, as the kernel does.
const maxLinks = 40

// places resolves paths against the workspace, home and what Look tells.
type places struct {
	workspace, home, state string
	look                   Look
	programs               []string // the PATH of the command
	kinds                  map[string]seen
	lists                  map[string]listing
}

type seen struct {
	kind   Kind
	target string
}

type listing struct {
	names []string
	ok    bool
}

func newPlaces(c Context) *places {
	p := &places{workspace: path.Clean(c.Workspace), home: c.Home, state: c.State, look: c.Look,
		programs: strings.Split(c.Env["PATH"], ":"), kinds: map[string]seen{}, lists: map[string]listing{}}
	if p.home != "" {
		p.home = path.Clean(p.home)
	}
	if p.state != "" {
		p.state = path.Clean(p.state)
	}
	return p
}

func (p *places) lstat(name string) (Kind, string) {
	if p.look == nil {
		return KindUnknown, ""
	}
	s, ok := p.kinds[name]
	if !ok {
		s.kind, s.target = p.look.Lstat(name)
		p.kinds[name] = s
	}
	return s.kind, s.target
}

func (p *places) names(dir string) ([]string, bool) {
	if p.look == nil {
		return nil, false
	}
	l, ok := p.lists[dir]
	if !ok {
		l.names, l.ok = p.look.Names(dir)
		p.lists[dir] = l
	}
	return l.names, l.ok
}

// resolve follows every link of an absolute path, as the kernel would: `..` is
// the parent of what was reached. A path whose links cannot be told is taken
// as written. loop is true for a path that leads nowhere.
func (p *places) resolve(name string, followLast bool) (real string, loop bool) {
	if len(name) > maxPath {
		return name, true
	}
	rest := strings.Split(name, "/")
	real = "/"
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			real = path.Dir(real)
			continue
		}
		next := path.Join(real, part)
		if len(rest) == 0 && !followLast {
			return next, false
		}
		kind, target := p.lstat(next)
		if kind != KindLink {
			real = next
			continue
		}
		if links++; links > maxLinks {
			return next, true
		}
		rest = append(strings.Split(target, "/"), rest...)
		if strings.HasPrefix(target, "/") {
			real = "/"
		}
	}
	return real, false
}

// inside reports whether a resolved path is the workspace or lies in it. A
// system folder, or one that holds the home, is no workspace: nothing is inside.
func (p *places) inside(real string) bool {
	if systemFolders[p.workspace] || p.home != p.workspace && below(p.home, p.workspace) {
		return false
	}
	return below(real, p.workspace)
}

// ours reports whether a path lies in a workspace that is no home itself, so
// that no deny rule about homes and system folders is meant.
func (p *places) ours(real string) bool { return p.workspace != p.home && p.inside(real) }

// own reports whether a resolved path is the agent's own state or lies in it:
// the folder in use, and the usual one.
// A pattern counts for what it may become.
func (p *places) own(real string) bool {
	for _, dir := range []string{p.state, path.Join(p.home, ".tera_pilot")} {
		if dir != "" && dir != ".tera_pilot" && (below(real, dir) || mayReach(real, dir)) {
			return true
		}
	}
	return false
}

// mayReach reports whether a pattern may become dir, or a name in it. One that
// is about nearly all names of the folder above is not about this one.
func mayReach(pat, dir string) bool {
	if !strings.ContainsAny(pat, "*?[") || dir == "" {
		return false
	}
	parts, n := strings.Split(pat, "/"), strings.Count(dir, "/")+1
	return len(parts) >= n && globPath(strings.Join(parts[:n], "/"), dir) && (len(parts) > n || !allNames(parts[n-1]))
}

// below reports whether name is dir or lies in it, by whole components.
func below(name, dir string) bool {
	if dir == "" {
		return false
	}
	return name == dir || dir == "/" || strings.HasPrefix(name, dir+"/")
}

// maxWalk bounds the entries that are looked at to see whether links lead out.
const maxWalk = 2_000

// walkStays reports whether following every link beneath dir never leads out
// of the workspace or to a secret; false also when that cannot be told.
func (p *places) walkStays(dir string) bool {
	budget := maxWalk
	return p.stays(dir, &budget, map[string]bool{})
}

func (p *places) stays(dir string, budget *int, done map[string]bool) bool {
	if done[dir] {
		return true
	}
	done[dir] = true
	names, ok := p.names(dir)
	if !ok {
		kind, _ := p.lstat(dir)
		return kind == KindFile || kind == KindAbsent
	}
	for _, n := range names {
		if *budget--; *budget < 0 {
			return false
		}
		name := path.Join(dir, n)
		kind, _ := p.lstat(name)
		if kind == KindLink {
			real, loop := p.resolve(name, true)
			_, class := secretName(real, p.home)
			if loop || !p.inside(real) || class != noSecret {
				return false
			}
			name = real
			kind, _ = p.lstat(name)
		}
		if kind == KindDir && !p.stays(name, budget, done) {
			return false
		}
	}
	return true
}
