package snap

import (
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// What stays in memory of a long session: as many of the last items, and as much
// of what they say. Each item's place in the log stays, and that it is there.
const (
	tailItems = 200
	tailBytes = 1 << 20
)

// Rest lets go of what items say that lie before the end and are not being read:
// not in [from, to), and before limit, which has been told all there is to tell.
func (t *Talk) Rest(limit, from, to int) {
	awake := t.awake[:0]
	look := func(i int) {
		it := t.Items[i]
		switch {
		case it.Told == nil || it.stays():
		case i >= from && i < to || !it.ended():
			awake = append(awake, i)
		default:
			it.rest()
		}
	}
	for _, i := range t.awake {
		look(i)
	}
	for end := min(limit, t.tail()); t.resting < end; t.resting++ {
		look(t.resting)
	}
	t.awake = awake
}

// tail is where the items begin that say what they say in any case. What is
// coming in is among them.
func (t *Talk) tail() int {
	i, size := len(t.Items), 0
	for least := max(0, i-tailItems); i > least && size <= tailBytes; i-- {
		size += t.Items[i-1].size()
	}
	return min(i, max(0, len(t.Items)-t.streams-1))
}

// stays says that the log could not tell the item again, or that this is not
// worth it. What a change says can hang on what was before; its body does not.
func (it *Item) stays() bool {
	return !it.Open && len(it.Seqs) == 0 || it.Kind == Change && len(it.Body) < worthwhile
}

// worthwhile is how much a change has to say, in bytes, before it is let go of.
const worthwhile = 256

// ended says that nothing more is to come.
func (it *Item) ended() bool {
	return !it.Open && (it.Kind != Tool || it.Call.Done && !it.Call.Held)
}

func (it *Item) size() int {
	if it.Told == nil {
		return 0
	}
	return len(it.Text) + len(it.Body) + len(it.Call.Title) + len(it.Call.Body) + len(it.Call.Output)
}

func (it *Item) rest() {
	it.Lines = 1 + strings.Count(it.Text, "\n") + len(it.Text)/80
	it.Told, it.Seqs = nil, slices.Clip(it.Seqs)
}

// Since are the items that were added after the one of an ID, oldest first.
func (t *Talk) Since(id int) []*Item {
	i := len(t.Items)
	for i > 0 && (t.Items[i-1].ID > id || i > len(t.Items)-t.streams) {
		i--
	}
	return slices.DeleteFunc(slices.Clone(t.Items[i:]), func(it *Item) bool { return it.ID <= id })
}

// A Rested is an item at rest whose words are wanted.
type Rested struct {
	Index int
	ID    int
	Kind  Kind
	Seqs  []uint64
}

// Rested is item i, and whether it is at rest.
func (t *Talk) Rested(i int) (Rested, bool) {
	it := t.Items[i]
	return Rested{i, it.ID, it.Kind, it.Seqs}, it.Told == nil
}

// Tell folds the events of an item again. It is nil when they tell no such item.
func (r Rested) Tell(events []event.Event) *Told {
	var s State
	for _, e := range events {
		s.Apply(e)
	}
	for _, it := range s.Talk.Items {
		if it.Kind == r.Kind {
			return it.Told
		}
	}
	return nil
}

// Wake gives an item its words again, unless it is another one by now.
func (t *Talk) Wake(r Rested, says *Told) {
	if r.Index >= len(t.Items) || says == nil {
		return
	}
	if it := t.Items[r.Index]; it.ID == r.ID && it.Told == nil && len(it.Seqs) == len(r.Seqs) {
		it.Told = says
		t.awake = append(t.awake, r.Index)
	}
}
