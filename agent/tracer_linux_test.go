package agent

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// probe is the program that notes with which arguments it was executed.
const probe = "./bin/p"

// TestWhatThePolicySawIsWhatIsExecuted: random scripts of known parts run in the
// sandbox with a program that notes its arguments. Every execution was seen by
// the policy, and everything that it claims to know was executed.
func TestWhatThePolicySawIsWhatIsExecuted(t *testing.T) {
	const texts = 250
	root := tracedPlace(t)
	rng := rand.New(rand.NewPCG(2611, 29))
	scripts := make([]string, texts)
	for i := range scripts {
		scripts[i] = tracedScript(rng)
		if err := os.WriteFile(filepath.Join(root, "t", fmt.Sprint(i)), []byte(scripts[i]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	box, err := ossandbox.New(t.Context(), ossandbox.Config{Root: root, Home: filepath.Dir(root), State: filepath.Join(filepath.Dir(root), ".tera_pilot"), Env: os.Environ(), Setting: ossandbox.Auto})
	if err != nil {
		t.Fatalf("there is no sandbox here: %v", err)
	}
	defer box.Close()
	driver := fmt.Sprintf(`for i in $(seq 0 %d); do : > log/cur; bash -c "$(cat t/$i)" > /dev/null 2> log/$i.err < /dev/null; mv log/cur log/$i; done`, texts-1)
	res, err := box.Run(t.Context(), ossandbox.Command{Script: driver, Profile: ossandbox.Work(), Timeout: 5 * time.Minute})
	if err != nil || res.ExitCode != 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	if box.Report().Grade < ossandbox.GradeAMinus {
		if conflicts, err := box.Apply(t.Context(), res.Changes); err != nil || len(conflicts) > 0 {
			t.Fatal(err, conflicts)
		}
	}
	executed, known := 0, 0
	for i, text := range scripts {
		a := commandpolicy.Parse(text, commandpolicy.Context{Workspace: root, Dir: root, Home: filepath.Dir(root), Look: commandpolicy.BeneathDir(root)})
		if !a.Parsed {
			t.Errorf("%q does not parse", text)
			continue
		}
		noted := readTrace(t, filepath.Join(root, "log", fmt.Sprint(i)))
		executed += len(noted)
		known += compareTrace(t, text, a, noted)
	}
	if executed < texts || known < texts/2 {
		t.Errorf("%d executions and %d known calls say little", executed, known)
	}
	t.Logf("%d scripts, %d executions, %d of them known word for word", texts, executed, known)
}

// tracedPlace is a workspace with the probe and some files.
func tracedPlace(t *testing.T) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(base, "repo")
	for _, dir := range []string{"bin", "t", "log", "d"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	note := "#!/bin/sh\nl=a\nfor a in \"$@\"; do l=\"$l<$a>\"; done\nprintf '%s\\0' \"$l\" >> log/cur\n"
	for name, text := range map[string]string{"bin/p": note, "d/f1": "x\n", "d/f2": "y\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// readTrace lists the executions of a script.
func readTrace(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == 0 })
}

// compareTrace holds the executions to the parts of the analysis, and counts
// those whose every word was known.
func compareTrace(t *testing.T, text string, a *commandpolicy.Analysis, noted []string) (known int) {
	t.Helper()
	open := false // some part may be anything
	exact, loose := map[string]int{}, false
	for _, p := range a.Parts {
		switch {
		case p.Kind == commandpolicy.PartUnknown || p.Kind == commandpolicy.PartCall && (len(p.Argv) == 0 || !p.Argv[0].Known):
			open = true
		case p.Kind != commandpolicy.PartCall || len(p.Argv) == 0 || p.Argv[0].Text != probe:
		default:
			call, all := "a", true
			for _, w := range p.Argv[1:] {
				call, all = call+"<"+w.Text+">", all && w.Known
			}
			if all {
				exact[call]++
			} else {
				loose = true
			}
		}
	}
	for _, call := range noted {
		switch {
		case exact[call] > 0:
			known++
		case !open && !loose:
			t.Errorf("%q executed %q, which the policy did not see: %v", text, call, exact)
		}
	}
	for call := range exact {
		found := false
		for _, n := range noted {
			found = found || n == call
		}
		if !found {
			t.Errorf("%q was said to execute %q, and executed %q", text, call, noted)
		}
	}
	return known
}

var tracedWords = []string{"a", "'b c'", `"d"`, `e\ f`, `$'g\th'`, `"$(echo sub)"`, "$(echo one two)", "-o", "--long=v", "{x,y}", "d/f*", `'$x'`, `"\""`, "é", "''", "$((2*3))", `"$v"`, "$v", "~"}

// tracedCall is the probe with some words, quoted in some way.
func tracedCall(rng *rand.Rand) string {
	words := []string{[]string{"./bin/p", `"./bin/p"`, `./b'in/p'`, `./bin/\p`}[rng.IntN(4)]}
	for range rng.IntN(4) {
		words = append(words, tracedWords[rng.IntN(len(tracedWords))])
	}
	return strings.Join(words, " ")
}

// tracedScript is a script of calls, behind wrappers and in the positions that
// a command can stand in. Every call of it is executed.
func tracedScript(rng *rand.Rand) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	var wrapped func(depth int) string
	wrapped = func(depth int) string {
		call := tracedCall(rng)
		if depth == 0 {
			return call
		}
		switch rng.IntN(14) {
		case 0:
			return "env " + call
		case 1:
			return "env A=1 B='2 3' " + call
		case 2:
			return "nice -n 5 " + call
		case 3:
			return "timeout 20 " + call
		case 4:
			return "timeout --signal=TERM 20s nice " + call
		case 5:
			return "setsid -w " + call
		case 6:
			return "sh -c " + quote("true; ./bin/p in sh")
		case 7:
			return "v=val; bash -c " + quote(wrapped(depth-1))
		case 8:
			return "printf 'x y\\n' | xargs " + call
		case 9:
			return "find d -name 'f*' -exec ./bin/p found {} \\;"
		case 10:
			return "( " + wrapped(depth-1) + " )"
		case 11:
			return "{ " + wrapped(depth-1) + "; }"
		case 12:
			return "command " + call
		default:
			return "stdbuf -o L " + call
		}
	}
	out := "v=val"
	for range 1 + rng.IntN(3) {
		out += []string{"; ", "\n", " && "}[rng.IntN(3)] + wrapped(2)
	}
	return out
}
