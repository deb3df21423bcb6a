package world

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// FilesOptions is what Files must know of its surroundings.
type FilesOptions struct {
	Home    string   // what ~ stands for
	Closed  []string // folders that no name may lead into: our own state
	Outputs string   // folder of outputs that were cut, read as @out/…; "" for none

	// OpenOutput makes an output of what is stored of it; nil: it is stored as it is.
	OpenOutput func(name string, stored []byte) ([]byte, error)
	Editor     Editor // holds files of the workspace open; nil for none

	StandIns func() map[string]bool // by absolute name, what stands where nothing is while a command runs; nil: nothing does

	Secret    func(abs string) bool            // whether a file of that name is likely to hold secrets
	Protected func(name string) (string, bool) // the protected name that a name matches
}

// Files is the part of a World that is about files: it resolves names, looks,
// and carries out what was granted.
type Files struct {
	root *roots.Root
	host *roots.Root // all of the machine's files: only ever read, when that was granted
	o    FilesOptions
}

// NewFiles opens a workspace.
func NewFiles(root string, o FilesOptions) (*Files, error) {
	// Files of /proc are no files: they show and change processes, our own
	// environment among them.
	closed := append(slices.Clone(o.Closed), "/proc")
	r, err := roots.Open(root, roots.Options{Home: o.Home, Closed: closed})
	if err != nil {
		return nil, err
	}
	host, err := roots.Open("/", roots.Options{})
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return &Files{root: r, host: host, o: o}, nil
}

// Close gives the descriptors back.
func (f *Files) Close() error { return errors.Join(f.root.Close(), f.host.Close()) }

// Root is the workspace's absolute name, without links.
func (f *Files) Root() string { return f.root.Abs() }

// Path is tool.View's.
func (f *Files) Path(ctx context.Context, name string) (effect.Path, error) {
	if err := ctx.Err(); err != nil {
		return effect.Path{}, err
	}
	if strings.HasPrefix(name, outPrefix) {
		return f.output(name)
	}
	place, err := f.root.Locate(name)
	if err != nil {
		problem := &tool.ArgumentError{What: err.Error()}
		if _, closed := errors.AsType[*roots.ClosedError](err); closed {
			return effect.Path{}, &tool.RefusedError{Err: problem}
		}
		return effect.Path{}, problem
	}
	if !place.Outside && place.Type != roots.None {
		// What counts is the tree that is open, should its name lead elsewhere.
		if place.State, err = f.root.Stat(place.Name); err != nil {
			return effect.Path{}, translate(err)
		}
	}
	return f.describe(place), nil
}

// describe says a place in the vocabulary of effects. Of its names, the one
// asked for and the one it leads to, each can make it secret or protected.
func (f *Files) describe(place roots.Place) effect.Path {
	p := withState(effect.Path{
		Name: place.Name, Abs: place.Abs, Outside: place.Outside, Named: true, Target: place.Target,
	}, place.State)
	if p.Outside {
		p.Name = p.Abs
	}
	p.Secret = f.secret(p.Abs) || f.secret(place.Asked)
	p.Protected = f.protected(p.Name, f.beneath(place.Asked))
	if p.Protected == "" && f.throughGit(place) {
		p.Protected = ".git"
	}
	return p
}

func (f *Files) secret(abs string) bool { return f.o.Secret != nil && f.o.Secret(abs) }

func (f *Files) protected(names ...string) string {
	for _, name := range names {
		if f.o.Protected == nil {
			return ""
		}
		if protected, ok := f.o.Protected(name); ok {
			return protected
		}
	}
	return ""
}

// beneath is an absolute name as seen from the root.
func (f *Files) beneath(abs string) string {
	if below, ok := strings.CutPrefix(abs, f.root.Abs()+"/"); ok {
		return below
	}
	return abs
}

// throughGit says that a place lies in the folder that .git leads to, whatever
// that is called.
func (f *Files) throughGit(place roots.Place) bool {
	git, err := f.root.Locate(".git/")
	if err != nil || git.Type != roots.Folder {
		return false
	}
	return slices.Contains(place.Through, git.ID) || place.ID == git.ID
}

// withState puts what was found at a place into p.
func withState(p effect.Path, s roots.State) effect.Path {
	p.Exists, p.Type = s.Type != roots.None, fileType(s.Type)
	p.Device, p.Inode, p.Links, p.Mode = s.Device, s.Inode, s.Links, s.Mode
	if p.Size = 0; s.Type == roots.Regular {
		p.Size = s.Size
	}
	return p
}

func fileType(t roots.Type) effect.FileType {
	switch t {
	case roots.None:
		return effect.NoFile
	case roots.Regular:
		return effect.Regular
	case roots.Folder:
		return effect.Dir
	case roots.Link:
		return effect.Link
	default:
		return effect.Special
	}
}

// File is tool.View's. Content outside of the workspace is not for a plan to
// look at.
func (f *Files) File(ctx context.Context, name string) (effect.Path, error) {
	p, err := f.Path(ctx, name)
	if err != nil || p.Type != effect.Regular || p.Outside || p.Virtual {
		return p, err
	}
	data, s, err := readAt(f.root, p.Name)
	if err != nil {
		return p, translate(err)
	}
	if s.Device != p.Device || s.Inode != p.Inode {
		return p, &tool.ChangedError{What: p.Name}
	}
	p = withState(p, s)
	if data, err = f.editable(ctx, &p, data); err != nil {
		return p, err
	}
	p.Size = int64(len(data))
	p.Before, p.SHA256 = data, roots.Hash(data)
	return p, nil
}

// readAt reads a file of at most tool.MaxFile bytes.
func readAt(r *roots.Root, name string) ([]byte, roots.State, error) {
	d, err := r.Dir(path.Dir(name))
	if err != nil {
		return nil, roots.State{}, err
	}
	defer d.Close()
	return d.Read(path.Base(name), tool.MaxFile)
}

// translate says an error of roots in the words of tools.
func translate(err error) error {
	var changed *roots.ChangedError
	if errors.As(err, &changed) {
		return &tool.ChangedError{What: fmt.Sprintf("%s (%s)", changed.Name, changed.How)}
	}
	var large *roots.TooLargeError
	if errors.As(err, &large) {
		return &tool.ArgumentError{What: fmt.Sprintf("%s has %d bytes; file tools handle files up to %d bytes: use execute_command", large.Name, large.Size, large.Max)}
	}
	return err
}
