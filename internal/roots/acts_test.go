package roots

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// want is the state of a place, as a plan would have it.
func (w world) want(t *testing.T, name string) Want {
	t.Helper()
	s, err := w.Stat(name)
	must(t, err)
	want := Want{ID: s.ID, Type: s.Type, Links: s.Links}
	if s.Type == Regular {
		data, err := os.ReadFile(w.Join(name))
		must(t, err)
		want.SHA256 = Hash(data)
	}
	return want
}

func (w world) holds(t *testing.T, name, text string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(w.dir, name))
	must(t, err)
	if string(got) != text {
		t.Errorf("%s holds %q, want %q", name, got, text)
	}
}

// tidy fails when an act left one of its own files behind.
func (w world) tidy(t *testing.T) {
	t.Helper()
	must(t, filepath.WalkDir(w.dir, func(p string, _ fs.DirEntry, err error) error {
		if strings.Contains(p, ".tera-pilot-") {
			t.Errorf("%s was left behind", p)
		}
		return err
	}))
}

func changed(err error) bool {
	var c *ChangedError
	return errors.As(err, &c)
}

func TestReplaceKeepsModeAndOwner(t *testing.T) {
	w := open(t)
	must(t, os.Chmod(w.Join("src/a.txt"), 0o751))
	if os.Geteuid() == 0 {
		must(t, os.Chown(w.Join("src/a.txt"), 1234, 4321))
	}
	s, err := w.Replace("src/a.txt", w.want(t, "src/a.txt"), []byte("new"), 0o751)
	must(t, err)
	w.holds(t, "ws/src/a.txt", "new")
	info, err := os.Stat(w.Join("src/a.txt"))
	must(t, err)
	if info.Mode().Perm() != 0o751 || s.Mode != 0o751 {
		t.Errorf("mode %v, %o", info.Mode(), s.Mode)
	}
	if st := info.Sys().(*syscall.Stat_t); os.Geteuid() == 0 && (st.Uid != 1234 || st.Gid != 4321) {
		t.Errorf("owner %d:%d", st.Uid, st.Gid)
	}
	if at, err := w.Stat("src/a.txt"); err != nil || at.ID != s.ID || at.Size != 3 {
		t.Errorf("Stat = %+v, %v; Replace returned %+v", at, err, s)
	}
	w.tidy(t)
}

// Each act meets each kind of change between the plan and the act, refuses,
// and leaves the tree as it found it.
func TestActsRefuseWhatChanged(t *testing.T) {
	acts := map[string]func(w world, want Want) error{
		"replace": func(w world, want Want) error {
			_, err := w.Replace("src/a.txt", want, []byte("x"), 0o644)
			return err
		},
		"remove": func(w world, want Want) error { return w.Remove("src/a.txt", want) },
		"rename": func(w world, want Want) error { _, err := w.Rename("src/a.txt", want, "src/moved"); return err },
		"chmod":  func(w world, want Want) error { _, err := w.Chmod("src/a.txt", want, 0o700); return err },
	}
	changes := map[string]func(w world) error{
		"content": func(w world) error { return os.WriteFile(w.Join("src/a.txt"), []byte("insidE\n"), 0o644) },
		"replaced by an equal file": func(w world) error {
			if err := os.WriteFile(w.Join("src/b"), []byte("inside\n"), 0o644); err != nil {
				return err
			}
			return os.Rename(w.Join("src/b"), w.Join("src/a.txt"))
		},
		"gone":          func(w world) error { return os.Remove(w.Join("src/a.txt")) },
		"link out":      swapped(func(p string, w world) error { return os.Symlink(w.dir+"/ws-evil/b.txt", p) }),
		"link in":       swapped(func(p string, w world) error { return os.Symlink("c.txt", p) }),
		"folder":        swapped(func(p string, _ world) error { return os.Mkdir(p, 0o755) }),
		"pipe":          swapped(func(p string, _ world) error { return unix.Mkfifo(p, 0o644) }),
		"folder linked": func(w world) error { return relink(w, w.dir+"/ws-evil") },
		"folder linked to its like": func(w world) error {
			return relink(w, "src2")
		},
		"folder gone": func(w world) error { return os.RemoveAll(w.Join("src")) },
	}
	for act, do := range acts {
		for change, make := range changes {
			t.Run(act+"/"+change, func(t *testing.T) {
				w := open(t)
				must(t, os.WriteFile(filepath.Join(w.dir, "ws-evil/a.txt"), []byte("inside\n"), 0o644))
				want := w.want(t, "src/a.txt")
				must(t, make(w))
				before := listing(t, w.dir)
				if err := do(w, want); !changed(err) {
					t.Errorf("error %v, want a ChangedError", err)
				}
				if after := listing(t, w.dir); after != before {
					t.Errorf("the tree was\n%s\nand is\n%s", before, after)
				}
			})
		}
	}
}

func swapped(make func(p string, w world) error) func(world) error {
	return func(w world) error {
		p := w.Join("src/a.txt")
		if err := os.Remove(p); err != nil {
			return err
		}
		return make(p, w)
	}
}

