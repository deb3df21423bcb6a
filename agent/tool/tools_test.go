package tool

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestExecuteCommand(t *testing.T) {
	f := newFake()
	s := plan(t, f, "bash", `{"command":"go test ./...\necho done","dir":"sub"}`)
	if want := (CommandSpec{Script: "go test ./...\necho done", Dir: "sub"}); !reflect.DeepEqual(f.commands[0], want) {
		t.Errorf("%+v", f.commands[0])
	}
	if s.Title != "run go test ./... … (2 lines)" {
		t.Errorf("title %q", s.Title)
	}
	for _, c := range []struct {
		exit   Exit
		status Status
		want   string
	}{
		{Exit{Output: []byte("hello")}, OK, "hello\n"},
		{Exit{}, OK, "[no output]\n"},
		{Exit{Code: 2, Output: []byte("bad\n")}, Error, "bad\n[exit code 2]\n"},
		{Exit{Code: -1, Signal: "killed"}, Error, "[no output]\n[ended by signal: killed]\n"},
		{Exit{Code: -1, TimedOut: true, Signal: "killed"}, Timeout, "[no output]\n[timed out after 7 s and was ended; give a longer timeout (up to 3600), or do less at once]\n"},
		{Exit{Code: -1, Cancelled: true}, Cancelled, "[no output]\n[cancelled]\n"},
		{Exit{Code: 1, Dropped: 2048, Hints: []string{"h"}, Findings: []string{"f"}, Snapshot: "s"}, Error,
			"[no output]\n[2.0 KiB of further output were not kept]\n[exit code 1]\n[sandbox: h]\n[found after the run: f]\n[what could have been lost was kept as s]\n"},
	} {
		f.exit = c.exit
		r := call(t, f, "execute_command", `{"command":"x","timeout":7}`)
		if r.Body != c.want || r.Status != c.status || *r.Exit != c.exit.Code || r.Untrusted != "command" || r.Check {
			t.Errorf("%+v: %+v", c.exit, r)
		}
	}
	has(t, refused(t, f, "execute_command", `{"command":"  "}`), "empty")
}

// TestTimeLimits: a limit that is not allowed becomes the nearest that is, and
// the result says so, also of a job.
func TestTimeLimits(t *testing.T) {
	const told = "[a time limit of 1 to 3600 s is allowed: "
	for tool, args := range map[string]string{
		"execute_command": `"command":"x"`, "run_code": `"code":"x"`, "self_verify": `"check":"x"`, "background": `"command":"x","background":true`,
	} {
		name := strings.Replace(tool, "background", "execute_command", 1)
		for asked, want := range map[string]int{
			"0": 1, "-5": 1, "1": 1, "3600": 3600, "3601": 3600, "86400.0": 3600, "99999999999999999999": 3600, "-99999999999999999999": 1,
		} {
			f := newFake()
			f.checks = []Check{{"x", "go.mod"}}
			r := call(t, f, name, `{`+args+`,"timeout":`+asked+`}`)
			held := asked == "1" || asked == "3600"
			if got := f.commands[0].Seconds; got != want || strings.Contains(r.Body, told) == held || !held && !strings.Contains(r.Body, fmt.Sprintf("%s%d s held]\n", told, want)) {
				t.Errorf("%s, %s: %d s, %q", tool, asked, got, r.Body)
			}
		}
		f := newFake()
		f.checks = []Check{{"x", "go.mod"}}
		want := map[string]int{"self_verify": 600, "background": 3600}[tool] // 0: the person's setting
		if r := call(t, f, name, `{`+args+`}`); f.commands[0].Seconds != want || strings.Contains(r.Body, told) {
			t.Errorf("%s, none: %+v, %q", tool, f.commands, r.Body)
		}
	}
	has(t, refused(t, newFake(), "execute_command", `{"command":"x","timeout":1.5}`), "must be a whole number")
}

func TestSelfVerify(t *testing.T) {
	f := newFake()
	has(t, refused(t, f, "self_verify", `{}`), "no test command was found")
	f.checks = []Check{{"go test ./...", "go.mod"}, {"make test", "Makefile"}}
	f.exit = Exit{Code: 1, Output: []byte("FAIL\n")}
	r := call(t, f, "self_verify", `{}`)
	if !r.Check || r.Status != Error || r.Title != "tests failed" || !reflect.DeepEqual(f.commands[0], CommandSpec{Script: "go test ./...", Seconds: 600, Detected: true}) {
		t.Errorf("%+v, %+v", r, f.commands)
	}
	f.exit = Exit{}
	if r := call(t, f, "self_verify", `{"check":"make test","timeout":5}`); r.Title != "tests passed" || f.commands[1].Script != "make test" {
		t.Errorf("%+v, %+v", r, f.commands)
	}
	has(t, refused(t, f, "self_verify", `{"check":"rm -rf ."}`), "not a detected test command", "go test ./..., make test")
}

