package tool

import (
	"strings"
	"testing"
)

func TestReplaceText(t *testing.T) {
	for _, c := range []struct {
		name           string
		text, old, new string
		all            bool
		want           string
		level          level
		places         int
	}{
		{"exact", "a\nb\nc\n", "b", "B", false, "a\nB\nc\n", exact, 1},
		{"exact, lines", "a\nb\nc\n", "a\nb\n", "x\n", false, "x\nc\n", exact, 1},
		{"delete", "a\nb\nc\n", "b\n", "", false, "a\nc\n", exact, 1},
		{"whole file", "a\n", "a\n", "b", false, "b", exact, 1},
		{"all", "x y x", "x", "z", true, "z y z", exact, 2},
		{"all, overlapping", "aaaa", "aa", "b", true, "bb", exact, 2},
		{"new lines take CRLF", "a\r\nb\r\nc\r\n", "b", "b\nb2", false, "a\r\nb\r\nb2\r\nc\r\n", exact, 1},
		{"new lines at the end take CRLF", "a\r\nb", "b", "b\nc", false, "a\r\nb\r\nc", exact, 1},
		{"new lines at the beginning take CRLF", "a\r\nb\r\n", "a", "0\na", false, "0\r\na\r\nb\r\n", exact, 1},
		{"one line takes LF", "a", "a", "b\nc", false, "b\nc", exact, 1},
		{"CR is taken as it is", "a\r\nb\r\n", "a\r\nb", "a\nb", false, "a\nb\r\n", exact, 1},
		{"CR is put in as it is", "a\nb\n", "a\nb", "a\r\nb", false, "a\r\nb\n", exact, 1},

		{"over CRLF", "a\r\nb\r\nc\r\n", "a\nb\n", "a\nB\n", false, "a\r\nB\r\nc\r\n", byLineEnds, 1},
		{"each line keeps its end", "a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "a\nB\nc\nD", false, "a\r\nB\nc\r\nD\n", byLineEnds, 1},
		{"added line takes the end before it", "a\r\nb\nc\r\n", "a\nb\nc\n", "a\nx\nb\nc\n", false, "a\r\nx\r\nb\nc\r\n", byLineEnds, 1},
		{"deleted line", "a\r\nb\r\nc\r\n", "a\nb\nc", "a\nc", false, "a\r\nc\r\n", byLineEnds, 1},
		{"joined lines", "a\r\nb\r\n", "a\nb", "a b", false, "a b\r\n", byLineEnds, 1},
		{"joined by the line end", "a\r\nb\r\n", "\nb", "b", false, "ab\r\n", byLineEnds, 1},
		{"CRLF in the arguments for LF", "a\nb\n", "a\r\nb\r\n", "a\r\nB\r\n", false, "a\nB\n", byLineEnds, 1},
		{"a lone CR is a character", "a\rb\r\nc\r\n", "a\rb\nc", "a\rb\nC", false, "a\rb\r\nC\r\n", byLineEnds, 1},

		{"white space at ends", "a  \nb\t\nc\n", "a\nb\n", "a\nB\n", false, "a  \nB\t\nc\n", byTrailing, 1},
		{"white space at the end of old", "a\nb\nc\n", "a \nb ", "a \nB", false, "a\nB\nc\n", byTrailing, 1},
		{"with CRLF", "a  \r\nb\r\n", "a\nb", "a\nb\nc", false, "a  \r\nb\r\nc\r\n", byTrailing, 1},

		{"further indented", "\tif x {\n\t\ty()\n\t}\n", "if x {\n\ty()\n}\n", "if x {\n\tz()\n}\n", false, "\tif x {\n\t\tz()\n\t}\n", byIndent, 1},
		{"less indented", "if x:\n    y()\n", "  if x:\n      y()\n", "  if x:\n      z()\n      w()\n", false, "if x:\n    z()\n    w()\n", byIndent, 1},
		{"blank lines are not indented", "  a\n\n  b\n", "a\n\nb", "a\n\nc", false, "  a\n\n  c\n", byIndent, 1},
		{"indented with CRLF", "  a\r\n  b\r\n", "a\nb\n", "a\nx\nb\n", false, "  a\r\n  x\r\n  b\r\n", byIndent, 1},

		{"quotes", "say “hi” – now\nnext\n", "say \"hi\" - now", "say \"hi\" - later", false, "say “hi” – later\nnext\n", byCharacter, 1},
		{"spaces", "a\u00a0b c\n", "a b c", "a b d", false, "a\u00a0b d\n", byCharacter, 1},
		{"typographic old for ASCII", "it's\n", "it’s", "it’s on", false, "it's on\n", byCharacter, 1},
		{"accents stay", "é “x” ü\n", "é \"x\" ü", "é \"y\" ü", false, "é “y” ü\n", byCharacter, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := replaceText(c.text, c.old, c.new, c.all)
			if err != nil {
				t.Fatal(err)
			}
			if got.text != c.want || got.level != c.level || got.places != c.places {
				t.Errorf("%q at level %d in %d places, want %q at %d in %d", got.text, got.level, got.places, c.want, c.level, c.places)
			}
		})
	}
}

