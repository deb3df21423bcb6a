package strictjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	for text, ok := range map[string]bool{
		`{}`: true, `{"a":1}`: true, ` {"a": {"x":[1]}, "b":null} `: true,
		``: false, `[]`: false, `null`: false, `{"a":1`: false, `{"a":1,}`: false, `{"a":}`: false, `{"a"`: false, `{`: false,
		`{"a":1,"a":1}`: false, `{"A":1}`: false, `{"c":1}`: false, `{"a":1} {}`: false, `{"a":1}x`: false, `{"a":1}}`: false,
	} {
		m, err := Members([]byte(text), "a", "b")
		if (err == nil) != ok || err != nil && m != nil {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
	if m, err := Members([]byte(`{"a": 1 }`), "a"); err != nil || string(m["a"]) != "1" {
		t.Errorf("%q, %v", m["a"], err)
	}
	if m, err := Object([]byte(`{"c":[ 1 ]}`)); err != nil || string(m["c"]) != "[ 1 ]" {
		t.Errorf("%q, %v", m["c"], err)
	}
}

// TestErrorsSayWhere: a fault has its place, and words that go behind the name
// of the text.
func TestErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"a\": tru\n}":     "is not valid JSON: invalid character",
		`{"a":1`:               "is not valid JSON: it ends too early",
		`[1,`:                  "is not valid JSON: it ends too early",
		`"x`:                   "is not valid JSON: it ends too early",
		``:                     "is not valid JSON: it ends too early",
		`{"a":{"b":1,"b":2}}`:  `holds the member "b" twice`,
		`1 2`:                  "holds more than one value",
		`1 ]`:                  "is not valid JSON",
		"\"\xff\"":             "is not UTF-8",
		`{"a":"\ud83d"}`:       "holds half a character",
		`{"\ude00\ud83d":"a"}`: "holds half a character",
		strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1): "is nested deeper than 100 levels",
		strings.Repeat(`{"a":`, 2_000_000):                                "is nested deeper than 100 levels",
	} {
		v, err := Value([]byte(text))
		e, ours := errors.AsType[*Error](err)
		if !ours || !strings.HasPrefix(e.What, want) || v != nil || e.Line < 1 {
			t.Errorf("%.40q: %v, %+v, want %q", text, v, err, want)
		}
	}
	_, err := List([]byte("{\n\"a\": 1,\n\"b\": tru\n}"))
	if e, ok := errors.AsType[*Error](err); !ok || e.Line != 3 {
		t.Errorf("%+v", err)
	}
}

// FuzzValue: what is taken is taken as encoding/json takes it, whole; and what
// is refused is no value or one that two readers would read in two ways.
func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.50,null,true,"\ud83d\ude00"]}`, `{"a":1,"a":2}`, `"\\ud83d"`, ` [ ] `, `1e400`, `{"a":1`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Value(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(v)
		if err != nil || !json.Valid(data) {
			t.Fatalf("%q was taken: %v", data, err)
		}
		w, err := Value(again)
		if err != nil {
			t.Fatalf("%q became %q: %v", data, again, err)
		}
		if third, err := json.Marshal(w); err != nil || string(third) != string(again) {
			t.Errorf("%q became %q and then %q", data, again, third)
		}
		if list, ok := v.(map[string]any); ok {
			m, err := Object(data)
			if err != nil || len(m) != len(list) {
				t.Errorf("%q: %d members and %d, %v", data, len(list), len(m), err)
			}
		}
	})
}
