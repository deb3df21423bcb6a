package ossandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Promise is one thing that the sandbox holds, as it was tried on this
// machine.
type Promise struct {
	Name   string
	Kept   bool
	Detail string // what was seen
}

// SelfTest tries each promise of the grade on this machine: it runs commands by
// the real plan of cfg, in a workspace of its own that it makes and removes,
// and looks from outside at what they could do. cfg.Root is not used, and
// nothing of it is executed.
func SelfTest(ctx context.Context, cfg Config) (Report, []Promise, error) {
	t, err := newTrial(&cfg)
	if err != nil {
		return Report{}, nil, err
	}
	defer os.RemoveAll(t.base)
	defer t.port.Close()
	if t.box, err = New(ctx, cfg); err != nil {
		report := Report{Troubles: []Trouble{troubleOf(err)}}
		if e, ok := errors.AsType[*GradeError](err); ok {
			report = e.Report
		}
		return report, nil, err
	}
	t.attempts(ctx)
	t.ends(ctx)
	before := t.box.Report()
	if err := t.box.Close(); err != nil {
		t.say("nothing is left behind", false, err.Error())
	} else {
		t.litter()
	}
	return before, t.promises, nil
}

// A trial is the place of a self test, and what came of it.
type trial struct {
	base, work string
	home       string
	port       net.Listener
	box        *Sandbox
	promises   []Promise
}

func (t *trial) say(name string, kept bool, detail string) {
	t.promises = append(t.promises, Promise{name, kept, detail})
}

const trialSecret = "self-test-secret-4f1c"

// newTrial makes a repository, a secret beside it, and a port that listens.
func newTrial(cfg *Config) (*trial, error) {
	base, err := os.MkdirTemp("", "tera-pilot-self-test-")
	if err != nil {
		return nil, &SetupError{Cause: "no place for the self test", Err: err, Mend: "free some space in the temporary folder"}
	}
	t := &trial{base: base, work: filepath.Join(base, "work"), home: cfg.Home}
	files := map[string]string{
		"outside.txt": trialSecret, "work/.env": "TOKEN=" + trialSecret, "work/README": "hello\n",
		"work/.git/HEAD": "ref: refs/heads/main\n", "work/.git/config": "[core]\n\trepositoryformatversion = 0\n",
		"work/.git/objects/keep": "", "work/.git/refs/keep": "", "work/.git/hooks/keep": "",
	}
	for name, content := range files {
		file := filepath.Join(base, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644))
	}
	if err == nil {
		t.port, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, errors.Join(&SetupError{Cause: "the place of the self test", Err: err}, os.RemoveAll(base))
	}
	cfg.Root = t.work
	cfg.Env = append(slices.Clone(cfg.Env), "SELF_TEST_TOKEN="+trialSecret)
	return t, nil
}

// attemptsScript tries from inside, and prints "name yes" for what it could do.
// It needs bash and what every system has.
const attemptsScript = `
could() { name=$1; shift; if "$@" >/dev/null 2>&1; then echo "$name yes"; else echo "$name no"; fi; }
holds() { [[ "$(cat "$1" 2>/dev/null | tr -d '\0')" == *"$2"* ]]; }
could outside holds "$OUTSIDE" "$SECRET"
could state ls -A "$STATE"
could dotenv holds .env "$SECRET"
could environ bash -c '[[ "$(env; cat /proc/*/environ 2>/dev/null | tr "\0" "\n")" == *"SELF_TEST_TOKEN"* ]]'
for s in $SECRETS; do could home bash -c 'ls -A "$1" || cat "$1"' - "$s"; done
[ -n "$SECRETS" ] || could home false
could system bash -c 'echo x > /etc/tera-pilot-self-test || echo x > /usr/tera-pilot-self-test'
could network bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT"
could signal kill -0 "$HOSTPID"
could knobs bash -c 'echo 0 > /proc/sys/kernel/core_pattern || echo h > /proc/sysrq-trigger'
could caps bash -c '[[ "$(grep CapEff /proc/self/status)" != *0000000000000000 ]]'
could unfiltered bash -c '[[ "$(grep ^Seccomp: /proc/self/status)" != *2 ]]'
could privileges bash -c '[[ "$(grep NoNewPrivs /proc/self/status)" != *1 ]]'
could dumps bash -c '[[ "$(ulimit -c)" != 0 ]]'
could fds bash -c 'for f in /proc/self/fd/*; do n=${f##*/}; (( n > 2 && n < 200 )) && [[ -e $f ]] && [[ "$(readlink $f)" != /proc/* ]] && exit 0; done; exit 1'
echo x > made.txt
mkdir -p .vscode 2>/dev/null; echo x > .vscode/settings.json
echo x > .git/hooks/pre-commit
echo '[core] sshCommand = x' >> .git/config
exit 0
`

