package agent

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"golang.org/x/sys/unix"
)

// tree is everything in the repository but for git's own, as text.
func (r *rig) tree() map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(r.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == r.root {
			return err
		}
		if d.Name() == ".git" {
			return fs.SkipDir
		}
		if strings.HasPrefix(d.Name(), ".tera-pilot-") { // of a process that was killed (internal/roots)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text += " " + string(b)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			if err != nil {
				return err
			}
			text += " " + to
		}
		rel, _ := filepath.Rel(r.root, p)
		out[rel] = text
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// undo sends the person's undo and waits for what came of it.
func (r *rig) undo(c event.Undo) event.CallResult {
	r.t.Helper()
	return await[event.CallResult](r, c)
}

// await sends a command and waits for the first event of a type.
func await[T event.Body](r *rig, c event.Command) T {
	r.t.Helper()
	var out T
	r.do(c, func(e event.Event) bool {
		switch b := e.Body.(type) {
		case T:
			out = b
			return true
		case event.Notice:
			r.t.Logf("notice: %+v", b)
		case event.QuestionOpened:
			r.t.Errorf("it was asked about: %v", b.Question.Lines)
			r.answer(b.Question)
		}
		return false
	})
	return out
}

func bash(script string) call { return call{"execute_command", map[string]any{"command": script}} }

// TestCommandsAreUndone runs what people fear in the real sandbox, undoes it,
// and does it again.
func TestCommandsAreUndone(t *testing.T) {
	for _, script := range []string{
		`sed -i s/one/two/ a.txt sub/b.txt`,
		`rm -rf sub a.txt link empty`,
		`git mv a.txt moved.txt && git rm -q --cached sub/b.txt`,
		`cat *.sh > all.txt && mkdir -p gen/deep && echo made > gen/deep/x && chmod +x a.txt`,
		`mv Case.txt case.txt && ln -sf elsewhere link && printf '\0\377' > bin`,
		`rm a.txt && mkdir a.txt && echo in > a.txt/in`,
		`mkfifo pipe; echo x > only-this`,
	} {
		t.Run(script, func(t *testing.T) {
			r := newRig(t, []step{{Say: "I do it.", Calls: []call{bash(script)}}, {Say: "Done."}}, nil)
			r.person = yes
			gitOut(r, "init", "-q")
			r.write("a.txt", "one\r\nmore\r\n")
			r.write("sub/b.txt", "one")
			r.write("Case.txt", "case")
			r.write("bin", "\x00\x01")
			r.write("run.sh", "#!/bin/sh\n")
			_ = os.Chmod(filepath.Join(r.root, "run.sh"), 0o750)
			_ = os.Mkdir(filepath.Join(r.root, "empty"), 0o711)
			_ = os.Symlink("a.txt", filepath.Join(r.root, "link"))
			gitOut(r, "add", ".")
			before := r.tree()
			r.start("")
			if end := r.turn("go"); end.Status != "done" {
				t.Fatalf("%+v", end)
			}
			after := r.tree()
			if cmp.Equal(before, after) {
				t.Fatalf("the command did nothing: %+v", r.results())
			}
			if res := r.undo(event.Undo{}); res.Status != "ok" || len(res.Undone) != 1 {
				t.Errorf("%+v", res)
			}
			if _, err := os.Lstat(filepath.Join(r.root, "pipe")); err == nil {
				os.Remove(filepath.Join(r.root, "pipe")) // is no file: named as not covered
			}
			if d := cmp.Diff(before, r.tree()); d != "" {
				t.Errorf("after the undo: %s", d)
			}
			points := await[event.UndoPoints](r, event.ListUndo{}).Points
			if len(points) != 2 || !points[1].Undone || points[0].Of == nil {
				t.Fatalf("%+v", points)
			}
			if res := r.undo(event.Undo{Call: points[0].Call}); res.Status != "ok" {
				t.Errorf("redo: %+v", res)
			}
			delete(after, "pipe")
			if d := cmp.Diff(after, r.tree()); d != "" {
				t.Errorf("after the redo: %s", d)
			}
			r.stop()
			r.verify()
		})
	}
}

