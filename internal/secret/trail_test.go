package secret

import (
	"fmt"
	"testing"
)

// TestTwoParts: what is seen of a secret in two parts, and what is not taken
// for one.
func TestTwoParts(t *testing.T) {
	const token, known = "ghp_0123456789abcdefghijABCDEFGHIJ012345", "correct-horse-battery"
	long := make([]string, maxTrail+1)
	for i := range long {
		long[i] = fmt.Sprint("word-", i, "-of-many")
	}
	r := New() // costs more than all of this
	r.Add(known)
	for name, c := range map[string]struct {
		sent [][]string
		now  []string
		want bool
	}{
		"at once":              {nil, []string{"a " + token[:18] + " b", token[18:]}, true},
		"one after the other":  {[][]string{{token[:18]}}, []string{"and " + token[18:]}, true},
		"the other first":      {[][]string{{token[18:]}}, []string{"https://h.example/x/" + token[:18]}, true},
		"a known one":          {[][]string{{"search " + known[:9]}}, []string{"https://" + "x.example/?q=" + known[9:]}, true},
		"a part of one":        {[][]string{{token[:18]}}, []string{"and nothing else", token[:18]}, false},
		"a whole one was sent": {[][]string{{token, known}}, []string{"then innocent words"}, false},
		"long ago":             {[][]string{{token[:18]}, long[:60], long[60:120], long[120:180], long[180:240], long[240:]}, []string{token[18:]}, false},
	} {
		r.trail.sent = nil
		for _, texts := range c.sent {
			r.Sent(texts...)
		}
		for range 2 { // a look changes nothing
			if got := r.Completes(c.now...); got != c.want {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}
