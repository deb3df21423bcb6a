package tool

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func applied(t *testing.T, diff, text string) patched {
	t.Helper()
	p, err := parsePatch(diff)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.apply(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPatch(t *testing.T) {
	abc := "a\nb\nc\n"
	for _, c := range []struct{ name, text, diff, want, note string }{
		{"plain", abc, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n", ""},
		{"with heads", abc, "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\t2024-01-01\n+++ b/x\n@@ -1,3 +1,4 @@ func\n a\n b\n+b2\n c\n", "a\nb\nb2\nc\n", ""},
		{"two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "@@ -1,2 +1,1 @@\n 1\n-2\n@@ -8,2 +7,3 @@\n 8\n+8b\n 9\n", "1\n3\n4\n5\n6\n7\n8\n8b\n9\n", ""},
		{"drifted", "0\n0\n" + abc, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "0\n0\na\nB\nc\n", "hunk 1 stands at line 3, not at line 1"},
		{"drift carries over", "0\n" + strings.Repeat("x\ny\n", 3), "@@ -1,2 +1,2 @@\n-0\n+1\n x\n@@ -3,2 +3,2 @@\n y\n-x\n+X\n", "1\nx\ny\nX\ny\nx\ny\n", ""},
		{"the header's place of several", "x\ny\nx\ny\n", "@@ -3,2 +3,2 @@\n x\n-y\n+z\n", "x\ny\nx\nz\n", ""},
		{"no numbers", abc, "@@\n b\n-c\n+C\n", "a\nb\nC\n", ""},
		{"no numbers, closed", abc, "@@ @@\n b\n-c\n", "a\nb\n", ""},
		{"miscounted", abc, "@@ -1,7 +1,9 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n", "counts its lines wrong"},
		{"miscounted, too few", abc, "@@ -1,1 +1,1 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n", "counts its lines wrong"},
		{"empty context line cut off", "a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n", "a\n\nB\n", ""},
		{"blank line between hunks", abc, "@@ -1,1 +1,1 @@\n-a\n+A\n\n@@ -3,1 +3,1 @@\n-c\n+C\n\n", "A\nb\nC\n", ""},
		{"deleted line that looks like a head", "-- x\nb\n", "@@ -1,2 +1,1 @@\n--- x\n b\n", "b\n", ""},
		{"added line that looks like a head", "b\n", "@@ -1,1 +1,2 @@\n b\n+++ x\n", "b\n++ x\n", ""},

		{"CRLF file, LF diff", "a\r\nb\r\nc\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n", "a\r\nB\r\nB2\r\nc\r\n", ""},
		{"mixed file, LF diff", "a\r\nb\nc\r\nd\n", "@@ -1,4 +1,4 @@\n a\n-b\n+B\n-c\n+C\n d\n", "a\r\nB\nC\r\nd\n", ""},
		{"CRLF file, CRLF diff", "a\r\nb\r\n", "@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n", "a\r\nB\r\n", ""},
		{"LF file, CRLF diff", "a\nb\n", "@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n", "a\nB\n", ""},
		{"only the end of a line", "a\r\nb\n", "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n", "a\nb\n", ""},

		{"no line feed at the end is kept", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\nB", ""},
		{"lines behind an unended one", "a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\nb\nc", ""},
		{"behind an unended one, CRLF", "a\r\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\r\nb\r\nc", ""},
		{"last line deleted", "a\nb", "@@ -1,2 +1,1 @@\n a\n-b\n", "a", ""},
		{"line feed added", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n", "a\nb\n", ""},
		{"line feed taken", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n", "a\nb", ""},
		{"marks on both sides", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n", "a\nB", ""},
		{"marked context", "a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n", "A\nb", ""},
		{"end not touched", "a\nb\nc\r", "@@ -1,1 +1,1 @@\n-a\n+A\n", "A\nb\nc\r", ""},

		{"new file", "", "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n", ""},
		{"new file without end", "", "@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", "a", ""},
		{"emptied", "a\nb\n", "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := applied(t, c.diff, c.text)
			if got.text != c.want {
				t.Errorf("%q, want %q", got.text, c.want)
			}
			if notes := strings.Join(got.notes, "; "); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

// TestPatchTitle: how many files, before the row is cut.
func TestPatchTitle(t *testing.T) {
	for want, titles := range map[string][]string{
		"patch a (+1 -1)":             {"patch a (+1 -1)"},
		"2 files: patch a, delete b":  {"patch a", "delete b"},
		"5 files: a, b, c and 2 more": {"a", "b", "c", "d", "e"},
	} {
		if got := (&patchSet{titles: titles}).title(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPatchRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, diff, want string }{
		{"empty", "a\n", "\n\n", "no hunk"},
		{"prose", "a\n", "Change a to b, please\n", "line 1 of the diff is not understood"},
		{"no hunk", "a\n", "--- a/x\n+++ b/x\n", "no hunk"},
		{"empty hunk", "a\n", "@@ -1,1 +1,1 @@\n", "has no lines"},
		{"bad header", "a\n", "@@ -x,1 +1,1 @@\n a\n", "no hunk header"},
		{"half a rename", "a\n", "rename from x\n@@ -1 +1 @@\n-a\n+b\n", "without its `rename to`"},
		{"copy", "a\n", "copy from x\ncopy to y\n@@ -1 +1 @@\n-a\n+b\n", "line 1 of the diff is not understood"},
		{"mode", "a\n", "old mode 100644\nnew mode 100755\n", "not understood"},
		{"executable", "", "new file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", "not understood"},
		{"binary", "a\n", "GIT binary patch\n", "not understood"},
		{"two files", "a\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "one file"},
		{"text after a hunk", "a\n", "@@ -1 +1 @@\n-a\n+b\nand that is all\n", "belongs to no hunk"},
		{"does not fit", "a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-x\n+B\n c\n", "hunk 1 does not fit"},
		{"no fuzz", "a\nb\nc\nd\n", "@@ -1,4 +1,4 @@\n a\n b\n-c\n+C\n D\n", "hunk 1 does not fit"},
		{"white space counts", "a\n  b\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "hunk 1 does not fit"},
		{"several places", "x\ny\nx\ny\n", "@@ -2,2 +2,2 @@\n x\n-y\n+z\n", "several places, at lines 1, 3"},
		{"several places, no numbers", "x\nx\n", "@@\n-x\n+y\n", "several places, at lines 1, 2"},
		{"wrong order", "a\nb\nc\n", "@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n", "order of the file"},
		{"overlap", "a\nb\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -2,2 +2,2 @@\n b\n-c\n+C\n", "before or in the hunk above"},
		{"only additions", "a\nb\n", "@@ -1,0 +2,1 @@\n+x\n", "only new lines"},
		{"false mark", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n", "without a line feed"},
		{"mark before the end", "a\nb\n", "@@ -1 +1 @@\n-a\n+A\n\\ No newline at end of file\n", "without a line feed"},
		{"mark of nothing", "a\n", "@@ -1 +1 @@\n\\ No newline at end of file\n", "none before it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := parsePatch(c.diff)
			if err == nil {
				var out patched
				if out, err = p.apply(c.text); err == nil {
					t.Fatalf("became %q", out.text)
				}
			}
			has(t, err.Error(), c.want)
		})
	}
}

// A diff of two random texts, applied to the first, gives the second: with
// every kind of line end, and also where lines were put before it meanwhile.
func TestPatchUndoesDiff(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range 3000 {
		before, after := randomText(rng), ""
		after = mutate(rng, before)
		d := diffText(before, after)
		if before == after {
			if d.body != "" || d.added+d.removed != 0 {
				t.Fatalf("%q has a diff with itself: %s", before, d.body)
			}
			continue
		}
		p, err := parsePatch(d.body)
		if err != nil {
			t.Fatalf("%d: %v\n%s", i, err, d.body)
		}
		out, err := p.apply(before)
		if err != nil && pureInsertion(p) {
			continue // a text of no lines, or one line without context
		}
		if err != nil || out.text != after {
			t.Fatalf("%d: %q, %v; want %q from %q with\n%s", i, out.text, err, after, before, d.body)
		}
		if len(out.notes) > 0 {
			t.Fatalf("%d: %v", i, out.notes)
		}
		head := fmt.Sprintf("new %d\r\nlines\n", i)
		if moved, err := p.apply(head + before); err == nil && before != "" && moved.text != head+after {
			t.Fatalf("%d, moved: %q, want %q", i, moved.text, head+after)
		}
	}
}

func pureInsertion(p patch) bool {
	for _, h := range p.hunks {
		if h.old == 0 {
			return true
		}
	}
	return false
}

func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for i := range rng.IntN(25) {
		fmt.Fprintf(&b, "%s%d%s", []string{"", " ", "\t", "-", "+", "@@"}[rng.IntN(6)], rng.IntN(8)+i/6*8, []string{"\n", "\n", "\r\n", " \n"}[rng.IntN(4)])
	}
	s := b.String()
	if rng.IntN(3) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	return s
}

func mutate(rng *rand.Rand, s string) string {
	lines := splitLines(s)
	var out []string
	for _, line := range lines {
		switch rng.IntN(9) {
		case 0:
		case 1:
			out = append(out, "changed "+line)
		case 2:
			out = append(out, line, fmt.Sprintf("added %d\n", rng.IntN(5)))
		default:
			out = append(out, line)
		}
	}
	text := strings.Join(out, "")
	if rng.IntN(6) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

// Whatever a diff says, applying it never panics, gives the same each time,
// and changes nothing but lines that a hunk names.
func FuzzPatch(f *testing.F) {
	f.Add("a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n")
	f.Add("a\r\nb", "--- a/x\n+++ b/x\n@@\n b\n\\ No newline at end of file\n+c\n")
	f.Add("", "@@ -0,0 +1 @@\n+a\n\\ x\n")
	f.Add("x\n\n\n", "@@ -1,2 +1 @@\n\n-\n@@ -9999999999999999999 +1 @@\n x")
	f.Fuzz(func(t *testing.T, text, diff string) {
		p, err := parsePatch(diff)
		if err != nil {
			if len(p.hunks) != 0 {
				t.Error("an error, and hunks")
			}
			return
		}
		out, err := p.apply(text)
		if err != nil {
			return
		}
		again, err := p.apply(text)
		if err != nil || again.text != out.text {
			t.Errorf("the second time: %q, %v", again.text, err)
		}
		added, removed := 0, 0
		for _, h := range p.hunks {
			for _, l := range h.lines {
				switch l.mark {
				case '+':
					added++
				case '-':
					removed++
				}
			}
		}
		if was, is := len(splitLines(text)), len(splitLines(out.text)); is > was-removed+added {
			t.Errorf("%d lines became %d by %d added and %d removed", was, is, added, removed)
		}
	})
}
