package guide

import (
	"os"
	"strings"
	"testing"
)

// examples are the indented blocks of a document that begin with ---.
func examples(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	block := ""
	for line := range strings.Lines(string(b) + "\nend\n") {
		if rest, ok := strings.CutPrefix(line, "    "); ok {
			block += rest
			continue
		}
		if strings.HasPrefix(block, "---\n") {
			out = append(out, block)
		}
		block = ""
	}
	return out
}

// TestDocs: the examples of docs/instructions.md are what they say.
func TestDocs(t *testing.T) {
	all := examples(t, "../../docs/instructions.md")
	if len(all) != 2 {
		t.Fatalf("%d examples", len(all))
	}
	c, err := parseCommand("user", "/x/explain.md", []byte(all[0]), nil)
	if err != nil || c.Does != "explain a file to a newcomer" || !strings.Contains(c.Expand("a.go gently"), "Explain a.go to") || !strings.HasSuffix(c.Expand("a.go gently"), "a.go gently") {
		t.Errorf("%+v, %v", c, err)
	}
	k, err := parseSkill("user", "/x/release/SKILL.md", []byte(all[1]), nil)
	if err != nil || k.Name != "release" || !strings.HasPrefix(k.Text, "1. Run ./test") {
		t.Errorf("%+v, %v", k, err)
	}
}
