package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// A swap changes the world behind the back of a call.
type swap struct {
	name string
	call call
	do   func(*rig)
	bad  func(*rig) bool // an effect that nobody said yes to
}

func swaps() []swap {
	command := func(text, dir string) call {
		args := map[string]any{"command": text}
		if dir != "" {
			args["dir"] = dir
		}
		return call{"execute_command", args}
	}
	evil := func(name string) func(*rig) {
		return func(r *rig) { r.write(name, "#!/bin/sh\necho evil > out.txt\n") }
	}
	ran := func(r *rig) bool { return strings.Contains(r.read("out.txt")+r.read("sub/out.txt"), "evil") }
	link := func(name, target string) func(*rig) {
		return func(r *rig) {
			if err := os.RemoveAll(filepath.Join(r.root, name)); err != nil {
				r.t.Error(err)
			}
			if err := os.Symlink(target, filepath.Join(r.root, name)); err != nil {
				r.t.Error(err)
			}
		}
	}
	return []swap{
		{"program by path", command("./run.sh", ""), evil("run.sh"), ran},
		{"script of a shell", command("sh run.sh", ""), evil("run.sh"), ran},
		{"sourced", command(". ./run.sh", ""), evil("run.sh"), ran},
		{"behind cd", command("cd sub && ./run.sh", ""), evil("sub/run.sh"), ran},
		{"in a folder", command("./run.sh", "sub"), evil("sub/run.sh"), ran},
		{"behind env", command("env A=1 ./run.sh", ""), evil("run.sh"), ran},
		{"folder becomes a link", command("./run.sh", "sub"), link("sub", "other"), func(r *rig) bool { return r.read("other/out.txt") != "" }},
		{"file becomes a link", call{"str_replace", map[string]any{"path": "a.txt", "old_str": "one", "new_str": "two"}}, link("a.txt", "b.txt"), func(r *rig) bool { return r.read("b.txt") != "one\n" }},
		{"file changes", call{"delete_file", map[string]any{"path": "a.txt"}}, func(r *rig) { r.write("a.txt", "precious\n") }, func(r *rig) bool { return r.read("a.txt") == "" }},
		{"file appears", call{"write_file", map[string]any{"path": "new.txt", "content": "mine"}}, func(r *rig) { r.write("new.txt", "precious\n") }, func(r *rig) bool { return r.read("new.txt") != "precious\n" }},
		{"target appears", call{"rename_file", map[string]any{"old_path": "a.txt", "new_path": "new.txt"}}, func(r *rig) { r.write("new.txt", "precious\n") }, func(r *rig) bool { return r.read("new.txt") != "precious\n" }},
		{"other file of the same content", call{"str_replace", map[string]any{"path": "a.txt", "old_str": "one", "new_str": "two"}}, func(r *rig) {
			r.write("a.new", "one\n")
			if err := os.Rename(filepath.Join(r.root, "a.new"), filepath.Join(r.root, "a.txt")); err != nil {
				r.t.Error(err)
			}
		}, func(r *rig) bool { return r.read("a.txt") != "one\n" }},
		{"another name for the file", call{"str_replace", map[string]any{"path": "a.txt", "old_str": "one", "new_str": "two"}}, func(r *rig) {
			if err := os.Link(filepath.Join(r.root, "a.txt"), filepath.Join(r.root, "a.also")); err != nil {
				r.t.Error(err)
			}
		}, func(r *rig) bool { return r.read("a.txt") != "one\n" || r.read("a.also") != "one\n" }},
		{"the mode changes", call{"str_replace", map[string]any{"path": "a.txt", "old_str": "one", "new_str": "two"}}, func(r *rig) {
			if err := os.Chmod(filepath.Join(r.root, "a.txt"), 0o755); err != nil {
				r.t.Error(err)
			}
		}, func(r *rig) bool { return r.read("a.txt") != "one\n" }},
		{"folder of the target becomes a link", call{"write_file", map[string]any{"path": "sub/new.txt", "content": "mine"}}, link("sub", "other"), func(r *rig) bool { return r.read("other/new.txt") != "" }},
	}
}

// TestWhatIsApprovedIsWhatRuns swaps things between the question and the yes:
// the call is asked about again.
func TestWhatIsApprovedIsWhatRuns(t *testing.T) {
	for _, s := range swaps() {
		t.Run(s.name, func(t *testing.T) {
			r := swapRig(t, s, nil)
			asked := 0
			r.person = func(q event.Question) event.Answer {
				if asked++; asked > 1 {
					return event.Answer{}
				}
				s.do(r)
				return yes(q)
			}
			finishSwap(t, r, s)
		})
	}
}

// TestASwapBehindTheRecheck swaps files and links at the last moment. A program
// cannot be held on to there: that is not promised.
func TestASwapBehindTheRecheck(t *testing.T) {
	for _, s := range swaps() {
		if s.call.Tool == "execute_command" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			var r *rig
			rechecks := 0
			r = swapRig(t, s, func(o *Options) {
				o.Step = func(step string) {
					if step == "recheck" {
						if rechecks++; rechecks == 2 { // the first is of the read
							s.do(r)
						}
					}
				}
			})
			r.person = yes
			finishSwap(t, r, s)
		})
	}
}

func swapRig(t *testing.T, s swap, adjust func(*Options)) *rig {
	r := newRig(t, []step{{Say: "x", Calls: []call{{"read_file", map[string]any{"path": "a.txt"}}, s.call}}, {Say: "done"}}, adjust)
	for _, name := range []string{"a.txt", "b.txt", "other/c.txt"} {
		r.write(name, "one\n")
	}
	for _, name := range []string{"run.sh", "sub/run.sh", "other/run.sh"} {
		r.write(name, "#!/bin/sh\necho good > out.txt\n")
		if err := os.Chmod(filepath.Join(r.root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func finishSwap(t *testing.T, r *rig, s swap) {
	t.Helper()
	r.start("")
	r.turn("go")
	r.stop()
	if s.bad(r) {
		t.Error("something ran that nobody said yes to")
	}
	if res := r.results()[1]; res.Status == "ok" {
		t.Errorf("the call is said to have run: %+v", res)
	}
	r.verify()
}
