package activity

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/tui/view"
)

func entry(seq int64) Entry {
	return Entry{Seq: seq, AID: fmt.Sprint(seq), Mine: true, Category: "file", Title: fmt.Sprintf("entry %d", seq), Status: "open"}
}

func text(r *Room, width, height int) string {
	var b strings.Builder
	for _, l := range r.View(width, height, view.Widths(false)) {
		for _, s := range l {
			b.WriteString(s.Text.String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestOutcomesJoinTheirIntents in whatever pages they come, and what was
// chosen stays chosen.
func TestOutcomesJoinTheirIntents(t *testing.T) {
	r := New()
	r.Loaded(Page{First: 5, Next: 8, Entries: []Entry{entry(5), entry(6), entry(7)}}, nil)
	r.Key("up", "")
	if list := r.shown(); list[len(list)-1-r.chosen].Seq != 6 {
		t.Fatalf("%+v", r)
	}
	whole := entry(7)
	whole.Status = "ok"
	r.Loaded(Page{Next: 11, Entries: []Entry{{Seq: 8, AID: "6", Mine: true, What: "outcome", Status: "error", Reason: "why"}, whole, entry(9)}}, nil)
	list := r.shown()
	if len(list) != 4 || list[1].Status != "error" || list[1].Title != "entry 6" || list[2].Status != "ok" || list[len(list)-1-r.chosen].Seq != 6 {
		t.Errorf("%+v, chosen %d", list, r.chosen)
	}
	if r.Next() != 11 {
		t.Errorf("next %d", r.Next())
	}
}

// TestNothingIsCalledOkUnchecked: the head line says so only of a check that
// was made, for the records that it covered.
func TestNothingIsCalledOkUnchecked(t *testing.T) {
	r := New()
	for _, c := range []struct {
		chain Chain
		want  string
	}{
		{Chain{}, "CHAIN BROKEN"},
		{Chain{Failed: "no key"}, "could not be checked"},
		{Chain{OK: true, Size: 4, Head: "abcdef12"}, "chain ok to #3"},
		{Chain{OK: true, Failed: "stopped"}, "could not be checked"},
	} {
		if got := text(r, 100, 10); strings.Contains(got, "chain ok") && !r.check.done {
			t.Errorf("called ok:\n%s", got)
		}
		r.Verified(c.chain)
		if got := text(r, 100, 10); !strings.Contains(got, c.want) || c.want != "chain ok to #3" && strings.Contains(got, "chain ok") {
			t.Errorf("%+v:\n%s", c.chain, got)
		}
	}
	if r.Key("v", "v") != Verify || r.Key("v", "v") != Nothing {
		t.Error("v asks once, until the answer is there")
	}
	if got := text(r, 100, 10); strings.Contains(got, "chain ok") {
		t.Errorf("called ok while it is checked:\n%s", got)
	}
}

// TestFilters: each one alone and together; a filter that no entry has is not
// offered.
func TestFilters(t *testing.T) {
	r := New()
	r.Loaded(Page{Entries: []Entry{
		{Seq: 1, Mine: true, Category: "file", Status: "ok", Title: "read a"},
		{Seq: 2, Mine: true, Category: "shell", Status: "error", Title: "run Make"},
		{Seq: 3, Category: "web", Status: "blocked", Title: "fetch"},
		{Seq: 4, Mine: true, Category: "file", Status: "error", Title: "edit b"},
	}}, nil)
	press := func(keys string) string {
		for _, k := range strings.Fields(keys) {
			name, _, _ := strings.Cut(k, ":")
			typed := ""
			if len(name) == 1 {
				typed = name
			}
			r.Key(name, typed)
		}
		var out []string
		for _, e := range r.shown() {
			out = append(out, fmt.Sprint(e.Seq))
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ keys, want string }{
		{"", "1 2 4"},
		{"c", "1 4"}, {"s", "4"}, {"s", "1"}, {"s", "1 4"}, {"c", "2"}, {"c", "1 2 4"},
		{"t", "1 2 3 4"}, {"c c c", "3"}, {"c", "1 2 3 4"}, {"t", "1 2 4"},
		{"/ m a k e", "2"}, {"enter", "2"}, {"/ esc", "1 2 4"}, {"/ x y backspace backspace", "1 2 4"},
	} {
		if got := press(c.keys); got != c.want {
			t.Errorf("after %q: %q, want %q", c.keys, got, c.want)
		}
	}
}

// TestAnyKeysAtAnySize: nothing that is pressed, loaded or resized breaks the
// room, and it fills exactly its space.
func TestAnyKeysAtAnySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	keys := []string{"up", "down", "pgup", "pgdown", "home", "end", "/", "c", "s", "t", "v", "x", "enter", "esc", "a", "backspace"}
	r := New()
	seq := int64(0)
	for range 3000 {
		name := keys[rng.IntN(len(keys))]
		switch r.Key(name, name[:1]) {
		case Close:
			r = New()
		case Record:
			r.Recorded(r.Chosen(), []string{"a b", "c " + strings.Repeat("d ", 100)}, nil)
		case Verify:
			r.Verified(Chain{OK: rng.IntN(2) == 0, Head: "ab"})
		case Export:
			r.Exported("f", errors.New("no"))
		}
		if rng.IntN(4) == 0 {
			r.Loaded(Page{Next: seq + 1, Entries: []Entry{entry(seq)}}, nil)
			seq++
		}
		if w, h := rng.IntN(130), rng.IntN(40); len(r.View(w, h, view.Widths(false))) != h {
			t.Fatalf("%dx%d is not filled", w, h)
		}
	}
}

// TestLongLogsAreBounded: the newest entries are kept, and the room says where
// they begin.
func TestLongLogsAreBounded(t *testing.T) {
	r := New()
	p := Page{First: 100}
	for i := range int64(most + 50) {
		p.Entries = append(p.Entries, Entry{Seq: 100 + i, Mine: true, Title: "x"})
	}
	r.Loaded(p, nil)
	r.Key("t", "t")
	if len(r.log.entries) != most || r.log.first != 150 || !strings.Contains(text(r, 100, 10), "from #150") {
		t.Errorf("%d entries from %d", len(r.log.entries), r.log.first)
	}
}
