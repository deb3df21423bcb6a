package start

import (
	"fmt"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// What was found meanwhile moves the rows, and not the choice: enter takes what
// was chosen when the person looked, and takes no server of this machine for it.
func TestWhatIsFoundTakesNoChoice(t *testing.T) {
	rows := func(ids ...string) (s snap.Start) {
		for _, id := range ids {
			s.Can = append(s.Can, snap.Action{ID: id})
		}
		return s
	}
	var r Room
	r.Set(rows("demo", "refresh", "key"))
	r.Set(rows("use a stranger", "demo", "refresh", "key"))
	if c := r.Key("enter", uv.Key{}, false); c.ID != "demo" {
		t.Errorf("enter took %q", c.ID)
	}
	r.Key("down", uv.Key{}, false)
	r.Set(rows("use a stranger", "use another", "demo", "refresh", "key"))
	if c := r.Key("enter", uv.Key{}, false); c.ID != "refresh" {
		t.Errorf("enter took %q", c.ID)
	}
	r.Set(rows("use a stranger"))
	if c := r.Key("enter", uv.Key{}, false); c.ID != "use a stranger" {
		t.Errorf("enter took %q of one row", c.ID)
	}
}

// What does not fit is counted, and the chosen row is always there.
func TestRowsThatDoNotFitAreCounted(t *testing.T) {
	var s snap.Start
	for i := range 14 {
		s.Can = append(s.Can, snap.Action{ID: "provider", Title: fmt.Sprintf("provider %02d", i)})
	}
	var r Room
	r.Set(s)
	for chosen := range s.Can {
		var text strings.Builder
		lines, _ := r.View(60, 12, view.Graphemes)
		for _, l := range lines {
			for _, span := range l {
				text.WriteString(span.Text.String())
			}
			text.WriteByte('\n')
		}
		shown := strings.Count(text.String(), "provider ")
		above, below := -1, -1
		for line := range strings.Lines(text.String()) {
			if strings.Contains(line, "more above") {
				fmt.Sscanf(line, "%d more above, %d below", &above, &below)
			}
		}
		if above < 0 || above+shown+below != 14 || len(lines) != 12 {
			t.Errorf("at %d: %d above, %d shown, %d below\n%s", chosen, above, shown, below, text.String())
		}
		if !strings.Contains(text.String(), fmt.Sprintf("> provider %02d", chosen)) {
			t.Errorf("the chosen row %d is not there:\n%s", chosen, text.String())
		}
		r.Key("down", uv.Key{}, false)
	}
}
