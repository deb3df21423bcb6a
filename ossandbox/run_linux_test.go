package ossandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestStatusAndStreams(t *testing.T) {
	b := newBox(t)
	for _, c := range []struct {
		script, in, out string
		exit            int
		signal          syscall.Signal
	}{
		{script: "exit 37", exit: 37},
		{script: "kill -TERM $$", exit: 143, signal: syscall.SIGTERM},
		{script: "kill -SEGV $$", exit: 139, signal: syscall.SIGSEGV},
		{script: "cat", in: "line\n", out: "line\n"},
		{script: "echo out; echo err >&2", out: "out\nerr\n"},
		{script: "pwd; echo $PWD; echo $HOME", out: "{W}\n{W}\n{H}\n"},
		{script: "cat <(echo a) <(echo b)", out: "a\nb\n"},
		{script: "echo x > /dev/stderr; echo y > /dev/stdout; : > /dev/null", out: "x\ny\n"},
	} {
		out, r := b.sh(c.script, func(cmd *Command) {
			if c.in != "" {
				cmd.Stdin = strings.NewReader(c.in)
			}
		})
		want := strings.NewReplacer("{W}", b.work, "{H}", b.home).Replace(c.out)
		if out != want || r.ExitCode != c.exit || r.Signal != c.signal {
			t.Errorf("%s: %q, exit %d, signal %v; want %q, %d, %v", c.script, out, r.ExitCode, r.Signal, want, c.exit, c.signal)
		}
		if r.Grade != GradeA || len(r.Litter) > 0 || len(r.Quarantine) > 0 {
			t.Errorf("%s: %+v", c.script, r)
		}
	}
}

