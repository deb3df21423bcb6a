package undo

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// target is a path on its way back.
type target struct {
	path     string
	now, to  Entry
	was      []byte // content of now
	data     []byte // content of to, where it is known
	of       []string
	merged   bool
	kept     bool // it stays as it is, and that settles the calls' changes
	conflict string
	mkdir    bool // a folder that must be there for others
}

type builder struct {
	s     *Store
	place Place
	at    map[string]*target
	named string // the person named this very path
	words map[string]*word
}

func (b *builder) target(p string) (*target, error) {
	if t, ok := b.at[p]; ok {
		return t, nil
	}
	now, data, err := b.place.Look(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	t := &target{path: p, now: now, to: now, was: data, data: data}
	b.at[p] = t
	return t, nil
}

// back takes one change back on top of those after it.
func (b *builder) back(k pick) error {
	t, err := b.target(string(k.c.Path))
	if err != nil {
		return err
	}
	c := k.c
	if w := b.words[t.path]; w != nil {
		w.heard(k)
		return nil
	}
	switch {
	case t.conflict != "":
		return nil
	case c.Keeps(): // a choice to keep, which is taken back: nothing is written
		t.of, t.kept = append(t.of, k.r.ID), true
		return nil
	case c.Unsure && b.named != t.path:
		t.conflict = "the program ended in the middle of this call, so nobody knows who changed it: name the path to put it back"
		return nil
	case same(t.to, c.After) && c.After.Type == Special && len(k.r.Left) > 0:
		// What the call took away could be this very thing, under another name.
		t.conflict = "it is neither a file nor a folder, and could not be brought back under the name that it had: move it yourself"
		return nil
	case same(t.to, c.After):
		t.of = append(t.of, k.r.ID)
		return b.set(t, c.Before)
	case same(t.to, c.Before):
		t.of = append(t.of, k.r.ID)
		return nil
	}
	return b.merge(t, k)
}

// set makes the state before a change the aim, with its content at hand.
func (b *builder) set(t *target, e Entry) error {
	t.to, t.data = e, nil
	switch {
	case e.Type != File:
		return nil
	case e.SHA256 == "":
		t.conflict = "what it held was not kept"
		return nil
	case e.SHA256 == t.now.SHA256:
		t.data = t.was
		return nil
	}
	data, err := b.s.blobs.load(t.path, e.SHA256)
	t.data = data
	return err
}

// merge takes a change back where somebody else changed the path since.
func (b *builder) merge(t *target, k pick) error {
	c := k.c
	if t.to.Type != c.After.Type || t.to.Type != c.Before.Type || t.to.Type != File && t.to.Type != Folder {
		t.conflict = foreign(t.to, c)
		return nil
	}
	to, data := t.to, t.data
	if t.to.Mode == c.After.Mode {
		to.Mode = c.Before.Mode
	}
	if t.to.Type == File && t.to.SHA256 != c.Before.SHA256 && !sameContent(c.Before, c.After) {
		var ok bool
		var err error
		if data, ok, err = b.mergeText(t, c); err != nil {
			return err
		}
		if !ok {
			t.conflict = foreign(t.to, c)
			return nil
		}
		to.SHA256, to.Size = hashOf(data), int64(len(data))
	}
	t.to, t.data, t.merged = to, data, true
	t.of = append(t.of, k.r.ID)
	return nil
}

func (b *builder) mergeText(t *target, c Change) ([]byte, bool, error) {
	if t.to.SHA256 == "" || t.data == nil || c.After.SHA256 == "" || c.Before.SHA256 == "" || !b.s.blobs.has(c.After.SHA256) {
		return nil, false, nil
	}
	if t.to.SHA256 == c.After.SHA256 { // only the mode is another one
		data, err := b.s.blobs.load(t.path, c.Before.SHA256)
		return data, err == nil, err
	}
	base, err := b.s.blobs.load(t.path, c.After.SHA256)
	if err != nil {
		return nil, false, err
	}
	theirs, err := b.s.blobs.load(t.path, c.Before.SHA256)
	if err != nil {
		return nil, false, err
	}
	out, ok := merge3(base, t.data, theirs)
	return out, ok, nil
}

// foreign says in words what somebody else made of a path.
func foreign(now Entry, c Change) string {
	switch {
	case now.Type == None:
		return "was removed after the call"
	case c.After.Type == None:
		return "is there again (a " + string(now.Type) + "), made by somebody else"
	case now.Type != c.After.Type:
		return "is a " + string(now.Type) + " now"
	case now.Left != "":
		return "was changed after the call, and cannot be compared: " + now.Left
	default:
		return "was changed after the call, in the same place"
	}
}

// parents adds the folders that things come back into, and finds those that
// are something else now.
func (b *builder) parents() error {
	for _, t := range b.sorted() {
		if t.conflict != "" || t.to.Type == None || same(t.now, t.to) {
			continue
		}
		for dir := path.Dir(t.path); dir != "."; dir = path.Dir(dir) {
			d, err := b.target(dir)
			if err != nil {
				return err
			}
			if d.conflict != "" && d.now.Type != Folder || d.to.Type != None && d.to.Type != Folder {
				t.conflict = dir + " is a " + string(d.now.Type) + " now, and no folder"
				break
			}
			if d.conflict == "" && d.to.Type == None {
				d.to, d.mkdir = Entry{Type: Folder, Mode: b.s.folderMode(dir)}, true
			}
		}
	}
	return nil
}

// folderMode is the mode that a folder last had.
func (s *Store) folderMode(dir string) uint32 {
	for i := len(s.records) - 1; i >= 0; i-- {
		for _, c := range s.records[i].Changes {
			if string(c.Path) == dir && c.Before.Type == Folder {
				return c.Before.Mode
			}
		}
	}
	if n, ok := s.tree[dir]; ok && n.Type == Folder {
		return n.Mode
	}
	return 0o755
}

// folders keeps those that would go and hold something that stays.
func (b *builder) folders(plan *Plan) error {
	all := b.sorted()
	slices.Reverse(all) // the deepest first
	for _, t := range all {
		if t.conflict != "" || t.now.Type != Folder || t.to.Type == Folder {
			continue
		}
		names, err := b.place.Names(t.path)
		if err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
		for _, n := range names {
			in, ok := b.at[path.Join(t.path, n)]
			if ok && in.conflict == "" && in.to.Type == None {
				continue
			}
			if t.to.Type != None {
				t.conflict = "is a folder now that holds " + n
			} else {
				plan.Kept = append(plan.Kept, t.path+" stays, since it holds "+n)
				t.to, t.of = t.now, nil
			}
			break
		}
	}
	return nil
}

func (b *builder) sorted() []*target {
	out := make([]*target, 0, len(b.at))
	for _, t := range b.at {
		out = append(out, t)
	}
	slices.SortFunc(out, func(x, y *target) int { return strings.Compare(x.path, y.path) })
	return out
}

// result lists the steps: what goes away, the deepest first, then what comes
// back, the folders first.
func (b *builder) result(plan *Plan) {
	all := b.sorted()
	var gone, back []Step
	for _, t := range all {
		if t.conflict != "" {
			plan.Conflicts = append(plan.Conflicts, Conflict{t.path, t.conflict})
			continue
		}
		if same(t.now, t.to) && !t.kept || len(t.of) == 0 && !t.mkdir {
			continue
		}
		s := Step{Keeps: t.kept && same(t.now, t.to), Path: t.path, From: t.now, To: t.to, Was: t.was, Data: t.data, Of: t.of, Merged: t.merged}
		if t.to.Type == None {
			gone = append(gone, s)
		} else {
			back = append(back, s)
		}
	}
	slices.Reverse(gone)
	plan.Steps = append(gone, back...)
}
