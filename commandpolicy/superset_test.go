package commandpolicy

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// No command runs that the policy did not see. Random programs whose only
// command is p, which notes its arguments, run in bash; each call that was
// noted must be a part of the analysis. The texts hold no output redirection
// and no name of a program, and there is no PATH.
func TestNothingRunsUnseen(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash on this machine, so there is nothing to compare with")
	}
	r := rand.New(rand.NewPCG(26, 12))
	dir := t.TempDir()
	ran, compared := 0, 0
	for range 3000 {
		text := randomProgram(r)
		a := Parse(text, Context{Workspace: "/workspace", Home: "/home/u", Look: nothing{}})
		if !a.Parsed {
			continue
		}
		calls := notedCalls(t, bash, dir, text)
		ran += len(calls)
		if len(calls) > 0 {
			compared++
		}
		for _, call := range calls {
			if call = pipeName.ReplaceAllString(call, "/dev/fd/63"); !sawCall(a, call) {
				t.Errorf("%q ran %q unseen", text, call)
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d texts ran and parsed", compared)
	}
	t.Logf("%d texts compared, %d calls ran", compared, ran)
}

var pipeName = regexp.MustCompile(`/dev/fd/[0-9]+`)

// sawCall reports whether a call is one of the parts, or may be.
func sawCall(a *Analysis, call string) bool {
	return slices.ContainsFunc(a.Parts, func(p Part) bool {
		if p.Kind == PartUnknown || p.Kind == PartCall && p.Name == "" {
			return true
		}
		if p.Name != "p" {
			return false
		}
		text := ""
		for _, x := range p.Argv[1:] {
			if !x.Known {
				return true
			}
			text += "<" + x.Text + ">"
		}
		return text == call
	})
}

// notedCalls runs a text in a bash of its own, in a process group that is ended
// with it, with bounds on time and on the nesting of functions.
func notedCalls(t *testing.T, bash, dir, text string) []string {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	const prelude = `p() { local c= a; for a in "$@"; do c+="<$a>"; done; printf '%s\0' "$c" >&3; }; FUNCNEST=6; ulimit -t 2; eval "$1"`
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "--norc", "--noprofile", "-c", prelude, "bash", strings.ReplaceAll(text, "\x00", ""))
	cmd.Dir = dir
	cmd.Env = []string{"HOME=/home/u", "PATH=/nonexistent", "LC_ALL=C.UTF-8"}
	cmd.ExtraFiles = []*os.File{write}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	done := make(chan []byte)
	go func() {
		out, _ := io.ReadAll(io.LimitReader(read, 1<<20))
		done <- out
	}()
	_ = cmd.Wait() // a text may well fail; what it ran is what counts
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return strings.FieldsFunc(string(<-done), func(r rune) bool { return r == 0 })
}

// randomProgram is a program of bash with a little noise.
func randomProgram(r *rand.Rand) string {
	text := randomList(r, 3)
	for r.IntN(3) == 0 {
		at := r.IntN(len(text) + 1)
		text = text[:at] + programNoise[r.IntN(len(programNoise))] + text[at:]
	}
	return text
}

var programNoise = []string{
	" ", "\n", "\\\n", "\\", "'", `"`, "`", "#", " #", "# ", ";", "&", "|", "(", ")", "{", "}", "$", "$(", "${", "! ", "a", "\t", "\\ ", "''", `""`, "$'", `$"`,
	"<<E\n", "\nE\n", "<<'E'\n", "<<-E\n\t", "<<<", "[[", "]]", "((", "))", "=", "~", "*", "?", "[", "]", ",", "{a,p}", "time ", "esac", "fi", "done", "in", "\r", "\\\r\n", "\u00a0", "\\'", `\"`, "\\`", "\\$", "$((", "$[", "@(", "!(", "<(", "p;", ";p n;", "&&", "||", ";;", "|&", "-", "--", "#p\n", "\\#", "x=", "x+=", "x[0]=", "p=", "if ", "then ", "else ", "do ", "for ", "case ", "function ",
}

func randomList(r *rand.Rand, depth int) string {
	var parts []string
	for range 1 + r.IntN(3) {
		parts = append(parts, randomCommand(r, depth))
	}
	return strings.Join(parts, []string{"; ", "\n", " && ", " || ", " | ", " & ", ";", "|& "}[r.IntN(8)])
}

func word1(r *rand.Rand, depth int) string {
	simple := []string{"a", "'b c'", `"d"`, `e\ f`, "$x", `"$x"`, "$'g\\t'", "h\"i\"'j'", "k#l", "m=n", "-o", "{q,r}", "\\#", `"\""`, "'\"'", "\"'\"", "$((1+1))", "~", `\\`, "é"}
	if depth > 0 && r.IntN(4) == 0 {
		in := randomList(r, depth-1)
		return []string{"$(" + in + ")", "\"$(" + in + ")\"", "`" + strings.NewReplacer("`", "", "\\", "").Replace(in) + "`", "<(" + in + ")", "${y:-$(" + in + ")}"}[r.IntN(5)]
	}
	return simple[r.IntN(len(simple))]
}

func randomCommand(r *rand.Rand, depth int) string {
	call := "p " + word1(r, depth)
	for range r.IntN(3) {
		call += " " + word1(r, depth)
	}
	if depth == 0 {
		return call
	}
	in := func() string { return randomList(r, depth-1) }
	switch r.IntN(27) {
	case 0:
		return "(" + in() + ")"
	case 1:
		return "{ " + in() + "\n}"
	case 2:
		return "if " + in() + "\nthen " + in() + "\nelse " + in() + "\nfi"
	case 3:
		return "for x in " + word1(r, depth) + " " + word1(r, 0) + "; do " + in() + "\ndone"
	case 4:
		return "case " + word1(r, 0) + " in a|b) " + in() + ";; *) " + in() + ";; esac"
	case 5:
		return "f" + string(rune('0'+depth)) + "() { " + in() + "\n}; f" + string(rune('0'+depth))
	case 6:
		return "x=" + word1(r, depth) + "; " + call
	case 7:
		return call + " <<E\nq $(" + in() + ") \\$x\nE\n"
	case 8:
		return call + " <<'E'\n$(p no)\nE\n"
	case 9:
		return "! " + call
	case 10:
		return call + " # p no\n" + call
	case 11:
		return "eval " + singleQuote(in())
	case 12:
		return "[[ " + word1(r, depth) + " == a ]] && " + call
	case 13:
		return "x=1 " + call
	case 14:
		return call + " <<<\"" + "$(" + in() + ")\""
	case 15:
		return "time " + call
	case 16:
		return "trap " + singleQuote(in()) + " EXIT"
	case 17:
		return "read -r x <<< " + word1(r, 0) + "; " + call
	case 18:
		return "printf -v x %s " + word1(r, 0) + "; " + call
	case 19:
		return "f" + string(rune('1'+r.IntN(3)))
	case 20:
		return "f" + string(rune('1'+r.IntN(3))) + "() { " + in() + "\n}"
	case 21:
		return "x+=" + word1(r, 0)
	case 23:
		return call + " # p no\\\n" + call
	case 22:
		return "for i in 1 2; do " + in() + "\nx=$i" + word1(r, 0) + "\ndone"
	}
	return call
}