func TestLargeOutputAndItsCap(t *testing.T) {
	b := newBox(t, func(c *Config) { c.Limits.Output = 1 << 20 })
	out, r := b.sh("head -c 10485760 /dev/zero")
	if len(out) != 1<<20 || r.Dropped != 9<<20 || r.ExitCode != 0 {
		t.Errorf("%d bytes passed, %d dropped, exit %d", len(out), r.Dropped, r.ExitCode)
	}
	file, err := os.Create(filepath.Join(b.base, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, r = b.sh("head -c 10485760 /dev/zero", func(c *Command) { c.Stdout = file })
	if st, _ := file.Stat(); st.Size() != 10<<20 || r.Dropped != 0 {
		t.Errorf("a file got %d bytes, %d dropped", st.Size(), r.Dropped)
	}
}

func TestWhatCannotStart(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/text", "no program")
	run := func(c Command) error {
		c.Profile = Work()
		_, err := b.Run(t.Context(), c)
		return err
	}
	if e := asError[*ExecError](t, run(Command{Argv: []string{"no-such-program"}})); !e.NotFound {
		t.Error(e)
	}
	if e := asError[*ExecError](t, run(Command{Argv: []string{"./text"}})); e.NotFound {
		t.Error(e)
	}
	for _, c := range []Command{
		{}, {Argv: []string{"a"}, Script: "b"}, {Argv: []string{""}}, {Script: "a\x00b"},
		{Script: "true", Dir: "/"}, {Script: "true", Dir: "../.."}, {Script: "true", Dir: "missing"},
	} {
		asError[*SetupError](t, run(c))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Run(ctx, Command{Script: "true"}); err != context.Canceled {
		t.Error(err)
	}
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	base := t.TempDir()
	home := filepath.Join(base, "home")
	os.MkdirAll(filepath.Join(home, "work"), 0o755)
	os.MkdirAll(filepath.Join(home, ".ssh"), 0o755)
	good := Config{Root: home + "/work", Home: home, State: home + "/.tera_pilot", Setting: On}
	for name, change := range map[string]func(*Config){
		"the root folder":          func(c *Config) { c.Root = "/" },
		"the home folder":          func(c *Config) { c.Root = home },
		"a folder around the home": func(c *Config) { c.Root = base },
		"our own state":            func(c *Config) { c.State = good.Root + "/state" },
		"inside our own state":     func(c *Config) { c.State = base + "/home" },
		"a relative path":          func(c *Config) { c.Root = "work" },
		"a missing folder":         func(c *Config) { c.Root = home + "/none" },
		"no setting":               func(c *Config) { c.Setting = 0 },
		"an extra path with a key": func(c *Config) { c.ReadOnly = []string{home + "/.ssh"} },
		"an extra path around it":  func(c *Config) { c.ReadOnly = []string{home} },
	} {
		cfg := good
		change(&cfg)
		if s, err := New(t.Context(), cfg); err == nil {
			s.Close()
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestTimeLimit(t *testing.T) {
	b := newBox(t)
	for _, c := range []struct {
		script   string
		within   time.Duration
		out      string
		exit     int
		survives bool
	}{
		{script: "sleep 60", within: time.Second, exit: 143},
		{script: "trap 'echo bye; exit 3' TERM; while :; do sleep 0.05; done 2>/dev/null", within: time.Second, out: "bye\n", exit: 3},
		{script: "trap '' TERM; setsid sleep 60 & while :; do sleep 0.05; done", within: 3 * time.Second, exit: 137},
	} {
		start := time.Now()
		out, r := b.sh(c.script, func(cmd *Command) { cmd.Timeout = 300 * time.Millisecond })
		if took := time.Since(start) - 300*time.Millisecond; took > c.within || !r.TimedOut || r.Cancelled || out != c.out || r.ExitCode != c.exit {
			t.Errorf("%s: %q %+v after %v", c.script, out, r, took)
		}
	}
}

func TestCancel(t *testing.T) {
	b := newBox(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	r, err := b.Run(ctx, Command{Script: "sleep 61.5 & sleep 61.5", Profile: Work()})
	if err != nil || !r.Cancelled || r.TimedOut {
		t.Errorf("%+v %v", r, err)
	}
	if n := processesLike("sleep\x0061.5"); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

func TestSignalsArePassedOn(t *testing.T) {
	b := newBox(t)
	signals := make(chan os.Signal, 1)
	time.AfterFunc(200*time.Millisecond, func() { signals <- syscall.SIGUSR1 })
	out, r := b.sh("trap 'echo got; exit 5' USR1; while :; do sleep 0.05; done 2>/dev/null", func(c *Command) { c.Signals = signals })
	if out != "got\n" || r.ExitCode != 5 {
		t.Errorf("%q %+v", out, r)
	}
}

// A command that does not listen to a TERM ends all the same: whoever ended us
// wanted it gone.
func TestATermIsNotIgnoredForEver(t *testing.T) {
	b := newBox(t)
	signals := make(chan os.Signal, 1)
	out, r := b.sh("trap '' TERM HUP INT; echo up; exec sleep 63.5", func(c *Command) {
		c.Signals, c.Timeout = signals, time.Minute
		signals <- syscall.SIGTERM
	})
	if r.ExitCode != 137 || r.TimedOut {
		t.Errorf("%q %+v", out, r)
	}
	if n := processesLike("sleep\x0063.5"); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// A command that leaves a child in another session, with our pipe open, ends
// when it ends.
func TestNothingOutlivesACommand(t *testing.T) {
	b := newBox(t)
	start := time.Now()
	_, r := b.sh("setsid sleep 62.5 & (trap '' TERM HUP; sleep 62.5) & sleep 0.1; exit 0")
	if time.Since(start) > 2*time.Second || r.ExitCode != 0 {
		t.Errorf("%+v after %v", r, time.Since(start))
	}
	if n := processesLike("sleep\x0062.5"); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// processesLike counts the processes whose command line holds part.
func processesLike(part string) (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), part) {
			n++
		}
	}
	return n
}

func TestTwentyAtOnce(t *testing.T) {
	b := newBox(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			out, r, err := b.try(fmt.Sprintf("echo $$ > /tmp/mine; sleep 0.2; cat /tmp/mine > out%d; [ ! -w .idea ] && [ -d .idea ] && echo covered; ps ax | wc -l", i))
			if err != nil || r.ExitCode != 0 || len(r.Litter)+len(r.Quarantine) > 0 {
				t.Errorf("%d: %v %+v", i, err, r)
			}
			if !strings.HasPrefix(out, "covered\n") {
				t.Errorf("%d: %q", i, out)
			}
		})
	}
	wg.Wait()
	if got := git(t, b.work, "status", "--short"); strings.Count(got, "?? out") != 20 || strings.Count(got, "\n") != 20 {
		t.Errorf("git status:\n%s", got)
	}
}

func TestLimits(t *testing.T) {
	b := newBox(t, func(c *Config) {
		c.Limits = Limits{Memory: 256 << 20, Processes: 40, FileSize: 8 << 20, Temp: 16 << 20, OpenFiles: 64}
	})
	out, _ := b.sh("head -c 20m /dev/zero > big; stat -c %s big; rm big; ulimit -n; ulimit -c; df -B1 --output=size /tmp | tail -1")
	has(t, out, "8388608\n64\n0\n 16777216")
	out, _ = b.sh(`python3 -c '
import os, time
n = 0
try:
    while n < 200:
        if os.fork() == 0: time.sleep(2); os._exit(0)
        n += 1
except OSError: pass
print("made", n < 41)'`)
	has(t, out, "made True")
	out, r := b.sh(`python3 -c 'x=bytearray(400<<20); print("had it")'`)
	if r.ExitCode == 0 {
		t.Errorf("one process had 400 MB: %s", out)
	}
}

func TestLimitsOfAllTogether(t *testing.T) {
	b := newBox(t, func(c *Config) { c.Limits.Memory = 256 << 20 })
	out, r := b.sh(`for i in 1 2 3 4; do python3 -c 'x=bytearray(150<<20); import time; time.sleep(1); print("had", "it")' & done; wait 2>/dev/null`)
	if r.Limits != LimitsPerCommand {
		t.Skip("no cgroup can be had here: memory is limited for each process alone")
	}
	if r.LimitReached != "memory" || strings.Count(out, "had it") > 2 {
		t.Errorf("%+v\n%s", r, out)
	}
}

func TestDiskWatch(t *testing.T) {
	b := newBox(t, func(c *Config) { c.Limits.Disk = 64 << 20 })
	_, r := b.sh("for i in 1 2 3 4; do fallocate -l 50m f$i; sleep 0.4; done; sleep 20")
	if r.LimitReached != "disk" || r.ExitCode == 0 {
		t.Errorf("%+v", r)
	}
}

// TestKilledProgram kills a program that runs commands, at random moments, and
// looks for what is left after the next start.
func TestKilledProgram(t *testing.T) {
	rounds := 20
	if *soak {
		rounds = 60
	}
	dir := openFolder(t)
	self := ownBinary(t, dir)
	home := filepath.Join(dir, "home")
	work := filepath.Join(home, "work")
	os.MkdirAll(work, 0o755)
	os.WriteFile(work+"/a", []byte("a"), 0o644)
	gitInit(t, work)
	before := tree(t, work)
	mark := fmt.Sprintf("63.%d", os.Getpid())
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	for i := range rounds {
		p, err := os.StartProcess(self, []string{self, "wrap", "A", work, "--", "/bin/sh", "-c", "setsid sleep " + mark + " & sleep " + mark}, &os.ProcAttr{Dir: work, Env: env, Files: []*os.File{nil, nil, os.Stderr}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i*137%400) * time.Millisecond / 2)
		p.Kill()
		p.Wait()
		for deadline := time.Now().Add(3 * time.Second); processesLike(mark) > 0 && time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
		}
		if n := processesLike(mark); n > 0 {
			t.Fatalf("round %d: %d processes are left", i, n)
		}
	}
	p, err := os.StartProcess(self, []string{self, "wrap", "A", work, "--", "/bin/true"}, &os.ProcAttr{Dir: work, Env: env, Files: []*os.File{nil, nil, os.Stderr}})
	if err != nil {
		t.Fatal(err)
	}
	if st, err := p.Wait(); err != nil || !st.Success() {
		t.Fatal(st, err)
	}
	if after := tree(t, work); after != before {
		t.Errorf("the workspace was\n%s\nand is\n%s", before, after)
	}
	if left, _ := filepath.Glob("/sys/fs/cgroup/*/" + ownedPrefix + "*"); len(left) > 0 {
		for _, l := range left {
			if ownerGone(filepath.Base(l)) {
				t.Errorf("left over: %s", l)
			}
		}
	}
	if exists(home + "/.tera_pilot") {
		t.Errorf("the state folder is left over:\n%s", tree(t, home+"/.tera_pilot"))
	}
}

func TestDescriptorsStayOut(t *testing.T) {
	b := newBox(t)
	// A descriptor without close-on-exec, as a careless parent would leave it.
	secret, err := unix.Open(b.home+"/.ssh/id_ed25519", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(secret)
	out, _ := b.sh("ls -l /proc/self/fd; for n in /proc/self/fd/*; do [ -f $n ] && cat <$n; done 2>/dev/null")
	lacks(t, out, "the-ssh-key")
	lacks(t, out, "memfd")
}

func TestOffRunsBareOnlyWhenSaid(t *testing.T) {
	b := newBox(t, func(c *Config) { c.Setting = Off })
	_, _, err := b.try("true")
	asError[*GradeError](t, err)
	out, r := b.sh("cat ~/.ssh/id_ed25519; setsid sleep 64.5 & exit 4", func(c *Command) { c.Unconfined = true })
	if out != "the-ssh-key" || r.ExitCode != 4 || r.Grade != GradeNone {
		t.Errorf("%q %+v", out, r)
	}
	if n := processesLike("sleep\x0064.5"); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}
