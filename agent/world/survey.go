package world

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// A Thing is one thing in the workspace as it is now, for undo. Links are
// looked at and not followed.
type Thing struct {
	Name  string // beneath the root
	State roots.State
	Left  string // why its content is not to be looked at; "" for all others
	Read  func() ([]byte, error)
	Text  func() (string, error) // of a link
}

// Why content is left out of a survey.
const (
	leftSecret  = "its name looks like a secret's, whose content is kept nowhere"
	leftIgnored = "git ignores the folder"
	leftDeep    = "it lies too deep, or cannot be opened"
	leftMount   = "another file system is mounted there"
)

// Survey visits everything in the workspace that undo covers, folders before
// their content: all but what lies below .git, and the content of folders that
// git ignores, which are visited with Left. Ignored files in other folders are
// visited like any others.
func (w *World) Survey(ctx context.Context, visit func(Thing) error) error {
	d, err := w.files.root.Dir(".")
	if err != nil {
		return translate(err)
	}
	defer d.Close()
	top, err := d.State()
	if err != nil {
		return err
	}
	s := surveyor{ctx: ctx, f: w.files, device: top.Device, visit: visit, standIns: w.files.standIns()}
	return s.folder(d, ".", nil, 0)
}

type surveyor struct {
	ctx    context.Context
	f      *Files
	device uint64
	visit  func(Thing) error

	standIns map[string]bool
}

func (s *surveyor) folder(d *roots.Dir, name string, rules *ignoreRules, depth int) error {
	names, err := d.Names()
	if err != nil {
		return err
	}
	for _, base := range names {
		if strings.EqualFold(base, ".git") { // of a repository of its own too
			rules = rules.with(name, ignoreFile(d, base+"/info/exclude"))
		}
	}
	for _, base := range names {
		if base == ".gitignore" {
			rules = rules.with(name, ignoreFile(d, base))
		}
	}
	for _, base := range names {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if strings.EqualFold(base, ".git") || ourTemp(base) {
			continue
		}
		if err := s.thing(d, base, path.Join(name, base), rules, depth); err != nil {
			return err
		}
	}
	return nil
}

// ourTemp says that a name is one of internal/roots, in the middle of an act.
func ourTemp(base string) bool {
	return strings.HasPrefix(base, ".tera-pilot-") && strings.HasSuffix(base, ".tmp")
}

func (s *surveyor) thing(d *roots.Dir, base, name string, rules *ignoreRules, depth int) error {
	state, err := d.Stat(base)
	if err != nil {
		return err
	}
	if state.Type == roots.None || standsIn(s.standIns, s.f.root.Join(name), d, base, state) {
		return nil // gone meanwhile, or nobody's
	}
	t := s.f.thing(d, base, name, state)
	if state.Type != roots.Folder {
		return s.visit(t)
	}
	var sub *roots.Dir
	switch {
	case state.Device != s.device:
		t.Left = leftMount
	case rules.ignored(name, true):
		t.Left = leftIgnored
	case depth >= maxDepth:
		t.Left = leftDeep
	default:
		if sub, err = d.Open(base); err != nil {
			t.Left = leftDeep
		}
	}
	if sub == nil {
		return s.visit(t)
	}
	defer sub.Close()
	if err := s.visit(t); err != nil {
		return err
	}
	return s.folder(sub, name, rules, depth+1)
}

// thing describes what is at base in d.
func (f *Files) thing(d *roots.Dir, base, name string, state roots.State) Thing {
	t := Thing{Name: name, State: state}
	t.Read = func() ([]byte, error) {
		data, _, err := d.Read(base, tool.MaxFile)
		return data, translate(err)
	}
	t.Text = func() (string, error) { return d.Readlink(base) }
	if state.Type == roots.Regular && f.secret(f.root.Join(name)) {
		t.Left = leftSecret
	}
	return t
}

// At looks at one place beneath the root. Nothing there is no error: the
// Thing's type is none. The same holds where a folder above it is none.
func (w *World) At(name string) (Thing, func(), error) {
	none := func() {}
	d, err := w.files.root.Dir(path.Dir(name))
	var changed *roots.ChangedError
	if errors.As(err, &changed) || errors.Is(err, fs.ErrNotExist) {
		return Thing{Name: name}, none, nil
	}
	if err != nil {
		return Thing{}, none, translate(err)
	}
	state, err := d.Stat(path.Base(name))
	if err != nil {
		d.Close()
		return Thing{}, none, translate(err)
	}
	return w.files.thing(d, path.Base(name), name, state), func() { d.Close() }, nil
}

// Free describes a name beneath the root as one where nothing is: it will be so
// when what stands in the way has gone.
func (w *World) Free(name string) effect.Path {
	f := w.files
	abs := f.root.Join(name)
	return effect.Path{Name: name, Abs: abs, Named: true, Secret: f.secret(abs), Protected: f.protected(name)}
}

// Names lists what is in a folder beneath the root.
func (w *World) Names(name string) ([]string, error) {
	d, err := w.files.root.Dir(name)
	if err != nil {
		return nil, translate(err)
	}
	defer d.Close()
	return d.Names()
}

// Locate is the name beneath the root of what a person calls it; "" outside of
// the workspace.
func (w *World) Locate(name string) (string, error) {
	place, err := w.files.root.Locate(name)
	if err != nil || place.Outside {
		return "", err
	}
	return place.Name, nil
}
