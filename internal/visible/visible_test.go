package visible

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestStrict(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"plain", "go test ./... 'x' <a> \\", "go test ./... 'x' <a> \\"},
		{"letters of the world", "naïve 日本語 한국어 שלום العربية ไทย", "naïve 日本語 한국어 שלום العربية ไทย"},
		{"decomposed", "e\u0301 \u1112\u1161\u11ab", "e\u0301 \u1112\u1161\u11ab"},
		{"escape", "a\x1b[31mb", "a<x1B>[31mb"},
		{"line ends", "a\r\nb\tc\x7f\x00", "a<x0D><x0A>b<x09>c<x7F><x00>"},
		{"c1", "\u0085\u009b", "<U+0085><U+009B>"},
		{"no utf-8", "\xff\xc0\xaf\xed\xa0\x80", "<xFF><xC0><xAF><xED><xA0><x80>"},
		{"bidi", "abc\u202etxt.exe\u2066", "abc<U+202E>txt.exe<U+2066>"},
		{"zero width", "a\u200bb\u200db\ufeffc\u00add\u2060", "a<U+200B>b<U+200D>b<U+FEFF>c<U+00AD>d<U+2060>"},
		{"tags", "x\U000e0041\U000e007f", "x<U+E0041><U+E007F>"},
		{"selectors", "x\ufe0f\U000e0100\u180b", "x<U+FE0F><U+E0100><U+180B>"},
		{"fillers", "\u3164\uffa0\u115f\u1160\u2800\u034f", "<U+3164><U+FFA0><U+115F><U+1160><U+2800><U+034F>"},
		{"spaces", "a\u00a0b\u3000c\u2003d\u2028e", "a<U+00A0>b<U+3000>c<U+2003>d<U+2028>e"},
		{"private, unassigned", "\ue000\U0010ffff\U000f0000\u0378", "<U+E000><U+10FFFF><U+F0000><U+0378>"},
		{"third mark", "a\u0301\u0302\u0303\u0304b\u0301", "a\u0301\u0302<U+0303><U+0304>b\u0301"},
		{"mark without base", "\u0301 \u0301\x1b\u0301", "<U+0301> <U+0301><x1B><U+0301>"},
		{"replacement itself", "\ufffd", "\ufffd"},
		{"look-alike", "<U+202E><x1B><u+41><X1>", "<U+003C>U+202E><U+003C>x1B><U+003C>u+41><U+003C>X1>"},
		{"look-alike bracket", "＜U+202E>‹x1B>", "<U+FF1C>U+202E><U+2039>x1B>"},
		{"no look-alike", "<xml> <U> <U+> <U+12 <x> <x123> vector<x1", "<xml> <U> <U+> <U+12 <x> <x123> vector<x1"},
		{"flag, skin", "🇩🇪👍🏽", "<U+1F1E9><U+1F1EA>👍<U+1F3FD>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Strict(c.in)
			if got != c.want {
				t.Errorf("Strict(%q)\n got %q\nwant %q", c.in, got, c.want)
			}
			if back, err := reverse(got); err != nil || back != c.in {
				t.Errorf("reverse(%q) = %q, %v; want %q", got, back, err, c.in)
			}
		})
	}
}

func TestReverseRefuses(t *testing.T) {
	for _, s := range []string{
		"\x1b", "a\tb", "<x41>", "<U+0041>", "<U+110000>", "<U+D800>", "<U+1B>", "<U+001B>",
		"<xE2><x80><xAE>", "<U+003C>y", "\u202e", "<x1b>",
	} {
		if back, err := reverse(s); err == nil || back != "" {
			t.Errorf("reverse(%q) = %q, %v; want an error and nothing else", s, back, err)
		}
	}
}

// TestEveryRune holds the tables against what the renderer believes about
// widths: a base takes cells of its own, and what takes none needs a base.
func TestEveryRune(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		s := string(r)
		cells := ansi.StringWidthWc(s)
		switch classOf(r) {
		case base:
			if cells < 1 || cells > 2 {
				t.Errorf("%U counts as a base and takes %d cells", r, cells)
			}
		case hidden:
			if shown := Strict(s); shown == s || ansi.StringWidthWc(shown) != len(shown) {
				t.Errorf("%U is shown as %q", r, shown)
			}
		case mark:
			if shown := Strict(s); shown == s {
				t.Errorf("%U stands alone", r)
			}
		case space:
			if r != ' ' {
				t.Errorf("%U counts as the space", r)
			}
		}
	}
}

