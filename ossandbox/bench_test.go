package ossandbox

import (
	"os/exec"

	"testing"
)

func BenchmarkOurs(b *testing.B) {
	s := newBox(b).Sandbox
	for b.Loop() {
		r, err := s.Run(b.Context(), Command{Argv: []string{"/bin/true"}, Profile: Work()})
		if err != nil || r.ExitCode != 0 {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkObserve(b *testing.B) {
	s := newBox(b).Sandbox
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
	s := newBox(b).Sandbox
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
