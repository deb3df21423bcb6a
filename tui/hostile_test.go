package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// frameOf is the rows that no event's text belongs to: separators and hints.
func frameOf(text string) string {
	var out []string
	for y, row := range strings.Split(text, "\n") {
		if strings.Trim(row, "-") == "" && len(row) == 90 {
			out = append(out, string(rune('a'+y))+" rule")
		}
		if strings.HasSuffix(row, "ctrl+j newline   ? keys") || strings.HasPrefix(row, "working   esc stops   ") {
			out = append(out, string(rune('a'+y))+" hints")
		}
	}
	return strings.Join(out, ", ")
}

func play(t *testing.T, s string) {
	tuitest.Bubble(t, func(t *testing.T) {
		session := tuitest.NewSession(opened())
		p := tuitest.Open(t, 90, 30, tui.Options{Session: session})
		want := frameOf(p.Screen.Text())
		if strings.Count(want, "rule") != 3 || !strings.Contains(want, "hints") {
			t.Fatalf("the frame is %s", want)
		}
		check := func(what string) {
			p.Wait(100 * time.Millisecond)
			if got := frameOf(p.Screen.Text()); got != want {
				t.Errorf("%q in %s moves the frame: %s instead of %s\n%s", s, what, got, want, p.Screen.Text())
			}
		}
		p.Type("m") // so that no question takes the focus
		for _, b := range tuitest.EveryBody(s) {
			session.Emit(b)
			check(b.Type())
		}
		p.Keys("pgup", "up", "enter", "up", "enter", "up", "enter", "esc")
		p.Keys("ctrl+p")
		p.Wait(time.Second)
		p.Keys("pgdown", "x")
		p.Wait(time.Second)
		for _, lists := range [][]string{{"ctrl+k", "down", "esc"}, {"ctrl+z", "enter", "down", "esc", "esc"}, {"ctrl+s", "esc"}, {"f2", "pgup", "esc"}, {"f1", "esc"}} {
			p.Keys(lists...)
		}
		check("the lists")
		seen := p.Screen.Seen()
		if len(seen.Titles) > 0 || seen.Bells > 0 || len(seen.Osc) > 0 {
			t.Errorf("%q did this to the terminal: %+v", s, seen)
		}
		p.Quit() // an error when the gate had to refuse anything
	})
}

// hostile is text that terminals, renderers and layouts fall for.
var hostile = []string{
	"\x1b]0;title\x07\x1b]52;c;aGk=\x07", "\x1b[2J\x1b[H\x1b[31mred", "\x1b[6n\x1b[c\x1bP+q544e\x1b\\", "\x1bP1$r0m\x1b\\\x1b_Gi=1;AAAA\x1b\\\x1b^x\x1b\\",
	"a\rb\nc\td\x00\x07\x08\x7f", "\u009b31m\u009d0;x\u009c\u0085", "\xff\xfe\xc0\xaf\xed\xa0\x80", "\u202eabc\u2066\u200b\ufeff\U000e0041", "e" + strings.Repeat("\u0301", 50),
	strings.Repeat("日本", 2000), strings.Repeat("x", 5000), strings.Repeat("\n", 300), strings.Repeat("# **`_[a](b)\n```\n> - |\n", 100), "<U+202E><x1B>", "%s%d\\\"'`$(id)",
	"", " ", "\u0301", "👩‍👩‍👧‍👦🇩🇪👍🏽", strings.Repeat("\u1160\u11a8", 100), "ﷺ\U0001242b\u2e3b",
}

// TestHostileText plays it in every field of every event.
func TestHostileText(t *testing.T) {
	for _, s := range hostile {
		play(t, s)
	}
}
