package ossandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPointer(t *testing.T) {
	for text, want := range map[string]string{
		"gitdir: /a/b\n":       "/a/b",
		"gitdir: ../b":         "../b",
		"gitdir: a b\r\n":      "a b",
		"gitdir: /a\n\n":       "/a",
		"gitdir: ":             "",
		"gitdir: \n":           "",
		"gitdir:/a":            "",
		" gitdir: /a":          "",
		"gitdir: /a\nworktree": "",
		"gitdir: /a\x00b":      "",
	} {
		got, err := parsePointer([]byte(text), "gitdir: ")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func FuzzPointer(f *testing.F) {
	for _, s := range []string{"gitdir: /a/b\n", "gitdir: ../x", "gitdir: \x00", "gitdir: a\nb", "x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parsePointer(b, "gitdir: ")
		if (err == nil) != (p != "") {
			t.Fatalf("%q: %q with %v", b, p, err)
		}
		if err != nil {
			return
		}
		if strings.ContainsAny(p, "\x00\n\r") {
			t.Errorf("%q: the path %q holds a control character", b, p)
		}
		if again, err := parsePointer([]byte("gitdir: "+p+"\n"), "gitdir: "); again != p || err != nil {
			t.Errorf("%q: %q is read again as %q, %v", b, p, again, err)
		}
	})
}

func TestGitConfig(t *testing.T) {
	text := `
# comment
[core]
	bare = false ; comment
	hooksPath = "a b/hooks" # comment
	editor = vi \
	  -c x
	Flag
[Include]
	path = ../x\\y
[includeIf "gitdir:~/w\"x/"] path = z
[url "https://a/"]
insteadOf = b
[old.Sub]k=v
`
	want := []configEntry{
		{"core", "", "bare", "false"}, {"core", "", "hookspath", "a b/hooks"}, {"core", "", "editor", "vi   -c x"}, {"core", "", "flag", "true"},
		{"include", "", "path", `../x\y`}, {"includeif", `gitdir:~/w"x/`, "path", "z"}, {"url", "https://a/", "insteadof", "b"}, {"old", "sub", "k", "v"},
	}
	got := scanGitConfig(text)
	for i := range got {
		got[i].value = strings.Join(strings.Fields(got[i].value), " ")
	}
	for i := range want {
		want[i].value = strings.Join(strings.Fields(want[i].value), " ")
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(configEntry{})); d != "" {
		t.Error(d)
	}
}

// FuzzGitConfig: whatever git reads, the scanner reads too. (It may read more;
// it only ever adds protection.)
func FuzzGitConfig(f *testing.F) {
	if _, err := exec.LookPath("git"); err != nil {
		f.Fatal("git is not installed: ./test installs it")
	}
	for _, s := range []string{"[core]\nhooksPath = x", "[a \"b\"]\nc = \"d\\n\" e # f", "[core] hookspath=\\\n x", "[Core]hooksPath", "\xef\xbb\xbf[a]\nb=c"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, s string) {
		entries := scanGitConfig(s)
		file := filepath.Join(dir, "config")
		if os.WriteFile(file, []byte(s), 0o600) != nil || strings.Contains(s, "\x00") || strings.Contains(strings.ToLower(s), "include") {
			return
		}
		cmd := exec.Command("git", "config", "--file", file, "--list", "-z")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1"}
		out, err := cmd.Output()
		if err != nil {
			return // git refuses the file
		}
		for _, item := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			name, value, has := strings.Cut(item, "\n")
			if !strings.Contains(name, ".") {
				continue // a key before any section means nothing
			}
			section, rest, _ := strings.Cut(name, ".")
			key := rest[strings.LastIndex(rest, ".")+1:]
			found := false
			for _, e := range entries {
				found = found || (e.section == section && e.key == key && (!has || e.value == value))
			}
			if !found {
				t.Errorf("git reads %q from %q, we %v", item, s, entries)
			}
		}
	})
}

