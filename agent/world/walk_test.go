package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

func hashOf(text string) string { return roots.Hash([]byte(text)) }

// walked are the names of a walk, with a mark for the type.
func (g *ground) walked(t *testing.T, name string, visit func(tool.Found) error) ([]string, tool.Left) {
	t.Helper()
	p := g.path(t, name)
	e := effect.Effect{Kind: effect.Walk, Path: &p}
	var out []string
	left, err := g.granted(e).Walk(t.Context(), e, func(f tool.Found) error {
		mark := map[effect.FileType]string{effect.Dir: "/", effect.Link: "@", effect.Special: "|"}[f.Type]
		out = append(out, f.Name+mark)
		if (f.Open != nil) != (f.Type == effect.Regular) {
			t.Errorf("%s: can be opened: %v", f.Name, f.Open != nil)
		}
		if visit != nil {
			return visit(f)
		}
		return nil
	})
	must(t, err)
	return out, left
}

func TestWalk(t *testing.T) {
	g := newGround(t)
	for name, text := range map[string]string{
		"a.txt": "1", "b/c.txt": "2", "b.txt": "3", "b/.hidden": "4", "node_modules/x/i.js": "", "b/gen/x.go": "", "b/gen/keep.go": "",
		".git/config": "", "sub/.git/HEAD": "", "sub/y.log": "", "z.log": "", ".env": "K=1", "b/key.pem": "", "mine": "",
		".gitignore": "*.log\nnode_modules/\n", "b/.gitignore": "gen/*\n!gen/keep.go\n", ".git/info/exclude": "mine\n", "~odd": "",
	} {
		g.put(t, "ws/"+name, text)
	}
	g.link(t, "a.txt", "ws/in")
	g.link(t, "../ws-evil", "ws/out")
	must(t, unix.Mkfifo(filepath.Join(g.dir, "ws/pipe"), 0o644))
	got, left := g.walked(t, ".", nil)
	want := []string{".gitignore", "a.txt", "b/", "b/.gitignore", "b/.hidden", "b/c.txt", "b/gen/", "b/gen/keep.go", "b.txt",
		"in@", "pipe|", "sub/", "sub/y.log", "./~odd"}
	if !slices.Equal(got, want) {
		t.Errorf("walked\n%q, want\n%q", got, want)
	}
	if left != (tool.Left{Ignored: 4, Secret: 2, Outside: 1}) {
		t.Errorf("left out %+v", left)
	}
	got, left = g.walked(t, "b", nil)
	if want := []string{"b/.gitignore", "b/.hidden", "b/c.txt", "b/gen/", "b/gen/keep.go"}; !slices.Equal(got, want) || left.Ignored != 1 {
		t.Errorf("walked %q, left out %+v", got, left)
	}
	// A folder that is ignored and named nonetheless is walked.
	if got, _ := g.walked(t, "node_modules", nil); !slices.Equal(got, []string{"node_modules/x/", "node_modules/x/i.js"}) {
		t.Errorf("walked %q", got)
	}
}

func TestWalkOfASecretFolderThatIsNamed(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws/.ssh/config", "")
	g.put(t, "ws/.ssh/id_rsa", "")
	if got, left := g.walked(t, ".", nil); len(got) != 0 || left.Secret != 1 {
		t.Errorf("met %q, left out %+v", got, left)
	}
	if got, left := g.walked(t, ".ssh", nil); !slices.Equal(got, []string{".ssh/config", ".ssh/id_rsa"}) || left.Secret != 0 {
		t.Errorf("named %q, left out %+v", got, left)
	}
}