func TestOnce(t *testing.T) {
	for in, want := range map[string]string{
		"<U+202E> and <x1B>": "<U+202E> and <x1B>",
		"<U+202E>\u202e\x1b": "<U+202E><U+202E><x1B>",
		"":                   "",
	} {
		if got := Once(in); got != want {
			t.Errorf("Once(%q) = %q, want %q", in, got, want)
		}
		if Harmless(in) != (in == want) {
			t.Errorf("Harmless(%q) = %v", in, Harmless(in))
		}
	}
}

func TestLines(t *testing.T) {
	got := StrictLines("a\tb\n日本\tc\r\n\n\x1b\n")
	want := []string{"a       b", "日本    c<x0D>", "", "<x1B>"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
	for in, want := range map[string]string{
		"\tx := 1":   "        x := 1",
		"x \t":       "x<U+0020><x09>",
		"   ":        "<U+0020><U+0020><U+0020>",
		"":           "",
		"a\u00a0b  ": "a<U+00A0>b<U+0020><U+0020>",
	} {
		if got := Source(in); got != want {
			t.Errorf("Source(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"a\n\tb":                    "a\n\tb",
		"a\r\nb\rc":                 "a\nb<x0D>c",
		"👨‍👩‍👧 ❤️ 1️⃣":              "👨👩👧 ❤ 1",
		"👍🏽 🇩🇪 ↔️":                  "👍 DE ↔",
		"10\u202f000\u00a0€\u3000。": "10 000 €  。",
		"\u200d\u202e\x1b]52;c":     "<U+200D><U+202E><x1B>]52;c",
		"a\u200db":                  "a<U+200D>b",
		"<x1B>":                     "<U+003C>x1B>",
	} {
		if got := Prose(in); got != want {
			t.Errorf("Prose(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	rest, parts := "a <b> <x1B>c<U+10FFFF><U+003C>x1B>", []string{}
	for {
		before, escape, after := Cut(rest)
		parts = append(parts, before)
		if escape == "" {
			break
		}
		parts = append(parts, escape)
		rest = after
	}
	want := "a <b> |<x1B>|c|<U+10FFFF>||<U+003C>|x1B>"
	if got := strings.Join(parts, "|"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNothingToDoCostsNothing(t *testing.T) {
	text := strings.Repeat("func main() { 日本語 } ", 500)
	for name, f := range map[string]func(){
		"Strict": func() { Strict(text) }, "Once": func() { Once(text) },
		"Prose": func() { Prose(text) }, "Source": func() { Source(text + "x") },
	} {
		want := 0.0
		if name == "Source" {
			want = 1 // the concatenation
		}
		if got := testing.AllocsPerRun(5, f); got > want {
			t.Errorf("%s allocates %.0f times", name, got)
		}
	}
}

func FuzzStrict(f *testing.F) {
	for _, s := range []string{"", "a\x1b[0m", "<U+202E>", "＜x1B>", "\xff<x", "e\u0301\u0302\u0303", "\u1161"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		shown := Strict(s)
		if !utf8.ValidString(shown) || !Harmless(shown) {
			t.Fatalf("Strict(%q) = %q is not harmless", s, shown)
		}
		back, err := reverse(shown)
		if err != nil || back != s {
			t.Fatalf("reverse(%q) = %q, %v; want %q", shown, back, err, s)
		}
		if Once(shown) != shown {
			t.Fatalf("Once changes %q", shown)
		}
		if back, err := reverse(s); err == nil && Strict(back) != s {
			t.Fatalf("%q has a second form", back)
		}
		for _, line := range append(StrictLines(s), Source(strings.ReplaceAll(s, "\n", ""))) {
			if !Harmless(line) {
				t.Fatalf("line %q of %q is not harmless", line, s)
			}
		}
		for line := range strings.SplitSeq(Prose(s), "\n") {
			if !Harmless(strings.ReplaceAll(line, "\t", " ")) {
				t.Fatalf("line %q of %q is not harmless", line, s)
			}
		}
	})
}

func BenchmarkStrict(b *testing.B) {
	for name, text := range map[string]string{
		"plain":   strings.Repeat("func main() { return }   ", 4000),
		"cjk":     strings.Repeat("日本語のテキスト", 4000),
		"hostile": strings.Repeat("\x1b[31m\u202e", 10000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Strict(text)
			}
		})
	}
}
