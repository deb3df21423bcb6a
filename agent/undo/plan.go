package undo

import (
	"errors"
	"fmt"
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
