package safe

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/visible"
)

func TestOnlyHarmlessTextComesOut(t *testing.T) {
	hostile := "a\x1b]52;c;aGk=\x07\u202e\U000e0041\xff\u0301\t\r\nb"
	texts := []Text{Strict(hostile), Shown(hostile), Int(-3), Int(uint64(1 << 63)), Lit("x\x1b"), Join(Strict(hostile), Lit(" "), Shown(hostile))}
	texts = append(texts, Lines(hostile)...)
	texts = append(texts, Prose(hostile)...)
	for _, text := range texts {
		if !visible.Harmless(text.String()) {
			t.Errorf("%q can do harm", text)
		}
	}
	if got := Int(-3).String() + Int(uint64(1<<63)).String(); got != "-39223372036854775808" {
		t.Errorf("numbers read %s", got)
	}
}

func TestProseKeepsItsLines(t *testing.T) {
	var got []string
	for _, line := range Prose("one\r\n\ttwo 👩‍⚕️\n\nthree\n") {
		got = append(got, line.String())
	}
	if want := "one|    two 👩⚕||three"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
