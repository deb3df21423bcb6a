package world

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// maxDepth is how many folders deep a walk goes; each is an open descriptor.
const maxDepth = 200

// Walk is tool.Env's.
func (v FileEnv) Walk(ctx context.Context, e effect.Effect, visit func(tool.Found) error) (tool.Left, error) {
	if err := v.covers(ctx, e, effect.Walk); err != nil {
		return tool.Left{}, err
	}
	d, name, err := v.folder(e.Path)
	if err != nil {
		return tool.Left{}, err
	}
	defer d.Close()
	w := walker{ctx: ctx, f: v.f, top: e.Path, visit: visit, standIns: v.f.standIns()}
	var rules *ignoreRules
	if !e.Path.Outside {
		rules = v.f.rulesAbove(name)
	}
	if err := w.folder(d, name, rules, 0); err != nil && !errors.Is(err, tool.ErrStop) {
		return w.left, err
	}
	return w.left, nil
}

type walker struct {
	ctx   context.Context
	f     *Files
	top   *effect.Path
	visit func(tool.Found) error
	left  tool.Left

	standIns map[string]bool
}

// rulesAbove are the ignore rules that hold for what is in a folder. A folder
// that is ignored itself and was named nonetheless is searched without those
// of the folders above it.
func (f *Files) rulesAbove(name string) *ignoreRules {
	var rules *ignoreRules
	at, parts := ".", strings.Split(name, "/")
	for i := 0; ; i++ {
		d, err := f.root.Dir(at)
		if err != nil {
			return rules // it is gone, and the walk will say so
		}
		if at == "." {
			rules = rules.with(".", ignoreFile(d, ".git/info/exclude"))
		}
		if at == name { // its own are read by the walk
			d.Close()
			return rules
		}
		rules = rules.with(at, ignoreFile(d, ".gitignore"))
		d.Close()
		if at = path.Join(at, parts[i]); rules.ignored(at, true) {
			return nil
		}
	}
}

// ignoreFile reads an ignore file beneath d. One that is a link does not
// count, as with git.
func ignoreFile(d *roots.Dir, name string) []byte {
	dir, base, deeper := strings.Cut(name, "/")
	if !deeper {
		data, _, err := d.Read(name, maxIgnoreBytes)
		if err != nil {
			return nil
		}
		return data
	}
	sub, err := d.Open(dir)
	if err != nil {
		return nil
	}
	defer sub.Close()
	return ignoreFile(sub, base)
}

func (w *walker) folder(d *roots.Dir, name string, rules *ignoreRules, depth int) error {
	names, err := d.Names()
	if err != nil {
		w.left.Unread++
		return nil
	}
	if slices.Contains(names, ".git") && depth > 0 { // a repository of its own
		rules = (*ignoreRules)(nil).with(name, ignoreFile(d, ".git/info/exclude"))
	}
	if slices.Contains(names, ".gitignore") {
		rules = rules.with(name, ignoreFile(d, ".gitignore"))
	}
	for _, base := range names {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if strings.EqualFold(base, ".git") {
			continue
		}
		if err := w.thing(d, base, path.Join(name, base), rules, depth); err != nil {
			return err
		}
	}
	return nil
}

// thing visits one thing in a folder, and what is in it.
func (w *walker) thing(d *roots.Dir, base, name string, rules *ignoreRules, depth int) error {
	s, err := d.Stat(base)
	if err != nil {
		return err
	}
	switch {
	case s.Type == roots.None: // gone meanwhile
		return nil
	case standsIn(w.standIns, w.abs(name), d, base, s): // nobody's
		return nil
	case rules.ignored(name, s.Type == roots.Folder):
		w.left.Ignored++
		return nil
	case !w.top.Secret && w.f.secret(w.abs(name)): // a secret folder that was named and granted has nothing else
		w.left.Secret++
		return nil
	case s.Type == roots.Link && w.leadsOut(name):
		w.left.Outside++
		return nil
	}
	found := tool.Found{Entry: entry(w.top, name, s), ModTime: s.ModTime}
	if s.Type == roots.Regular {
		found.Open = func() ([]byte, error) {
			data, _, err := d.Read(base, tool.MaxFile)
			return data, translate(err)
		}
	}
	err = w.visit(found)
	switch {
	case s.Type != roots.Folder && errors.Is(err, tool.ErrSkip):
		return nil
	case s.Type != roots.Folder:
		return err
	case errors.Is(err, tool.ErrSkip):
		return nil
	case err != nil:
		return err
	}
	if depth >= maxDepth {
		w.left.Unread++
		return nil
	}
	sub, err := d.Open(base)
	if err != nil {
		w.left.Unread++
		return nil
	}
	defer sub.Close()
	return w.folder(sub, name, rules, depth+1)
}

func (w *walker) abs(name string) string {
	if w.top.Outside {
		return "/" + name
	}
	return w.f.root.Join(name)
}

func (w *walker) leadsOut(name string) bool {
	if w.top.Outside {
		return true
	}
	place, err := w.f.root.Locate(roots.Spell(name))
	return err != nil || path.IsAbs(place.Target) || place.Target == ""
}
