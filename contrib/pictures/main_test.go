package main

import (
	"strings"
	"testing"
)

func TestPicture(t *testing.T) {
	var out strings.Builder
	in := "in /x/y/home/parser   \x1b[1;38;2;1;2;255mok\x1b[0m <b>\n\x1b[7mrow\x1b[27m\n\n"
	if err := run(strings.NewReader(in), &out, hidden{"/x/y/home=~"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">in ~/parser", `fill="#0102ff" font-weight="bold" xml:space="preserve">ok<`, "&lt;b&gt;", `<rect x="12.0" y="30"`, `x="196.8"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "/x/y") {
		t.Errorf("a path of this machine is in\n%s", out.String())
	}
}
