package world

import (
	"context"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// Apply is tool.Env's: it carries out one effect on files, on what was there
// when it was planned, or not at all.
func (v FileEnv) Apply(ctx context.Context, e effect.Effect) (effect.Path, error) {
	err := v.covers(ctx, e, effect.Create, effect.Write, effect.Memory, effect.Delete, effect.Rename, effect.Mkdir, effect.Chmod)
	if err != nil {
		return effect.Path{}, err
	}
	return v.act(ctx, e)
}

// act does what Apply was granted, or takes it back.
func (v FileEnv) act(ctx context.Context, e effect.Effect) (effect.Path, error) {
	if !v.inside(e.Path) || e.To != nil && !v.inside(e.To) {
		return effect.Path{}, &tool.NotGrantedError{What: "a change outside of the workspace"}
	}
	var err error
	post := *e.Path
	post.Before = nil
	var s roots.State
	switch e.Kind {
	case effect.Create, effect.Write, effect.Memory:
		if s, err = v.put(ctx, e); err == nil {
			post.SHA256 = e.After.SHA256
		}
	case effect.Delete:
		err, post.SHA256 = v.f.root.Remove(e.Path.Name, want(e.Path)), ""
	case effect.Rename:
		post, s, err = v.rename(e)
	case effect.Mkdir:
		if e.Path.Exists {
			return effect.Path{}, &tool.ChangedError{What: e.Path.Name}
		}
		if e.Exact {
			s, err = v.f.root.MkdirExact(e.Path.Name, e.Mode)
		} else {
			s, err = v.f.root.Mkdir(e.Path.Name, e.Mode)
		}
	case effect.Chmod:
		s, err = v.f.root.Chmod(e.Path.Name, want(e.Path), e.Mode)
	default:
		return effect.Path{}, &tool.NotGrantedError{What: e.Kind.String()}
	}
	if err != nil {
		return effect.Path{}, translate(err)
	}
	return withState(post, s), nil
}

// inside says that a path is the workspace's own, in both of its spellings.
func (v FileEnv) inside(p *effect.Path) bool {
	return !p.Outside && !p.Virtual && p.Abs == v.f.root.Join(p.Name)
}

// want is the state that a path was planned in.
func want(p *effect.Path) roots.Want {
	w := roots.Want{ID: roots.ID{Device: p.Device, Inode: p.Inode}, Links: p.Links, Mode: &p.Mode, SHA256: p.SHA256}
	switch p.Type {
	case effect.NoFile:
		w.Type = roots.None
	case effect.Regular:
		w.Type = roots.Regular
	case effect.Dir:
		w.Type = roots.Folder
	case effect.Link:
		w.Type = roots.Link
	case effect.Special:
		w.Type = roots.Special
	}
	return w
}

// put creates a file or gives it other content. The bytes are not part of the
// effect's digest, so they are held to the hash that is.
func (v FileEnv) put(ctx context.Context, e effect.Effect) (roots.State, error) {
	if e.After == nil || roots.Hash(e.After.Data) != e.After.SHA256 || int64(len(e.After.Data)) != e.After.Size {
		return roots.State{}, &tool.NotGrantedError{What: "content other than what was decided about"}
	}
	exists := e.Path.Exists
	switch {
	case e.Kind == effect.Create && exists, e.Kind == effect.Write && !exists, e.Link && e.Kind != effect.Create:
		return roots.State{}, &tool.ChangedError{What: e.Path.Name}
	case exists && (e.Path.Type != effect.Regular || e.Path.SHA256 == ""):
		return roots.State{}, &tool.NotGrantedError{What: "writing over " + e.Path.Name + ", whose content was not looked at"}
	}
	through, err := v.through(e)
	switch {
	case err != nil:
		return roots.State{}, err
	case e.Link:
		return v.f.root.Symlink(e.Path.Name, string(e.After.Data))
	case e.Exact && !exists:
		return v.f.root.CreateExact(e.Path.Name, e.After.Data, e.Mode)
	case through:
		return v.putThrough(ctx, e)
	case exists:
		return v.f.root.Replace(e.Path.Name, want(e.Path), e.After.Data, e.Mode)
	default:
		return v.f.root.Create(e.Path.Name, e.After.Data, e.Mode)
	}
}

func (v FileEnv) rename(e effect.Effect) (effect.Path, roots.State, error) {
	if e.To == nil {
		return effect.Path{}, roots.State{}, &tool.NotGrantedError{What: "a rename to nowhere"}
	}
	if e.To.Exists {
		return effect.Path{}, roots.State{}, &tool.ChangedError{What: e.To.Name}
	}
	post := *e.To
	post.SHA256, post.Target = e.Path.SHA256, e.Path.Target
	s, err := v.f.root.Rename(e.Path.Name, want(e.Path), e.To.Name)
	return post, s, err
}
