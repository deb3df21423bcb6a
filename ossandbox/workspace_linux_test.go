package ossandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestProtectedNames(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/.vscode/settings.json", "{}")
	b.write(b.work+"/.github/workflows/ci.yml", "on: push")
	b.write(b.work+"/AGENTS.md", "be good")
	git(t, b.work, "add", "-A")
	before := tree(t, b.work)
	for _, n := range slices.Concat(protectedNames, protectedFiles) {
		out, r := b.sh(strings.ReplaceAll("echo x > N/f; echo x > N; rm -rf N; mv N away; mkdir N; ln -s /tmp N; mv .github away; [ ! -e away ]", "N", n))
		if slices.Contains(protectedFiles, n) && !exists(b.work+"/"+n) {
			t.Errorf("%s is gone\n%s", n, out)
		}
		for _, f := range r.Quarantine {
			if strings.HasPrefix(f.Path, b.work+"/"+n) {
				os.RemoveAll(f.Path) // files that were not there are told of
			}
		}
	}
	// What was there, and what stands in, is untouched.
	for _, n := range []string{".vscode/settings.json", ".github/workflows/ci.yml", "AGENTS.md"} {
		if !strings.Contains(tree(t, b.work), n+" ") {
			t.Errorf("%s is gone", n)
		}
	}
	for _, n := range protectedNames {
		if n != ".vscode" && exists(b.work+"/"+n) {
			t.Errorf("%s appeared", n)
		}
	}
	_ = before
}

func TestProtectedFilesThatAppearAreTold(t *testing.T) {
	b := newBox(t)
	_, r := b.sh("echo x > CLAUDE.md; mkdir -p .github/workflows; git init -q inner")
	var told []string
	for _, f := range r.Quarantine {
		rel, _ := filepath.Rel(b.work, f.Path)
		told = append(told, rel)
	}
	slices.Sort(told)
	if want := []string{".github/workflows", "CLAUDE.md", "inner/.git"}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
	if _, r := b.sh("true"); len(r.Quarantine) > 0 {
		t.Errorf("told again: %v", r.Quarantine)
	}
}

func TestNoLitter(t *testing.T) {
	b := newBox(t)
	before := tree(t, b.home)
	for _, p := range []Profile{Observe(), Work(), Debug()} {
		if _, r := b.sh("true", func(c *Command) { c.Profile = p }); len(r.Litter) > 0 {
			t.Error(r.Litter)
		}
		if got := git(t, b.work, "status", "--porcelain", "--ignored"); got != "" {
			t.Errorf("%v: git status:\n%s", p, got)
		}
	}
	if out, _ := b.sh("git status --porcelain --ignored"); out != "" {
		t.Errorf("git status inside:\n%s", out)
	}
	b.Close()
	if after := tree(t, b.home); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestObserveWritesNothing(t *testing.T) {
	b := newBox(t)
	before := tree(t, b.work)
	out, r := b.sh("echo x > new; echo x >> README.md; rm README.md; mkdir d; touch .git/x; echo t > /tmp/t && cat /tmp/t; cat README.md", func(c *Command) { c.Profile = Observe() })
	has(t, out, "Read-only file system")
	has(t, out, "t\nhello\n")
	if after := tree(t, b.work); after != before || r.ExitCode != 0 {
		t.Errorf("exit %d, after:\n%s", r.ExitCode, after)
	}
}

func TestSecretsInTheWorkspace(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/.env", "KEY=the-secret")
	b.write(b.work+"/sub/prod.env", "KEY=the-secret")
	b.write(b.work+"/.env.example", "KEY=example")
	b.write(b.work+"/key.pem", "-----BEGIN PRIVATE KEY-----\nthe-secret")
	b.write(b.work+"/cert.pem", "-----BEGIN CERTIFICATE-----\npublic")
	b.write(b.work+"/tracked.env", "KEY=in-the-history")
	git(t, b.work, "add", "tracked.env")
	b.write(b.work+"/node_modules/x/.env", "KEY=in-a-package")
	out, _ := b.sh("grep -rh . . --include='*env*' --include='*.pem'; mv sub other; mv sub node_modules; cat */prod.env; echo x >> .env")
	lacks(t, out, "the-secret")
	for _, want := range []string{"example", "public", "in-the-history", "in-a-package", ".env: Read-only file system"} {
		has(t, out, want)
	}
	// A command's own files are no secrets of the person's, until changed.
	b.sh("echo KEY=mine > mine.env")
	out, _ = b.sh("cat mine.env")
	has(t, out, "KEY=mine")
	b.write(b.work+"/mine.env", "KEY=the-secret")
	out, _ = b.sh("cat mine.env")
	lacks(t, out, "the-secret")
	// A name that the person reveals.
	b.cfg.Reveal = []string{".env"}
	out, _ = b.sh("cat .env sub/prod.env")
	if out != "KEY=the-secret" {
		t.Errorf("%q", out)
	}
}

func TestSocketsOfTheHost(t *testing.T) {
	b := newBox(t)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	// The path of a socket is short: it is bound from within its folder.
	t.Chdir(b.work)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: "daemon.sock"}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 1); err != nil {
		t.Fatal(err)
	}
	out, _ := b.sh(`python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("daemon.sock"); print("reached")'`)
	lacks(t, out, "reached")
}

