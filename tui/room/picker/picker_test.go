package picker

import (
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

func list() *Room {
	r := &Room{Title: safe.Lit("things"), Empty: safe.Lit("nothing is here")}
	r.Set([]Row{
		{ID: "1", Title: safe.Lit("undo the last change"), Right: safe.Lit("ctrl+z")},
		{ID: "2", Title: safe.Lit("theme: light"), More: "colour"},
		{ID: "3", Title: safe.Lit("undo everything"), Note: safe.Lit("nothing was changed")},
	})
	return r
}

func press(r *Room, keys string) {
	for _, c := range keys {
		r.Key(string(c), uv.Key{Code: c, Text: string(c)})
	}
}

func text(r *Room, width, height int) string {
	lines, _ := r.View(width, height, false)
	var out []string
	for _, l := range lines {
		var b strings.Builder
		for _, s := range l {
			b.WriteString(s.Text.String())
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return strings.Join(out, "\n")
}

func TestSearchKeepsOrderAndReasons(t *testing.T) {
	r := list()
	press(r, "/undo")
	if r.Chosen().ID != "1" {
		t.Errorf("chosen is %+v", r.Chosen())
	}
	r.Key("down", uv.Key{Code: uv.KeyDown})
	if r.Chosen().ID != "3" {
		t.Errorf("chosen is %+v", r.Chosen())
	}
	if got := text(r, 80, 8); !strings.Contains(got, "nothing was changed") || strings.Contains(got, "theme") {
		t.Errorf("got\n%s", got)
	}
	press(r, " zz")
	if r.Chosen() != nil || !strings.Contains(text(r, 80, 8), "nothing fits") {
		t.Errorf("got\n%s", text(r, 80, 8))
	}
	r.Key("esc", uv.Key{Code: uv.KeyEscape})
	press(r, "/colour")
	if r.Chosen() == nil || r.Chosen().ID != "2" {
		t.Errorf("chosen is %+v", r.Chosen())
	}
}

// TestLettersWithoutASearch are keys of the list.
func TestLettersWithoutASearch(t *testing.T) {
	r := list()
	if r.Key("u", uv.Key{Code: 'u', Text: "u"}) {
		t.Error("the list took a letter that is not its own")
	}
}

// TestTheChosenRowIsOnTheScreen, also where the list is longer.
func TestTheChosenRowIsOnTheScreen(t *testing.T) {
	r := &Room{Title: safe.Lit("things")}
	var rows []Row
	for i := range 300 {
		rows = append(rows, Row{ID: safe.Int(i).String(), Title: safe.Join(safe.Lit("row "), safe.Int(i), safe.Lit("."))})
	}
	r.Set(rows)
	for _, key := range []string{"end", "pgup", "up", "home", "pgdown", "down", "end"} {
		r.Key(key, uv.Key{})
		for h := 5; h < 30; h += 7 {
			if got := text(r, 60, h); !strings.Contains(got, "> "+r.Chosen().Title.String()) || strings.Count(got, "\n") != h-1 {
				t.Fatalf("after %s at %d rows, %v is not in\n%s", key, h, r.Chosen().Title, got)
			}
		}
	}
	r.Set(nil)
	if _, at := r.View(3, 2, view.Graphemes); at != nil || r.Chosen() != nil {
		t.Error("an empty list has a choice")
	}
}
