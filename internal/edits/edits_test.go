package edits

import "testing"

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"flag", "flags", 1}, {"cdm", "cmd", 2}, {"kitten", "sitting", 3}, {"same", "same", 0},
	} {
		if got, back := Between(c.a, c.b), Between(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q, %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