func TestHomeIsEmptyButForTools(t *testing.T) {
	b := newBox(t)
	for _, s := range homeSecrets {
		b.write(filepath.Join(b.home, strings.ReplaceAll(s, "*", "x"), "file"), "the-secret")
	}
	b.write(b.home+"/.local/bin/tool", "#!/bin/sh\necho tool runs\n")
	os.Chmod(b.home+"/.local/bin/tool", 0o755)
	b.write(b.home+"/.gitconfig", "[user]\n\tname = Person\n[url \"https://u:the-secret@host/\"]\n\tinsteadOf = https://host/\n[http]\n\textraHeader = \\\n\t\tthe-secret\n[init]\n\tdefaultBranch = trunk\n")
	os.RemoveAll(b.home + "/.npmrc")
	b.write(b.home+"/.npmrc", "//registry/:_authToken=the-secret\nsave-exact=true\nregistry=https://u:the-secret@r/\n")
	s, err := New(t.Context(), b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.Sandbox = s
	out, _ := b.sh("grep -rs secret ~ ; ls -A ~; ~/.local/bin/tool; git config user.name; git config init.defaultBranch; cat ~/.npmrc; echo x > ~/new && cat ~/new; ls " + b.home + "/code")
	lacks(t, out, "secret")
	has(t, out, "tool runs\nPerson\ntrunk\nsave-exact=true\nx\nwork\n")
	if exists(b.home + "/new") {
		t.Error("a file reached the real home")
	}
}

func TestWithoutGitAndWithoutRights(t *testing.T) {
	b := newBox(t)
	os.RemoveAll(b.work + "/.git")
	if out, r := b.sh("echo x > f; cat f"); out != "x\n" || len(r.Quarantine) > 0 {
		t.Errorf("%q %+v", out, r)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can make a workspace that belongs to somebody else")
	}
	foreign := func() (out string, r Result) {
		for _, p := range []string{b.work, b.work + "/README.md"} {
			if err := os.Chown(p, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}
		return b.sh("cat README.md; echo x > new; mkdir .idea; true")
	}
	git(t, b.work, "init", "-q")
	for range 2 { // with a repository, and without
		out, r := foreign()
		has(t, out, "hello\n")
		has(t, out, "Permission denied")
		if len(r.Litter) > 0 || exists(b.work+"/.idea") || exists(b.work+"/new") {
			t.Errorf("%+v", r)
		}
		os.RemoveAll(b.work + "/.git")
	}
}

func TestOwnBinds(t *testing.T) {
	b := newBox(t)
	b.write(b.base+"/config", "[user]\n\tname = Bound\n")
	out, _ := b.sh("git config user.name; mkdir .github && echo free", func(c *Command) {
		c.Binds = []Bind{{Source: b.base + "/config", Target: b.work + "/.git/config"}}
		c.Uncover = true
	})
	has(t, out, "Bound\n")
	has(t, out, "free\n")
	_, _, err := b.try("true", func(c *Command) { c.Binds = []Bind{{Source: b.home, Target: b.home, Writable: true}} })
	asError[*SetupError](t, err)
}

func TestDenialsAreHints(t *testing.T) {
	b := newBox(t)
	b.write(b.home+"/notes.txt", "x")
	for script, want := range map[string]string{
		"echo x > .vscode/a":             "blocked by the sandbox: .vscode/a (protected name)",
		"echo x > .git/hooks/pre-commit": "(git hooks and configuration)",
		"cat ~/notes.txt":                "(the home folder is an empty one)",
		"echo x > /etc/motd":             "/etc/motd (system folders are read-only)",
		"curl -s https://example.invalid || { echo 'curl: (6) Could not resolve host: example.invalid' >&2; exit 6; }": "example.invalid (the profile work has none), allow with --profile net --allow-host example.invalid",
	} {
		_, r := b.sh(script)
		if len(r.Denials) == 0 || !strings.Contains(r.Denials[0].String(), want) {
			t.Errorf("%s: %v, want %q", script, r.Denials, want)
		}
	}
	b.write(b.home+"/.ssh/id_ed25519", "x")
	b.write(b.home+"/.config/gh/hosts.yml", "x")
	b.write(b.state+"/policy.toml", "x")
	b.write(b.work+"/.env", "x")
	for _, name := range []string{"~/.ssh/id_ed25519", "~/.ssh", "~/.config/gh/hosts.yml", b.state + "/policy.toml"} {
		_, r := b.sh("cat " + name)
		if len(r.Denials) == 0 || r.Denials[0].Allow != "" || !strings.Contains(r.Denials[0].String(), "withheld on purpose") {
			t.Errorf("%s: %v: nobody is to be told how to open it", name, r.Denials)
		}
	}
	if _, r := b.sh("cat missing; exit 1"); len(r.Denials) > 0 {
		t.Errorf("a missing file of the workspace is no denial: %v", r.Denials)
	}
}

// A dump goes nowhere, neither into a file nor to a program of the host.
func TestNoCoreDump(t *testing.T) {
	b := newBox(t)
	out, _ := b.sh(`python3 -c 'import resource; print(resource.getrlimit(resource.RLIMIT_CORE))'; sh -c 'kill -SEGV $$'; ls`)
	has(t, out, "(1, 1)\n")
	lacks(t, out, "core\n")
}