// TestEditsAreUndoneAndOthersStay goes through file tools, with the person's
// own edits in between, and over a restart.
func TestEditsAreUndoneAndOthersStay(t *testing.T) {
	r := newRig(t, []step{
		{Say: "edits", Calls: []call{
			{"write_file", map[string]any{"path": "new/deep/n.txt", "content": "new"}},
			{"str_replace", map[string]any{"path": "a.txt", "old_str": "2", "new_str": "agent"}},
			{"str_replace", map[string]any{"path": "clash.txt", "old_str": "old", "new_str": "agent"}},
			{"delete_file", map[string]any{"path": "gone.txt"}},
			{"rename_file", map[string]any{"old_path": "folder", "new_path": "moved/folder"}},
		}},
		{Say: "done"},
		{Say: "I look.", Calls: []call{{"read_file", map[string]any{"path": "a.txt"}}}},
		{Say: "done"},
	}, nil)
	r.person = yes
	r.write("a.txt", "1\n2\n3\n4\n5\n6\n")
	r.write("clash.txt", "old")
	r.write("gone.txt", "gone")
	r.write("folder/f", "f")
	r.start("")
	if end := r.turn("go"); end.Status != "done" {
		t.Fatalf("%+v", end)
	}
	r.write("a.txt", "1\nagent\n3\n4\n5\n6\nmine\n")
	r.write("clash.txt", "mine")
	id := r.session.ID()
	r.stop()
	r.start(id)
	plan := await[event.UndoPlan](r, event.Undo{All: true, Dry: true})
	conflicts := 0
	for _, f := range plan.Files {
		if f.Conflict != "" {
			conflicts++
		}
	}
	if conflicts != 1 || len(plan.Lines) == 0 || plan.Problem != "" {
		t.Errorf("%+v", plan)
	}
	res := r.undo(event.Undo{All: true})
	if res.Status != "ok" || !strings.Contains(res.Body, "clash.txt") {
		t.Errorf("%+v", res)
	}
	for name, want := range map[string]string{"a.txt": "1\n2\n3\n4\n5\n6\nmine\n", "clash.txt": "mine", "gone.txt": "gone", "folder/f": "f", "new/deep/n.txt": "", "moved/folder/f": ""} {
		if got := r.read(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(r.root, "new")); err == nil {
		t.Error("a folder that the agent made is still there")
	}
	state, err := r.session.State()
	if err != nil {
		t.Fatal(err)
	}
	last := state.Messages[len(state.Messages)-1]
	if !strings.Contains(last.User, "out of date") || !strings.Contains(last.User, `"a.txt"`) {
		t.Errorf("the model is not told: %+v", last)
	}
	if end := r.turn("look again"); end.Status != "done" {
		t.Errorf("%+v", end)
	}
	r.stop()
	r.verify()
}

// TestTheModelsOwnUndoIsAsked: through the tool it is the writes that it makes.
func TestTheModelsOwnUndoIsAsked(t *testing.T) {
	r := newRig(t, []step{
		{Say: "edit", Calls: []call{{"str_replace", map[string]any{"path": "a.txt", "old_str": "one", "new_str": "two"}}}},
		{Say: "no, back", Calls: []call{{"undo_write", map[string]any{"path": "a.txt"}}}},
		{Say: "then not"},
		{Say: "again", Calls: []call{{"undo", map[string]any{"path": "a.txt"}}}},
		{Say: "outside", Calls: []call{{"undo", map[string]any{"path": "../x"}}}},
		{Say: "done"},
	}, nil)
	r.write("a.txt", "one")
	asked := 0
	r.person = func(q event.Question) event.Answer {
		asked++
		if q.Tool == "undo" && asked == 2 {
			return event.Answer{Choice: event.Deny, Reason: "leave it"}
		}
		return event.Answer{Choice: event.Once}
	}
	r.start("")
	r.turn("go")
	r.turn("undo it after all")
	var words []string
	for _, res := range r.results() {
		words = append(words, res.Tool+" "+res.Status)
	}
	want := "str_replace ok,undo rejected,undo ok,undo error"
	if got := strings.Join(words, ","); got != want || asked != 3 || r.read("a.txt") != "one" {
		t.Errorf("%s, asked %d times, a.txt %q", got, asked, r.read("a.txt"))
	}
	r.stop()
}

// TestDeletingWhatIsNotKeptIsDanger: only what can be put back is an everyday
// deletion.
func TestDeletingWhatIsNotKeptIsDanger(t *testing.T) {
	r := newRig(t, []step{
		{Say: "x", Calls: []call{{"delete_file", map[string]any{"path": "small"}}, {"delete_file", map[string]any{"path": "large"}}, {"delete_file", map[string]any{"path": ".env"}}}},
		{Say: "done"},
	}, func(o *Options) { o.Level = gate.AlwaysAsk })
	r.write("small", "x")
	r.write("large", strings.Repeat("x", undo.DefaultFile+1))
	r.write(".env", "KEY=x")
	var danger []bool
	r.person = func(q event.Question) event.Answer {
		danger = append(danger, q.Danger)
		return event.Answer{Choice: event.Once}
	}
	r.start("")
	r.turn("go")
	if d := cmp.Diff([]bool{false, true, true}, danger); d != "" {
		t.Error(d)
	}
	res := r.undo(event.Undo{All: true})
	if r.read("small") != "x" || r.read(".env") != "" || !strings.Contains(res.Body, "large was deleted, and is not covered") || !strings.Contains(res.Body, ".env was deleted, and is not covered") {
		t.Errorf("%s", res.Body)
	}
	r.stop()
	_ = filepath.WalkDir(filepath.Join(r.state, "undo"), func(p string, d fs.DirEntry, err error) error {
		if info, err := d.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, %v", p, info.Mode(), err)
		}
		if b, err := os.ReadFile(p); err == nil && strings.Contains(string(b), "KEY=x") {
			t.Errorf("%s holds the content of a secret-like file", p)
		}
		return nil
	})
}

