package world

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestRoot(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(base, "home")
	state := filepath.Join(home, ".tera_pilot")
	repo := filepath.Join(home, "src", "parser")
	plain := filepath.Join(home, "notes")
	for _, d := range []string{state, filepath.Join(repo, "deep", "er"), plain} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "-q", repo).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
	link := filepath.Join(home, "link")
	if err := os.Symlink(repo, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, named, want string }{
		{filepath.Join(repo, "deep", "er"), "", repo},
		{repo, "", repo},
		{link, "", repo},
		{plain, "", plain},
		{repo, filepath.Join(repo, "deep"), filepath.Join(repo, "deep")},
		{home, "", ""},
		{base, "", ""},
		{"/", "", ""},
		{"/dev", "", ""},
		{repo, "/proc/self", ""},
		{state, "", ""},
		{repo, home, ""},
		{filepath.Join(home, "missing"), "", ""},
		{filepath.Join(repo, ".git", "config"), "", ""},
	} {
		got, err := Root(c.dir, c.named, home, state)
		if got = okOr(got, err); got != c.want {
			t.Errorf("Root(%q, %q) = %q, %v; want %q", c.dir, c.named, got, err, c.want)
		}
	}
	if got, err := Root(repo, "", home, filepath.Join(link, "new", "state")); err == nil {
		t.Errorf("a state folder to be made inside the root, by way of a link: %q", got)
	}
	if out, err := exec.Command("git", "init", "-q", home).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
	if got, err := Root(plain, "", home, state); got != plain || err != nil {
		t.Errorf("a repository at home: %q, %v", got, err)
	}
}

func okOr(s string, err error) string {
	if err != nil {
		return ""
	}
	return s
}

// TestCheckout: the branch, how much is not as committed, and nothing where there
// is no repository.
func TestCheckout(t *testing.T) {
	repo := t.TempDir()
	open := func() string {
		t.Helper()
		w, err := Open(t.Context(), Options{Root: repo, State: t.TempDir(), Home: t.TempDir(), Env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		return w.Checkout(t.Context())
	}
	if got := open(); got != "" {
		t.Errorf("without a repository: %q", got)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "fix/tabs"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "one"}} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git: %v %s", err, out)
		}
	}
	if got := open(); got != "fix/tabs" {
		t.Errorf("clean: %q", got)
	}
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(repo, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := open(); got != "fix/tabs*2" {
		t.Errorf("with two new files: %q", got)
	}
}