func TestGitTools(t *testing.T) {
	f := newFake()
	for _, c := range []struct {
		name, args string
		argv       []string
	}{
		{"git_status", `{}`, []string{"status", "--porcelain=v1", "--branch", "-z"}},
		{"git_diff", `{}`, []string{"diff"}},
		{"git_diff", `{"staged":true,"path":"./a/../b"}`, []string{"diff", "--cached", "--", "b"}},
		{"git_log", `{}`, []string{"log", "--max-count=20", "--date=short", "--format=%h %ad %an: %s"}},
		{"git_log", `{"limit":3,"path":"-x"}`, []string{"log", "--max-count=3", "--date=short", "--format=%h %ad %an: %s", "--", "-x"}},
		{"git_stage", `{"paths":["a","-A","@x","~y"]}`, []string{"add", "--", "a", "-A", "./@x", "./~y"}},
		{"git_commit", `{"message":"-a --amend\n\nbody"}`, []string{"commit", "--message=-a --amend\n\nbody"}},
		{"git_commit", `{"message":"m","paths":["a"]}`, []string{"commit", "--message=m", "--", "a"}},
	} {
		f.git = nil
		plan(t, f, c.name, c.args)
		if len(f.git) != 1 || !slices.Equal(f.git[0], c.argv) {
			t.Errorf("%s %s: %q, want %q", c.name, c.args, f.git, c.argv)
		}
	}
	f.exit = Exit{Output: []byte("## main...o/main [ahead 1]\x00M  a\x00 M b\x00MD c\x00?? d e\x00UU f\x00R  new\x00old\x00")}
	if got, want := call(t, f, "git_status", `{}`).Body, "branch main...o/main [ahead 1]\nin conflict:\n  f\nstaged:\n  modified a\n  modified c\n  renamed old -> new\n"+
		"changed, not staged:\n  modified b\n  deleted c\nuntracked:\n  \"d e\"\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	f.exit = Exit{Output: []byte("## main\x00")}
	has(t, call(t, f, "git_status", `{}`).Body, "nothing to commit")
	f.exit = Exit{Output: []byte("warning: odd\n## main\x00")}
	has(t, call(t, f, "git_status", `{}`).Body, "warning: odd")
	f.exit = Exit{}
	has(t, call(t, f, "git_diff", `{}`).Body, "no changes")
	f.exit = Exit{Code: 128, Output: []byte("fatal: bad\n")}
	if r := call(t, f, "git_log", `{}`); r.Status != Error || !strings.Contains(r.Body, "fatal: bad\n[exit code 128]") {
		t.Errorf("%+v", r)
	}
	for _, c := range [][2]string{{"git_stage", `{"paths":["../x"]}`}, {"git_diff", `{"path":"/etc"}`}, {"git_commit", `{"message":"m","paths":["@out/x"]}`}} {
		has(t, refused(t, f, c[0], c[1]), "outside the workspace")
	}
	has(t, refused(t, f, "git_stage", `{"paths":[]}`), "at least 1")
	has(t, refused(t, f, "git_commit", `{"message":" \n"}`), "empty")
	f.noGit = errors.New("not a repository")
	has(t, refused(t, f, "git_status", `{}`), "not a repository")
}

func TestTodoAndAskUser(t *testing.T) {
	f := newFake()
	s := plan(t, f, "todo", `{"items":[{"text":"a","status":"done"},{"text":"b","status":"active"}]}`)
	if !s.Free || len(s.Effects) != 0 || s.Title != "tasks: 1 of 2 done" || s.Args == "" {
		t.Errorf("%+v", s)
	}
	r := call(t, f, "todo", `{"items":[{"text":"a","status":"done"},{"text":"b","status":"active"}]}`)
	if r.Body != "[x] a\n[>] b\n" || len(f.todos) != 2 {
		t.Errorf("%+v", r)
	}
	f.answer = "blue"
	if r := call(t, f, "ask_user", `{"question":"Which?","options":["red","blue"]}`); r.Body != "the user answered: blue\n" || f.asked != "Which?" || r.Untrusted != "" {
		t.Errorf("%+v", r)
	}
	f.nobody = true
	if r := call(t, f, "ask_user", `{"question":"Which?"}`); r.Status != Error || !strings.Contains(r.Body, "nobody can answer") {
		t.Errorf("%+v", r)
	}
	if a, b := plan(t, f, "ask_user", `{"question":"A?"}`), plan(t, f, "ask_user", `{"question":"B?"}`); a.Digest() == b.Digest() {
		t.Error("two questions have one digest")
	}
}

// A tool does nothing but what it planned: an Env that grants nothing stops
// each of them, and says so to the dispatcher.
func TestNothingWithoutAGrant(t *testing.T) {
	f := newFake()
	f.files["a"] = "x\n"
	f.seen["a"] = hash([]byte("x\n"))
	f.checks = []Check{{"make test", "Makefile"}}
	for name, args := range map[string]string{
		"read_file": `{"path":"a"}`, "list_files": `{}`, "glob": `{"pattern":"*"}`, "grep": `{"pattern":"x"}`, "file_info": `{"path":"a"}`,
		"write_file": `{"path":"a","content":"y"}`, "str_replace": `{"path":"a","old_str":"x","new_str":"y"}`,
		"apply_diff": `{"path":"a","diff":"@@ -1 +1 @@\n-x\n+y\n"}`, "delete_file": `{"path":"a"}`, "rename_file": `{"old_path":"a","new_path":"b"}`,
		"mkdir": `{"path":"d"}`, "execute_command": `{"command":"x"}`, "git_status": `{}`, "git_diff": `{}`, "git_log": `{}`,
		"git_stage": `{"paths":["a"]}`, "git_commit": `{"message":"m"}`, "self_verify": `{}`,
	} {
		set := plan(t, f, name, args)
		f.granted = nil
		tool, err := New(Options{}).Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := tool.Run(context.Background(), fakeEnv{f}, set)
		var not *NotGrantedError
		if !errors.As(err, &not) || r.Status == OK {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if len(f.applied) > 0 {
		t.Errorf("applied %v", f.applied)
	}
}
