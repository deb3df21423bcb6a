package roots

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Longest name, and longest part of one, that is taken (PATH_MAX, NAME_MAX).
const (
	maxName = 4096
	maxPart = 255
)

// A Root is an open folder beneath which names are resolved and acts happen.
// Its methods may be used from several goroutines at once.
type Root struct {
	top  *Dir
	abs  string // without links
	id   ID
	opts Options
}

// Options is what a Root must know of its surroundings.
type Options struct {
	Home   string   // what ~ stands for; "" refuses such names
	Closed []string // absolute folders that no name may lead into, whether they exist yet or not
}

// Open opens a folder as a root. Links in dir itself are followed.
func Open(dir string, o Options) (*Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("root %s: %w", dir, err)
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, fmt.Errorf("root %s: %w", dir, err)
	}
	closed := make([]string, len(o.Closed))
	for i, folder := range o.Closed {
		if !filepath.IsAbs(folder) {
			return nil, fmt.Errorf("root %s: the closed folder %q is not absolute", dir, folder)
		}
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			folder = real
		}
		if inside := strings.TrimSuffix(abs, "/") + "/"; folder == abs || strings.HasPrefix(folder, inside) {
			return nil, fmt.Errorf("root %s: it holds %s, which no tool may reach; choose a folder of a project", dir, folder)
		}
		closed[i] = folder
	}
	o.Closed = closed
	top, err := openDir(unix.AT_FDCWD, abs, ".")
	if err != nil {
		return nil, fmt.Errorf("root %s: %w", dir, err)
	}
	s, err := top.State()
	if err != nil {
		top.Close()
		return nil, err
	}
	return &Root{top: top, abs: abs, id: s.ID, opts: o}, nil
}

// Close gives the root's descriptor back.
func (r *Root) Close() error { return r.top.Close() }

// Abs is the root's absolute name, without links, as it was when opened.
func (r *Root) Abs() string { return r.abs }

// Moved says that the folder is not at its name any more: it was renamed or
// removed, or another one is in its place.
func (r *Root) Moved() bool {
	here, err := r.top.State()
	if err != nil {
		return true
	}
	there, err := lstat(r.abs)
	return err != nil || there.ID != here.ID
}

// Join is the absolute name of a name beneath the root.
func (r *Root) Join(name string) string { return path.Join(r.abs, name) }

// Dir opens a folder beneath the root. A component that is missing, or is
// anything but a folder, is a *ChangedError.
func (r *Root) Dir(name string) (*Dir, error) {
	if err := checkLocal(name); err != nil {
		return nil, err
	}
	d, err := r.top.Open(".")
	if err != nil || name == "." {
		return d, err
	}
	for part := range strings.SplitSeq(name, "/") {
		next, err := d.Open(part)
		d.Close()
		if err != nil {
			return nil, notFolder(err)
		}
		d = next
	}
	return d, nil
}

func notFolder(err error) error {
	var p *fs.PathError
	switch {
	case !errors.As(err, &p):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return &ChangedError{p.Path, "is not there any more"}
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP), errors.Is(err, unix.EMLINK):
		return &ChangedError{p.Path, "is not a folder (any more)"}
	default:
		return err
	}
}

// parent opens the folder that holds name, and splits the last part off.
func (r *Root) parent(name string) (d *Dir, base string, err error) {
	if name == "." {
		return nil, "", &NameError{name, "is the root itself"}
	}
	if err := checkLocal(name); err != nil {
		return nil, "", err
	}
	folder, base := path.Split(name)
	d, err = r.Dir(path.Clean("./" + folder))
	return d, base, err
}

// Stat looks at a place beneath the root; a last component that is a link is
// looked at itself. Nothing there is no error: Type None.
func (r *Root) Stat(name string) (State, error) {
	if name == "." {
		return r.top.State()
	}
	d, base, err := r.parent(name)
	if err != nil {
		return State{}, err
	}
	defer d.Close()
	return d.Stat(base)
}

// checkLocal holds a name to the form that Locate gives: clean, relative,
// beneath the root. A name of any other form is a fault of the caller.
func checkLocal(name string) error {
	if why := badName(name); why != "" {
		return &NameError{name, why}
	}
	if path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") {
		return &NameError{name, "is not a clean name beneath the root"}
	}
	return nil
}

// badName says why no file can have the name, or "".
func badName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case strings.IndexByte(name, 0) >= 0:
		return "holds a NUL byte"
	case len(name) > maxName:
		return fmt.Sprintf("has %d bytes; a path may have %d", len(name), maxName)
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > maxPart {
			return fmt.Sprintf("has a part of %d bytes; a file name may have %d", len(part), maxPart)
		}
	}
	return ""
}