// TestUndoChild dies in the middle of an undo.
func TestUndoChild(t *testing.T) {
	dir := os.Getenv(undoKillDir)
	if dir == "" {
		return
	}
	r := newRigAt(t, dir, []step{{Say: "x"}}, nil)
	id, err := r.opts.Store.Latest(r.root)
	if err != nil {
		t.Fatal(err)
	}
	r.start(id)
	go func() { // as soon as the first file is back
		for r.read("f00") != "old" {
			time.Sleep(time.Millisecond)
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}()
	_ = r.session.Send(event.Undo{All: true})
	select {}
}

const undoKillDir = "AGENT_TEST_UNDO_KILL_DIR"

// TestKilledInTheMiddleOfAnUndo kills it after the first of many files: the
// next undo puts the rest back, and everything can be done again.
func TestKilledInTheMiddleOfAnUndo(t *testing.T) {
	dir := t.TempDir()
	r := newRigAt(t, dir, []step{{Say: "x", Calls: []call{bash(`for f in f*; do echo new > $f; done`)}}, {Say: "done"}}, nil)
	r.person = yes
	const files = 60
	for i := range files {
		r.write("f"+strconv.Itoa(i/10)+strconv.Itoa(i%10), "old")
	}
	before := r.tree()
	r.start("")
	r.turn("go")
	id := r.session.ID()
	r.stop()
	cmd := exec.Command(os.Args[0], "-test.run=^TestUndoChild$")
	cmd.Env = append(os.Environ(), undoKillDir+"="+dir)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("%v\n%s", err, out)
	}
	if r.read("f00") != "old" {
		t.Fatal("nothing was put back before the end")
	}
	r.start(id)
	if r.read("f59") == "new\n" {
		if res := r.undo(event.Undo{All: true}); res.Status != "ok" {
			t.Errorf("%+v", res)
		}
	}
	if d := cmp.Diff(before, r.tree()); d != "" {
		t.Error(d)
	}
	r.stop()
	r.verify()
}

