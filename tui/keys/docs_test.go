package keys

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table into docs/terminal.md")

// TestDocs: the table of the documents is the table of the program.
func TestDocs(t *testing.T) {
	const file = "../../docs/terminal.md"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), "<!-- keys -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", file)
	}
	want := before + "<!-- keys -->\n" + table() + "<!-- end -->" + after
	if want == string(b) {
		return
	}
	if !*update {
		t.Fatalf("%s holds another table: go test ./tui/keys -update", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func table() string {
	var b strings.Builder
	actions := map[string]Action{}
	m := Default()
	for _, x := range m.Bindings() {
		actions[strings.Join(x.Keys, ", ")] = x.Do
	}
	for _, s := range m.Help() {
		fmt.Fprintf(&b, "\n### %s\n\n| keys | what they do | action |\n| --- | --- | --- |\n", s.Where)
		for _, k := range s.Keys {
			press := "`" + k.Press.String() + "`"
			if k.Press.Empty() {
				press = ""
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", press, strings.ReplaceAll(k.Does.String(), "|", `\|`), actions[k.Press.String()])
		}
	}
	fmt.Fprint(&b, "\n### Commands\n\n| command | what it does |\n| --- | --- |\n")
	for _, c := range Commands() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace(c.Name.String()+" "+c.Args.String()), c.Does)
	}
	b.WriteString("\nNames of the [Python original](glossary.md#original):\n\n| there | here |\n| --- | --- |\n")
	for _, f := range Formers() {
		here := f.Where.String()
		if f.Now != "" {
			here = "`" + f.Now + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Name, here)
	}
	b.WriteString("\n")
	return b.String()
}

// TestFormers: what stands in the place of a former command is a command, and
// no name stands twice.
func TestFormers(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Commands() {
		names[c.Name.String()] = true
	}
	for _, f := range Formers() {
		if names[f.Name] || (f.Now == "") == f.Where.Empty() || f.Now != "" && !names[f.Now] {
			t.Errorf("%+v", f)
		}
		names[f.Name] = true
	}
}
