package agent

import (
	"slices"
	"testing"
)

// A commit's message is read line by line, and nothing in it can pass for
// another fact or for the end of the message.
func TestUnfolded(t *testing.T) {
	for _, c := range []struct {
		argv    []string
		args    string
		message []string
	}{
		{[]string{"status"}, `"status"`, nil},
		{[]string{"commit", "--message=one line"}, `"commit" "--message=one line"`, nil},
		{[]string{"commit", "--message=a\n\nkind      reads", "--", "b"}, `"commit" --message=(the 3 lines below) "--" "b"`, []string{"a", "", "kind      reads"}},
		{[]string{"commit", "--message=a=b\nc=d"}, `"commit" --message=(the 2 lines below)`, []string{"a=b", "c=d"}},
		{[]string{"tag", "no option\nat all"}, `"tag" (the 2 lines below)`, []string{"no option", "at all"}},
		{[]string{"tag", "a\nb=c"}, `"tag" (the 2 lines below)`, []string{"a", "b=c"}},
		{[]string{"commit", "--message=a\nb", "c\nd"}, "\"commit\" \"--message=a\nb\" \"c\nd\"", nil},
	} {
		args, message := unfolded(c.argv)
		if args != c.args || !slices.Equal(message, c.message) {
			t.Errorf("%q = %q, %q", c.argv, args, message)
		}
	}
}
