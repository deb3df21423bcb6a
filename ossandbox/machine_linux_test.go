package ossandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBubblewrapIsNeverTakenFromTheWorkspace(t *testing.T) {
	b := newBox(t)
	evil := b.work + "/bin/bwrap"
	b.write(evil, "#!/bin/sh\ntouch "+b.base+"/ran\n")
	os.Chmod(evil, 0o755)
	os.Symlink(evil, b.home+"/bwrap")
	for _, places := range [][]string{{evil}, {b.home + "/bwrap"}} {
		b.cfg.Bubblewrap = places
		if found, ok := findBubblewrap(&b.cfg); ok {
			t.Errorf("%v: found %v", places, found)
		}
	}
}

func TestGradesAndSettings(t *testing.T) {
	base := newBox(t)
	probe := func(change func(*Config)) Report {
		cfg := base.cfg
		change(&cfg)
		return Probe(t.Context(), cfg)
	}
	for _, c := range []struct {
		name   string
		change func(*Config)
		grade  Grade
		cause  string
	}{
		{"as it is", func(*Config) {}, GradeA, ""},
		{"without a /proc of its own", func(c *Config) { c.noProc = true }, GradeAMinus, "no /proc of its own"},
		{"without bubblewrap", func(c *Config) { c.Bubblewrap = []string{} }, GradeB, "bubblewrap not found: install"},
		{"with one that fails", func(c *Config) { c.Bubblewrap = []string{"/bin/false"} }, GradeB, "ended without a word"},
		{"with one that says why", func(c *Config) { c.Bubblewrap = []string{fakeBwrap(t, "setting up uid map: Permission denied", 0o755)} }, GradeB, "uid map"},
	} {
		r := probe(c.change)
		text := ""
		for _, tr := range r.Troubles {
			text += tr.String() + "\n"
		}
		if r.Grade != c.grade || !strings.Contains(text, c.cause) || (c.cause == "") != (text == "") {
			t.Errorf("%s: %+v", c.name, r)
		}
		cfg := base.cfg
		c.change(&cfg)
		cfg.Setting = On
		s, err := New(t.Context(), cfg)
		if (err == nil) != (c.grade >= GradeAMinus) {
			t.Errorf("%s: the setting on: %v", c.name, err)
		}
		if err == nil {
			s.Close()
		} else {
			has(t, asError[*GradeError](t, err).Error(), c.cause)
		}
	}
}

// fakeBwrap is a bubblewrap that only says something.
func fakeBwrap(t *testing.T, words string, mode os.FileMode) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(p, []byte("#!/bin/sh\n[ \"$1\" = --version ] && { echo bubblewrap 0.9.0; exit; }\necho 'bwrap: "+words+"' >&2; exit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p, mode); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOldSetuidBubblewrapIsRefused(t *testing.T) {
	b := newBox(t)
	cfg := b.cfg
	cfg.Bubblewrap = []string{fakeBwrap(t, "x", 0o755|os.ModeSetuid)}
	r := Probe(t.Context(), cfg)
	if r.Grade > GradeB || len(r.Troubles) == 0 || !strings.Contains(r.Troubles[0].Cause, "0.9.0 is installed setuid") {
		t.Errorf("%+v", r)
	}
	for v, want := range map[string]bool{"0.11.2": true, "0.11.10": true, "1.0.0": true, "0.11.1": false, "0.9.0": false, "0.11": false, "": false, "x": false} {
		if atLeast(v, firstSafeSetuid) != want {
			t.Errorf("%q: %v", v, !want)
		}
	}
}

func TestAGuessThatFailsIsNotSilentlyWeaker(t *testing.T) {
	b := newBox(t, func(c *Config) { c.Untested, c.Setting = true, On })
	b.bwrap.path = fakeBwrap(t, "Creating new namespace failed: Operation not permitted", 0o755)
	b.cfg.Bubblewrap = []string{b.bwrap.path}
	b.settled(Report{Grade: GradeA})
	b.known = false
	_, _, err := b.try("touch ran")
	e := asError[*GradeError](t, err)
	if e.Report.Grade != GradeB || exists(b.work+"/ran") {
		t.Errorf("%+v", e.Report)
	}
	b.cfg.Setting = Auto
	_, r, err := b.try("touch ran; ls")
	if err != nil || r.Grade != GradeB || len(r.Changes) != 1 || r.Changes[0].Path != "ran" || exists(b.work+"/ran") {
		t.Errorf("%+v %v", r, err)
	}
	if conflicts, err := b.Apply(t.Context(), r.Changes); err != nil || len(conflicts) > 0 || !exists(b.work+"/ran") {
		t.Error(conflicts, err)
	}
}

// TestWaitingForTheCopyCanBeStopped: at grade B one command has the copy. A
// second one that is stopped while it waits has not run, and hangs on nobody.
func TestWaitingForTheCopyCanBeStopped(t *testing.T) {
	b := newBox(t, func(c *Config) { c.Bubblewrap, c.Setting = []string{}, Auto })
	if got := b.Report().Grade; got != GradeB {
		t.Fatalf("grade %v", got)
	}
	if err := b.copies.turn.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := b.Run(ctx, Command{Script: "touch ran", Profile: Work()})
		ended <- err
	}()
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) || exists(b.work+"/ran") {
		t.Errorf("a command that waits for the copy: %v", err)
	}
	if _, err := b.Apply(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a change that waits for the copy: %v", err)
	}
	b.copies.turn.pass()
}

