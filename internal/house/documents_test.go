package house

import (
	"go/ast"
	"go/parser"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThreatModelControls holds every row of the control table to the package
// and the test that it names.
func TestThreatModelControls(t *testing.T) {
	tests := testsByFolder(t)
	row := regexp.MustCompile(`^\| (T[1-8]) \| (.+) \| ([a-z/-]+) \| (\w+) \|$`)
	seen := map[string]int{}
	for line := range strings.SplitSeq(read(t, "THREAT_MODEL.md"), "\n") {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		seen[m[1]]++
		if _, err := os.Stat(filepath.Join(top, m[3])); err != nil {
			t.Errorf("%q names the package %s, which is not there", m[2], m[3])
		}
		if !tests[m[3]][m[4]] {
			t.Errorf("%q names the test %s of %s, which is not there", m[2], m[4], m[3])
		}
	}
	for _, threat := range []string{"T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8"} {
		if seen[threat] == 0 {
			t.Errorf("no control against %s", threat)
		}
	}
}

// testsByFolder are the names of all tests, by the folder of their package.
func testsByFolder(t *testing.T) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, f := range sources(t, parser.SkipObjectResolution) {
		if !f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				if out[f.room] == nil {
					out[f.room] = map[string]bool{}
				}
				out[f.room][fn.Name.Name] = true
			}
		}
	}
	return out
}

// TestLinksOfTheDocuments: what a document of ours links to in this tree is
// there.
func TestLinksOfTheDocuments(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(top, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, file := range append(files, more...) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", file, m[1])
			}
		}
	}
}