func TestIndexAgainstGit(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"a", "b/c", "b/d e", "long/" + strings.Repeat("x", 200), "z\xc3\xbc"} {
		p := filepath.Join(dir, f)
		os.MkdirAll(filepath.Dir(p), 0o755)
		os.WriteFile(p, []byte(f), 0o644)
	}
	gitInit(t, dir)
	for _, version := range []string{"2", "3", "4"} {
		git(t, dir, "update-index", "--index-version", version)
		if version == "3" {
			os.WriteFile(dir+"/intent", nil, 0o644)
			git(t, dir, "add", "-N", "intent")
		}
		want := map[string]string{}
		for _, n := range strings.Split(strings.TrimSuffix(git(t, dir, "ls-files", "-s", "-z"), "\x00"), "\x00") {
			entry, path, _ := strings.Cut(n, "\t")
			want[path] = strings.Fields(entry)[1]
		}
		got, err := trackedNames(dir + "/.git/index")
		if err != nil {
			t.Fatal(version, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("version %s: %s", version, d)
		}
	}
}

func FuzzIndex(f *testing.F) {
	dir := f.TempDir()
	os.WriteFile(dir+"/a", nil, 0o644)
	gitInit(f, dir)
	for _, version := range []string{"2", "4"} {
		git(f, dir, "update-index", "--index-version", version)
		b, err := os.ReadFile(dir + "/.git/index")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		names, err := parseIndex(b)
		if err != nil && names != nil {
			t.Error("names with an error")
		}
		if _, ok := names[""]; ok {
			t.Error("an empty name")
		}
	})
}

func TestRedaction(t *testing.T) {
	got := redactGit("[user]\n\tname = A\n[http \"https://x\"]\n\tsslVerify = true\n\textraHeader = Authorization: secret\\\n more-secret\n[url \"https://tok@h/\"]\n\tinsteadOf = h\n\tpushInsteadOf = g\n[core]\n\teditor = vi\n")
	if want := "[user]\n\tname = A\n[http \"https://x\"]\n\tsslVerify = true\n[core]\n\teditor = vi\n"; got != want {
		t.Errorf("%q", got)
	}
	got = redactNpm("registry=https://r/\n//r/:_authToken=x\n@a:registry=https://b/\nregistry=https://u:p@r/\n_auth=x\nsave-exact=true\nproxy=http://u:p@h\n")
	if want := "registry=https://r/\n@a:registry=https://b/\nsave-exact=true\n"; got != want {
		t.Errorf("%q", got)
	}
}

func TestEnvironment(t *testing.T) {
	cfg := &Config{PassEnv: []string{"MY_TOKEN"}, Env: []string{
		"HOME=/h", "LANG=C.UTF-8", "LC_TIME=C", "LC_CTYPE=zh_TW.Big5", "LC_ALL=ja_JP.SJIS", "TERM=xterm", "GOFLAGS=-mod=mod", "GOAUTH=netrc", "GOPROXY=https://u:p@proxy", "GOPRIVATE=a.example",
		"CFLAGS=-O2", "PYTHONPATH=/x", "PYTHONSTARTUP=/x", "LD_PRELOAD=/x", "BASH_ENV=/x", "ENV=/x", "NODE_OPTIONS=-r x", "GIT_DIR=/x", "GIT_AUTHOR_NAME=A",
		"SSH_AUTH_SOCK=/s", "DISPLAY=:0", "AWS_SECRET_ACCESS_KEY=x", "CARGO_BUILD_TOKEN=x", "CMAKE_URL=https://u:p@h", "GOEXPERIMENT=ghp_abcdefghijklmnopqrstuvwxyz",
		"BASH_FUNC_x%%=() { :; }", "MY_TOKEN=given", "http_proxy=http://p", "EDITOR=vim",
	}}
	e := environment(cfg, []string{"HOME=/h", "PATH=/bin"}, []string{"EXTRA=1", "LANG=de"})
	want := []string{
		"CFLAGS=-O2", "EDITOR=true", "EXTRA=1", "GIT_AUTHOR_NAME=A", "GIT_EDITOR=true", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GOFLAGS=-mod=mod", "GOPRIVATE=a.example",
		"HOME=/h", "LANG=de", "LC_TIME=C", "MY_TOKEN=given", "PAGER=cat", "PATH=/bin", "PYTHONPATH=/x", "TERM=xterm", "TMPDIR=/tmp", "VISUAL=true",
	}
	if d := cmp.Diff(want, e.Vars); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"EDITOR", "EXTRA", "GIT_EDITOR", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "LANG", "PAGER", "PATH", "TMPDIR", "VISUAL"}, e.Added); d != "" {
		t.Error(d)
	}
	for _, gone := range []string{"LD_PRELOAD", "SSH_AUTH_SOCK", "AWS_SECRET_ACCESS_KEY", "GOPROXY"} {
		found := false
		for _, r := range e.Removed {
			found = found || r == gone
		}
		if !found {
			t.Errorf("%s is not listed as removed", gone)
		}
	}
}

