package lines

import (
	"context"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// TestStart: a number of the menu chooses; nothing else does, and no key is
// read where it would be shown.
func TestStart(t *testing.T) {
	s := snap.Start{Says: "No model.", Notes: []string{"a \x1b[31mnote"}, Can: []snap.Action{
		{ID: "demo", Key: "d", Title: "Play"}, {ID: "refresh", Title: "Look again"}, {ID: "address", Title: "Address", Input: &snap.Input{Label: "address:"}},
		{ID: "key", Title: "Key", Input: &snap.Input{Label: "key:", Hidden: true}}, {ID: "off", Title: "Off", Note: "not here"}, {ID: "sessions", Title: "Stored"},
	}}
	stored := []snap.SessionRow{{ID: "a", Archived: true}, {ID: "b", Title: "tabs", Root: "/w"}, {ID: "c", Root: "/gone", Gone: true}}
	for typed, want := range map[string]Chosen{
		"1\n": {ID: "demo"}, " 1 \n": {ID: "demo"}, "\n\n1\n": {ID: "demo"}, "d\n1\n": {ID: "demo"}, "2\n1\n": {ID: "demo"}, "5\n1\n": {ID: "demo"}, "-1\n7\n01\n": {ID: "demo"},
		"3\n127.0.0.1:1\n": {ID: "address", Text: "127.0.0.1:1"}, "3\n\n1\n": {ID: "demo"}, "4\nsk-secret\n1\n": {ID: "demo"},
		"6\n1\n": {Next: snap.Request{Open: "b", Root: "/w"}}, "6\n0\n1\n": {ID: "demo"}, "6\n2\n0\n0\n": {},
		"": {}, "0\n": {}, "q\n": {}, "3\n": {}, "x": {},
	} {
		var out strings.Builder
		looks := 0
		got, err := Start(t.Context(), StartOptions{
			Start: s, Refresh: func() snap.Start { looks++; return s }, Sessions: func() ([]snap.SessionRow, error) { return stored, nil }, In: strings.NewReader(typed), Out: &out,
		})
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v\n%s", typed, got, err, want, out.String())
		}
		if strings.Contains(out.String(), "\x1b") || looks == 0 {
			t.Errorf("%q: looked %d times, printed %q", typed, looks, out.String())
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Start(ended, StartOptions{Start: s, In: never{t.Context()}, Out: new(strings.Builder)}); err != nil || got != (Chosen{}) {
		t.Errorf("a program that is told to end: %+v, %v", got, err)
	}
}

// never is an input on which nobody types.
type never struct{ ctx context.Context }

func (n never) Read([]byte) (int, error) { <-n.ctx.Done(); return 0, n.ctx.Err() }
