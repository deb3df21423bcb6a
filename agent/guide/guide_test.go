package guide

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/trust"
)

type place struct {
	t           *testing.T
	root, state string
	project     *trust.Project
}

func newPlace(t *testing.T) *place {
	p := &place{t: t, root: t.TempDir(), state: t.TempDir()}
	if err := os.Chmod(p.state, 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if p.project, err = trust.Open(p.root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.project.Close() })
	return p
}

func (p *place) put(base, name, text string) {
	p.t.Helper()
	file := filepath.Join(base, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		p.t.Fatal(err)
	}
}

// grant lets in all that there is now.
func (p *place) grant(start string) trust.Grant {
	p.t.Helper()
	store := trust.NewStore(p.state)
	s, err := store.Look(p.project, NoteItems(start), CommandItems, SkillItems)
	if err != nil {
		p.t.Fatal(err)
	}
	g, err := store.Record(s, p.project, trust.All, time.Now())
	if err != nil {
		p.t.Fatal(err)
	}
	return g
}

func TestHiddenCharacters(t *testing.T) {
	for _, bad := range []string{
		"a\u202eb", "a\u2066b", "a\u200bb", "a\u200db", "\u200d", "a\ufeffb", "a\U000e0041b", "a\u00adb", "a\x1b[2Jb", "a\x00b", "a\ufe0fb", "a\U000e0101b",
		"a\u2060b", "a\u180eb", "a\u3164b", "a\u115fb", "👩\u200d\u200db", "❤\ufe0f\ufe0f", "a\u2028b", "a\x7fb", "seen\rnot seen\n", "a\r\r\n",
	} {
		if _, err := Clean("AGENTS.md", []byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	for _, good := range []string{"", "plain\n\ttext\r\n", "\ufeffwith a mark at its beginning", "⚠️ careful", "👩‍💻 and 👩🏽‍💻", "naïve café", "日本語　です", "🇩🇪", "1️⃣", "a\u00a0b", "→ ✓ …"} {
		if _, err := Clean("AGENTS.md", []byte(good)); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	if _, err := Clean("AGENTS.md", []byte("a\xffb")); err == nil {
		t.Error("bytes that are no text were taken")
	}
	var hidden *HiddenError
	if _, err := Clean("A", []byte("x\ny\u202ez\u200b")); !errors.As(err, &hidden) || hidden.Line != 2 || hidden.Count != 2 || hidden.Rune != 0x202e {
		t.Errorf("%+v", hidden)
	}
}

func TestNotes(t *testing.T) {
	p := newPlace(t)
	p.put(p.root, "AGENTS.md", "use tabs\n")
	p.put(p.root, "CLAUDE.md", "not this one\n")
	p.put(p.root, "web/CLAUDE.md", "use blanks\n")
	p.put(p.root, "web/app/x.js", "")
	p.put(p.root, "other/AGENTS.md", "elsewhere\n")
	got, problems := Notes(p.project, p.grant("web/app"), "web/app", "mark")
	if len(problems) > 0 || len(got.Files) != 2 || got.Files[0].Path != "AGENTS.md" || got.Files[1].Path != "web/CLAUDE.md" {
		t.Fatalf("%+v, %v", got, problems)
	}
	if i, j := strings.Index(got.Text, "use tabs"), strings.Index(got.Text, "use blanks"); i < 0 || j < i || strings.Contains(got.Text, "not this one") || strings.Contains(got.Text, "elsewhere") {
		t.Errorf("the nearest is not last:\n%s", got.Text)
	}
	if strings.Count(got.Text, "<untrusted mark from=notes>") != 2 || len(got.Files[0].SHA256) != 64 {
		t.Errorf("%s", got.Text)
	}
}

// TestNotesAreWhatWasLetIn: a file that nobody looked at, or that was swapped
// after the look, that is a link, hides something or is too long, is not what a
// model reads.
func TestNotesAreWhatWasLetIn(t *testing.T) {
	p := newPlace(t)
	p.put(p.root, "AGENTS.md", "be kind\n")
	if got, problems := Notes(p.project, trust.Grant{}, ".", "m"); got.Text != "" || len(problems) != 1 || !strings.Contains(problems[0], "not let it in") {
		t.Errorf("without a yes: %q %v", got.Text, problems)
	}
	g := p.grant(".")
	p.put(p.root, "AGENTS.md", "be cruel\n")
	if got, problems := Notes(p.project, g, ".", "m"); got.Text != "" || len(problems) != 1 {
		t.Errorf("swapped: %q %v", got.Text, problems)
	}
	p.put(p.root, "AGENTS.md", "be \u202ekind\n")
	if got, problems := Notes(p.project, p.grant("."), ".", "m"); got.Text != "" || len(problems) != 1 || !strings.Contains(problems[0], "U+202E") {
		t.Errorf("hidden: %q %v", got.Text, problems)
	}
	p.put(p.root, "AGENTS.md", strings.Repeat("a line of notes\n", 4000))
	got, _ := Notes(p.project, p.grant("."), ".", "m")
	if len(got.Text) > MaxNotes+1000 || !got.Files[0].Cut || !strings.Contains(got.Text, "[cut:") {
		t.Errorf("%d bytes of notes", len(got.Text))
	}
	p.put(p.state, "outside.md", "from outside\n")
	if err := errors.Join(os.Remove(filepath.Join(p.root, "AGENTS.md")), os.Symlink(filepath.Join(p.state, "outside.md"), filepath.Join(p.root, "AGENTS.md"))); err != nil {
		t.Fatal(err)
	}
	if got, problems := Notes(p.project, p.grant("."), ".", "m"); got.Text != "" || len(problems) != 1 {
		t.Errorf("a link: %q %v", got.Text, problems)
	}
}

// TestCommandsShadowNothing: neither the program's own names, nor the person's.
func TestCommandsShadowNothing(t *testing.T) {
	p := newPlace(t)
	dir := ".tera_pilot/commands/"
	for name, text := range map[string]string{
		"level.md": "raise it", "review.md": "the project's", "fix.md": "---\ndescription: mend it\n---\nMend $ARGUMENTS now.", "Bad Name.md": "x", "..md": "x", "bidi.md": "a\u202eb", "empty.md": " \n",
	} {
		p.put(p.root, dir+name, text)
	}
	p.put(p.state, "commands/review.md", "the person's")
	from := Source{State: p.state, Project: p.project, Grant: p.grant("."), Builtin: []string{"/level"}}
	got, problems := from.Commands()
	if len(got) != 2 || got[0].Name != "fix" || got[0].Does != "mend it" || got[1].Text != "the person's" || got[1].From != "user" {
		t.Fatalf("%+v", got)
	}
	if len(problems) != 6 {
		t.Errorf("%d of 6 are said to be left out: %q", len(problems), problems)
	}
	p.put(p.root, dir+"fix.md", "rm everything")
	if got, _ := from.Commands(); len(got) != 1 {
		t.Errorf("swapped after the yes: %+v", got)
	}
	from.Grant = trust.Grant{}
	if got, _ := from.Commands(); len(got) != 1 || got[0].From != "user" {
		t.Errorf("without a yes: %+v", got)
	}
}

func TestExpand(t *testing.T) {
	for _, c := range []struct{ text, args, want string }{
		{"Mend $ARGUMENTS now", "a b", "Mend a b now"},
		{"$1 and $2, not $3", "x y", "x and y, not"},
		{"$1", "$2 $ARGUMENTS", "$2"},
		{"review", "the parser", "review\n\nthe parser"},
		{"costs $100 or $ARGUMENTSX", "y", "costs $100 or $ARGUMENTSX\n\ny"},
		{"plain", "", "plain"},
	} {
		if got := (Command{Text: c.text}).Expand(c.args); got != c.want {
			t.Errorf("%q with %q: %q, want %q", c.text, c.args, got, c.want)
		}
	}
}

func TestSkills(t *testing.T) {
	p := newPlace(t)
	dir := ".tera_pilot/skills/"
	p.put(p.root, dir+"deploy/SKILL.md", "---\nname: deploy\ndescription: bring a version out\n---\nFirst tag it.")
	p.put(p.root, dir+"mine/SKILL.md", "---\ndescription: the project's\n---\nx")
	p.put(p.root, dir+"plain/SKILL.md", "no header")
	p.put(p.state, "skills/mine/SKILL.md", "---\ndescription: the person's\n---\nx")
	from := Source{State: p.state, Project: p.project, Grant: p.grant(".")}
	got, problems := from.Skills()
	if len(got) != 2 || got[0].Name != "deploy" || got[0].Text != "First tag it." || got[1].From != "user" || len(problems) != 2 {
		t.Fatalf("%+v, %q", got, problems)
	}
	list := SkillList(got, "mark")
	if !strings.Contains(list, "deploy: bring a version out") || strings.Contains(list, "First tag it") {
		t.Errorf("%s", list)
	}
}

func TestMapIsBounded(t *testing.T) {
	p := newPlace(t)
	for i := range 40 {
		for j := range 12 {
			p.put(p.root, fmt.Sprintf("folder%02d/file%02d.go", i, j), "")
		}
	}
	p.put(p.root, "go.mod", "module x")
	p.put(p.root, "node_modules/x/index.js", "")
	if err := os.Symlink("/", filepath.Join(p.root, "out")); err != nil {
		t.Fatal(err)
	}
	m := Look(p.root)
	size := 0
	for _, n := range m.Top {
		size += len(n) + 2
	}
	if size > maxMapBytes+40 || m.Languages[0] != "Go" || m.Manifests[0] != "go.mod" || strings.Contains(strings.Join(m.Top, " "), "node_modules") || strings.Contains(strings.Join(m.Top, " "), "out{") {
		t.Errorf("%d bytes: %+v", size, m)
	}
}

func FuzzHeader(f *testing.F) {
	f.Add("---\ndescription: x\n---\nbody")
	f.Add("---\n---\n")
	f.Fuzz(func(t *testing.T, s string) {
		fields, body := header(s)
		if fields == nil && body != s || !strings.HasSuffix(s, body) {
			t.Errorf("%q: %v %q", s, fields, body)
		}
	})
}
