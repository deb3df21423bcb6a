package world

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// desktop is an editor with buffers. What it writes it saves as save says.
type desktop struct {
	reads, writes bool
	buffers       map[string]string
	save          func(abs, text string) error
	fails         error
	asked, given  []string
}

func (d *desktop) Reads() bool  { return d.reads }
func (d *desktop) Writes() bool { return d.writes }

func (d *desktop) ReadText(_ context.Context, abs string) (string, error) {
	d.asked = append(d.asked, filepath.Base(abs))
	if d.fails != nil {
		return "", d.fails
	}
	if text, ok := d.buffers[abs]; ok {
		return text, nil
	}
	b, err := os.ReadFile(abs)
	return string(b), err
}

func (d *desktop) WriteText(_ context.Context, abs, text string) error {
	d.given = append(d.given, filepath.Base(abs))
	if d.fails != nil {
		return d.fails
	}
	if d.save != nil {
		return d.save(abs, text)
	}
	return os.WriteFile(abs, []byte(text), 0o600)
}

// edited is a ground whose files an editor holds open.
func edited(t *testing.T, d *desktop) *ground {
	g := newGround(t)
	g.Files.o.Editor = d
	return g
}

// replace plans new content for a file and carries it out.
func (g *ground) replace(t *testing.T, name, text string, between func()) error {
	t.Helper()
	p := g.file(t, name)
	e := effect.Effect{Kind: effect.Write, Path: &p, After: bytesOf(text), Mode: 0o644}
	if !p.Exists {
		e.Kind = effect.Create
	}
	if between != nil {
		between()
	}
	post, err := g.granted(e).Apply(t.Context(), e)
	if err == nil && (post.SHA256 != hashOf(text) || post.Mode != 0o644) {
		t.Errorf("%s: afterwards %+v", name, post)
	}
	return err
}

func TestEditorsTextCounts(t *testing.T) {
	d := &desktop{reads: true, writes: true, buffers: map[string]string{}}
	g := edited(t, d)
	g.put(t, "ws/a.txt", "on disk\n")
	d.buffers[filepath.Join(g.dir, "ws/a.txt")] = "not saved\n"
	if p := g.file(t, "a.txt"); string(p.Before) != "not saved\n" || p.SHA256 != hashOf("not saved\n") {
		t.Errorf("%q", p.Before)
	}
	p := g.path(t, "a.txt")
	e := effect.Effect{Kind: effect.Read, Path: &p}
	if b, err := g.granted(e).Read(t.Context(), e); err != nil || string(b) != "not saved\n" {
		t.Errorf("%q, %v", b, err)
	}
	must(t, g.replace(t, "a.txt", "new\n", nil))
	must(t, g.replace(t, "b.txt", "new\n", nil))
	if g.get(t, "ws/a.txt") != "new\n" || g.get(t, "ws/b.txt") != "new\n" || len(d.given) != 2 {
		t.Errorf("given %v", d.given)
	}
}

func TestEditorIsNeverAskedForOthersFiles(t *testing.T) {
	d := &desktop{reads: true, writes: true}
	g := edited(t, d)
	g.put(t, "ws/.env", "KEY=1\n")
	g.put(t, "ws/crlf.txt", "a\r\nb\r\n")
	g.put(t, "ws/bom.txt", "\xEF\xBB\xBFa\n")
	g.put(t, "ws/bin", "\x00\xff")
	g.put(t, "home/out.txt", "outside\n")
	for _, name := range []string{".env", "crlf.txt", "bom.txt", "bin"} {
		g.file(t, name)
	}
	p := g.path(t, filepath.Join(g.dir, "home/out.txt"))
	e := effect.Effect{Kind: effect.Read, Path: &p}
	if _, err := g.granted(e).Read(t.Context(), e); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"a\r\n", "\x00", "\xff", "\xEF\xBB\xBFb"} {
		must(t, g.replace(t, "new"+hashOf(text)[:4], text, nil))
	}
	must(t, g.replace(t, ".env", "KEY=2\n", nil))
	must(t, g.replace(t, "crlf.txt", "a\r\nc\r\n", nil))
	if len(d.asked)+len(d.given) > 0 {
		t.Errorf("asked for %v, given %v", d.asked, d.given)
	}
}

