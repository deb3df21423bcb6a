package event

import (
	"encoding/json"
	"testing"
	"time"
)

// FuzzHeader: what is read in one go is what the long way reads.
func FuzzHeader(f *testing.F) {
	b, err := json.Marshal(Event{Seq: 12, Time: time.Date(2026, 11, 29, 1, 2, 3, 0, time.UTC), Session: "20261129-0123456789ab", Body: Notice{Text: "x"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	for _, s := range []string{`{"v":1,"seq":01,"ts":"","session":"","type":"x"}`, `{"v":1,"seq":1,"ts":"a\u0062","session":"","type":"x"}`, `{"v":1}`, `{"v":1,"seq":,"ts":"`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		fast, ok := plainHeader(b)
		var tree map[string]json.RawMessage
		if !ok || json.Unmarshal(b, &tree) != nil || len(tree) != 5 {
			return // the body is checked where it is decoded; members of its own could be named alike
		}
		var long header
		if err := json.Unmarshal(b, &long); err == nil && fast != long {
			t.Fatalf("%q: %+v and %+v", b, fast, long)
		}
	})
}
