package main

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/fakemodel"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// A watched is the real program, with every system call that sends something
// or opens a file written down by strace, also those of its children.
type watched struct {
	t          *testing.T
	home, repo string
	trace      string
	env        []string
}

// baits are what vendors' libraries and HTTP clients look up by themselves.
var baits = []string{
	"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "ALL_PROXY=socks5://127.0.0.1:9",
	"AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE", "AWS_PROFILE=default", "GOOGLE_APPLICATION_CREDENTIALS=/bait/google.json",
	"OPENAI_ORG_ID=org", "ANTHROPIC_AUTH_TOKEN=bait", "GOOGLE_CLOUD_PROJECT=bait", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9",
	"SENTRY_DSN=http://x@127.0.0.1:9/1",
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("strace is not installed: ./test installs it")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, home: filepath.Join(base, "home"), trace: filepath.Join(base, "trace")}
	w.repo = filepath.Join(w.home, "repo")
	if err := os.MkdirAll(w.repo, 0o700); err != nil {
		t.Fatal(err)
	}
	w.env = append([]string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color"}, baits...)
	for name, text := range map[string]string{"calc.txt": "one\ntwo\n", "test.sh": "grep -q three calc.txt\n", "Makefile": "test:\n\tsh test.sh\n"} {
		if err := os.WriteFile(filepath.Join(w.repo, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// command is the program under strace.
func (w *watched) command(args ...string) *exec.Cmd {
	cmd := exec.Command("strace", append([]string{"-f", "-qq", "-s", "200", "-o", w.trace, "-e", "trace=connect,sendto,sendmsg,sendmmsg,openat,open", "--", built(w.t)}, args...)...)
	cmd.Dir, cmd.Env = w.repo, w.env
	return cmd
}

// internetCall is a system call that names an internet address.
var (
	internetCall = regexp.MustCompile(`\b(connect|sendto|sendmsg|sendmmsg)\(.*sa_family=AF_INET6?\b`)
	portOf       = regexp.MustCompile(`sin6?_port=htons\((\d+)\)`)
	hostOf       = regexp.MustCompile(`inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"`)
	fileOf       = regexp.MustCompile(`\bopen(?:at)?\([^"]*"([^"]*)"`)
)

// sent are the addresses that something was sent to, each once.
func (w *watched) sent() []string {
	w.t.Helper()
	data, err := os.ReadFile(w.trace)
	if err != nil {
		w.t.Fatal(err)
	}
	text := string(data)
	if !strings.Contains(text, w.home) {
		w.t.Fatalf("strace saw nothing of the program:\n%.2000s", text)
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if m := fileOf.FindStringSubmatch(line); m != nil {
			w.bait(m[1])
		}
		if !internetCall.MatchString(line) {
			continue
		}
		host, port := hostOf.FindStringSubmatch(line), portOf.FindStringSubmatch(line)
		if host == nil || port == nil {
			w.t.Errorf("a call that could not be read: %s", line)
			continue
		}
		if to := host[1] + host[2] + " " + port[1]; !slices.Contains(out, to) {
			out = append(out, to)
		}
	}
	slices.Sort(out)
	return out
}

// bait says that a file was opened that only libraries of vendors look for.
func (w *watched) bait(file string) {
	for _, name := range []string{"/.aws/", "/gcloud/", "/.netrc", "/bait/", "/.config/openai", "/.anthropic", "application_default_credentials"} {
		if strings.Contains(file, name) {
			w.t.Errorf("%s was looked for, and nobody configured it", file)
		}
	}
}

// work is a session with a bit of everything that the agent does at home.
const work = `{"steps": [
  {"say": "I look.", "calls": [{"tool": "read_file", "args": {"path": "calc.txt"}}, {"tool": "grep", "args": {"pattern": "two"}}, {"tool": "git_status", "args": {}}]},
  {"say": "I change it.", "calls": [{"tool": "str_replace", "args": {"path": "calc.txt", "old_str": "two", "new_str": "three"}}]},
  {"say": "I test it.", "calls": [{"tool": "execute_command", "args": {"command": "sh test.sh"}}, {"tool": "self_verify", "args": {}}]},
  {"say": "Done."}
]}`

// TestNothingIsSent: a whole session with a scripted model sends nothing to any
// address, also not to this machine, and looks for no credentials.
func TestNothingIsSent(t *testing.T) {
	w := newWatched(t)
	script := filepath.Join(w.home, "script.json")
	if err := os.WriteFile(script, []byte(work), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := w.command("run", "--no-confirm", "--script", script, "mend it").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(w.repo, "calc.txt")); err != nil || !strings.Contains(string(got), "three") {
		t.Errorf("the session did not do its work: %q, %v", got, err)
	}
	if to := w.sent(); len(to) > 0 {
		t.Errorf("sent to %v", to)
	}
}

// TestNoModelSendsNothing: with no model there is an error that says so, and no
// address is asked, whatever the prompt.
func TestNoModelSendsNothing(t *testing.T) {
	w := newWatched(t)
	out, err := w.command("run", "--no-confirm", "send this to https://example.org").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no model is configured") {
		t.Fatalf("%v\n%s", err, out)
	}
	if to := w.sent(); len(to) > 0 {
		t.Errorf("sent to %v", to)
	}
}

// TestStartAsksThisMachineOnly: the first screen of a machine where nothing is
// configured looks for servers on loopback, at the four known ports, and sends
// nothing anywhere else: no name is resolved.
func TestStartAsksThisMachineOnly(t *testing.T) {
	w := newWatched(t)
	p := termtest.Start(t, w.command(), 100, 30)
	p.WaitFor("No model is configured yet")
	p.WaitFor("not answering") // the look around is over
	p.Key("ctrl+d")
	p.WaitExit()
	want := map[string]bool{}
	for _, port := range []int{11434, 1234, 8080, 8000} {
		want[fmt.Sprintf("127.0.0.1 %d", port)], want[fmt.Sprintf("::1 %d", port)] = true, true
	}
	to := w.sent()
	if len(to) == 0 {
		t.Error("nobody was asked, and local servers are looked for")
	}
	for _, address := range to {
		if !want[address] {
			t.Errorf("sent to %s", address)
		}
	}
}

// TestOnlyTheModelIsDialled: with a model configured, its address is the only
// one that anything is sent to.
func TestOnlyTheModelIsDialled(t *testing.T) {
	w := newWatched(t)
	s, err := scenario.Parse([]byte(work))
	if err != nil {
		t.Fatal(err)
	}
	server, err := fakemodel.Start(s, fakemodel.Options{Cwd: w.repo})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_API_KEY=sk-test-000000000000000000000000", "TERA_PILOT_MODEL=fake")
	out, err := w.command("run", "--no-confirm", "mend it").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if to, want := w.sent(), []string{u.Hostname() + " " + u.Port()}; !slices.Equal(to, want) {
		t.Errorf("sent to %v, want %v", to, want)
	}
}
