package strictjson

import "testing"

func TestMembers(t *testing.T) {
	for text, ok := range map[string]bool{
		`{}`: true, `{"a":1}`: true, ` {"a": {"x":[1]}, "b":null} `: true,
		``: false, `[]`: false, `null`: false, `{"a":1`: false, `{"a":1,}`: false, `{"a":}`: false,
		`{"a":1,"a":1}`: false, `{"A":1}`: false, `{"c":1}`: false, `{"a":1} {}`: false, `{"a":1}x`: false,
	} {
		m, err := Members([]byte(text), "a", "b")
		if (err == nil) != ok || err != nil && m != nil {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
	if m, err := Members([]byte(`{"a": 1 }`), "a"); err != nil || string(m["a"]) != "1" {
		t.Errorf("%q, %v", m["a"], err)
	}
}
