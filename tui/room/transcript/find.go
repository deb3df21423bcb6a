package transcript

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// Chosen is the item under the cursor, nil when none is.
func (r *Room) Chosen() *snap.Item {
	if !r.reading || r.chosen >= len(r.items) {
		return nil
	}
	return r.items[r.chosen]
}

// Find says what is looked for, "" for nothing. It stands out wherever it is.
func (r *Room) Find(text string) { r.find = strings.ToLower(text) }

// Finding says that something is looked for.
func (r *Room) Finding() bool { return r.find != "" }

// Seek looks for the next item that holds what is looked for: below for a step
// of 1, above for -1, and for 0 from here upwards, this one among them. It goes
// on at the other end. hit is below 0 when there is none; before are the items
// at rest that come before it, in that order: nobody knows what they hold.
func (r *Room) Seek(items []*snap.Item, step int) (hit int, before []int) {
	n := len(items)
	if r.find == "" || n == 0 {
		return -1, nil
	}
	at, by := r.chosen, step
	if step == 0 {
		at, by = r.chosen+1, -1
	}
	for range n {
		at = (at + by + n) % n
		switch {
		case items[at].Told == nil:
			before = append(before, at)
		case Holds(items[at].Told, r.find):
			return at, before
		}
	}
	return -1, before
}

// Show chooses an item that holds what is looked for.
func (r *Room) Show(items []*snap.Item, hit int) {
	r.items, r.reading = items, true
	r.Choose(hit - r.chosen)
	r.reveal()
}

// Sought is what is looked for, in small letters.
func (r *Room) Sought() string { return r.find }

// Holds says that an item's text has small in it, whatever the case.
func Holds(it *snap.Told, small string) bool {
	for _, s := range []string{it.Text, it.Body, it.Call.Title, it.Call.Body, it.Call.Output} {
		if strings.Contains(strings.ToLower(s), small) {
			return true
		}
	}
	return false
}

// reveal opens the chosen item where what is looked for is folded away, and
// brings its first line with it onto the screen.
func (r *Room) reveal() {
	line := r.firstHit()
	if id := r.items[r.chosen].ID; line < 0 && !r.opened[id] {
		if r.opened == nil {
			r.opened = map[int]bool{}
		}
		r.opened[id] = true
		line = r.firstHit()
	}
	at := place{r.chosen, max(0, line)}
	if before(at, r.top) || !before(at, r.forward(r.top, r.height)) {
		r.top, r.scroll = r.back(at, r.height/3), true
	}
}

func (r *Room) firstHit() int {
	b := r.block(r.chosen)
	for i := range b.len() {
		if strings.Contains(strings.ToLower(view.Plain(b.at(i, r.widths, false))), r.find) {
			return i
		}
	}
	return -1
}
