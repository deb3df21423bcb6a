package house

import (
	"go/parser"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestThePlanIsAsItIsWritten: the table of rooms in docs/architecture.md is the
// plan that TestImports enforces, and every room of it is there.
func TestThePlanIsAsItIsWritten(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "docs/architecture.md"), "\n## 3. Rooms\n")
	section, _, _ = strings.Cut(section, "\n## ")
	row := regexp.MustCompile("^\\| `([a-z/-]+)` \\| .+ \\| (.+) \\|$")
	name := regexp.MustCompile("`([a-z/]+)`")
	written := map[string][]string{}
	for line := range strings.SplitSeq(section, "\n") {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		var may []string
		for _, n := range name.FindAllStringSubmatch(m[2], -1) {
			may = append(may, n[1])
		}
		switch {
		case m[2] == "everything":
			may = append(may, "*")
		case strings.HasPrefix(m[2], "no internal"):
			may = append(may, "-internal")
		}
		written[m[1]] = may
	}
	for room, may := range rooms {
		if got, ok := written[room]; !ok || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(may))) {
			t.Errorf("%s may import %v, and the page says %v", room, may, got)
		}
		if _, err := os.Stat(filepath.Join(top, room)); err != nil {
			t.Errorf("the room %s is not there", room)
		}
	}
	for _, room := range slices.Sorted(maps.Keys(written)) {
		if _, ok := rooms[room]; !ok {
			t.Errorf("the page has a room %s, and the plan has none", room)
		}
	}
}

// TestPagesThatCommentsName: a page that a comment sends its reader to is there.
func TestPagesThatCommentsName(t *testing.T) {
	page := regexp.MustCompile(`\bdocs/[a-z-]+\.md\b`)
	n := 0
	for _, f := range sources(t, parser.ParseComments) {
		for _, group := range f.ast.Comments {
			for _, name := range page.FindAllString(group.Text(), -1) {
				n++
				if _, err := os.Stat(filepath.Join(top, name)); err != nil && !f.test {
					t.Errorf("%s: a comment names %s, which is not there", f.fset.Position(group.Pos()), name)
				}
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d pages are named: the test looks at the wrong tree", n)
	}
}
