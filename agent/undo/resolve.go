package undo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// How is what becomes of a path in conflict. The zero How leaves it as it is,
// and in conflict.
type How string

// What a person may choose for a path in conflict.
const (
	Keep How = "keep" // what is there stays, and the calls' changes count as taken back
	Old  How = "old"  // what stood there before the calls
	Text How = "text" // a text of the person's own
)

// A Resolution is the person's word on a path in conflict.
type Resolution struct {
	Path string
	How  How
	Text []byte // with Text
	Now  string // Sides.Mark of what the person looked at; "" for whatever is there
}

// A MovedError says that a path is not what the person looked at.
type MovedError struct{ Path string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("%q was changed again since you looked at it: nothing was done, look again", e.Path)
}

// Sides are the three sides of a conflict.
type Sides struct {
	Old, Agent, Now Side
	Calls           []string // whose changes of the path would be taken back, newest first
	Mark            string   // stands for Now, whole
	Can             []How
	Merged          []byte // with Text: all three in one, with marks where they do not fit together
}

// A Side is one state of the path. Data is its content; nil where it is no
// file, or none that was kept.
type Side struct {
	Entry
	Data []byte
}

// Sides looks at the three sides of a path that the selection leaves in
// conflict.
func (s *Store) Sides(sel Selection, p Place, path string) (Sides, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out Sides
	sel.Resolve = nil
	picks, _, err := s.choose(sel)
	if err != nil {
		return out, err
	}
	now, data, err := p.Look(path)
	if err != nil {
		return out, fmt.Errorf("%s: %w", path, err)
	}
	out.Now, out.Mark = Side{now, data}, now.mark()
	for _, k := range picks {
		if string(k.c.Path) != path {
			continue
		}
		if len(out.Calls) == 0 {
			out.Agent.Entry = k.c.After
		}
		out.Old.Entry = k.c.Before
		out.Calls = append(out.Calls, k.r.ID)
	}
	if len(out.Calls) == 0 {
		return out, notInConflict(path)
	}
	s.fillIn(path, &out.Old)
	s.fillIn(path, &out.Agent)
	out.Can = []How{Keep}
	sel.Resolve = []Resolution{{Path: path, How: Old}}
	if plan, err := s.plan(sel, p); err == nil && !slices.ContainsFunc(plan.Conflicts, func(c Conflict) bool { return c.Path == path }) {
		out.Can = append(out.Can, Old)
	}
	if out.textual() {
		out.Can = append(out.Can, Text)
		out.Merged = merged3(out.Agent.Data, out.Now.Data, out.Old.Data)
	}
	return out, nil
}

// fillIn reads the content of a side, where it was kept.
func (s *Store) fillIn(path string, x *Side) {
	if x.Type == File && x.SHA256 != "" && s.blobs.has(x.SHA256) {
		x.Data, _ = s.blobs.load(path, x.SHA256) // what cannot be read is as good as not kept
	}
}

// textual says that a text of the person's could stand in the place of what is
// there: what is there is text and could be kept, and what was there is text.
func (x Sides) textual() bool {
	return x.Now.Type == File && x.Now.Left == "" && isText(x.Now.Data) && x.Old.Type == File && x.Old.Data != nil && isText(x.Old.Data) && isText(x.Agent.Data)
}

// mark stands for an entry, whole: a Resolution names what it was made for.
func (e Entry) mark() string {
	b, err := json.Marshal(e)
	if err != nil {
		panic("undo: an entry does not encode: " + err.Error())
	}
	sum := sha256.Sum256(append([]byte("tera-pilot/undo/now/1\n"), b...))
	return hex.EncodeToString(sum[:16])
}

func notInConflict(path string) error {
	return fmt.Errorf("%q is not in conflict: it can be undone as it is, or nothing chosen changed it", path)
}

// resolve lays the person's words on the conflicts of a plan. What is in no
// conflict has nothing to be resolved.
func (b *builder) resolve(all []Resolution, conflicts []Conflict) error {
	b.words = map[string]*word{}
	for _, r := range all {
		if !slices.ContainsFunc(conflicts, func(c Conflict) bool { return c.Path == r.Path }) {
			return notInConflict(r.Path)
		}
		if b.words[r.Path] != nil {
			return fmt.Errorf("%q is resolved twice", r.Path)
		}
		b.words[r.Path] = &word{Resolution: r}
	}
	return nil
}

// A word is a Resolution with what it is about.
type word struct {
	Resolution
	agent, old Entry
	of         []string
}

// heard notes a change of a path that the person has a word on; the newest
// comes first.
func (w *word) heard(k pick) {
	if len(w.of) == 0 {
		w.agent = k.c.After
	}
	w.old = k.c.Before
	w.of = append(w.of, k.r.ID)
}

