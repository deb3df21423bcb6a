package commandpolicy

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Texts that try to exhaust the parser, the walker or their patience. None may
// be allowed, none may end the program, and none may take much longer than its
// length says.
func TestHostileSizes(t *testing.T) {
	n := 1 << 18
	if testing.Short() {
		n = 1 << 15
	}
	eighths := hostileTexts(n / 8)
	for name, text := range hostileTexts(n) {
		t.Run(name, func(t *testing.T) {
			took := refused(t, text)
			if took < 2*time.Second {
				return
			}
			// A busy machine makes one measurement longer, and seldom three in a row.
			var ratio float64
			for range 3 {
				if ratio = float64(took) / float64(refused(t, eighths[name])); ratio < superlinear {
					return
				}
				took = refused(t, text)
			}
			t.Errorf("took %v, %.0f times as long as an eighth of it", took, ratio)
		})
		runtime.GC()
	}
}

// superlinear is more than eight times the text takes, and less than the 64
// times of something quadratic.
const superlinear = 40

// refused is how long it takes to find that a text is not allowed.
func refused(t *testing.T, text string) time.Duration {
	t.Helper()
	start := time.Now()
	if Parse(text+"\ntouch x", Context{Workspace: "/workspace", Home: "/home/u", Look: nothing{}}).ReadOnly {
		t.Error("allowed")
	}
	return time.Since(start)
}

// hostileTexts are texts of about n bytes, by name.
func hostileTexts(n int) map[string]string {
	return map[string]string{
		"subshells":           strings.Repeat("(", n) + "touch x" + strings.Repeat(")", n),
		"closed quotes":       strings.Repeat("( ')' ", n/6) + strings.Repeat(")", n/6),
		"substitutions":       strings.Repeat("$(", n/3) + "ls" + strings.Repeat(")", n/3),
		"quoted":              strings.Repeat(`"$(`, n/5) + "ls" + strings.Repeat(`)"`, n/5),
		"blocks":              strings.Repeat("{ ", n/5) + "ls" + strings.Repeat("; }", n/5),
		"ifs":                 strings.Repeat("if ", n/16) + "touch x" + strings.Repeat("; then ls; fi", n/16),
		"elifs":               "if ls; then ls; " + strings.Repeat("elif ls; then ls; ", n/18) + "fi; touch x",
		"whiles":              strings.Repeat("while ", n/20) + "touch x" + strings.Repeat("; do ls; done", n/20),
		"functions":           strings.Repeat("f()", n/3) + "{ ls; }",
		"times":               strings.Repeat("time ", n/5) + "touch x",
		"defaults":            "echo " + strings.Repeat("${x:-", n/6) + strings.Repeat("}", n/6) + "; touch x",
		"backticks":           strings.Repeat("`", n),
		"indices":             strings.Repeat("a[", n/4) + "1" + strings.Repeat("]=1", n/4) + "; touch x",
		"unary":               "((" + strings.Repeat("- ", n/2) + "1)); touch x",
		"sums":                "((" + strings.Repeat("1+", n/2) + "1)); touch x",
		"powers":              "((" + strings.Repeat("1**", n/3) + "1)); touch x",
		"tests":               "[[ " + strings.Repeat("( ", n/4) + "x" + strings.Repeat(" )", n/4) + " ]]; touch x",
		"ands":                strings.Repeat("ls&&", n/4) + "touch x",
		"pipes":               strings.Repeat("ls|", n/3) + "touch x",
		"semicolons":          strings.Repeat("ls;", n/3) + "touch x",
		"lines":               strings.Repeat("ls\n", n/3) + "touch x",
		"braces":              "echo " + strings.Repeat("{a,b}", n/5) + "; touch x",
		"nested braces":       "echo " + strings.Repeat("{a,", n/4) + strings.Repeat("}", n/4) + "; touch x",
		"sequence":            "echo {1..999999999}; touch x",
		"deep path":           "cat " + strings.Repeat("a/", n/2) + " /etc/passwd",
		"doubling":            "x=aaaaaaaa; " + strings.Repeat("x=$x$x; ", n/16) + "touch $x",
		"evals":               strings.Repeat("eval ", n/5) + "touch x",
		"wrappers":            strings.Repeat("nice ", n/5) + "touch x",
		"words":               "touch " + strings.Repeat("a ", n/2),
		"globs":               "touch " + strings.Repeat("* ", n/2),
		"stars":               "touch " + strings.Repeat("*", n),
		"one word":            "touch " + strings.Repeat("a", n),
		"heredoc":             "cat > x <<'E'\n" + strings.Repeat("{}[]()\n", n/7) + "E\n",
		"loops":               strings.Repeat("for i in a b; do ", n/40) + "touch x" + strings.Repeat("; done", n/40),
		"long loop":           "for i in " + strings.Repeat("a ", n/4) + "; do touch $i; done",
		"variables":           assignments(n/12) + "touch x",
		"scopes":              assignments(n/40) + strings.Repeat("(x=1) ;", n/16) + "touch x",
		"options":             "sort " + strings.Repeat("-n ", n/3) + "-o x",
		"awk":                 "awk '" + strings.Repeat("(a)/b/", n/6) + "{print > \"x\"}' a",
		"sed":                 "sed '" + strings.Repeat("p;", n/2) + "w x' a",
		"find":                "find . " + strings.Repeat("-name x ", n/8) + "-delete",
		"invisible":           "ls " + strings.Repeat("\u200b", n/3),
		"NUL":                 "touch x" + strings.Repeat("\x00", n),
		"comment":             "touch x #" + strings.Repeat("x", n),
		"functions and calls": strings.Repeat("f() { ls; }; f; ", n/16) + "touch x",
	}
}