func relink(w world, target string) error {
	if err := os.Rename(w.Join("src"), w.Join("src2")); err != nil {
		return err
	}
	return os.Symlink(target, w.Join("src"))
}

// listing is the whole tree with types, modes, link targets and contents.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text = string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			if text, err = os.Readlink(p); err != nil {
				return err
			}
		}
		b.WriteString(p + " " + info.Mode().String() + " " + text + "\n")
		return nil
	}))
	return b.String()
}

func TestNothingIsOverwritten(t *testing.T) {
	w := open(t)
	w.link(t, "nowhere", "ws/src/dangling")
	must(t, os.Mkdir(w.Join("src/dir"), 0o755))
	must(t, os.WriteFile(w.Join("from"), []byte("from"), 0o644))
	must(t, os.Mkdir(w.Join("empty"), 0o755))
	before := listing(t, w.dir)
	for _, to := range []string{"src/a.txt", "src/dangling", "src/dir", "src"} {
		if _, err := w.Create(to, []byte("x"), 0o644); !changed(err) {
			t.Errorf("Create(%s): %v", to, err)
		}
		if _, err := w.Mkdir(to, 0o755); !changed(err) {
			t.Errorf("Mkdir(%s): %v", to, err)
		}
		for _, from := range []string{"from", "empty"} {
			if _, err := w.Rename(from, w.want(t, from), to); !changed(err) {
				t.Errorf("Rename(%s, %s): %v", from, to, err)
			}
		}
	}
	if after := listing(t, w.dir); after != before {
		t.Errorf("the tree was\n%s\nand is\n%s", before, after)
	}
}

func TestActs(t *testing.T) {
	w := open(t)
	if _, err := w.Mkdir("new", 0o750); err != nil {
		t.Fatal(err)
	}
	if s, err := w.Create("new/f", []byte("1\n"), 0o640); err != nil || s.Type != Regular || s.Mode != 0o640 {
		t.Fatalf("%+v, %v", s, err)
	}
	if err := w.Remove("new", w.want(t, "new")); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("a folder with a file in it: %v", err)
	}
	if s, err := w.Rename("new/f", w.want(t, "new/f"), "g"); err != nil || s.Size != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := w.Chmod("g", w.want(t, "g"), 0o700); err != nil || s.Mode != 0o700 {
		t.Errorf("%+v, %v", s, err)
	}
	w.link(t, "g", "ws/l")
	must(t, w.Remove("l", w.want(t, "l")))
	w.holds(t, "ws/g", "1\n")
	must(t, w.Remove("g", w.want(t, "g")))
	must(t, w.Remove("new", w.want(t, "new")))
	for _, gone := range []string{"g", "l", "new"} {
		if s, err := w.Stat(gone); err != nil || s.Type != None {
			t.Errorf("%s: %+v, %v", gone, s, err)
		}
	}
	if _, err := w.Rename("src", w.want(t, "src"), "src/deeper"); err == nil || changed(err) {
		t.Errorf("a folder moved into itself: %v", err)
	}
	w.tidy(t)
}

func TestHardLinksAreStated(t *testing.T) {
	w := open(t)
	want := w.want(t, "src/a.txt")
	must(t, os.Link(w.Join("src/a.txt"), w.Join("other")))
	if _, err := w.Replace("src/a.txt", want, []byte("new"), 0o644); !changed(err) {
		t.Fatalf("a link more than was planned: %v", err)
	}
	_, err := w.Replace("src/a.txt", w.want(t, "src/a.txt"), []byte("new"), 0o644)
	must(t, err)
	w.holds(t, "ws/src/a.txt", "new")
	w.holds(t, "ws/other", "inside\n")
}

func TestReadNeverBlocksOrFollows(t *testing.T) {
	w := open(t)
	must(t, unix.Mkfifo(w.Join("src/pipe"), 0o644))
	w.link(t, "a.txt", "ws/src/in")
	w.link(t, "/dev/zero", "ws/src/dev")
	d, err := w.Dir("src")
	must(t, err)
	defer d.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, name := range []string{"pipe", "in", "dev", "missing", "."} {
			if _, _, err := d.Read(name, 1<<20); !changed(err) {
				t.Errorf("Read(%s): %v", name, err)
			}
		}
		if _, err := d.Open("pipe"); err == nil {
			t.Error("a pipe was opened as a folder")
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("blocked")
	}
	var large *TooLargeError
	if _, _, err := d.Read("a.txt", 3); !errors.As(err, &large) || large.Size != 7 {
		t.Errorf("over the limit: %v", err)
	}
	if data, s, err := d.Read("a.txt", 7); err != nil || string(data) != "inside\n" || s.Size != 7 {
		t.Errorf("%q, %+v, %v", data, s, err)
	}
}