// say makes the words the aims of their paths.
func (b *builder) say() error {
	for _, t := range b.sorted() {
		w := b.words[t.path]
		if w == nil {
			continue
		}
		if w.Now != "" && w.Now != t.now.mark() {
			return &MovedError{t.path}
		}
		t.of, t.conflict = w.of, ""
		var err error
		switch w.How {
		case Keep:
			t.kept = true
		case Old:
			if err = keepable(t); err == nil {
				err = b.set(t, w.old)
			}
		case Text:
			err = w.write(t)
		default:
			err = fmt.Errorf("%q is no way to resolve a conflict", w.How)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
		if t.conflict == "" && same(t.now, t.to) {
			t.kept = true
		}
	}
	return nil
}

// keepable says why what is there could not be kept, and so is not replaced.
func keepable(t *target) error {
	switch {
	case t.now.Type == Special:
		return errors.New("what is there now is neither a file nor a folder, and is not replaced: move it away first")
	case t.now.Left != "":
		return fmt.Errorf("what is there now could not be kept (%s), and is not replaced: move it away first", t.now.Left)
	}
	return nil
}

// write makes the person's text the aim. Its mode is the one that is there,
// unless the calls changed it.
func (w *word) write(t *target) error {
	switch {
	case t.now.Type != File || w.old.Type != File:
		return errors.New("a text can only stand in the place of a file that was a file before")
	case !isText(w.Text) || !isText(t.was):
		return errors.New("this is not text, so it cannot be merged: keep what is there, or take the old one")
	}
	if err := keepable(t); err != nil {
		return err
	}
	if n := markedAt(w.Text, t.was); n > 0 {
		return fmt.Errorf("line %d of the text is still a conflict mark: nothing was changed", n)
	}
	t.to = Entry{Type: File, Mode: t.now.Mode, Size: int64(len(w.Text)), SHA256: hashOf(w.Text)}
	if t.now.Mode == w.agent.Mode {
		t.to.Mode = w.old.Mode
	}
	t.data = w.Text
	return nil
}

// The marks of a merged text, each a line of its own.
const (
	markMine = "<<<<<<< what is there now"
	markBase = "||||||| what the agent wrote"
	markCut  = "======="
	markOld  = ">>>>>>> what was there before the agent"
)

// markedAt is the first line, from 1 on, that is a mark of ours and does not
// stand in what was there; 0 for none. The line between the two sides alone is
// none: it is a heading in many a text.
func markedAt(text, was []byte) int {
	before := map[string]bool{}
	for _, l := range lines(was) {
		before[strings.TrimRight(l, "\r\n")] = true
	}
	for i, l := range lines(text) {
		switch l = strings.TrimRight(l, "\r\n"); l {
		case markMine, markBase, markOld:
			if !before[l] {
				return i + 1
			}
		}
	}
	return 0
}

// merged3 takes the step from base to theirs within mine, as far as the two
// touch other lines; where they touch the same ones it shows all three.
func merged3(base, mine, theirs []byte) []byte {
	b, m, o := lines(base), lines(mine), lines(theirs)
	ours, ok1 := hunksOf(b, m)
	others, ok2 := hunksOf(b, o)
	var out bytes.Buffer
	if !ok1 || !ok2 {
		clash(&out, b, m, o)
		return out.Bytes()
	}
	at := 0
	for len(ours)+len(others) > 0 {
		from, to, mineIn, theirsIn := cluster(&ours, &others)
		write(&out, b[at:from])
		left, right := put(b, from, to, mineIn), put(b, from, to, theirsIn)
		switch {
		case len(theirsIn) == 0 || slices.Equal(left, right):
			write(&out, left)
		case len(mineIn) == 0:
			write(&out, right)
		default:
			clash(&out, b[from:to], left, right)
		}
		at = to
	}
	write(&out, b[at:])
	return out.Bytes()
}

// cluster takes the next hunks that touch one another off both rows.
func cluster(ours, others *[]hunk) (from, to int, mine, theirs []hunk) {
	take := func(row *[]hunk, into *[]hunk) {
		h := (*row)[0]
		*row, *into = (*row)[1:], append(*into, h)
		to = max(to, h.to)
	}
	if len(*others) == 0 || len(*ours) > 0 && (*ours)[0].from <= (*others)[0].from {
		from, to = (*ours)[0].from, (*ours)[0].to
		take(ours, &mine)
	} else {
		from, to = (*others)[0].from, (*others)[0].to
		take(others, &theirs)
	}
	for {
		switch {
		case len(*ours) > 0 && (*ours)[0].from <= to:
			take(ours, &mine)
		case len(*others) > 0 && (*others)[0].from <= to:
			take(others, &theirs)
		default:
			return from, to, mine, theirs
		}
	}
}

// put is what a side made of the lines from..to of the base.
func put(base []string, from, to int, row []hunk) (out []string) {
	for _, h := range row {
		out = append(out, base[from:h.from]...)
		out = append(out, h.put...)
		from = h.to
	}
	return append(out, base[from:to]...)
}

// clash shows three sides of the same lines, each mark on a line of its own.
func clash(out *bytes.Buffer, base, mine, theirs []string) {
	end := "\n"
	for _, side := range [][]string{mine, base, theirs} {
		if len(side) > 0 && strings.HasSuffix(side[0], "\r\n") {
			end = "\r\n"
			break
		}
	}
	side := func(mark string, rows []string) {
		out.WriteString(mark + end)
		write(out, rows)
		if n := len(rows); n > 0 && !strings.HasSuffix(rows[n-1], "\n") {
			out.WriteString(end)
		}
	}
	side(markMine, mine)
	side(markBase, base)
	side(markCut, theirs)
	out.WriteString(markOld + end)
}
