package tool

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// docsRow is a tool's row in docs/tools.md.
func docsRow(s Spec) string {
	var sc schema
	if err := json.Unmarshal(s.Schema, &sc); err != nil {
		panic(err)
	}
	var args []string
	for name := range sc.Properties {
		if !slices.Contains(sc.Required, name) {
			name += "?"
		}
		args = append(args, "`"+name+"`")
	}
	slices.Sort(args)
	aliases := slices.Clone(s.Aliases)
	for i, a := range aliases {
		aliases[i] = "`" + a + "`"
	}
	return "| `" + s.Name + "` | " + strings.Join(args, " ") + " | " + strings.Join(aliases, " ") + " |"
}

// docs/tools.md lists the tools as they are registered, and no others, and each
// name of the original that is answered with what to use instead.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, x := range New(Options{}).All() {
		row := docsRow(x.Spec())
		want[row] = true
		if !strings.Contains(string(b), row+"\n") {
			t.Errorf("docs/tools.md lacks the row\n%s", row)
		}
	}
	inTable := false
	for line := range strings.SplitSeq(string(b), "\n") {
		switch {
		case strings.HasPrefix(line, "| tool | arguments |"):
			inTable = true
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case inTable && !strings.HasPrefix(line, "| ---") && !want[line]:
			t.Errorf("docs/tools.md has a row of no tool\n%s", line)
		}
	}
	r := New(Options{})
	for _, name := range []string{
		"read_binary_file", "write_binary_file", "search_project", "get_project_structure", "undo_write", "call_mcp_tool", "list_mcp_tools",
		"spawn_multi_agents", "search_tools", "select_tools", "get_skill", "watchdog_check", "office_read",
	} {
		if _, err := r.Lookup(name); err == nil {
			continue // it is a tool by now
		} else if u, ok := err.(*UnknownToolError); !ok || u.Instead == "" {
			t.Errorf("%s is answered with no hint: %v", name, err)
		}
	}
}