func TestEditorThatDoesNotSaveIsAnError(t *testing.T) {
	for name, save := range map[string]func(abs, text string) error{
		"keeps it in the buffer": func(string, string) error { return nil },
		"formats it":             func(abs, text string) error { return os.WriteFile(abs, []byte(strings.ToUpper(text)), 0o644) },
		"cuts it":                func(abs, text string) error { return os.WriteFile(abs, []byte(text[:2]), 0o644) },
	} {
		d := &desktop{reads: true, writes: true, save: save}
		g := edited(t, d)
		g.put(t, "ws/a.txt", "old\n")
		err := g.replace(t, "a.txt", "new\n", nil)
		var unsaved *UnsavedError
		if !errors.As(err, &unsaved) || unsaved.Want != hashOf("new\n") || unsaved.Disk == unsaved.Want {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := &desktop{reads: true, writes: true}
	g := edited(t, d)
	d.save = func(abs, text string) error { // elsewhere
		return os.WriteFile(filepath.Join(g.dir, "home/new.txt"), []byte(text), 0o644)
	}
	if err := g.replace(t, "new.txt", "new\n", nil); err == nil {
		t.Error("a file that was written elsewhere counts as written")
	}
}

func TestEditorsErrorsAreNotWorkedAround(t *testing.T) {
	d := &desktop{reads: true, writes: true}
	g := edited(t, d)
	g.put(t, "ws/a.txt", "old\n")
	fail := func() { d.fails = errors.New("no") }
	for _, name := range []string{"a.txt", "b.txt"} {
		d.fails = nil
		if err := g.replace(t, name, "new\n", fail); err == nil {
			t.Errorf("%s was written behind the editor's back", name)
		}
	}
	if _, err := g.Files.File(t.Context(), "a.txt"); err == nil {
		t.Error("a.txt was read behind the editor's back")
	}
	if g.get(t, "ws/a.txt") != "old\n" {
		t.Error("a.txt was changed")
	}
}

func TestEditorsFileThatChangedIsNotWritten(t *testing.T) {
	for name, change := range map[string]func(g *ground, d *desktop, abs string){
		"typed":    func(_ *ground, d *desktop, abs string) { d.buffers[abs] = "typed meanwhile\n" },
		"on disk":  func(_ *ground, _ *desktop, abs string) { _ = os.WriteFile(abs, []byte("else\n"), 0o644) },
		"replaced": func(_ *ground, _ *desktop, abs string) { _ = os.Remove(abs); _ = os.Symlink("/etc/hostname", abs) },
		"gone":     func(_ *ground, _ *desktop, abs string) { _ = os.Remove(abs) },
	} {
		d := &desktop{reads: true, writes: true, buffers: map[string]string{}}
		g := edited(t, d)
		g.put(t, "ws/a.txt", "old\n")
		err := g.replace(t, "a.txt", "new\n", func() { change(g, d, filepath.Join(g.dir, "ws/a.txt")) })
		if err == nil || len(d.given) > 0 {
			t.Errorf("%s: %v, given %v", name, err, d.given)
		}
	}
}

func TestEditorThatOnlyReads(t *testing.T) {
	d := &desktop{reads: true, buffers: map[string]string{}}
	g := edited(t, d)
	g.put(t, "ws/a.txt", "old\n")
	must(t, g.replace(t, "a.txt", "new\n", nil))
	d.buffers[filepath.Join(g.dir, "ws/a.txt")] = "typed\n"
	var arg *tool.ArgumentError
	if _, err := g.Files.File(t.Context(), "a.txt"); !errors.As(err, &arg) {
		t.Errorf("unsaved changes would be lost: %v", err)
	}
	if len(d.given) > 0 {
		t.Errorf("given %v", d.given)
	}
}

func TestEditorThatOnlyWritesIsNotUsed(t *testing.T) {
	d := &desktop{writes: true}
	g := edited(t, d)
	g.put(t, "ws/a.txt", "old\n")
	must(t, g.replace(t, "a.txt", "new\n", nil))
	if len(d.asked)+len(d.given) > 0 {
		t.Errorf("asked for %v, given %v", d.asked, d.given)
	}
}