func TestReplaceTextRefuses(t *testing.T) {
	code := "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 2\n}\n"
	for _, c := range []struct {
		name, text, old, new string
		want                 []string
	}{
		{"twice", "x\ny\nx\n", "x", "z", []string{"stands in 2 places", "at lines 1, 3", "replace_all"}},
		{"overlapping", "aaa", "aa", "b", []string{"stands in 2 places, at lines 1, 1"}},
		{"twice over CRLF", "a\r\nb\r\na\r\nb\r\n", "a\nb", "c", []string{"2 places when line ends", "1, 3"}},
		{"many", strings.Repeat("x\n", 50), "x", "z", []string{"50 places", "9, 10, …"}},
		{"not there", code, "\treturn 3\n}\n\nfunc b() {", "x", []string{"not in the file", "most similar lines", "5\tfunc b() {"}},
		{"nothing like it", code, "import os", "x", []string{"no line of it is"}},
		{"like the beginning", code, "func a(x int) {", "x", []string{"1\tfunc a() {"}},
		{"with line numbers", code, "1\tfunc a() {\n2\t\treturn 1", "x", []string{"line numbers of read_file"}},
		{"done already", code, "\treturn 9", "\treturn 2", []string{"new_str is, at line 6"}},
		{"not on similarity", "alpha\nbeta\ngamma\n", "alpha\nBETA\ngamma\n", "x", []string{"most similar lines", "2\tbeta"}},
		{"not in the middle of a word", "a\nbc\n", "a \nb ", "x", []string{"not in the file"}},
		{"uneven indentation", "  a\n   b\n", "a\nb\n", "x", []string{"not in the file"}},
		{"tabs are not spaces", "\ta\n\tb\n", "    a\n    b\n", "x", []string{"not in the file"}},
		{"nothing but white space", "a\nb\n", " \n \n", "x", []string{"not in the file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := replaceText(c.text, c.old, c.new, false)
			if err == nil {
				t.Fatalf("became %q at level %d", got.text, got.level)
			}
			has(t, err.Error(), c.want...)
		})
	}
}

// Whatever the level, what a replacement leaves alone stays byte for byte: the
// text before the first line that old touches and behind the last.
func FuzzReplaceText(f *testing.F) {
	f.Add("a\r\nb\nc  \r\n", "b\nc", "x\ny", false)
	f.Add("  a\n\tb\n", "a\nb", "", true)
	f.Add("“a” b\u00a0\n", "\"a\" b", "c", false)
	f.Add("\r\n\r\n", "\n", "\r", true)
	f.Fuzz(func(t *testing.T, text, old, new string, all bool) {
		if old == "" || !valid(text, old, new) {
			t.Skip()
		}
		got, err := replaceText(text, old, new, all)
		if err != nil {
			return
		}
		if got.places == 1 && got.level == exact && strings.Count(text, old) == 1 && !strings.Contains(text+new, "\r") {
			if want := strings.Replace(text, old, new, 1); got.text != want {
				t.Errorf("%q, want %q", got.text, want)
			}
		}
		// The result says new where the text said old, as far as the level sees.
		if l := got.level; got.places == 1 && l != byIndent && !strings.Contains(new, "\r") {
			if seen := look(got.text, byCharacter).s; !strings.Contains(seen, strings.Trim(look(new, byCharacter).s, " \t")) {
				t.Errorf("%q does not hold %q (level %d)", got.text, new, l)
			}
		}
		again, err := replaceText(text, old, new, all)
		if err != nil || again != got {
			t.Errorf("the second time: %+v, %v", again, err)
		}
	})
}

func valid(texts ...string) bool {
	for _, s := range texts {
		if _, err := decodeText([]byte(s)); err != nil || strings.HasPrefix(s, "\uFEFF") {
			return false
		}
	}
	return true
}