func TestWalkSkipsAndStops(t *testing.T) {
	g := newGround(t)
	for _, name := range []string{"a/1", "b/2", "b/c/3", "d/4"} {
		g.put(t, "ws/"+name, "")
	}
	got, _ := g.walked(t, ".", func(f tool.Found) error {
		switch f.Name {
		case "b/c":
			return tool.ErrSkip
		case "d":
			return tool.ErrStop
		}
		return nil
	})
	if want := []string{"a/", "a/1", "b/", "b/2", "b/c/", "d/"}; !slices.Equal(got, want) {
		t.Errorf("walked %q, want %q", got, want)
	}
	p := g.path(t, ".")
	e := effect.Effect{Kind: effect.Walk, Path: &p}
	broken := errors.New("broken")
	if _, err := g.granted(e).Walk(t.Context(), e, func(tool.Found) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("an error of the visitor: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := g.granted(e).Walk(ctx, e, func(tool.Found) error { n++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("cancelled after the first: %d visited, %v", n, err)
	}
}

func TestWalkOutside(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws-evil/sub/b.txt", "outside")
	g.put(t, "ws-evil/.gitignore", "ignored\n")
	g.put(t, "ws-evil/ignored", "")
	got, left := g.walked(t, "../ws-evil", func(f tool.Found) error {
		if f.Open == nil {
			return nil
		}
		if data, err := f.Open(); err != nil || strings.HasSuffix(f.Name, "b.txt") && string(data) != "outside" {
			t.Errorf("%s: %q, %v", f.Name, data, err)
		}
		return nil
	})
	base := g.dir + "/ws-evil/"
	if want := []string{base + ".gitignore", base + "sub/", base + "sub/b.txt"}; !slices.Equal(got, want) || left.Ignored != 1 {
		t.Errorf("walked %q, left out %+v", got, left)
	}
}

func TestWalkCountsWhatItCannotOpen(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws/"+strings.Repeat("d/", maxDepth+5)+"deep", "")
	g.put(t, "ws/x", "")
	want := 1
	if os.Geteuid() != 0 { // root opens every folder
		g.put(t, "ws/shut/a", "")
		must(t, os.Chmod(filepath.Join(g.dir, "ws/shut"), 0))
		t.Cleanup(func() { must(t, os.Chmod(filepath.Join(g.dir, "ws/shut"), 0o755)) })
		want = 2
	}
	got, left := g.walked(t, ".", nil)
	if left.Unread != want || got[len(got)-1] != "x" || slices.Contains(got, "shut/a") {
		t.Errorf("walked %d things up to %s, left out %+v", len(got), got[len(got)-1], left)
	}
}

// A walk takes processor time in proportion to the tree. Eight times the files
// may take up to 32 times as long, for busy machines; a walk that looked at
// each file for each other one would take 64 times.
func TestWalkIsLinear(t *testing.T) {
	took := func(files int) time.Duration {
		g := newGround(t)
		g.put(t, "ws/.gitignore", "*.o\n/build/\nnode_modules/\n*~\n*.py[cod]\ndocs/**/gen\n")
		for i := range files / 100 {
			dir := filepath.Join(g.dir, fmt.Sprintf("ws/d%d/e", i))
			must(t, os.MkdirAll(dir, 0o755))
			for k := range 100 {
				must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", k)), nil, 0o644))
			}
		}
		best := time.Hour
		for range 7 {
			start, n := processorTime(t), 0
			g.walked(t, ".", func(f tool.Found) error {
				if f.Type == effect.Regular {
					n++
				}
				return nil
			})
			if n != files+1 {
				t.Fatalf("%d files, want %d", n, files+1)
			}
			best = min(best, processorTime(t)-start)
		}
		return best
	}
	small, large := took(1000), took(8000)
	t.Logf("1,000 files %v, 8,000 files %v", small, large)
	if large > 32*small {
		t.Errorf("1,000 files take %v, 8,000 take %v", small, large)
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	must(t, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestStandInsAreLookedPast: what the sandbox put where nothing is is met by
// nobody who looks, as long as it is empty; a person's own empty folder is.
func TestStandInsAreLookedPast(t *testing.T) {
	d := newDesk(t)
	d.o.StandIns = func() map[string]bool {
		out := map[string]bool{}
		for _, name := range []string{".vscode", ".mcp.json", ".idea", "sub/.envrc", "sub/empty", "link"} {
			out[d.Root()+"/"+name] = true
		}
		return out
	}
	for _, name := range []string{".vscode", ".mcp.json", "sub/.envrc", "mine"} {
		must(t, os.MkdirAll(filepath.Join(d.dir, "ws", name), 0o755))
	}
	d.put(t, "ws/sub/empty", "")
	d.put(t, "ws/.idea/theirs.xml", "x")
	d.link(t, "sub", "ws/link")
	got, left := d.walked(t, ".", nil)
	if want := []string{".idea/", ".idea/theirs.xml", "link@", "mine/", "sub/"}; !slices.Equal(got, want) || left != (tool.Left{}) {
		t.Errorf("walked %q, want %q; left out %+v", got, want, left)
	}
	for name, with := range map[string]args{
		"list_files": {"depth": 3}, "glob": {"pattern": "**"}, "grep": {"pattern": "^"}, "file_info": {"path": "sub"},
	} {
		r := d.call(name, with)
		for _, hidden := range []string{".vscode", ".mcp.json", ".envrc", "empty", "entries\t1"} {
			if r.Status != tool.OK || strings.Contains(r.Body, hidden) {
				t.Errorf("%s shows %s: %+v", name, hidden, r)
			}
		}
	}
}
