package ossandbox

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/tera-pilot/tera-pilot/ossandbox/reexec"
)

var soak = flag.Bool("soak", false, "the long form of the tests that have one")

var builtFlag = flag.String("binary", "", "a built tera-pilot for the suites (default: build it)")

// TestMain lets the test program stand in for the command line where a test
// needs a grade that this machine would not choose:
//
//	ossandbox.test wrap B ROOT -- COMMAND …
func TestMain(m *testing.M) {
	if len(os.Args) > 4 && os.Args[1] == "wrap" {
		os.Exit(wrap(os.Args[2], os.Args[3], os.Args[5:]))
	}
	flag.Parse()
	code := m.Run()
	for _, dir := range scratch {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// scratch are folders that several tests share.
var scratch []string

// wrap runs argv at a grade, with the process's own streams.
func wrap(grade, root string, argv []string) int {
	home, _ := os.UserHomeDir()
	cwd, _ := os.Getwd()
	cfg := Config{Root: root, Home: home, State: filepath.Join(home, ".tera_pilot"), Env: os.Environ(), Setting: Auto}
	switch grade {
	case "A-":
		cfg.noProc = true
	case "B":
		cfg.Bubblewrap = []string{}
	}
	ctx, stop := WithParent(context.Background())
	defer stop()
	s, err := New(ctx, cfg)
	if err != nil {
		fmt.Fprintln(os.Stderr, "wrap:", err)
		return 125
	}
	defer s.Close()
	if got := s.Report().Grade.String(); got != grade {
		fmt.Fprintln(os.Stderr, "wrap: grade", got)
		return 125
	}
	r, err := s.Run(ctx, Command{Argv: argv, Dir: cwd, Profile: Work(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	if err != nil {
		fmt.Fprintln(os.Stderr, "wrap:", err)
		return 125
	}
	var harmless []Change
	for _, c := range r.Changes {
		if c.Rule == "" {
			harmless = append(harmless, c)
		}
	}
	if len(harmless) > 0 {
		if _, err := s.Apply(ctx, harmless); err != nil {
			fmt.Fprintln(os.Stderr, "wrap:", err)
		}
	}
	return r.ExitCode
}

// A box is a sandbox over a small repository, with a home that holds secrets.
type box struct {
	*Sandbox
	t           testing.TB
	work, home  string
	state, base string
}

// newBox makes one; change may adjust the configuration.
func newBox(t testing.TB, change ...func(*Config)) *box {
	t.Helper()
	base := t.TempDir()
	b := &box{t: t, base: base, work: filepath.Join(base, "home/code/work"), home: filepath.Join(base, "home"), state: filepath.Join(base, "home/.tera_pilot")}
	b.write(b.home+"/.ssh/id_ed25519", "the-ssh-key")
	b.write(b.work+"/README.md", "hello\n")
	gitInit(t, b.work)
	cfg := Config{Root: b.work, Home: b.home, State: b.state, Setting: On, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.home, "LANG=C.UTF-8"}}
	for _, f := range change {
		f(&cfg)
	}
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Sandbox = s
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func gitInit(t testing.TB, dir string) {
	t.Helper()
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "-c", "user.name=T", "-c", "user.email=t@example.invalid", "commit", "-q", "--allow-empty", "-m", "one")
}

// git runs git outside the sandbox, without anybody's settings.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (b *box) write(path, content string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// sh runs a script and returns what it wrote, both streams together.
func (b *box) sh(script string, change ...func(*Command)) (string, Result) {
	b.t.Helper()
	out, r, err := b.try(script, change...)
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return out, r
}

func (b *box) try(script string, change ...func(*Command)) (string, Result, error) {
	var out strings.Builder
	c := Command{Script: script, Profile: Work(), Stdout: &out, Stderr: &out}
	for _, f := range change {
		f(&c)
	}
	r, err := b.Run(b.t.Context(), c)
	return out.String(), r, err
}

// tree lists a folder, with what tells whether something was touched.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	filepath.Walk(dir, func(p string, st os.FileInfo, err error) error {
		if err == nil {
			rel, _ := filepath.Rel(dir, p)
			fmt.Fprintf(&b, "%s %v\n", rel, st.Mode())
		}
		return nil
	})
	return b.String()
}

// has fails the test unless out holds want.
func has(t testing.TB, out, want string) {
	t.Helper()
	if !strings.Contains(out, want) {
		t.Errorf("output lacks %q:\n%s", want, out)
	}
}

func lacks(t testing.TB, out, bad string) {
	t.Helper()
	if strings.Contains(out, bad) {
		t.Errorf("output holds %q:\n%s", bad, out)
	}
}

func asError[E error](t testing.TB, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("error is %T (%v)", err, err)
	}
	return e
}