func TestExplanations(t *testing.T) {
	for _, c := range []struct {
		diag  string
		facts facts
		want  string
	}{
		{"bwrap: setting up uid map: Permission denied", facts{appArmor: "1"}, "AppArmor"},
		{"bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", facts{appArmor: "1"}, "AppArmor"},
		{"bwrap: No permissions to create a new namespace", facts{cloneUser: "0"}, "kernel.unprivileged_userns_clone"},
		{"bwrap: Creating new namespace failed", facts{maxUserNS: "0"}, "user.max_user_namespaces"},
		{"bwrap: Creating new namespace failed: No space left on device", facts{}, "user.max_pid_namespaces"},
		{"bwrap: Failed to make / slave: Permission denied", facts{container: true}, "--security-opt"},
		{"bwrap: Can't mount proc on /newroot/proc: Operation not permitted", facts{container: true}, "unmasked /proc"},
		{"bwrap: setting up uid map: Permission denied", facts{nested: true}, "another sandbox"},
		{"bwrap: Unknown option --size", facts{}, "too old"},
		{"bwrap: something else", facts{}, "something else"},
		{"", facts{}, "by hand"},
	} {
		if got := explain("/usr/bin/bwrap", c.diag, c.facts).String(); !strings.Contains(got, c.want) || strings.Contains(got, "bwrap: ") {
			t.Errorf("%q: %q lacks %q", c.diag, got, c.want)
		}
	}
	got := troubleOf(unreached("/usr/bin/bwrap", ""))
	if got.File != "" {
		t.Errorf("a file mends what nobody knows: %q", got.File)
	}
	armor := explain("/usr/bin/bwrap", "bwrap: setting up uid map: Permission denied", facts{appArmor: "1"})
	has(t, armor.File, "/usr/bin/bwrap flags=(unconfined)")
}

// A cgroup v2 that is delegated, as files: this machine may have another kind.
func TestUnifiedCgroup(t *testing.T) {
	root := t.TempDir()
	file := func(p, content string) {
		t.Helper()
		p = filepath.Join(root, p)
		os.MkdirAll(filepath.Dir(p), 0o755)
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file("proc/self/cgroup", "0::/user.slice/app.slice/term.scope\n")
	file("proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n")
	const app = "sys/fs/cgroup/user.slice/app.slice/"
	file(app+"cgroup.subtree_control", "memory pids\n")
	file(app+"cgroup.procs", "")
	file(app+"term.scope/cgroup.subtree_control", "\n")
	h := findCgroupHome(root)
	if h.unified != filepath.Join(root, app) || !h.usable() {
		t.Fatalf("%+v", h)
	}
	g, err := newCgroup(h, ownedName(), Limits{Memory: 1 << 30, Processes: 100})
	if err != nil {
		t.Fatal(err)
	}
	for f, want := range map[string]string{"pids.max": "103", "memory.max": "1073741824", "memory.oom.group": "1"} {
		if b, _ := os.ReadFile(filepath.Join(g.dirs[0], f)); string(b) != want {
			t.Errorf("%s is %q", f, b)
		}
	}
	if g.fd == nil || g.join() != nil {
		t.Error("a child cannot be born in it")
	}
	g.fd.Close()
	for text, want := range map[string]bool{"memory\n": false, "": false, "pids memory cpu\n": true} {
		file(app+"cgroup.subtree_control", text)
		if findCgroupHome(root).usable() != want {
			t.Errorf("subtree_control %q: usable %v", text, !want)
		}
	}
}

func TestCgroupNamesTellTheirOwner(t *testing.T) {
	if ownerGone(ownedName()) {
		t.Error("we are gone")
	}
	for name, want := range map[string]bool{
		ownedPrefix + "999999999.5.1": true, ownedPrefix + "1.5.1": true, // another start time
		"system.slice": false, ownedPrefix + "x": false, ownedPrefix + "1.2": false,
	} {
		if ownerGone(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestPlanSaysWhatItDoes(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/.env", "x")
	p, err := b.Plan(Command{Script: "true", Profile: Work()})
	if err != nil {
		t.Fatal(err)
	}
	text := p.String()
	for _, want := range []string{"writes    " + b.work, "covers    " + b.work + "/.git/hooks", "hides     " + b.work + "/.env", "profile   work"} {
		has(t, text, want)
	}
	if exists(b.state) || exists(b.work+"/.idea") {
		t.Error("looking at a plan made something")
	}
	// No secret of the home is shown by any mount.
	for _, m := range p.mounts {
		if s := b.cfg.secretIn(m.src); (m.op == opShow || m.op == opOpen) && s != "" && !strings.HasPrefix(m.src, b.keep.dir) {
			t.Errorf("%s would show %s", m.src, s)
		}
	}
}

func TestTooManySecrets(t *testing.T) {
	b := newBox(t)
	for i := range maxHidden + 1 {
		b.write(filepath.Join(b.work, "d", strings.Repeat("x", i%7+1)+string(rune('a'+i/7%26))+string(rune('a'+i/182))+".env"), "x")
	}
	_, err := b.Run(context.Background(), Command{Script: "true", Profile: Work()})
	has(t, asError[*SetupError](t, err).Error(), "secret-like files")
}
