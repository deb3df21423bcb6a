package start

import (
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/snap"
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