func assignments(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "v%d=%d;", i, i)
	}
	return b.String()
}

// Neither many parts nor much text hides what is at the end.
func TestNothingHidesAtTheEnd(t *testing.T) {
	for _, glue := range []string{"; ", " && ", " || ", "\n", " | ", " & "} {
		for _, last := range []struct {
			text string
			want Decision
		}{{"touch x", Ask}, {"rm -rf /", Deny}, {"true", Allow}} {
			text := strings.Repeat("true"+glue, 10_000) + last.text
			c := testCase{Command: text}
			if d, a := c.decide(); d != last.want {
				t.Errorf("10,000 parts joined by %q and %q: %v, want %v (%v)", glue, last.text, d, last.want, a.Problems)
			}
		}
	}
	pad := strings.Repeat("x", 1<<20)
	for text, want := range map[string]Decision{
		"rm -rf / #" + pad: Deny, "#" + pad + "\nrm -rf /": Deny, "echo " + pad + "; rm -rf /": Deny, "echo '" + pad + "'; touch x": Ask, "echo " + pad: Allow,
	} {
		c := testCase{Command: text}
		if d, _ := c.decide(); d != want {
			t.Errorf("1 MB of text is %v, want %v: %.30q", d, want, text)
		}
	}
}

// The time grows with the text, not faster: eight times the text takes at most
// thirty times the processor (it would be sixty-four, if it grew as the square).
func TestTimeIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	for name, make := range map[string]func(int) string{
		"parts":     func(n int) string { return strings.Repeat("ls -la src; ", n) },
		"chain":     func(n int) string { return strings.Repeat("ls -la src && ", n) + "ls" },
		"words":     func(n int) string { return "ls " + strings.Repeat("a ", n) },
		"text":      func(n int) string { return "echo '" + strings.Repeat("abcdefgh", n) + "'" },
		"variables": func(n int) string { return assignments(n) },
		"functions": func(n int) string { return strings.Repeat("f() { ls; }; f; ", n) },
		"subshells": func(n int) string { return strings.Repeat("(ls) ; ", n) },
		"scopes":    func(n int) string { return assignments(n/2) + strings.Repeat("(x=1) ;", n/2) },
		"branches":  func(n int) string { return assignments(n/2) + strings.Repeat("if ls; then x=1; fi ;", n/2) },
		"pipes":     func(n int) string { return strings.Repeat("cat a | sort > b; ", n) },
		"flow":      func(n int) string { return strings.Repeat("x=$(cat a); echo $x | sh; ", n) },
		"quotes":    func(n int) string { return "echo " + strings.Repeat(`'a'"b"$'c'`, n) },
	} {
		few, many := make(1_000), make(8_000)
		small, big := timeOf(few), timeOf(many)
		if ratio := float64(big) / float64(max(small, time.Millisecond)); ratio > 30 {
			t.Errorf("%s: %v for %d bytes, %v for %d: %.1f times", name, small, len(few), big, len(many), ratio)
		}
	}
}

// timeOf is the processor time of the best of three, since the machine is shared.
func timeOf(text string) time.Duration {
	best := time.Hour
	for range 3 {
		runtime.GC()
		start := processorTime()
		Parse(text, Context{Workspace: "/workspace", Home: "/home/u", Look: nothing{}})
		best = min(best, processorTime()-start)
	}
	return best
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkEveryday(b *testing.B) {
	texts := []string{"ls -la src", "git status --short", "grep -rn 'func main' --include='*.go' .", "cat a.txt | sort | uniq -c | head -5",
		"go test ./... 2>&1 | tail -20", "cd internal && ls", "find . -name '*.go' -not -path './vendor/*'", "for f in a b; do echo \"$f\"; done"}
	p := New()
	i := 0
	for b.Loop() {
		p.Decide(Parse(texts[i%len(texts)], Context{Workspace: "/workspace", Home: "/home/u", Look: nothing{}}), When{})
		i++
	}
}

func BenchmarkMegabyte(b *testing.B) {
	text := strings.Repeat("ls -la src; ", (1<<20)/12)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Parse(text, Context{Workspace: "/workspace", Home: "/home/u", Look: nothing{}})
	}
}
