package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/internal/roots"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// A Store keeps what the person let in: project_trust.json of our state
// folder, 0600.
type Store struct{ file string }

// NewStore is the store of a state folder. Nothing is opened.
func NewStore(state string) *Store { return &Store{filepath.Join(state, "project_trust.json")} }

// File is where the store lies.
func (s *Store) File() string { return s.file }

// storeVersion marks the form; the original's file has no such member, and its
// entries, which loosened a list that does not exist here, count as none.
const storeVersion = 1

type document struct {
	V        int                 `json:"v"`
	Projects map[string]*project `json:"projects"` // by absolute root, without links
}

type project struct {
	At    time.Time `json:"at"`
	Items []entry   `json:"items"`
}

// An entry is one item that the person looked at.
type entry struct {
	Kind Kind   `json:"kind"`
	Path string `json:"path"`
	Hash string `json:"sha256"`
	Let  bool   `json:"let_in"` // false: looked at, and left out
	Text string `json:"text,omitempty"`
}

// maxKept is the longest text that is kept to show later what changed.
const maxKept = 64 << 10

func (s *Store) load() (document, error) {
	data, err := statedir.Read(s.file, true)
	if err != nil {
		return document{}, err
	}
	return parse(data, s.file)
}

func parse(data []byte, name string) (document, error) {
	none := document{V: storeVersion, Projects: map[string]*project{}}
	if len(bytes.TrimSpace(data)) == 0 {
		return none, nil
	}
	var version struct {
		V *int `json:"v"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return document{}, fmt.Errorf("%s is not readable (%w): move it away, and every project is asked about again", name, err)
	}
	if version.V == nil {
		return none, nil // the original's
	}
	if *version.V != storeVersion {
		return document{}, fmt.Errorf("%s has the version %d, and this program reads %d: use a newer one, or move it away", name, *version.V, storeVersion)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	doc := none
	if err := d.Decode(&doc); err != nil {
		return document{}, fmt.Errorf("%s: %w: move it away, and every project is asked about again", name, err)
	}
	if doc.Projects == nil {
		doc.Projects = map[string]*project{}
	}
	return doc, nil
}

// Standing is how the person's word fits what the project holds now.
type Standing struct {
	Root  string
	Items []Item
	New   []Item            // nobody looked at these very bytes yet
	Was   map[string]string // by path: the text that was let in before, where it was kept
	Now   map[string]string // by path: the text of what is New, where it is short and text
	Grant Grant
}

// Nothing says that the project holds nothing that would have an effect.
func (s Standing) Nothing() bool { return len(s.Items) == 0 }

// Asks says that the person has to look before the session.
func (s Standing) Asks() bool { return len(s.New) > 0 }

// Digest binds a word to everything that was looked at, in hex.
func (s Standing) Digest() string {
	var b strings.Builder
	for _, i := range s.Items {
		fmt.Fprintf(&b, "%q %q %q %q %t %t\n", i.Kind, i.Path, i.What, i.Hash, i.Runs, i.Loosens)
	}
	return roots.Hash([]byte("tera-pilot/trust/1\n" + b.String()))
}

// Blocks lists what keeps a session from beginning where nobody can be asked.
func (s Standing) Blocks() []Item {
	return slices.DeleteFunc(slices.Clone(s.New), func(i Item) bool { return !i.blocks() })
}

// Look compares the project with the person's word.
func (s *Store) Look(p *Project, listers ...Lister) (Standing, error) {
	items, err := p.Inventory(listers...)
	if err != nil {
		return Standing{}, err
	}
	out := Standing{Root: p.Root(), Items: items, Was: map[string]string{}, Now: map[string]string{}}
	if len(items) == 0 {
		return out, nil
	}
	doc, err := s.load()
	if err != nil {
		return Standing{}, err
	}
	seen, let := map[string]bool{}, map[string]bool{}
	if known := doc.Projects[out.Root]; known != nil {
		for _, e := range known.Items {
			key := Item{Kind: e.Kind, Path: e.Path, Hash: e.Hash}.key()
			seen[key], let[key] = true, e.Let
			if e.Text != "" {
				out.Was[e.Path] = e.Text
			}
		}
	}
	for _, i := range items {
		if !seen[i.key()] {
			out.New = append(out.New, i)
			out.Now[i.Path] = p.text(i)
		}
	}
	out.Grant = Grant{root: out.Root, let: let}
	return out, nil
}

// Choice is the person's word on a project. The zero value lets nothing in.
type Choice uint8

// The choices.
const (
	No                Choice = iota // load none of it; ask again next time
	WithoutExecutable               // what neither runs nor connects
	All
)

// Record keeps the person's word on the items of a standing, exactly as they
// were looked at, and returns what it lets in. A No keeps nothing, and takes an
// earlier word back.
func (s *Store) Record(st Standing, p *Project, c Choice, now time.Time) (Grant, error) {
	entries, let := []entry{}, map[string]bool{}
	for _, i := range st.Items {
		ok := c == All || c == WithoutExecutable && !i.Runs
		// Two items of one file are one content: let in only when both are.
		if was, twice := let[i.key()]; twice {
			ok = ok && was
		}
		let[i.key()] = ok
	}
	done := map[string]bool{}
	for _, i := range st.Items {
		if !done[i.key()] {
			done[i.key()] = true
			entries = append(entries, entry{Kind: i.Kind, Path: i.Path, Hash: i.Hash, Let: let[i.key()], Text: p.text(i)})
		}
	}
	err := statedir.Update(s.file, func(old []byte) ([]byte, error) {
		doc, err := parse(old, s.file)
		if err != nil {
			return nil, err
		}
		if delete(doc.Projects, st.Root); c != No {
			doc.Projects[st.Root] = &project{At: now.UTC().Truncate(time.Second), Items: entries}
		}
		return json.MarshalIndent(doc, "", "  ")
	})
	if err != nil || c == No {
		return Grant{}, err
	}
	return Grant{root: st.Root, let: let}, nil
}

// text is the content of an item, to show later what changed; "" where it is
// not what was looked at, is long, or is no text.
func (p *Project) text(i Item) string {
	data, err := p.Read(i.Path)
	if err != nil || len(data) > maxKept || roots.Hash(data) != i.Hash || !utf8.Valid(data) {
		return ""
	}
	return string(data)
}

// Forget takes the person's word on a project back. It says whether there was
// one.
func (s *Store) Forget(root string) (bool, error) {
	found := false
	err := statedir.Update(s.file, func(old []byte) ([]byte, error) {
		doc, err := parse(old, s.file)
		if err != nil {
			return nil, err
		}
		_, found = doc.Projects[root]
		delete(doc.Projects, root)
		return json.MarshalIndent(doc, "", "  ")
	})
	return found, err
}

// Known lists the projects that the person spoke about, sorted.
func (s *Store) Known() ([]string, error) {
	doc, err := s.load()
	if err != nil {
		return nil, err
	}
	var out []string
	for root := range doc.Projects {
		out = append(out, root)
	}
	slices.Sort(out)
	return out, nil
}

// A Grant is what the person let in of one project. The zero Grant is nothing.
type Grant struct {
	root string
	let  map[string]bool
}

// Permits says that the person let in just this item, with these bytes.
func (g Grant) Permits(i Item) bool { return g.let[i.key()] }

// ErrNotLetIn says that the person did not let a file in as it is now.
var ErrNotLetIn = errors.New("is not what you trusted: start the session again to look at it")

// Read returns the bytes of a file of the project, if the person let in just
// these as this kind.
func (g Grant) Read(p *Project, kind Kind, name string) ([]byte, error) {
	data, err := p.Read(name)
	if err != nil {
		return nil, err
	}
	if p.Root() != g.root || !g.Permits(Item{Kind: kind, Path: name, Hash: roots.Hash(data)}) {
		return nil, fmt.Errorf("%s %w", name, ErrNotLetIn)
	}
	return data, nil
}
