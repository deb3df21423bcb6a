package commandpolicy

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// GNU sed says itself whether a script writes, reads or runs: with --sandbox it
// refuses such a script before it starts. Scripts that the policy proves must
// pass there.
func TestSedAgreesWithSed(t *testing.T) {
	sed, err := exec.LookPath("sed")
	if err != nil {
		t.Skip("no sed on this machine, so there is nothing to compare with")
	}
	if err := exec.Command(sed, "--sandbox", "-n", "p", "/dev/null").Run(); err != nil {
		t.Skip("the sed of this machine has no --sandbox")
	}
	r := rand.New(rand.NewPCG(9, 6))
	proven, refused, seen := 0, 0, map[string]bool{}
	for range 6000 {
		script := randomSed(r)
		if seen[script] {
			continue
		}
		seen[script] = true
		a := Parse("sed -n "+singleQuote(script)+" a", Context{Workspace: "/workspace", Look: nothing{}})
		if !a.ReadOnly {
			refused++
			continue
		}
		var stderr bytes.Buffer
		cmd := exec.Command(sed, "--sandbox", "-n", "--", script, "/dev/null")
		cmd.Stderr = &stderr
		err := cmd.Run()
		reads := len(a.Parts[0].Effects.Reads) > 1 // r and R of a file inside are proven
		if err != nil && strings.Contains(stderr.String(), "sandbox") && !reads {
			t.Errorf("sed refuses %q in its sandbox, the policy proves it: %s", script, stderr.String())
		}
		if err == nil {
			proven++
		}
	}
	if proven < 300 || refused < 1000 {
		t.Errorf("%d scripts proven and valid, %d refused: the test says little", proven, refused)
	}
	t.Logf("%d proven and valid, %d refused", proven, refused)
}

var sedPieces = []string{
	"p", "d", "1", "$", "2,3", "/a/", "/a/I", `\,a,`, "/[/]/", "/[^]/]/", "0~2", "1!", "1,+2", "{", "}", ";", "\n", " ", "=", "n", "N", "h", "G", "x",
	"q", "q5", "s/a/b/", "s/a/b/g", "s,a,b,", "s/[/]/x/", "s/a\\/b/c/", "s/a/b/w f", "s/a/b/e", "s/a/b/ge", "s|a|b|", "s/[[:alpha:]]/x/", "s/[[:alpha:]/]/x/",
	"y/ab/cd/", "y/a\\/b/cde/", "w f", "wf", "W f", "r f", "R f", "e ls", "e", "a text", `a\`, "i x", "c y", ":a", ":a ", "ba", "b", "ta", "b a", "#c", "l", "z", "F",
	"s/a/b\\\nc/", "s/a/[/", "e\n", "w", "/x/w f", "s/x/y/;w f", "a\\\nw f", "a x\nw f", "$!N", "$!{", "v", "v 4.2", "s/(/x/", "s/a/b/3", "s/a/b/3e", "M", "/a/Mp",
}

func randomSed(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(5) {
		b.WriteString(sedPieces[r.IntN(len(sedPieces))])
	}
	return b.String()
}

// An awk program that the policy proves holds none of the constructs that
// reach out, wherever they hide: what is added to it is found.
func TestAwkFindsWhatIsAdded(t *testing.T) {
	programs := []string{
		"{print $1}", "/a|b/", "$1 > 5", "{print ($1+$2)/2}", "{print \" | \"}", "NR==1{next}1", "{a[$1]++} END{for(k in a) print k, a[k]}",
		"/\"/ {x=1}", "{if ($1 ~ /x/) print}", "BEGIN{FS=\",\"} {print $2/$3}", "!x[$0]++", "{print (a > b)}", "{s += $1 / 2 / 3} END {print s}",
		"length > 3", "{print length/2}", "{x = y /2/ 1}", "$0 ~ \"/\"", "{gsub(/\\//, \"x\"); print}", "{print $NF/2}", "{n = split($0, a, /,/)}",
	}
	reaching := []string{
		"{print > \"f\"}", "{print 1 >> \"f\"}", "{printf \"x\" > \"f\"}", "{print | \"sh\"}", "{\"ls\" | getline}", "{getline < \"f\"}", "{system(\"ls\")}",
		"BEGIN{system(\"ls\")}", "{print ENVIRON[\"x\"]}", "{print(1)(2) > \"f\"}", "{print a,\nb > \"f\"}", "{print $1 > $2}", "{ARGV[1]=\"f\"}", "{@x()}",
	}
	for _, p := range programs {
		if why := awkDanger(p); why != "" {
			t.Errorf("%q is refused: %s", p, why)
		}
		for _, bad := range reaching {
			for _, text := range []string{p + bad, bad + p, p + "\n" + bad, p + ";" + bad, "{x=1}" + bad + p} {
				if awkDanger(text) == "" {
					t.Errorf("%q passes", text)
				}
			}
		}
	}
}

// Git takes for an option what its own grammar says, and not what ours does: a
// word that we take for a value, or for an operand behind --, may be --output of
// the git that is installed. What is proven there must write nothing.
func TestProvenOptionsWriteNothing(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git on this machine, so there is nothing to compare with")
	}
	dir := t.TempDir()
	run := func(text string) error {
		cmd := exec.Command(git, strings.Fields(text)...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir, "PATH=/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat"}
		return cmd.Run()
	}
	for _, text := range []string{"init -q", "-c user.name=n -c user.email=a@b commit -q --allow-empty -m one"} {
		if err := run(text); err != nil {
			t.Fatal(err)
		}
	}
	alone, tried := 0, 0
	for _, sub := range []string{"diff", "log", "shortlog", "diff-tree", "reflog"} {
		for name, o := range grammars()["git "+sub].opts {
			if o.kind != kindText {
				continue
			}
			if a := Parse("git "+sub+" "+name, Context{Workspace: dir, Look: nothing{}}); a.ReadOnly {
				alone++
			}
			for _, rest := range []string{" --output=written HEAD", " -- --output=written HEAD", " -p " + name + " -- --output=written"} {
				text := sub + " " + name + rest
				if tried++; !Parse("git "+text, Context{Workspace: dir, Look: nothing{}}).ReadOnly {
					continue
				}
				_ = run(text) // it may well be refused; what counts is what it wrote
				if _, err := os.Stat(filepath.Join(dir, "written")); err == nil {
					t.Fatalf("git %s is proven to read only, and writes", text)
				}
			}
		}
	}
	if alone < 500 || tried < 3000 {
		t.Errorf("%d options are proven alone, %d texts tried: the test says little", alone, tried)
	}
}
