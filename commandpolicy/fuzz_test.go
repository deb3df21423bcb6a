package commandpolicy

import (
	"bytes"
	"strings"
	"testing"
)

// Whatever the bytes are: no panic, the same answer twice, and nothing is
// looser for having more beside it.
func FuzzParse(f *testing.F) {
	n := 0
	for i, c := range append(cases(f, ownCases, 2800), cases(f, suiteCases, 414)...) {
		if len(c.Command) < 200 && i%16 == 0 {
			f.Add(c.Command)
			n++
		}
	}
	if n < 150 {
		f.Fatalf("only %d seeds", n)
	}
	f.Fuzz(func(t *testing.T, text string) {
		where := Context{Workspace: "/workspace", Home: "/home/u", Look: nothing{}}
		var p *Policy
		a := Parse(text, where)
		first, _ := p.Decide(a, When{})
		again, _ := p.Decide(Parse(text, where), When{})
		if first != again {
			t.Fatalf("%v, then %v", first, again)
		}
		if a.ReadOnly && (!a.Parsed || len(a.BadBytes) > 0 || a.Catastrophe != nil) {
			t.Fatal("proven, though not understood")
		}
		if first == Allow {
			for _, more := range []string{"\ntouch x", "\n> x"} {
				if strings.Contains(text, "<<") || strings.HasSuffix(text, "\\") {
					continue
				}
				if d, _ := p.Decide(Parse(text+more, where), When{}); d == Allow {
					t.Fatalf("allowed with %q behind it", more)
				}
			}
		}
		if badBytes(p.Explain(a, When{})) != nil {
			t.Fatal("the explanation holds characters that cannot be seen")
		}
		for _, s := range New().Scopes(a, at()) {
			if _, err := Load(strings.NewReader(s.TOML), "x.toml", LayerRemembered); err != nil {
				t.Fatalf("%s: %v", s.TOML, err)
			}
		}
	})
}

// A policy file loads, or says why with a line; what loads is written and read
// again as the same rules.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(designRules))
	f.Add([]byte("[[rule]]\ncmd = 1\n"))
	f.Add([]byte("[[host]]\nhost = \"a\"\ndecision = \"ask\"\nexpires = 2027-01-01\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := Load(bytes.NewReader(src), "x.toml", LayerUser)
		if err != nil {
			if file != nil {
				t.Fatal("a file beside an error")
			}
			return
		}
		var text string
		for i := range file.Rules {
			text += file.Rules[i].TOML() + "\n"
		}
		again, err := Load(strings.NewReader(text), "x.toml", LayerUser)
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, text)
		}
		for i := range again.Rules {
			if again.Rules[i].core() != file.Rules[i].core() {
				t.Fatalf("%s\nbecame\n%s", file.Rules[i].core(), again.Rules[i].core())
			}
		}
	})
}
