package undo

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Selection says which changes are to be taken back. The zero Selection is
// the last turn that changed anything.
type Selection struct {
	Call string
	Down bool // with Call: that call and all after it
	Turn int
	Path string // only there and below; alone: in the whole session
	All  bool

	Resolve []Resolution // the person's word on what is in conflict
}

// A Plan is what would put the chosen changes back, in the order in which it is
// to be done.
type Plan struct {
	Calls     []string // whose changes are taken back, newest first
	Steps     []Step
	Conflicts []Conflict
	Kept      []string // folders that the calls made and that hold something else now
	Left      []string // what the calls touched and was never kept, one line each
}

// A Step changes one path from what is there to what was there.
type Step struct {
	Path   string
	From   Entry
	To     Entry
	Was    []byte   // content of From, where it is a file that was looked at
	Data   []byte   // content of To, where it is a file
	Of     []string // the calls whose change of this path it takes back
	Merged bool     // somebody else's changes stay in it
	Keeps  bool     // what is there stays; the calls' changes of it count as taken back
}

// A Conflict is a path that is left as it is, unless the person resolves it.
type Conflict struct{ Path, Why string }

// ErrNothing says that the selection holds no change that could be taken back.
var ErrNothing = errors.New("nothing to undo in this session: no call chosen changed a file that has not been put back already (another session: `tera-pilot sessions list`, then `tera-pilot undo --session ID`)")

// pick is one change of the selection.
type pick struct {
	r *Record
	c Change
}

// Plan plans to take the selection back in the workspace as it is now.
func (s *Store) Plan(sel Selection, p Place) (Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plan(sel, p)
}

func (s *Store) plan(sel Selection, p Place) (Plan, error) {
	picks, left, err := s.choose(sel)
	if err != nil {
		return Plan{}, err
	}
	b := builder{s: s, place: p, at: map[string]*target{}, named: sel.Path}
	if words := sel.Resolve; len(words) > 0 {
		sel.Resolve = nil
		plain, err := s.plan(sel, p)
		if err != nil {
			return Plan{}, err
		}
		if err := b.resolve(words, plain.Conflicts); err != nil {
			return Plan{}, err
		}
	}
	plan := Plan{Left: left}
	for _, k := range picks {
		if !slices.Contains(plan.Calls, k.r.ID) {
			plan.Calls = append(plan.Calls, k.r.ID)
		}
		if err := b.back(k); err != nil {
			return Plan{}, err
		}
	}
	if err := b.say(); err != nil {
		return Plan{}, err
	}
	if err := b.parents(); err != nil {
		return Plan{}, err
	}
	if err := b.folders(&plan); err != nil {
		return Plan{}, err
	}
	b.result(&plan)
	return plan, nil
}

// choose lists the changes of a selection, the newest first.
func (s *Store) choose(sel Selection) (picks []pick, left []string, err error) {
	from, to, err := s.span(sel)
	if err != nil {
		return nil, nil, err
	}
	for i := to; i >= from; i-- {
		r := s.records[i]
		if r.open || len(r.Of) > 0 && r.ID != sel.Call || sel.Turn != 0 && r.Turn != sel.Turn {
			continue
		}
		for _, c := range r.Changes {
			if !s.undone[pair{r.ID, string(c.Path)}] && below(string(c.Path), sel.Path) {
				picks = append(picks, pick{r, c})
			}
		}
		if sel.Path == "" {
			left = append(left, r.Left...)
		}
	}
	if len(picks) == 0 && len(left) == 0 {
		return nil, nil, ErrNothing
	}
	return picks, left, nil
}

// span is the first and the last record of a selection.
func (s *Store) span(sel Selection) (from, to int, err error) {
	last := len(s.records) - 1
	switch {
	case sel.Call != "":
		for i, r := range s.records {
			if r.ID == sel.Call && sel.Down {
				return i, last, nil
			}
			if r.ID == sel.Call {
				return i, i, nil
			}
		}
		return 0, 0, fmt.Errorf("no call %q of this session changed anything", sel.Call)
	case sel.Turn != 0, sel.All, sel.Path != "":
		return 0, last, nil
	}
	for i := last; i >= 0; i-- {
		r := s.records[i]
		if r.open || len(r.Of) > 0 || !s.live(r) {
			continue
		}
		first := i
		for first > 0 && s.records[first-1].Turn == r.Turn {
			first--
		}
		return first, i, nil
	}
	return 0, 0, ErrNothing
}

// live says that something of a call could still be taken back.
func (s *Store) live(r *Record) bool {
	return slices.ContainsFunc(r.Changes, func(c Change) bool { return !s.undone[pair{r.ID, string(c.Path)}] })
}

func below(p, top string) bool {
	return top == "" || top == "." || p == top || strings.HasPrefix(p, top+"/")
}

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

// Changes are what a plan would do, as Begin takes it: with the content that it
// would overwrite.
func (p Plan) Changes() (planned []Change, data map[string][]byte) {
	data = map[string][]byte{}
	for _, s := range p.Steps {
		planned = append(planned, Change{Path: name(s.Path), Before: s.From, After: s.To, Of: s.Of})
		if s.Was != nil || s.From.Type == File && s.From.Size == 0 {
			data[s.Path] = s.Was
		}
	}
	return planned, data
}
