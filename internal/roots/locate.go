package roots

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A Place is where a name leads, with every link but a last one resolved.
type Place struct {
	Name    string // beneath the root, "." for the root itself; "" when Outside
	Abs     string
	Outside bool
	State          // what is there; Type None when nothing is
	Target  string // where a last link leads in the end: a name as Locate takes it; "" when it leads nowhere
	Through []ID   // the folders beneath the root that lead there, the root's own first
	Asked   string // the name as it was given, absolute and clean, links not resolved
}

// maxLinks is how many links a name may lead through (path_resolution(7)).
const maxLinks = 40

// A LoopError says that a name leads through too many links.
type LoopError struct{ Name string }

func (e *LoopError) Error() string {
	return fmt.Sprintf("%q leads through too many links", short(e.Name))
}

// A ClosedError says that a name leads into a folder that is closed to names.
type ClosedError struct{ Name, Folder string }

func (e *ClosedError) Error() string {
	return fmt.Sprintf("%q leads into %s, which is closed to tools", short(e.Name), e.Folder)
}

// Locate finds out where a name leads: relative to the root, absolute, or
// beneath the home folder with ~. It looks and opens nothing. What it finds
// can change at once: acts compare it again.
func (r *Root) Locate(name string) (Place, error) {
	given := name
	if why := badName(name); why != "" {
		return Place{}, &NameError{name, why}
	}
	if name == "~" || strings.HasPrefix(name, "~/") {
		if r.opts.Home == "" {
			return Place{}, &NameError{name, "begins with ~, and there is no home folder"}
		}
		name = r.opts.Home + name[1:]
	}
	w := walk{root: r, given: given, abs: r.abs, rel: ".", through: []ID{r.id}}
	if path.IsAbs(name) {
		w.toTop()
	}
	p, err := w.run(name)
	if err != nil {
		return Place{}, err
	}
	if p.Asked = name; !path.IsAbs(name) {
		p.Asked = r.abs + "/" + name
	}
	p.Asked = path.Clean(p.Asked)
	return p, nil
}

// Spell writes a name beneath a root so that Locate reads it as just that.
func Spell(name string) string {
	if strings.HasPrefix(name, "~") || strings.HasPrefix(name, "@") {
		return "./" + name
	}
	return name
}

// A walk is the resolution of one name, component by component as the kernel
// does it (path_resolution(7)): abs never holds a link.
type walk struct {
	root    *Root
	given   string
	abs     string
	rel     string // beneath the root, "" outside
	through []ID
	links   int
}

func (w *walk) toTop() { w.abs, w.rel, w.through = "/", "", nil }

func (w *walk) up() {
	w.abs = path.Dir(w.abs)
	switch w.rel {
	case "":
	case ".":
		w.rel, w.through = "", nil
	default:
		w.rel, w.through = path.Dir(w.rel), w.through[:len(w.through)-1]
	}
}

// down enters a folder that is no link.
func (w *walk) down(part string, id ID) {
	w.abs = path.Join(w.abs, part)
	switch {
	case w.rel != "":
		w.rel, w.through = path.Join(w.rel, part), append(w.through, id)
	case id == w.root.id:
		w.rel, w.through = ".", []ID{id}
	}
}

func (w *walk) run(name string) (Place, error) {
	parts := strings.Split(name, "/")
	for i := 0; i < len(parts); i++ {
		part, last := parts[i], i == len(parts)-1
		switch part {
		case "", ".":
			continue
		case "..":
			w.up()
			continue
		}
		abs := path.Join(w.abs, part)
		s, err := lstat(abs)
		if err != nil {
			return Place{}, err
		}
		if err := w.closed(abs, s); err != nil {
			return Place{}, err
		}
		switch {
		case s.Type == None:
			return w.missing(parts[i:])
		case s.Type == Folder:
			w.down(part, s.ID)
		case s.Type == Link && last:
			return w.link(part, abs, s), nil
		case s.Type == Link:
			rest, err := w.follow(abs, parts[i+1:])
			if err != nil {
				return Place{}, err
			}
			parts, i = rest, -1
		case last:
			return w.place(part, s), nil
		default:
			return Place{}, &NameError{w.given, "leads through " + abs + ", which is " + s.Type.String() + " and no folder"}
		}
	}
	s, err := lstat(w.abs)
	if err != nil {
		return Place{}, err
	}
	if err := w.closed(w.abs, s); err != nil {
		return Place{}, err
	}
	return w.place("", s), nil
}

// follow puts a link's text in the place of the link.
func (w *walk) follow(abs string, rest []string) ([]string, error) {
	if w.links++; w.links > maxLinks {
		return nil, &LoopError{w.given}
	}
	text, err := os.Readlink(abs)
	if err != nil {
		return nil, err
	}
	if path.IsAbs(text) {
		w.toTop()
	}
	return append(strings.Split(text, "/"), rest...), nil
}

// place is the end of the way: a thing in the present folder, or the folder
// itself for the part "".
func (w *walk) place(part string, s State) Place {
	p := Place{Abs: path.Join(w.abs, part), State: s, Through: w.through, Outside: w.rel == ""}
	if !p.Outside {
		p.Name = path.Join(w.rel, part)
		p.Abs = w.root.Join(p.Name)
	}
	return p
}

// link ends at a link, and says where it leads in the end.
func (w *walk) link(part, abs string, s State) Place {
	p := w.place(part, s)
	on := *w
	on.through = slices.Clone(w.through)
	rest, err := on.follow(abs, nil)
	if err != nil {
		return p // it leads nowhere, which Target "" says
	}
	end, err := on.run(strings.Join(rest, "/"))
	switch {
	case err != nil:
	case end.Type == Link:
		p.Target = end.Target
	default:
		p.Target = end.spelled()
	}
	return p
}

func (p Place) spelled() string {
	if p.Outside {
		return p.Abs
	}
	return Spell(p.Name)
}

// missing ends at a name that is not there. What follows it must be new names.
func (w *walk) missing(parts []string) (Place, error) {
	var clean []string
	for _, part := range parts {
		switch part {
		case "", ".":
		case "..":
			return Place{}, &NameError{w.given, fmt.Sprintf("goes up from %q, which does not exist", clean[len(clean)-1])}
		default:
			clean = append(clean, part)
		}
	}
	p := w.place(path.Join(clean...), State{})
	return p, w.closed(p.Abs, p.State)
}

// closed refuses what leads into a closed folder, by name and by identity.
func (w *walk) closed(abs string, s State) error {
	for _, folder := range w.root.opts.Closed {
		if abs == folder || strings.HasPrefix(abs, folder+"/") || s.Type == Folder && s.ID == idOf(folder) {
			return &ClosedError{w.given, folder}
		}
	}
	return nil
}

// idOf is the identity of what a name leads to, the zero ID for nothing.
func idOf(abs string) ID {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Stat(abs, &st) }); err != nil {
		return ID{}
	}
	return stateOf(&st).ID
}

// lstat looks at an absolute name whose folders are no links.
func lstat(abs string) (State, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Lstat(abs, &st) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return State{}, nil
	case err != nil:
		return State{}, &fs.PathError{Op: "stat", Path: abs, Err: err}
	}
	return stateOf(&st), nil
}
