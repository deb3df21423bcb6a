package ossandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "github.com/tera-pilot/tera-pilot/ossandbox/reexec"
)

func newBox(t testing.TB) *Sandbox {
	t.Helper()
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	os.Mkdir(work, 0o755)
	if out, err := exec.Command("git", "init", "-q", work).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	s, err := New(t.Context(), Config{Root: work, Home: filepath.Join(dir, "home"), State: filepath.Join(dir, "state"), Env: os.Environ(), Setting: On})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func BenchmarkOurs(b *testing.B) {
	s := newBox(b)
	for b.Loop() {
		r, err := s.Run(b.Context(), Command{Argv: []string{"/bin/true"}, Profile: Work()})
		if err != nil || r.ExitCode != 0 {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkObserve(b *testing.B) {
	s := newBox(b)
	for b.Loop() {
		r, err := s.Run(b.Context(), Command{Argv: []string{"/bin/true"}, Profile: Observe()})
		if err != nil || r.ExitCode != 0 {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkBare(b *testing.B) {
	for b.Loop() {
		exec.Command("/bin/true").Run()
	}
}

func BenchmarkBwrapSame(b *testing.B) {
	s := newBox(b)
	c := Command{Argv: []string{"/bin/true"}, Profile: Work()}
	v, err := newView(s, &c)
	if err != nil {
		b.Fatal(err)
	}
	s.keep.enter()
	defer s.keep.leave()
	v.covers, _ = s.keep.standIns(v.covers)
	p := newPlan(s, &c, v)
	words, _ := p.words(9)
	args := append([]string{"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net", "--die-with-parent", "--new-session", "--cap-drop", "ALL"}, words...)
	args = append(args, "--chdir", "/", "--", "/bin/true")
	for b.Loop() {
		if out, err := exec.Command("bwrap", args...).CombinedOutput(); err != nil {
			b.Fatal(err, string(out))
		}
	}
}

func BenchmarkBwrapMinimal(b *testing.B) {
	for b.Loop() {
		if out, err := exec.Command("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "/bin/true").CombinedOutput(); err != nil {
			b.Fatal(err, string(out))
		}
	}
}
