package tool

import "testing"

// TestTrailerStandsLast: the line is the last of the message, in the block of
// trailers where there is one.
func TestTrailerStandsLast(t *testing.T) {
	const line = "Tera-Audit: 0123#4 56"
	for _, c := range []struct{ message, want string }{
		{"one", "one\n\n" + line},
		{"one\n", "one\n\n" + line},
		{"one: two", "one: two\n\n" + line},
		{"one\n\nbody text", "one\n\nbody text\n\n" + line},
		{"one\n\nbody\n\nSigned-off-by: a <a@b>\nFixes: 7\n\n", "one\n\nbody\n\nSigned-off-by: a <a@b>\nFixes: 7\n" + line},
		{"one\n\nbody\nFixes: 7", "one\n\nbody\nFixes: 7\n\n" + line},
		{"one\nFixes: 7", "one\nFixes: 7\n\n" + line},
	} {
		if got := withTrailer(c.message, line); got != c.want {
			t.Errorf("%q: %q, want %q", c.message, got, c.want)
		}
		if got := withTrailer(c.message, ""); got != c.message {
			t.Errorf("%q without a line: %q", c.message, got)
		}
	}
}