func TestNamesOfAnotherForm(t *testing.T) {
	w := open(t)
	for _, name := range []string{"", "/etc/passwd", "..", "../ws-evil/b.txt", "src/../src", "src/", "./src", "a\x00"} {
		if _, err := w.Dir(name); err == nil {
			t.Errorf("Dir(%q)", name)
		}
		if _, err := w.Create(name, nil, 0o644); err == nil {
			t.Errorf("Create(%q)", name)
		}
		if _, err := w.Stat(name); err == nil {
			t.Errorf("Stat(%q)", name)
		}
	}
	if err := w.Remove(".", w.want(t, ".")); err == nil {
		t.Error("the root was removed")
	}
}

// What file systems without the newer renames get does the same.
func TestWithoutSpecialRenames(t *testing.T) {
	w := open(t)
	d, err := w.Dir("src")
	must(t, err)
	defer d.Close()
	must(t, os.Mkdir(w.Join("src/dir"), 0o755))
	must(t, os.WriteFile(w.Join("src/dir/f"), nil, 0o644))
	must(t, os.Mkdir(w.Join("src/taken"), 0o755))
	for _, c := range []struct {
		from, to string
		typ      Type
		err      error
	}{
		{"a.txt", "taken", Regular, fs.ErrExist},
		{"dir", "taken", Folder, fs.ErrExist},
		{"dir", "a.txt", Folder, fs.ErrExist},
		{"a.txt", "b.txt", Regular, nil},
		{"dir", "dir2", Folder, nil},
		{"gone", "x", Regular, fs.ErrNotExist},
		{"gone", "x", Folder, fs.ErrNotExist},
	} {
		if err := moveClaimed(d, c.from, d, c.to, c.typ); !errors.Is(err, c.err) {
			t.Errorf("%s to %s: %v, want %v", c.from, c.to, err, c.err)
		}
	}
	if _, err := os.Stat(w.Join("src/dir2/f")); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(w.Join("src/x")); err == nil {
		t.Error("a claimed name was left behind")
	}
	want := w.want(t, "src/b.txt")
	tmp, _, err := d.writeTemp([]byte("new"), func(*os.File) error { return nil }, 0o600)
	must(t, err)
	must(t, d.overwrite(tmp, "b.txt", want))
	w.holds(t, "ws/src/b.txt", "new")
	tmp, _, err = d.writeTemp([]byte("newer"), func(*os.File) error { return nil }, 0o600)
	must(t, err)
	if err := d.overwrite(tmp, "b.txt", want); !changed(err) {
		t.Errorf("overwrite of what changed: %v", err)
	}
	w.holds(t, "ws/src/b.txt", "new")
	w.tidy(t)
}

func TestReplaceIsWholeOrNothing(t *testing.T) {
	w := open(t)
	old, fresh := bytes.Repeat([]byte("old\n"), 1<<16), bytes.Repeat([]byte("new\n"), 1<<16)
	must(t, os.WriteFile(w.Join("big"), old, 0o644))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			got, err := os.ReadFile(w.Join("big"))
			if err != nil || !bytes.Equal(got, old) && !bytes.Equal(got, fresh) {
				t.Errorf("a reader met %d bytes, %v", len(got), err)
				return
			}
		}
	}()
	for i := range 20 {
		data := [2][]byte{fresh, old}[i%2]
		_, err := w.Replace("big", w.want(t, "big"), data, 0o644)
		must(t, err)
	}
	close(stop)
	<-done
	w.tidy(t)
}

// A process that replaces a file again and again is killed at random moments:
// the file holds the old or the new content, whole.
func TestReplaceSurvivesKill(t *testing.T) {
	w := open(t)
	old, fresh := bytes.Repeat([]byte("old\n"), 1<<15), bytes.Repeat([]byte("new\n"), 1<<15)
	must(t, os.WriteFile(w.Join("big"), old, 0o640))
	for i := range 20 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestReplacing$")
		cmd.Env = []string{"REPLACE_IN=" + w.Abs()}
		must(t, cmd.Start())
		time.Sleep(time.Duration(10+7*i) * time.Millisecond)
		must(t, cmd.Process.Kill())
		if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
			t.Fatalf("the process ended by itself: %v", err)
		}
		got, err := os.ReadFile(w.Join("big"))
		if err != nil || !bytes.Equal(got, old) && !bytes.Equal(got, fresh) {
			t.Fatalf("after %d: %d bytes, %v", i, len(got), err)
		}
		if info, err := os.Stat(w.Join("big")); err != nil || info.Mode().Perm() != 0o640 {
			t.Fatalf("after %d: %v, %v", i, info, err)
		}
	}
}

// TestReplacing is the process that TestReplaceSurvivesKill kills; by itself
// it replaces a file a few times.
func TestReplacing(t *testing.T) {
	dir, times := os.Getenv("REPLACE_IN"), 1<<30
	if dir == "" {
		dir, times = t.TempDir(), 3
		must(t, os.WriteFile(filepath.Join(dir, "big"), []byte("old\n"), 0o640))
	}
	r, err := Open(dir, Options{})
	must(t, err)
	defer r.Close()
	w := world{dir, r}
	for i := range times {
		data := bytes.Repeat([]byte([]string{"new\n", "old\n"}[i%2]), 1<<15)
		_, err := w.Replace("big", w.want(t, "big"), data, 0o640)
		must(t, err)
	}
}