// TestWhatCannotBeKeptIsNotChanged: with nowhere to keep it, a file is not
// edited and a command is not run.
func TestWhatCannotBeKeptIsNotChanged(t *testing.T) {
	r := newRig(t, []step{
		{Say: "x", Calls: []call{{"str_replace", map[string]any{"path": "a.txt", "old_str": "one", "new_str": "two"}}, bash("echo x > b.txt")}},
		{Say: "done"},
	}, nil)
	r.person = yes
	r.write("a.txt", "one")
	r.start("")
	blobs := filepath.Join(r.state, "undo", r.session.ID(), "blobs")
	if err := os.MkdirAll(filepath.Dir(blobs), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blobs, nil, 0o600); err != nil { // no blob can be written there
		t.Fatal(err)
	}
	r.turn("go")
	for _, res := range r.results() {
		if res.Status != "error" || !strings.Contains(res.Body, "undo") {
			t.Errorf("%+v", res)
		}
	}
	if r.read("a.txt") != "one" || r.read("b.txt") != "" {
		t.Error("it was changed all the same")
	}
	r.stop()
	r.verify()
}

// TestHostilePlaces plants what an undo must not follow, open or overwrite.
func TestHostilePlaces(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(r *rig){
		"link where a file comes back": func(r *rig) { os.Symlink(outside, filepath.Join(r.root, "dir/gone")) },
		"link where its folder was": func(r *rig) {
			os.RemoveAll(filepath.Join(r.root, "dir"))
			os.Symlink(filepath.Dir(outside), filepath.Join(r.root, "dir"))
		},
		"folder where a file comes back": func(r *rig) { os.Mkdir(filepath.Join(r.root, "dir/gone"), 0o755) },
		"pipe where a file comes back":   func(r *rig) { unix.Mkfifo(filepath.Join(r.root, "dir/gone"), 0o600) },
		"hard link to the outside": func(r *rig) {
			os.Remove(filepath.Join(r.root, "dir/kept"))
			os.Link(outside, filepath.Join(r.root, "dir/kept"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, []step{{Say: "x", Calls: []call{bash("rm dir/gone; echo new > dir/kept")}}, {Say: "done"}}, nil)
			r.person = yes
			r.write("dir/gone", "gone")
			r.write("dir/kept", "old")
			r.start("")
			r.turn("go")
			plant(r)
			before := r.tree()
			res := r.undo(event.Undo{All: true})
			if b, err := os.ReadFile(outside); err != nil || string(b) != "outside" {
				t.Errorf("outside: %q, %v", b, err)
			}
			if !strings.Contains(res.Body, "conflict") {
				t.Errorf("%+v", res)
			}
			after := r.tree()
			for p, text := range before {
				if p != "dir/kept" && after[p] != text {
					t.Errorf("%s was %q and is %q", p, text, after[p])
				}
			}
			r.stop()
		})
	}
}

// TestARenamedPipeStays: what an undo could not bring back under its old name
// is not taken from the new one.
func TestARenamedPipeStays(t *testing.T) {
	r := newRig(t, []step{{Say: "x", Calls: []call{{"rename_file", map[string]any{"old_path": "pipe", "new_path": "moved"}}, bash("touch made")}}, {Say: "done"}}, nil)
	r.person = yes
	if err := unix.Mkfifo(filepath.Join(r.root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.start("")
	r.turn("go")
	res := r.undo(event.Undo{All: true})
	if info, err := os.Lstat(filepath.Join(r.root, "moved")); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe: %v, %v", info, err)
	}
	if _, err := os.Lstat(filepath.Join(r.root, "made")); err == nil || !strings.Contains(res.Body, "move it yourself") {
		t.Errorf("%v: %s", err, res.Body)
	}
	r.stop()
}
