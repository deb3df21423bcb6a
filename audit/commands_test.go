package audit_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/audit"
)

// listing is every file below dir with its content, mode and time.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %v", path, info.Mode(), info.ModTime())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", text)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Commands that only read make no key and write nothing.
func TestReadingWritesNothing(t *testing.T) {
	empty := t.TempDir()
	for _, args := range [][]string{{"show"}, {"head"}, {"verify"}, {"prove", "0"}, {"show", "1"}, {"export", "--out", "x"}, {"anchor"}, {"redact", "1"}, {"key", "rotate", "--new-root"}} {
		out, errs, code := cli(t, empty, append([]string{"audit"}, args...)...)
		if code != 2 || out != "" || !strings.Contains(errs, "no audit log yet") {
			t.Errorf("audit %v without a log: exit %d, %q, %q", args, code, out, errs)
		}
	}
	if got := listing(t, empty); strings.Count(got, "\n") != 1 {
		t.Errorf("something was made:\n%s", got)
	}
	home, state := seeded(t, nil)
	session(t, state, "one", 3)
	before := listing(t, home)
	for _, args := range [][]string{{"show"}, {"show", "2"}, {"show", "--json"}, {"head"}, {"head", "--json"}, {"verify"}, {"verify", "--json", "--fast"}, {"prove", "3"}, {"key"}} {
		if out := mustCLI(t, home, append([]string{"audit"}, args...)...); out == "" {
			t.Errorf("audit %v says nothing", args)
		}
	}
	if after := listing(t, home); after != before {
		t.Errorf("reading changed the state folder:\n%s\n%s", before, after)
	}
}

