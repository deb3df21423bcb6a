package agent

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// sides rebuilds both contents from a whole diff.
func sides(lines []diffLine) (before, after string) {
	for _, l := range lines {
		if l.op != '+' {
			before += l.text
		}
		if l.op != '-' {
			after += l.text
		}
	}
	return before, after
}

func FuzzDiffHoldsBothSides(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nB\nc"))
	f.Add([]byte("\r\n\x00\xff"), []byte("\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		before, after := sides(lineDiff(a, b))
		if before != string(a) || after != string(b) {
			t.Errorf("diff of %q and %q holds %q and %q", a, b, before, after)
		}
		d := diffFiles(a, b)
		if bytes.Equal(a, b) != (d.added+d.removed == 0) {
			t.Errorf("%q and %q: %s", a, b, d.stat())
		}
		for _, l := range d.lines {
			if strings.ContainsAny(l.Text, "\n\r\t\x1b\x00") {
				t.Errorf("raw byte on a line: %q", l.Text)
			}
		}
	})
}

func TestDiffShowsEveryChangedLineOnce(t *testing.T) {
	var a, b []string
	for i := range 60 {
		a = append(a, fmt.Sprintf("line %d\n", i))
		b = append(b, a[i])
	}
	b[5], b[9], b[40] = "five\n", "nine\n", "forty\n"
	d := diffFiles([]byte(strings.Join(a, "")), []byte(strings.Join(b, "")))
	count := map[event.LineKind]int{}
	for _, l := range d.lines {
		count[l.Kind]++
	}
	if d.stat() != "+3 -3" || count[event.LineAdd] != 3 || count[event.LineDelete] != 3 || count[event.LineHunk] != 2 {
		t.Errorf("%s, %v", d.stat(), count)
	}
}

func TestHugeFilesAreDiffedInLinearTime(t *testing.T) {
	n := 400_000
	if raceDetector {
		n = 40_000
	}
	a := bytes.Repeat([]byte("old\n"), n)
	b := []byte(strings.Repeat("new\nnewer\n", n/2))
	if d := diffFiles(a, b); d.stat() != fmt.Sprintf("+%d -%d", n, n) {
		t.Error(d.stat())
	}
}

func TestInvisibleDifferencesAreShown(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"x = 1\n", "x = 1 \n", "U+0020"},
		{"a\r\nb\r\n", "a\r\nB\r\n", "+ B"},
		{"a\r\nb\n", "a\nb\n", "x0D"},
		{"a", "a\u202e", "202E"},
		{"a\n", "a", "no line feed"},
		{"a\r\nb", "a\r\nb\r", "x0D"},
		{"all:\n\tgo\n", "all:\n        go\n", "x09"},
	} {
		var text []string
		for _, l := range diffFiles([]byte(c.before), []byte(c.after)).lines {
			text = append(text, l.Text)
		}
		if !strings.Contains(strings.Join(text, "\n"), c.want) {
			t.Errorf("%q to %q: %q lacks %q", c.before, c.after, text, c.want)
		}
	}
}
