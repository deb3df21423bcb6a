package keys

import (
	"strings"
	"testing"
)

func TestLookUp(t *testing.T) {
	m := Default()
	if err := m.clash(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    Place
		key  string
		want Action
	}{
		{Message, "ctrl+k", Palette}, {Reading, "ctrl+k", Palette}, {Anywhere, "ctrl+o", None}, {Message, "ctrl+o", Editor},
		{Reading, "/", Find}, {Message, "/", None}, {Message, "a", None}, {Anywhere, "esc", None},
	} {
		if got := m.Of(c.p, c.key); got != c.want {
			t.Errorf("%v %s is %q, want %q", c.p, c.key, got, c.want)
		}
	}
}

// TestRemap: actions take other keys; what answers a question, stops or sends
// is not to be had.
func TestRemap(t *testing.T) {
	m, err := Default().With(map[string]string{"palette": "alt+x f6", "undo": "ctrl+k"})
	if err != nil || m.Of(Anywhere, "f6") != Palette || m.Of(Anywhere, "ctrl+k") != Undo || m.Of(Anywhere, "ctrl+z") != None {
		t.Errorf("%v %+v", err, m)
	}
	for change, want := range map[string]string{
		"palete=ctrl+x": "no action", "palette=": "no key", "palette=esc": "cannot be given", "palette=ctrl+c": "cannot be given", "palette=enter": "cannot be given",
		"palette=a": "letter of the message", "palette=x": "letter of the message", "palette=hyper": "is no key", "palette=ctrl+z": "both", "copy=/": "both", "queue=ctrl+o": "both",
	} {
		name, keys, _ := strings.Cut(change, "=")
		if _, err := Default().With(map[string]string{name: keys}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
}

// TestHelpHoldsEveryBinding: nothing can be pressed that the help does not say.
func TestHelpHoldsEveryBinding(t *testing.T) {
	shown := map[string]bool{}
	for _, s := range Default().Help() {
		for _, k := range s.Keys {
			shown[k.Press.String()] = true
		}
	}
	for _, b := range Default().Bindings() {
		if !shown[strings.Join(b.Keys, ", ")] {
			t.Errorf("%s is not in the help", b.Do)
		}
	}
}
