package commandpolicy

import (
	"os"
	"strings"
	"testing"
)

// Every block of docs/policy.md is true: the TOML loads without a remark, and
// the answers are given by the rules of the block before.
func TestThePageIsTrue(t *testing.T) {
	page, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	p := New()
	rules, answers := 0, 0
	for i, block := range strings.Split(string(page), "```") {
		if i%2 == 0 {
			continue
		}
		kind, body, _ := strings.Cut(block, "\n")
		switch kind {
		case "toml":
			f := mustLoad(t, LayerUser, body)
			if len(f.Warnings) > 0 {
				t.Errorf("remarks %v\n%s", f.Warnings, body)
			}
			p = New(f)
			rules += len(f.Rules)
		case "decide":
			for line := range strings.Lines(body) {
				want, text, _ := strings.Cut(strings.TrimSpace(line), " ")
				answers++
				if got, hit := p.Decide(analysed(strings.TrimSpace(text)), at()); got.String() != want {
					t.Errorf("%s is %v by %v, the page says %s", text, got, hit, want)
				}
			}
		default:
			t.Errorf("a block of kind %q, which nothing checks", kind)
		}
	}
	if rules < 8 || answers < 25 {
		t.Errorf("only %d rules and %d answers on the page", rules, answers)
	}
}
