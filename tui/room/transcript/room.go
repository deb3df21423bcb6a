// Package transcript is the room of the conversation: what was said, thought
// and done, newest last.
//
// It lays out only the items that are on the screen and keeps the lines of the
// last ones; the place is an item and a line in it, so that nothing ever
// counts the whole height. An item that rests in the session's log stands there
// as dots until somebody wakes it (see snap.Talk.Rest).
package transcript

import (
	"time"

	"github.com/tera-pilot/tera-pilot/tui/markdown"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A Room shows the items of one session. The zero Room follows the end.
type Room struct {
	items  []*snap.Item
	width  int
	widths view.Widths
	now    time.Time

	top    place // the first line on the screen
	scroll bool  // the person left the end
	height int

	reading bool // an item is chosen
	chosen  int  // its index
	opened  map[int]bool
	find    string // what is looked for, in small letters

	cache map[int]*drawn
	used  int
	md    *markdown.Renderer // of the answer that is coming in
	mdFor int                // its item
}

// place is a line of an item.
type place struct{ item, line int }

// drawn is what an item came to.
type drawn struct {
	rev, width int
	widths     view.Widths
	opened     bool
	gap        bool
	block      block
	used       int
}

// block is the lines of an item: label stands before the first one, and the
// others are indented as far.
type block struct {
	gap   bool // a blank line goes before
	label view.Line
	lines []view.Line
}

// labelWidth is the column in which text begins.
const labelWidth = 6

func (b block) len() int {
	if b.gap {
		return len(b.lines) + 1
	}
	return len(b.lines)
}

// at is line i, laid out.
func (b block) at(i int, w view.Widths, chosen bool) view.Line {
	if b.gap {
		i--
	}
	switch {
	case i < 0:
		return nil
	case i == 0 && chosen:
		return view.Join(w.Pad(b.label, labelWidth-1), chosenMark, b.lines[i])
	case i == 0:
		return view.Join(w.Pad(b.label, labelWidth), b.lines[i])
	default:
		return view.Join(view.Spaces(labelWidth), b.lines[i])
	}
}

// View draws the room.
func (r *Room) View(items []*snap.Item, width, height int, widths view.Widths, now time.Time) []view.Line {
	r.items, r.width, r.height, r.widths, r.now = items, width, max(0, height), widths, now
	if r.chosen >= len(r.items) {
		r.reading, r.chosen = false, 0
	}
	if r.top.item >= len(r.items) {
		r.scroll = false
	}
	lines := r.screen()
	if r.find != "" {
		for i, l := range lines {
			lines[i] = view.Marked(l, r.find)
		}
	}
	return lines
}

func (r *Room) screen() []view.Line {
	if r.scroll {
		if lines, full := r.from(r.top); full {
			return lines
		}
		r.scroll = false // the end is on the screen: follow it
	}
	r.top = r.back(place{len(r.items), 0}, r.height)
	lines, _ := r.from(r.top)
	return view.Fill(lines, r.height)
}

// from collects a screen of lines that begins at p; full says that it is one.
func (r *Room) from(p place) (lines []view.Line, full bool) {
	for i := p.item; i < len(r.items); i++ {
		b := r.block(i)
		first := 0
		if i == p.item {
			first = min(p.line, max(0, b.len()-1))
		}
		for l := first; l < b.len(); l++ {
			if len(lines) == r.height {
				return lines, true
			}
			lines = append(lines, b.at(l, r.widths, r.reading && i == r.chosen))
		}
	}
	return lines, len(lines) == r.height
}

// back is the place n lines above p, or the beginning.
func (r *Room) back(p place, n int) place {
	for n > 0 {
		if p.line > 0 {
			step := min(n, p.line)
			p.line -= step
			n -= step
			continue
		}
		if p.item == 0 {
			return p
		}
		p.item--
		p.line = r.block(p.item).len()
	}
	return p
}

// forward is the place n lines below p, or the end.
func (r *Room) forward(p place, n int) place {
	for n > 0 && p.item < len(r.items) {
		left := r.block(p.item).len() - p.line
		if n < left {
			p.line += n
			return p
		}
		n -= left
		p = place{p.item + 1, 0}
	}
	return p
}

// Scroll moves the screen by lines, up when negative.
func (r *Room) Scroll(lines int) {
	switch {
	case lines < 0 && len(r.items) > 0:
		r.top, r.scroll = r.back(r.top, -lines), true
	case lines > 0 && r.scroll:
		r.top = r.forward(r.top, lines)
	}
}

// Page moves the screen by n pages.
func (r *Room) Page(n int) { r.Scroll(n * max(1, r.height-2)) }

// Home goes to the beginning.
func (r *Room) Home() { r.top, r.scroll = place{}, true }

// End goes to the end and follows it.
func (r *Room) End() { r.scroll = false }

// Read chooses an item: the last one on the screen. Items is where there is
// nothing to choose.
func (r *Room) Read() bool {
	if len(r.items) == 0 {
		return false
	}
	r.reading = true
	last := r.back(r.forward(r.top, r.height), 1)
	r.chosen = min(last.item, len(r.items)-1)
	return true
}

// Reading says that an item is chosen.
func (r *Room) Reading() bool { return r.reading }

// Leave chooses nothing and goes to the end.
func (r *Room) Leave() { r.reading, r.scroll, r.find = false, false, "" }

// Choose moves to another item and brings it onto the screen.
func (r *Room) Choose(step int) {
	r.chosen = min(max(0, r.chosen+step), len(r.items)-1)
	at := place{r.chosen, 0}
	end := place{r.chosen + 1, 0}
	switch {
	case before(at, r.top):
		r.top, r.scroll = at, true
	case before(r.forward(r.top, r.height), end):
		r.top, r.scroll = r.back(end, r.height), true
		if before(at, r.top) {
			r.top = at // an item longer than the screen is read from its start
		}
	}
}

func before(a, b place) bool { return a.item < b.item || a.item == b.item && a.line < b.line }

// Toggle opens or closes the chosen item.
func (r *Room) Toggle() {
	if !r.reading {
		return
	}
	if r.opened == nil {
		r.opened = map[int]bool{}
	}
	id := r.items[r.chosen].ID
	r.opened[id] = !r.opened[id]
	r.scroll = true // what is above stays where it is
	if before(place{r.chosen, 0}, r.top) {
		r.top = place{r.chosen, 0}
	}
}

// keep is how many items' lines are kept, besides those of a screen.
const keep = 64

// block draws item i, or takes it from what was drawn before.
func (r *Room) block(i int) block {
	it := r.items[i]
	gap := i > 0 && Parts(r.items[i-1], it)
	if it.Told != nil && (it.Open || it.Kind == snap.Tool && !it.Call.Done) {
		return r.draw(it, gap) // changes all the time
	}
	r.used++
	opened := r.opened[it.ID]
	if d := r.cache[it.ID]; d != nil && d.rev == it.Rev && d.width == r.width && d.widths == r.widths && d.opened == opened && d.gap == gap {
		d.used = r.used
		return d.block
	}
	if it.Told == nil {
		return resting(it, gap)
	}
	b := r.draw(it, gap)
	if r.cache == nil {
		r.cache = map[int]*drawn{}
	}
	r.cache[it.ID] = &drawn{it.Rev, r.width, r.widths, opened, gap, b, r.used}
	r.forget()
	return b
}

// resting stands in the place of an item while the log is asked what it says.
func resting(it *snap.Item, gap bool) block {
	lines := make([]view.Line, min(it.Lines, maxResting))
	lines[0] = view.Lit(theme.Dim, safe.Lit("..."))
	return block{gap: gap, lines: lines}
}

// maxResting is how high such a place is at most.
const maxResting = 40

// Near is the range of items that are on the screen or may be next: what they
// say has to be there.
func (r *Room) Near(items int) (from, to int) {
	at := r.top.item
	if !r.scroll && !r.reading {
		at = items // the end is being followed
	}
	from, to = at-r.height-8, at+2*r.height+8
	if r.reading {
		from, to = min(from, r.chosen-8), max(to, r.chosen+8)
	}
	return max(0, from), min(items, to)
}

// forget drops what was not used for longest.
func (r *Room) forget() {
	limit := keep + 2*r.height
	if len(r.cache) <= limit {
		return
	}
	for id, d := range r.cache {
		if d.used < r.used-limit/2 {
			delete(r.cache, id)
		}
	}
}

// Parts says that a blank line stands between two items.
func Parts(a, b *snap.Item) bool {
	switch b.Kind {
	case snap.Tool, snap.Change:
		return a.Kind != b.Kind
	default:
		return true
	}
}
