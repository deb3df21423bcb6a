package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// A Kind is a sort of configuration that a repository can hold.
type Kind string

// The kinds.
const (
	Policy  Kind = "policy"        // .tera_pilot/policy.toml, commands.json
	Hook    Kind = "hook"          // runs at events of the session
	MCP     Kind = "mcp server"    // is started or connected to
	Command Kind = "slash command" // text that becomes a message of the person
	Skill   Kind = "skill"
	Notes   Kind = "notes" // AGENTS.md and the like: text for the model
)

// An Item is one thing of a repository that would have an effect if it were
// loaded. Its members are the repository's own text: whoever shows them makes
// them visible.
type Item struct {
	Kind    Kind
	Path    string // beneath the root, with slashes
	What    string // what it would do, in one line: the argv, the address, the rule
	Hash    string // SHA-256 of the file's bytes, in hex
	Runs    bool   // starts a program or connects: left out by "trust without executables"
	Loosens bool   // lets the agent do without a question what asks otherwise
}

// key is what a yes is bound to.
func (i Item) key() string { return string(i.Kind) + "\x00" + i.Path + "\x00" + i.Hash }

// blocks says that without a word of the person a headless session must not
// begin beside this item.
func (i Item) blocks() bool { return i.Runs || i.Loosens }

// A Lister lists what a repository holds of one kind. It reads through the
// Project alone. A file that it cannot understand is listed all the same, with
// the fault in What, and Runs true where it could run something.
type Lister func(*Project) ([]Item, error)

// Bounds of an inventory.
const (
	MaxFile  = 1 << 20 // bytes of one file of configuration
	maxItems = 2000
)

// A Project reads the configuration of one repository.
type Project struct{ root *roots.Root }

// Open opens the repository at root, an absolute folder.
func Open(root string) (*Project, error) {
	r, err := roots.Open(root, roots.Options{})
	if err != nil {
		return nil, fmt.Errorf("configuration of the project: %w", err)
	}
	return &Project{r}, nil
}

// Root is the absolute folder, without links.
func (p *Project) Root() string { return p.root.Abs() }

// Close gives the folder back.
func (p *Project) Close() error { return p.root.Close() }

// Read returns the bytes of a file of at most MaxFile bytes. A file that is
// not there is fs.ErrNotExist; a link, or anything but a file, is an error
// that says so. An empty folder is nothing: while a command runs, the sandbox
// keeps names closed with them that are not there, and a crash leaves them.
func (p *Project) Read(name string) ([]byte, error) {
	dir, base, err := p.folder(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	state, err := dir.Stat(base)
	switch {
	case err != nil:
		return nil, err
	case state.Type == roots.None:
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	case state.Type == roots.Folder && dir.Empty(base):
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	data, _, err := dir.Read(base, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("%s of the project is not read: %w", name, err)
	}
	return data, nil
}

// Names lists a folder of the project, sorted. One that is not there is empty.
func (p *Project) Names(name string) ([]string, error) {
	dir, base, err := p.folder(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	state, err := dir.Stat(base)
	if err != nil || state.Type == roots.None {
		return nil, err
	}
	d, err := dir.Open(base)
	if err != nil {
		return nil, fmt.Errorf("%s of the project is not listed: %w", name, err)
	}
	defer d.Close()
	return d.Names()
}

// folder opens the folder that holds name.
func (p *Project) folder(name string) (*roots.Dir, string, error) {
	if name == "" || !fs.ValidPath(name) || name == "." {
		return nil, "", fmt.Errorf("%q is no name beneath the project", name)
	}
	dir, err := p.root.Dir(".")
	if err != nil {
		return nil, "", err
	}
	parts := strings.Split(name, "/")
	for i, part := range parts[:len(parts)-1] {
		state, err := dir.Stat(part)
		if err == nil && state.Type == roots.None {
			err = fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		var next *roots.Dir
		if err == nil {
			if next, err = dir.Open(part); err != nil {
				err = fmt.Errorf("%s of the project is not read: %w", path.Join(parts[:i+1]...), err)
			}
		}
		if closeErr := dir.Close(); err != nil {
			return nil, "", errors.Join(err, closeErr)
		}
		dir = next
	}
	return dir, parts[len(parts)-1], nil
}

// Item makes an item of a file's bytes.
func (p *Project) Item(kind Kind, name string, data []byte, what string) Item {
	return Item{Kind: kind, Path: name, What: what, Hash: roots.Hash(data)}
}

// Inventory asks every lister, and sorts what they say by path.
func (p *Project) Inventory(listers ...Lister) ([]Item, error) {
	var out []Item
	for _, list := range listers {
		items, err := list(p)
		if err != nil {
			return nil, err
		}
		out = append(out, items...)
	}
	if len(out) > maxItems {
		return nil, fmt.Errorf("the project's configuration holds %d things, and nobody could review more than %d: remove some, or start with --ignore-project-config", len(out), maxItems)
	}
	slices.SortStableFunc(out, func(a, b Item) int { return strings.Compare(a.Path+"\x00"+a.What, b.Path+"\x00"+b.What) })
	return out, nil
}
