package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestMessagesOfTheTroubles: what docs/troubleshooting.md quotes in bold is a
// message of the program. … in it is what the program puts in.
func TestMessagesOfTheTroubles(t *testing.T) {
	var said strings.Builder
	for _, f := range sources(t, parser.SkipObjectResolution) {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					said.WriteString(text + "\n")
				}
			}
			return true
		})
	}
	n := 0
	for _, m := range regexp.MustCompile("(?m)^\\*\\*`([^`]+)`\\*\\*").FindAllStringSubmatch(read(t, "docs/troubleshooting.md"), -1) {
		n++
		for piece := range strings.SplitSeq(m[1], "…") {
			if piece = strings.Trim(piece, ` :"?(),`); len(piece) > 3 && !strings.Contains(said.String(), piece) {
				t.Errorf("the program never says %q (of %q)", piece, m[1])
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d messages were found", n)
	}
}

// TestLinksToPlacesInPages: a link into a page leads to a heading of it, and
// every page of docs is reached from its index.
func TestLinksToPlacesInPages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	files := append([]string{filepath.Join(top, "README.md"), filepath.Join(top, "THREAT_MODEL.md")}, pages...)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\(([^)#:]*)#([^)]+)\)`).FindAllStringSubmatch(string(b), -1) {
			target := file
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(file), m[1])
			}
			if !anchors(t, target)[m[2]] {
				t.Errorf("%s links to %s#%s, which is no heading there", file, m[1], m[2])
			}
		}
	}
	index := read(t, "docs/README.md")
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/README.md does not lead to %s", name)
		}
	}
}

// anchors are the places of a page, as GitHub names its headings.
func anchors(t *testing.T, file string) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, m := range regexp.MustCompile(`(?m)^#{1,4} (.+)$`).FindAllStringSubmatch(string(b), -1) {
		out[strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	for _, m := range regexp.MustCompile(`<a id="([^"]+)">`).FindAllStringSubmatch(string(b), -1) {
		out[m[1]] = true
	}
	return out
}

// TestTheReadmeIsOneScreen: the rest is behind its links.
func TestTheReadmeIsOneScreen(t *testing.T) {
	if n := strings.Count(read(t, "README.md"), "\n"); n > 64 {
		t.Errorf("the README has %d lines; one screen is 64 at most", n)
	}
}

// TestTheReadmesFigure is the measured one.
func TestTheReadmesFigure(t *testing.T) {
	m := regexp.MustCompile(`(?m)^\| all \d+ \| mean \| ([0-9.]+) `).FindStringSubmatch(read(t, "docs/quietness.md"))
	if m == nil || !strings.Contains(read(t, "README.md"), "["+m[1]+" questions](docs/quietness.md)") {
		t.Errorf("docs/quietness.md has %v questions a task, and the README another figure", m)
	}
}

// TestGlossary: its terms stand in order, each once, with a place to link to and
// a page that says more.
func TestGlossary(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| <a id="([a-z-]+)"></a>([^|]+) \| (.+) \|$`)
	last, n := "", 0
	for _, m := range row.FindAllStringSubmatch(read(t, "docs/glossary.md"), -1) {
		n++
		if m[2] <= last {
			t.Errorf("%q stands behind %q", m[2], last)
		}
		last = m[2]
		if !strings.Contains(m[3], "](") {
			t.Errorf("%q leads to no page", m[2])
		}
		if first, _, _ := strings.Cut(m[2], ","); m[1] != strings.ReplaceAll(first, " ", "-") && !strings.HasPrefix(m[1], first) {
			t.Errorf("%q has the place %q", m[2], m[1])
		}
	}
	if n < 30 {
		t.Errorf("only %d terms", n)
	}
}

// TestTheComparisonHasSources: whatever the page says of another agent names a
// source, each source has an address and a month, and none is idle.
func TestTheComparisonHasSources(t *testing.T) {
	page := read(t, "docs/comparison.md")
	body, list, _ := strings.Cut(page, "\n## Sources\n")
	there := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| .+: https://\S+ \| 20\d\d-\d\d \|$`).FindAllStringSubmatch(list, -1) {
		there[m[1]] = true
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`\[([\d, ]+)\]`).FindAllStringSubmatch(body, -1) {
		for n := range strings.SplitSeq(m[1], ", ") {
			named[n] = true
			if !there[n] {
				t.Errorf("there is no source %s", n)
			}
		}
	}
	for n := range there {
		if !named[n] {
			t.Errorf("the source %s is named nowhere", n)
		}
	}
	source := regexp.MustCompile(`\[[\d, ]+\]`)
	for claim := range strings.SplitSeq(strings.ReplaceAll(body, "\n- ", "\n\n- "), "\n\n") {
		for line := range strings.SplitSeq(claim, "\n|") {
			if other := regexp.MustCompile(`Codex|Claude Code|Gemini CLI|opencode|Crush`).FindString(line); other != "" && !source.MatchString(line) {
				t.Errorf("no source for what is said of %s: %s", other, line)
			}
		}
	}
	if len(there) < 10 {
		t.Errorf("only %d sources", len(there))
	}
}