func TestCommandLine(t *testing.T) {
	home, state := seeded(t, nil)
	session(t, state, "one", 3)
	session(t, state, "two", 1)
	head := strings.Fields(mustCLI(t, home, "audit", "head"))[0]
	if out := mustCLI(t, home, "audit", "show", "--status", "rejected"); !strings.Contains(out, "denied timeout") || strings.Count(out, "\n") != 1 {
		t.Errorf("show --status: %s", out)
	}
	if out := mustCLI(t, home, "audit", "show", "--find", "CAFÉ_0"); strings.Count(out, "write src/café_0.go") != 2 {
		t.Errorf("show --find: %s", out)
	}
	if out := mustCLI(t, home, "audit", "show", "2"); !strings.Contains(out, `disclosed args: "{\"path\":\"x\"}"`) {
		t.Errorf("show 2: %s", out)
	}
	if out := mustCLI(t, home, "audit", "redact", "2"); !strings.HasPrefix(out, "values deleted: 4\n") {
		t.Errorf("redact: %s", out)
	}
	if out := mustCLI(t, home, "audit", "show", "2"); strings.Contains(out, "disclosed") {
		t.Errorf("show 2 after redact: %s", out)
	}
	note := mustCLI(t, home, "audit", "anchor")
	write(t, home+"/note", note)
	write(t, home+"/proof", mustCLI(t, home, "audit", "prove", "4"))
	mustCLI(t, home, "audit", "export", "--out", home+"/all.json", "--disclose", "out,args", "--disclose", "pre")
	mustCLI(t, home, "audit", "export", "--out", home+"/one.jsonl", "--session", "one", "--format", "jsonl")
	mustCLI(t, home, "audit", "export", "--out", home+"/since.json", "--since", "1h")
	write(t, home+"/stdout.json", mustCLI(t, home, "audit", "export", "--out", "-"))
	named := strings.Fields(mustCLI(t, home, "audit", "export"))[0]
	if info, err := os.Stat(named); err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(named) != state {
		t.Errorf("the default file: %v, %v", info, err)
	}

	// Another person, with nothing but the files and the public key.
	other := t.TempDir()
	for _, name := range []string{"all.json", "one.jsonl", "since.json", "stdout.json", "proof"} {
		write(t, other+"/"+name, read(t, home+"/"+name))
		write(t, other+"/key.pub", read(t, state+"/audit_key.pub"))
		out := mustCLI(t, other, "audit", "verify", name, "--pubkey", "key.pub")
		if !strings.HasPrefix(out, "intact: ") {
			t.Errorf("%s: %s", name, out)
		}
		if _, errs, code := cli(t, other, "audit", "verify", name); code != 2 || !strings.Contains(errs, "--pubkey") {
			t.Errorf("%s without a key: exit %d, %s", name, code, errs)
		}
	}
	for _, c := range []struct {
		args string
		exit int
		want string
	}{
		{"verify all.json --anchor " + head, 0, "anchor of"},
		{"verify all.json --anchor note", 0, "seen"},
		{"verify --anchor note --anchor " + head, 0, "seen"},
		{"verify all.json --anchor 999999:0123456789abcdef", 1, "rollback"},
		{"verify all.json --anchor 3:0123456789abcdef", 1, "fork"},
		{"verify all.json --anchor nothing", 2, "no anchor"},
		{"verify all.json --anchor proof", 2, "holds no anchor"},
		{"verify nothing.json", 2, "no such file"},
		{"verify all.json --pubkey note", 2, "not a public key"},
		{"verify all.json --frobnicate", 2, "unknown flag"},
		{"verify all.json one.jsonl", 2, "too many words"},
		{"verify --legacy", 2, "--legacy takes a file"},
		{"verify all.json --legacy", 2, "no list"},
		{"show nothing", 2, "is not the number of a record"},
		{"show 99999", 1, "no record 99999"},
		{"prove 99999", 1, "checkpoint"},
		{"export --format xml", 2, "json or jsonl"},
		{"export --session nobody", 1, "no session"},
		{"export --since yesterday", 2, "no date"},
		{"export --disclose everything", 2, "--disclose: there is no \"everything\", but args"},
		{"show --category files", 2, "there is no \"files\", but shell"},
		{"show --status denied", 2, "there is no \"denied\", but ok"},
		{"export --out /nowhere/x.json", 1, "no such file"},
		{"key rotate", 2, "--new-root"},
		{"key adopt", 1, "no new root key"},
		{"frobnicate", 2, "unknown command"},
	} {
		out, errs, code := cli(t, home, append([]string{"audit"}, strings.Fields(c.args)...)...)
		if code != c.exit || !strings.Contains(out+errs, c.want) || strings.Contains(errs, "panic") || strings.Count(errs, "\n") > 2 {
			t.Errorf("audit %s: exit %d, want %d and %q\n%s%s", c.args, code, c.exit, c.want, out, errs)
		}
	}
	if err := syscall.Mkfifo(home+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"pipe"}, {"all.json", "--pubkey", "pipe"}, {"all.json", "--anchor", "pipe"}, {home}, {"/dev/null"}} {
		if _, errs, code := cli(t, home, append([]string{"audit", "verify"}, args...)...); code != 2 {
			t.Errorf("verify %v: exit %d, %s", args, code, errs)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A repository whose commits bear trailers is a witness.
func TestARepositoryIsAWitness(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is not installed: ./test installs it")
	}
	home, state := seeded(t, nil)
	session(t, state, "one", 1)
	mustCLI(t, home, "audit", "export", "--out", home+"/older.json")
	repo := filepath.Join(home, "repo")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	witness := func() {
		t.Helper()
		trailer := strings.Split(mustCLI(t, home, "audit", "head"), "\n")[1]
		git("-C", repo, "commit", "-q", "--allow-empty", "-m", "A change\n\n"+trailer)
	}
	git("init", "-q", repo)
	if _, errs, code := cli(t, home, "audit", "verify", "--anchor", repo); code != 2 {
		t.Errorf("a repository without commits: exit %d, %s", code, errs)
	}
	witness()
	if out := mustCLI(t, home, "audit", "verify", "--anchor", repo); !strings.Contains(out, "seen") {
		t.Errorf("%s", out)
	}
	session(t, state, "two", 1)
	mustCLI(t, home, "audit", "verify", home+"/older.json", "--anchor", repo)
	witness()
	mustCLI(t, home, "audit", "verify", "--anchor", repo)
	if out, _, code := cli(t, home, "audit", "verify", home+"/older.json", "--anchor", repo); code != 1 || !strings.Contains(out, "rollback") {
		t.Errorf("an older export: exit %d, %s", code, out)
	}
}

// A new root key and a log that is set aside, by hand.
func TestKeysByHand(t *testing.T) {
	home, state := seeded(t, nil)
	session(t, state, "one", 1)
	old := read(t, state+"/audit_key.pub")
	write(t, home+"/old.pub", old)
	out := mustCLI(t, home, "audit", "key", "rotate", "--new-root")
	if !strings.HasPrefix(out, "old  log ") || !strings.Contains(out, "new  log ") {
		t.Errorf("%s", out)
	}
	mustCLI(t, home, "audit", "verify")
	mustCLI(t, home, "audit", "key", "adopt")
	if read(t, state+"/audit_key.pub") == old {
		t.Error("the key was not adopted")
	}
	mustCLI(t, home, "audit", "verify")
	mustCLI(t, home, "audit", "verify", "--pubkey", home+"/old.pub")
	if err := os.Remove(state + "/audit_key"); err != nil {
		t.Fatal(err)
	}
	mustCLI(t, home, "audit", "verify") // reading needs no private key
	l, err := audit.Open(t.Context(), audit.Options{Dir: state})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Session(t.Context(), audit.SessionInfo{Front: audit.FrontRun})
	if err == nil || !strings.Contains(err.Error(), "--new-root") {
		t.Errorf("%v", err)
	}
	l.Close()
	mustCLI(t, home, "audit", "key", "rotate", "--new-root")
	mustCLI(t, home, "audit", "verify")
	aside, err := filepath.Glob(state + "/audit.*")
	if err != nil || len(aside) != 1 {
		t.Fatal(aside, err)
	}
	mustCLI(t, home, "audit", "verify", aside[0], "--pubkey", home+"/old.pub")
}

// Retention: stored sessions and whole files of the log go, and the rest
// verifies.
func TestPurgeByHand(t *testing.T) {
	home, state := seeded(t, nil)
	if out := mustCLI(t, home, "purge", "--before", "2026-01-31"); !strings.HasPrefix(out, "sessions: none") {
		t.Errorf("%s", out)
	}
	if got := listing(t, state); strings.Count(got, "\n") != 1 {
		t.Errorf("something was made:\n%s", got)
	}
	month := func(m time.Month) {
		now := time.Date(2026, m, 2, 0, 0, 0, 0, time.UTC)
		l, err := audit.Open(t.Context(), audit.Options{Dir: state, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		s, err := l.Session(t.Context(), audit.SessionInfo{Front: audit.FrontRun})
		if err != nil {
			t.Fatal(err)
		}
		record(t, s, 0)
		if err := s.Close(audit.CloseOK); err != nil {
			t.Fatal(err)
		}
	}
	month(time.March)
	month(time.April)
	month(time.May)
	if out := mustCLI(t, home, "purge", "--before", "2026-05-01", "--include-audit"); !strings.Contains(out, "records purged") {
		t.Errorf("%s", out)
	}
	if out := mustCLI(t, home, "audit", "verify", "--strict"); !strings.Contains(out, "were purged") {
		t.Errorf("%s", out)
	}
	mustCLI(t, home, "audit", "export", "--out", home+"/e.json")
	mustCLI(t, home, "audit", "verify", home+"/e.json")
	if out := mustCLI(t, home, "purge", "--before", "2026-05-01", "--include-audit"); !strings.Contains(out, "no whole file") {
		t.Errorf("%s", out)
	}
	for _, args := range [][]string{{"purge"}, {"purge", "--before", "then"}, {"purge", "x"}} {
		if _, errs, code := cli(t, home, args...); code != 2 {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
}

// The report of --json has all its members, and only them.
func TestReport(t *testing.T) {
	home, state := seeded(t, nil)
	session(t, state, "one", 1)
	var rep map[string]any
	if err := json.Unmarshal([]byte(mustCLI(t, home, "audit", "verify", "--json")), &rep); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ok", "exit", "records", "sessions", "head", "first_bad", "warnings", "complete", "anchors", "unknown_members"} {
		if _, ok := rep[name]; !ok {
			t.Errorf("no %s in %v", name, rep)
		}
	}
	if rep["first_bad"] != nil || rep["ok"] != true || rep["complete"] != true || len(rep) != 10 {
		t.Errorf("%v", rep)
	}
	segment := state + "/audit/000001.jsonl"
	write(t, segment, strings.Replace(read(t, segment), `"approved"`, `"allowed"`, 1))
	out, _, code := cli(t, home, "audit", "verify", "--json")
	if code != 1 || json.Unmarshal([]byte(out), &rep) != nil {
		t.Fatalf("exit %d, %s", code, out)
	}
	bad := rep["first_bad"].(map[string]any)
	if bad["kind"] != "signature" || bad["index"] != float64(2) || bad["line"] != float64(3) || bad["file"] != "audit/000001.jsonl" || bad["sid"] == "" {
		t.Errorf("%v", bad)
	}
	if text, _, _ := cli(t, home, "audit", "verify"); !strings.HasPrefix(text, "TAMPERED at record 2 (line 3 of audit/000001.jsonl): signature: ") {
		t.Errorf("%s", text)
	}
}
