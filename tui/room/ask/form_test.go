package ask

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tera-pilot/tera-pilot/agent/event"
)

func fields() []event.Field {
	return []event.Field{
		{Name: "name", Kind: event.FieldString, Required: true, Default: "main"},
		{Name: "sure", Kind: event.FieldBoolean, Default: "perhaps"},
		{Name: "one", Kind: event.FieldChoice, Options: []string{"a", "b"}, Labels: []string{"", "the b"}},
		{Name: "some", Kind: event.FieldChoices, Options: []string{"x", "y", "z"}},
	}
}

// TestForm: what the asker fills in has to fit and to be read at a glance; what
// looks like a key fits nowhere; only what was given is an answer.
func TestForm(t *testing.T) {
	f := NewForm(fields())
	if f.Values[0] != "main" || f.Values[1] != "" {
		t.Errorf("filled in beforehand: %q", f.Values)
	}
	long := fields()
	long[0].Default = strings.Repeat("x", maxDefault+1)
	if f := NewForm(long); f.Values[0] != "" || f.Faults() != 1 {
		t.Errorf("a long default is filled in: %d bytes, %d faults", len(f.Values[0]), f.Faults())
	}
	f.Values[0] = "ghp_" + strings.Repeat("a1B2", 9)
	if err := f.Wrong(0); err == nil || !strings.Contains(err.Error(), "looks like a key") || f.Faults() != 1 {
		t.Errorf("a token fits: %v", err)
	}
	f.Values[0] = "main"
	f.Toggle(2, 1)
	for _, n := range []int{2, 0, 0, -1, 3} { // z, x, not x, and none
		f.Toggle(3, n)
	}
	want := map[string]string{"name": "main", "one": "b", "some": `["z"]`}
	if d := cmp.Diff(want, f.Answers()); d != "" || f.Faults() != 0 {
		t.Errorf("%d faults; answers (-want +got):\n%s", f.Faults(), d)
	}
	for i, want := range []string{"main", "", "the b", "z"} {
		if got := f.Shows(i).String(); got != want {
			t.Errorf("field %d reads %q, want %q", i, got, want)
		}
	}
}

// TestAFormIsSentAsItWasSeen: a value counts as read when a frame held it as it
// stands, and no more once it is another one.
func TestAFormIsSentAsItWasSeen(t *testing.T) {
	f := newFilling(event.Question{Kind: event.AskUser, Form: fields()})
	all := []int{0, 1, 2, 3}
	before := append([]string{}, f.Values...)
	if f.ready() {
		t.Error("nothing was on the screen")
	}
	f.mark(all, before)
	if !f.ready() {
		t.Error("all of it was on the screen")
	}
	f.set("main")
	if !f.ready() {
		t.Error("the same value has to be looked at again")
	}
	number := f.number()
	f.set("other")
	if f.ready() || f.number() == number {
		t.Error("another value was not on the screen")
	}
	if f.mark(all, before); f.ready() {
		t.Error("a frame of before shows what came after")
	}
	if f.mark(all[:1], f.Values); !f.ready() {
		t.Error("the value was on the screen")
	}
	f.step(2)
	for _, want := range []string{"a", "b", "a"} {
		if f.turn(1); f.Values[2] != want {
			t.Errorf("turned to %q, want %q", f.Values[2], want)
		}
	}
	f.step(-99)
	if f.at != 0 || f.ready() {
		t.Errorf("at field %d, and ready: %v", f.at, f.ready())
	}
	if (*filling)(nil).number() != 0 || !(*filling)(nil).ready() || newFilling(event.Question{Kind: event.AskUser}) != nil {
		t.Error("a question without a form has one")
	}
}
