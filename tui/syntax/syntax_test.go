package syntax

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
)

// marks writes looks as letters around the text: k s c n for the four.
func marks(l *Language, text string) string {
	var out []string
	var s State
	for _, line := range safe.Lines(text) {
		spans, next := l.Line(line, s)
		s = next
		var b strings.Builder
		for _, sp := range spans {
			letter := map[theme.Style]string{theme.Keyword: "k", theme.String: "s", theme.Comment: "c", theme.Number: "n", theme.Escape: "e"}[sp.Style]
			if letter == "" {
				b.WriteString(sp.Text.String())
			} else {
				fmt.Fprintf(&b, "%s{%s}", letter, sp.Text)
			}
		}
		out = append(out, b.String())
	}
	return strings.Join(out, "|")
}

func TestLooks(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"go", `if x == 12 { return "a\"b" } // end`, `k{if} x == n{12} { k{return} s{"a\"b"} } c{// end}`},
		{"go", "a := `one\ntwo` + 'x'", "a := s{`one}|s{two`} + s{'x'}"},
		{"go", "/* a\nb */ func", "c{/* a}|c{b */} k{func}"},
		{"go", "iffy x2 _if", "iffy x2 _if"},
		{"python", "def f(): # it's\n  \"\"\"doc\nmore\"\"\"", "k{def} f(): c{# it's}|  s{\"\"\"doc}|s{more\"\"\"}"},
		{"rust", "fn f<'a>(x: &'a str) {}", "k{fn} f<'a>(x: &'a str) {}"},
		{"sh", "echo a#b # c", "k{echo} a#b c{# c}"},
		{"yaml", "name: \"x\" # y", "k{name}: s{\"x\"} c{# y}"},
		{"sql", "SELECT a FROM b -- all", "k{SELECT} a k{FROM} b c{-- all}"},
		{"json", `{"a": [1.5e3, true]}`, `{s{"a"}: [n{1.5e3}, k{true}]}`},
		{"src/main.rs", "let", "k{let}"},
		{"go", "x := \"a\x1bb\" // \u202e", `x := s{"a}e{<x1B>}bs{" // }e{<U+202E>}`},
		{"no such", "if", "if"},
	} {
		if got := marks(Of(c.lang), c.text); got != c.want {
			t.Errorf("%s: %s\ngives %s\nwant  %s", c.lang, c.text, got, c.want)
		}
	}
}

// FuzzLine: looks change no character, in any language.
func FuzzLine(f *testing.F) {
	f.Add("go", "`a\n\"b\\")
	f.Add("py", "\"\"\"\n'''\n#")
	f.Fuzz(func(t *testing.T, lang, text string) {
		var s State
		for _, line := range safe.Lines(text) {
			spans, next := Of(lang).Line(line, s)
			s = next
			var b strings.Builder
			for _, sp := range spans {
				b.WriteString(sp.Text.String())
			}
			if b.String() != line.String() {
				t.Fatalf("%s: %q becomes %q", lang, line, b.String())
			}
		}
	})
}

// TestLinear: twice the text costs about twice.
func TestLinear(t *testing.T) {
	for name, unit := range map[string]string{"words": "if x ", "quotes": `"a" `, "open": `"\`, "slashes": "/ ", "hashes": "a#"} {
		took := func(n int) time.Duration {
			line := safe.Lines(strings.Repeat(unit, n/len(unit)))[0]
			best := time.Hour
			for range 5 {
				start := time.Now()
				for range 64 {
					Of("go").Line(line, 0)
				}
				best = min(best, time.Since(start))
			}
			return best
		}
		if small, large := took(MaxLine/8), took(MaxLine); large > 8*6*small {
			t.Errorf("%s: %v for an eighth, %v for the whole", name, small, large)
		}
	}
}