func TestProfiles(t *testing.T) {
	if (Profile{}) != Observe() {
		t.Error("the zero profile is not the strictest")
	}
	if Net("b.example", "a.example", "b.example") != Net("a.example", "b.example") {
		t.Error("the order of hosts counts")
	}
	for name, want := range map[string]Profile{"observe": Observe(), "work": Work(), "debug": Debug(), "net": Net()} {
		if p, err := ParseProfile(name); err != nil || p != want || p.Name() != name {
			t.Errorf("%s: %v %v", name, p, err)
		}
	}
	if _, err := ParseProfile("full"); err == nil {
		t.Error("an unknown profile is accepted")
	}
	if _, err := ParseProfile("work", "a.example"); err == nil {
		t.Error("hosts are accepted for a profile without network")
	}
}

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		text    string
		accepts string // the grades, worst first
	}{{"auto", "B A- A"}, {"on", "A- A"}, {"off", ""}} {
		s, err := ParseSetting(c.text)
		if err != nil || s.String() != c.text {
			t.Error(c.text, s, err)
		}
		var got []string
		for g := GradeNone; g <= GradeA; g++ {
			if s.Accepts(g) {
				got = append(got, g.String())
			}
		}
		if strings.Join(got, " ") != c.accepts {
			t.Errorf("%s accepts %v", c.text, got)
		}
	}
	for _, bad := range []string{"", "yes", "On", "none", "auto "} {
		if _, err := ParseSetting(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	var zero Setting
	if zero.Accepts(GradeA) {
		t.Error("the zero setting accepts a grade")
	}
}

func TestSecretTable(t *testing.T) {
	none := func(string) []string { return nil }
	for p, want := range map[string]string{
		"/h/.ssh": ".ssh", "/h/.ssh/keys": ".ssh", "/h/.config/gh/x": ".config/gh", "/h/.claude.json": ".claude*",
		"/h/.config": "", "/h/go": "", "/h/.sshx": "", "/other/.ssh": "", "/h/.cargo/credentials.toml": ".cargo/credentials*",
	} {
		if got := secretOf("/h", p, none); got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
	for name, want := range map[string]bool{
		".env": true, ".ENV": true, ".env.local": true, "prod.env": true, "key.pem": true, "id_rsa": true, "terraform.tfstate": true, "service-account-x.json": true,
		".kube/config": true, "a/.AWS/x": true, ".ssh/known_hosts": true, ".ssh/id.pub": false, ".docker/config.json": true, ".config/gh/hosts.yml": true, ".config/app.json": false,
		"server.key": true, "sub/credentials": true, ".zsh_history": true, "monkey": false, ".local/share/x": false,
		".env~": true, "#.env#": true, "key.pem.bak": true, ".env.example~": false, "main.go~": false, ".env.example": false, "id_rsa.pub": false, "id_generator.go": false, "environment": false, "main.go": false, ".envrc": false,
	} {
		if secretName(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
