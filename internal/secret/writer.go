package secret

import (
	"fmt"
	"io"
	"slices"
)

// A Writer masks the secrets in what is written to it, wherever the text is
// cut. Close writes what it held back.
type Writer struct {
	r      *Redactor
	dst    io.Writer
	buf    []byte // not yet decided, behind the context
	before int    // bytes of context at the beginning of buf
	eat    func(byte) bool
}

// Writer gives a Writer that writes to dst.
func (r *Redactor) Writer(dst io.Writer) *Writer { return &Writer{r: r, dst: dst} }

// Write takes the next piece of text.
func (w *Writer) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	return len(p), w.drain(false)
}

// Close writes the rest. It does not close what lies behind.
func (w *Writer) Close() error { return w.drain(true) }

// drain writes what is decided.
func (w *Writer) drain(final bool) error {
	for {
		eating := w.eat != nil
		found, cut := w.scan(final)
		from := w.before
		for _, m := range found {
			if _, err := w.dst.Write(w.buf[from:m.Start]); err != nil {
				return err
			}
			if m.secret != "" {
				if _, err := io.WriteString(w.dst, w.r.token(m.secret)); err != nil {
					return err
				}
			}
			from = m.End
		}
		if _, err := w.dst.Write(w.buf[from:cut]); err != nil {
			return err
		}
		w.advance(cut)
		if len(w.buf) == w.before || !eating && w.eat == nil {
			return nil
		}
	}
}

// advance forgets the buffer up to cut, but for the context.
func (w *Writer) advance(cut int) {
	keep := max(0, cut-context)
	w.buf = w.buf[keep:]
	w.before = cut - keep
}

// scan finds the secrets in the buffer that are decided, and how far everything
// is. When nothing follows, final, all is decided.
func (w *Writer) scan(final bool) (found []Match, cut int) {
	b := w.buf
	if w.eat != nil {
		end := w.before
		for end < len(b) && w.eat(b[end]) {
			end++
		}
		if end < len(b) || final {
			w.eat = nil
		}
		return []Match{{Start: w.before, End: end}}, end
	}
	s := search{b: b, from: w.before, hold: len(b), final: final}
	s.literals(w.r.present())
	s.shapes(w.r.shapes)
	return w.decide(&s)
}

// decide joins what was found, and leaves what may still change.
func (w *Writer) decide(s *search) (found []Match, cut int) {
	joined := join(s.found)
	cut = len(s.b)
	if !s.final {
		cut = max(s.hold, s.from)
	}
	if s.eat != nil { // nothing behind the one that is too long to wait for
		cut = min(cut, s.eatEnd)
	}
	for again := true; again; {
		again = false
		for _, m := range joined {
			if m.Start < cut && cut < m.End {
				cut, again = m.Start, true
			}
		}
		if s.final {
			break
		}
		for i := range s.views {
			if at := s.views[i].boundary(cut-s.from) + s.from; at < cut {
				cut, again = max(at, s.from), true
			}
		}
	}
	for _, m := range joined {
		if m.End <= cut {
			found = append(found, m)
		}
	}
	if s.eat != nil && cut == s.eatEnd {
		w.eat = s.eat
	}
	return found, cut
}

// A search looks through b from a place on; what stands before it is context.
type search struct {
	b     []byte
	from  int
	final bool

	views  []view
	found  []Match
	hold   int // from here on nothing is decided
	eat    func(byte) bool
	eatEnd int
}

// literals looks for registered values in every view of the text.
func (s *search) literals(l *literals) {
	if len(l.all.sorted) == 0 {
		return
	}
	s.views = views(s.b[s.from:], s.final)
	for i := range s.views {
		v := &s.views[i]
		p := &l.all
		if v.encoded {
			p = &l.encoded
		}
		for i := 0; i < len(v.text); i++ {
			if x, ok := p.at(v.text, i); ok {
				s.found = append(s.found, Match{s.from + v.at(i), s.from + v.end(i+len(x.text)-1), "registered", x.secret})
				i += len(x.text) - 1
			}
		}
		if !s.final {
			s.hold = min(s.hold, s.from+v.open, s.from+v.at(p.partial(v.text)))
		}
	}
}

// shapes looks for secrets by their looks.
func (s *search) shapes(t *shapeIndex) {
	for i := s.from; i < s.hold; i++ {
		list := t.at(s.b[i:])
		if list == nil {
			continue
		}
		best, eat := Match{End: -1}, (func(byte) bool)(nil)
		word := wordBegins(s.b, i)
		for j := range list {
			x := &list[j]
			if !x.anywhere && !word {
				continue
			}
			whole, partly := x.begins(s.b, i)
			if partly && !s.final {
				s.hold = i
			}
			if !whole {
				continue
			}
			switch start, end, v := x.at(s.b, i, s.final); {
			case v == more:
				s.hold = i
			case (v == yes || v == long) && end > best.End:
				best, eat = Match{start, end, x.name, string(s.b[start:end])}, nil
				if v == long {
					eat = x.body
				}
			}
		}
		if best.End < 0 || s.hold <= i {
			continue
		}
		s.found = append(s.found, best)
		if eat != nil {
			s.eat, s.eatEnd = eat, best.End
			return
		}
	}
}

// shapeIndex are the shapes by the first two bytes of their prefixes, and by the
// first one for the end of a text.
type shapeIndex struct {
	filter [1 << 10]uint64 // a bit for every two bytes
	two    map[[2]byte][]shape
	one    [256][]shape
}

func newShapeIndex() *shapeIndex {
	t := &shapeIndex{two: map[[2]byte][]shape{}}
	for _, x := range table() {
		for _, a := range cases(x.prefix[0], x.fold) {
			t.one[a] = append(t.one[a], x)
			for _, b := range cases(x.prefix[1], x.fold) {
				k := int(a)<<8 | int(b)
				t.filter[k>>6] |= 1 << (k & 63)
				t.two[[2]byte{a, b}] = append(t.two[[2]byte{a, b}], x)
			}
		}
	}
	return t
}

// cases are the bytes that stand for c.
func cases(c byte, fold bool) []byte {
	if u := c &^ 0x20; fold && u >= 'A' && u <= 'Z' {
		return []byte{c, u}
	}
	return []byte{c}
}

// at are the shapes that b may begin with.
func (t *shapeIndex) at(b []byte) []shape {
	if len(b) == 1 {
		return t.one[b[0]]
	}
	if k := int(b[0])<<8 | int(b[1]); t.filter[k>>6]&(1<<(k&63)) == 0 {
		return nil
	}
	return t.two[[2]byte(b)]
}

// join makes one match of those that overlap. The first one names it; of two
// that begin together, a registered one.
func join(list []Match) []Match {
	slices.SortStableFunc(list, func(a, b Match) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return rank(a) - rank(b)
	})
	var out []Match
	for _, m := range list {
		if n := len(out); n > 0 && m.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, m.End)
			continue
		}
		out = append(out, m)
	}
	return out
}

func rank(m Match) int {
	if m.Kind == "registered" {
		return 0
	}
	return 1
}

func (m Match) String() string { return fmt.Sprintf("%s at %d-%d", m.Kind, m.Start, m.End) }