// attempts runs the script, and looks from outside at what it wrote.
func (t *trial) attempts(ctx context.Context) {
	var known []string
	for _, s := range []string{".ssh", ".gnupg", ".aws", ".netrc", ".git-credentials", ".bash_history", ".docker", ".kube", ".config/gh"} {
		if p := filepath.Join(t.home, s); exists(p) && !strings.ContainsAny(p, " \t\n'\"\\$*?") {
			known = append(known, p)
		}
	}
	_, port, _ := net.SplitHostPort(t.port.Addr().String())
	out, res, err := t.run(ctx, Command{Script: attemptsScript, Profile: Work(), ExtraEnv: []string{
		"OUTSIDE=" + filepath.Join(t.base, "outside.txt"), "SECRET=" + trialSecret, "STATE=" + t.box.cfg.State, "SECRETS=" + strings.Join(known, " "),
		"PORT=" + port, "HOSTPID=" + strconv.Itoa(os.Getpid()),
	}})
	if err != nil {
		t.say("a command runs", false, err.Error())
		return
	}
	t.say("a command runs", res.ExitCode == 0, fmt.Sprintf("exit %d, limits %s", res.ExitCode, res.Limits))
	t.promises = append(t.promises, t.judged(out, known)...)
	t.wrote(ctx, res)
}

// judged reads what the script could do. What it did not try is not kept.
func (t *trial) judged(said string, known []string) (out []Promise) {
	could := map[string]bool{}
	tried := map[string]bool{}
	for line := range strings.Lines(said) {
		name, answer, _ := strings.Cut(strings.TrimSpace(line), " ")
		tried[name] = true
		could[name] = could[name] || answer != "no"
	}
	for _, p := range []struct{ name, promise, seen string }{
		{"outside", "other folders are not read", "a file beside the workspace"},
		{"home", "the home folder is not read", strings.Join(append([]string{"where secrets lie"}, known...), " ")},
		{"state", "our own state is not read", "the state folder"},
		{"dotenv", "an untracked .env reads as empty", "work/.env"},
		{"environ", "secrets of the environment are not seen", "a variable named like a token, in every /proc/PID/environ"},
		{"system", "system folders are not written", "/etc, /usr"},
		{"network", "no network, nor the host's loopback", "a port that listens on 127.0.0.1"},
		{"signal", "the host's processes are out of reach", "a signal to this very process"},
		{"knobs", "the kernel's switches are not written", "core_pattern, sysrq-trigger"},
		{"caps", "no capabilities", "CapEff"},
		{"unfiltered", "system calls are filtered", "Seccomp: 2"},
		{"privileges", "no new privileges", "NoNewPrivs"},
		{"dumps", "no core dumps", "ulimit -c"},
		{"fds", "no descriptor of ours leaks in", "/proc/self/fd"},
	} {
		out = append(out, Promise{p.promise, tried[p.name] && !could[p.name], p.seen})
	}
	return out
}

// wrote holds what the script wrote against what it may.
func (t *trial) wrote(ctx context.Context, res Result) {
	var wanted []Change
	for _, c := range res.Changes { // grade B
		if c.Rule == "" {
			wanted = append(wanted, c)
		}
	}
	if len(wanted) > 0 {
		if _, err := t.box.Apply(ctx, wanted); err != nil {
			t.say("the workspace is written", false, err.Error())
		}
	}
	b, err := os.ReadFile(filepath.Join(t.work, "made.txt"))
	t.say("the workspace is written", err == nil && string(b) == "x\n", "made.txt")
	t.say("hooks are not written", !exists(filepath.Join(t.work, ".git/hooks/pre-commit")), ".git/hooks/pre-commit")
	b, err = os.ReadFile(filepath.Join(t.work, ".git/config"))
	t.say("git's configuration is not written", err == nil && !bytes.Contains(b, []byte("sshCommand")), ".git/config")
	t.say("protected names are not written", !exists(filepath.Join(t.work, ".vscode/settings.json")), ".vscode/settings.json")
}

// ends tries what must end a command, and the profile that writes nothing.
func (t *trial) ends(ctx context.Context) {
	_, res, err := t.run(ctx, Command{Script: "sleep 600", Profile: Work(), Timeout: time.Second})
	t.say("a command ends at its time limit", err == nil && res.TimedOut, "sleep 600, with a limit of 1 s")
	if t.box.grade() >= GradeAMinus {
		_, _, err = t.run(ctx, Command{Script: "echo x > observed.txt; exit 0", Profile: Observe()})
		t.say("the profile observe writes nothing", err == nil && !exists(filepath.Join(t.work, "observed.txt")), "observed.txt")
		_, _, err = t.run(ctx, Command{Script: "setsid bash -c 'while :; do echo >> alive; sleep 0.02; done' >/dev/null 2>&1 & until [ -s alive ]; do sleep 0.02; done", Profile: Work()})
		size := func() int64 {
			fi, err := os.Stat(filepath.Join(t.work, "alive"))
			if err != nil {
				return -1
			}
			return fi.Size()
		}
		was := size()
		time.Sleep(300 * time.Millisecond) // a survivor would have written some fifteen times
		t.say("nothing survives its command", err == nil && was >= 0 && size() == was, "a process in a session of its own")
	}
}

func (t *trial) litter() {
	entries, err := os.ReadDir(t.work)
	var left []string
	for _, e := range entries {
		if !slices.Contains([]string{".env", ".git", "README", "made.txt", "alive"}, e.Name()) {
			left = append(left, e.Name())
		}
	}
	t.say("nothing is left behind", err == nil && len(left) == 0, strings.Join(append([]string{"the workspace"}, left...), " "))
}

func (t *trial) run(ctx context.Context, c Command) (string, Result, error) {
	var out bytes.Buffer
	c.Stdout = &out
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	res, err := t.box.Run(ctx, c)
	return out.String(), res, err
}
