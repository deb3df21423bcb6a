package ossandbox

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestLinksInProtectedPlaces(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/AGENTS.md", "rules")
	os.Symlink("AGENTS.md", b.work+"/CLAUDE.md") // common, and allowed
	b.sh("true")
	os.Symlink("elsewhere", b.work+"/.claude")
	_, _, err := b.try("true")
	has(t, asError[*SetupError](t, err).Error(), ".claude is a link")
	os.Remove(b.work + "/.claude")
	os.RemoveAll(b.work + "/.git/hooks")
	os.Symlink("../hooks", b.work+"/.git/hooks")
	_, _, err = b.try("true")
	has(t, asError[*SetupError](t, err).Error(), ".git/hooks is a link")
}

// A command that plants links on the way to what is covered gets neither the
// targets shown nor anything made in them.
func TestLinksOnTheWay(t *testing.T) {
	b := newBox(t)
	other := filepath.Join(b.home, "other")
	b.write(other+"/repo/HEAD", "ref: x")
	b.write(other+"/repo/config", "the-secret")
	b.write(other+"/attributes", "the-secret")
	b.write(other+"/workflows/x", "the-secret")
	before := tree(t, other)
	for link, refused := range map[string]bool{".git/modules": true, ".git/info": true, ".git/worktrees": true, ".github": false} {
		os.RemoveAll(filepath.Join(b.work, link))
		if err := os.Symlink(other, filepath.Join(b.work, link)); err != nil {
			t.Fatal(err)
		}
		out, _, err := b.try("grep -rs secret . " + other + "; find " + other)
		if (err != nil) != refused {
			t.Errorf("%s: %v", link, err)
		}
		lacks(t, out, "the-secret")
		os.Remove(filepath.Join(b.work, link))
	}
	if after := tree(t, other); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	// The same in the cache, which belongs to the commands.
	b.write(b.home+"/.cargo/registry/cache/x", "crate")
	b.write(b.home+"/.gradle/wrapper/x", "wrapper")
	b.sh("ln -s " + other + " ~/.cache/cargo; ln -s ../../../.. ~/.cache/gradle; ln -s " + other + " ~/.cache/go-mod")
	out, r := b.sh("cat ~/.cargo/registry/cache/x; ls ~/.cache/")
	if r.ExitCode != 0 || tree(t, other) != before {
		t.Errorf("%s\n%s", out, tree(t, other))
	}
}

// A command that runs beside another, and swaps a folder for a link again and
// again, never gets the other one to show what the link leads to.
func TestSwappedWhileTheSandboxIsMade(t *testing.T) {
	b := newBox(t)
	other := filepath.Join(b.home, "other")
	b.write(other+"/x/config", "the-secret")
	b.write(other+"/x/HEAD", "x")
	b.write(b.work+"/.git/modules/x/HEAD", "x")
	b.write(b.work+"/.git/modules/x/config", "x")
	mods := b.work + "/.git/modules"
	if err := os.Symlink(other, mods+".link"); err != nil {
		t.Fatal(err)
	}
	before := tree(t, other)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { // from outside: the worst case
		for {
			select {
			case <-stop:
				return
			default:
			}
			unix.Renameat2(unix.AT_FDCWD, mods, unix.AT_FDCWD, mods+".link", unix.RENAME_EXCHANGE)
			time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
		}
	})
	ran := 0
	for range 150 {
		out, _, err := b.try("cat .git/modules/x/config " + other + "/x/config .git/modules.link/x/config")
		lacks(t, out, "the-secret")
		if err == nil {
			ran++
		}
	}
	close(stop)
	wg.Wait()
	if left := tree(t, other); left != before {
		t.Errorf("the other folder was\n%s\nand is\n%s", before, left)
	}
	t.Logf("%d of 150 commands ran", ran)
}

func TestSpelledThroughALink(t *testing.T) {
	b := newBox(t)
	link := filepath.Join(b.base, "link")
	os.Symlink(filepath.Dir(b.home), link)
	b.cfg.Root = filepath.Join(link, "home/code/work")
	s, err := New(t.Context(), b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.Sandbox = s
	out, r := b.sh("pwd; pwd -P; echo x > " + b.cfg.Root + "/by-spelling; cat " + b.work + "/by-spelling")
	if want := b.cfg.Root + "\n" + b.work + "\nx\n"; out != want || r.ExitCode != 0 {
		t.Errorf("%q, want %q", out, want)
	}
}

// A protected name in another spelling is that name on a disk that folds names.
func TestProtectedNamesInOtherSpellings(t *testing.T) {
	b := newBox(t)
	if err := os.Mkdir(filepath.Join(b.work, ".Idea"), 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{".GIT", ".Vscode", ".v\u017fcode", ".CLAUDE", ".claude.", ".mcp.json ", ".g\u200cit", ".ENVRC"}
	_, r := b.sh("for n in '" + strings.Join(names, "' '") + "'; do mkdir \"$n\"; echo x > \"$n/f\"; done; mkdir .gitx .clauderc Src; exit 0")
	for _, n := range names {
		if _, err := os.Lstat(filepath.Join(b.work, n)); err == nil {
			t.Errorf("%q is still there", n)
		}
	}
	for _, n := range []string{".gitx", ".clauderc", "Src", ".Idea"} {
		if _, err := os.Lstat(filepath.Join(b.work, n)); err != nil {
			t.Error(err)
		}
	}
	if len(r.Quarantine) != len(names) {
		t.Errorf("%+v", r.Quarantine)
	}
}
