package world

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// FileEnv does what one grant covers: the part of tool.Env that is about
// files.
type FileEnv struct {
	f       *Files
	granted func(effect.Effect) bool
}

// Env does the effects that granted says yes to, and no others.
func (f *Files) Env(granted func(effect.Effect) bool) FileEnv { return FileEnv{f, granted} }

// covers refuses what is not granted, of another kind, or without a path.
func (v FileEnv) covers(ctx context.Context, e effect.Effect, kinds ...effect.Kind) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, k := range kinds {
		if e.Kind == k && e.Path != nil && v.granted != nil && v.granted(e) {
			return nil
		}
	}
	what := e.Kind.String()
	if e.Path != nil {
		what += " of " + e.Path.Name
	}
	return &tool.NotGrantedError{What: what}
}

// place is the root that a path lies beneath, and its name there.
func (v FileEnv) place(p *effect.Path) (*roots.Root, string) {
	if !p.Outside {
		return v.f.root, p.Name
	}
	if p.Abs == "/" {
		return v.f.host, "."
	}
	return v.f.host, strings.TrimPrefix(p.Abs, "/")
}

// Read is tool.Env's: the content of the very file that was granted.
func (v FileEnv) Read(ctx context.Context, e effect.Effect) ([]byte, error) {
	if err := v.covers(ctx, e, effect.Read); err != nil {
		return nil, err
	}
	p := e.Path
	if !p.Exists {
		return nil, fmt.Errorf("%s does not exist", p.Name)
	}
	var data []byte
	var s roots.State
	var err error
	if p.Virtual {
		data, s, err = v.f.readOutput(p.Name)
	} else {
		r, name := v.place(p)
		data, s, err = readAt(r, name)
	}
	if err != nil {
		return nil, translate(err)
	}
	if s.Device != p.Device || s.Inode != p.Inode {
		return nil, &tool.ChangedError{What: p.Name}
	}
	if data, err = v.f.current(ctx, p, data); err != nil {
		return nil, err
	}
	if p.SHA256 != "" && p.SHA256 != roots.Hash(data) {
		return nil, &tool.ChangedError{What: p.Name}
	}
	return data, nil
}

// List is tool.Env's.
func (v FileEnv) List(ctx context.Context, e effect.Effect) ([]tool.Entry, error) {
	if err := v.covers(ctx, e, effect.Read); err != nil {
		return nil, err
	}
	d, name, err := v.folder(e.Path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Names()
	if err != nil {
		return nil, err
	}
	out, standIns := make([]tool.Entry, 0, len(names)), v.f.standIns()
	for _, base := range names {
		s, err := d.Stat(base)
		if err != nil {
			return nil, err
		}
		if s.Type == roots.None || standsIn(standIns, path.Join(e.Path.Abs, base), d, base, s) {
			continue
		}
		out = append(out, entry(e.Path, path.Join(name, base), s))
	}
	return out, nil
}

// folder opens the very folder that was granted.
func (v FileEnv) folder(p *effect.Path) (*roots.Dir, string, error) {
	r, name := v.place(p)
	d, err := r.Dir(name)
	if err != nil {
		return nil, "", translate(err)
	}
	s, err := d.State()
	if err == nil && (s.Device != p.Device || s.Inode != p.Inode) {
		err = &tool.ChangedError{What: p.Name}
	}
	if err != nil {
		d.Close()
		return nil, "", err
	}
	return d, name, nil
}

// entry names a thing as View takes it.
func entry(top *effect.Path, name string, s roots.State) tool.Entry {
	e := tool.Entry{Name: roots.Spell(name), Type: fileType(s.Type)}
	if top.Outside {
		e.Name = "/" + name
	}
	if s.Type == roots.Regular {
		e.Size = s.Size
	}
	return e
}
