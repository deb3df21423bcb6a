package ossandbox

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The case suite judges a wrapper from outside: see testdata/suites/sandbox.
// A failure at grade A is a failure here; the lower grades have lists of the
// cases that they are known to fail, and a surprise either way is a failure.

const suiteDir = "../testdata/suites/sandbox"

func TestSuiteAsWeAre(t *testing.T) {
	suite(t, "", `{BIN} sandbox --root {WS} --`, nil)
}

func TestSuiteAsNormalUser(t *testing.T) {
	suite(t, normalUser(t), `{BIN} sandbox --root {WS} --`, nil)
}

// moreCases are our own, for the same harness.
const moreCases = "testdata/suite"

// TestMoreCases judges our own cases, as we are and as a normal user.
func TestMoreCases(t *testing.T) {
	t.Run("as we are", func(t *testing.T) { suiteOf(t, moreCases, "", `{BIN} sandbox --root {WS} --`, nil) })
	t.Run("as a normal user", func(t *testing.T) {
		suiteOf(t, moreCases, normalUser(t), `{BIN} sandbox --root {WS} --`, nil)
	})
}

func TestSuiteGradeAMinus(t *testing.T) {
	suite(t, "", `{SELF} wrap A- {WS} --`, expected(t, "suite-grade-a-minus.txt"))
}

func TestSuiteGradeB(t *testing.T) {
	suite(t, "", `{SELF} wrap B {WS} --`, expected(t, "suite-grade-b.txt"))
}

// expected reads a list of case ids, each with the reason why it fails.
func expected(t *testing.T, name string) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 0 && !strings.HasPrefix(line, "#") {
			m[f[0]] = true
		}
	}
	return m
}

// suite runs all cases with a wrapper, as name ("" is ourselves).
func suite(t *testing.T, name, wrapper string, fails map[string]bool) {
	suiteOf(t, suiteDir, name, wrapper, fails)
}

// suiteOf is suite for the cases of one folder.
func suiteOf(t *testing.T, set, name, wrapper string, fails map[string]bool) {
	if testing.Short() {
		t.Skip("the case suite takes about a minute; left out by -short")
	}
	for _, tool := range []string{"bwrap", "gcc", "git", "bash", "python3", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the case suite needs %s, which is not installed", tool)
		}
	}
	ids := caseIDs(t, set, fails != nil && !*soak)
	u, err := user.Current()
	if name != "" {
		u, err = user.Lookup(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := openFolder(t)
	root, err := os.MkdirTemp(u.HomeDir, ".suite-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	cmd := exec.Command("./run.sh", "-set", copyFolder(t, set, filepath.Join(dir, "set")), "-only", "^("+strings.Join(ids, "|")+")$")
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if name != "" {
		if err := os.Chown(root, uid, gid); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	cmd.Dir = copyFolder(t, suiteDir, filepath.Join(dir, "suite"))
	wrapper = strings.NewReplacer("{BIN}", builtBinary(t, dir), "{SELF}", ownBinary(t, dir)).Replace(wrapper)
	cmd.Env = []string{
		"SANDBOX_CMD=" + wrapper, "SBX_ROOT=" + root, "SBX_BIN=" + builtHarness(t, dir),
		"HOME=" + u.HomeDir, "USER=" + u.Username, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(),
	}
	if set == moreCases && !*soak {
		cmd.Env = append(cmd.Env, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin") // no Go to warm a cache for
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	judged := 0
	for sc := bufio.NewScanner(out); sc.Scan(); {
		verdict, rest, _ := strings.Cut(sc.Text(), " ")
		id, reason, _ := strings.Cut(rest, " ")
		switch {
		case verdict == "PASS" && fails[id]:
			t.Errorf("%s holds now: take it from the list of known failures", id)
		case verdict == "FAIL" && !fails[id]:
			t.Errorf("%s: %s", id, reason)
		case verdict != "PASS" && verdict != "FAIL":
			t.Log(sc.Text())
			continue
		}
		judged++
	}
	cmd.Wait()
	if judged != len(ids) {
		t.Errorf("%d cases were judged, %d were asked for", judged, len(ids))
	}
}

// caseIDs are the cases of the suite; quick leaves out the one that compiles a
// standard library.
func caseIDs(t *testing.T, set string, quick bool) (ids []string) {
	pattern := "/cases/*"
	if set == moreCases && !*soak {
		pattern = "/cases/[rwx]-*" // the suite has others of the kinds that are left out
	}
	files, err := filepath.Glob(set + pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("the case suite is empty", err)
	}
	for _, f := range files {
		id := strings.TrimSuffix(filepath.Base(f), filepath.Ext(f))
		if !quick || id != "use-go-build" {
			ids = append(ids, id)
		}
	}
	return ids
}

// normalUser is an account without rights for the second run; root makes one.
func normalUser(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("we are a normal user already")
	}
	const name = "tera-pilot-test"
	if _, err := user.Lookup(name); err == nil {
		return name
	}
	if out, err := exec.Command("useradd", "--create-home", "--shell", "/bin/sh", name).CombinedOutput(); err != nil {
		t.Fatalf("useradd: %v %s", err, out)
	}
	t.Cleanup(func() { exec.Command("userdel", "--remove", name).Run() })
	return name
}

// openFolder is a temporary folder that everybody can look into.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tera-pilot-suite-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyFolder(t *testing.T, from, to string) string {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("chmod", "-R", "u+rwX,go+rX", to).CombinedOutput(); err != nil {
		t.Fatalf("chmod: %v %s", err, out)
	}
	return to
}

func builtHarness(t *testing.T, dir string) string {
	t.Helper()
	return goBuild(t, suiteDir+"/harness", filepath.Join(dir, "harness"), "GOFLAGS=-mod=mod")
}

// builtBinary is the command line, built from this tree once, where everybody
// can start it.
func builtBinary(t *testing.T, dir string) string {
	t.Helper()
	from := *builtFlag
	if from == "" {
		from = buildOnce(t)
	}
	return copyProgram(t, from, filepath.Join(dir, "tera-pilot"))
}

// built is where buildOnce put it.
var built string

func buildOnce(t *testing.T) string {
	t.Helper()
	if built == "" {
		dir, err := os.MkdirTemp("", "tera-pilot-built-")
		if err != nil {
			t.Fatal(err)
		}
		scratch = append(scratch, dir)
		built = goBuild(t, "../cmd/tera-pilot", filepath.Join(dir, "tera-pilot"))
	}
	return built
}

// ownBinary is this test program, where a normal user can start it.
func ownBinary(t *testing.T, dir string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return copyProgram(t, exe, filepath.Join(dir, "ossandbox.test"))
}

func copyProgram(t *testing.T, from, to string) string {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func goBuild(t *testing.T, pkg, to string, env ...string) string {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", to, ".")
	cmd.Dir = pkg
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("building %s: %w\n%s", pkg, err, out))
	}
	return to
}
