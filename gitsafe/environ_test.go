package gitsafe

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestInheritedEnvironment: nothing of the environment but the short list
// reaches git, wherever tera-pilot was started.
func TestInheritedEnvironment(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	pwn := l.script("bin/pwn", l.pwned())
	evil := l.script("repo/node_modules/.bin/git", l.pwned())
	l.script("repo/node_modules/.bin/ssh", l.pwned())
	l.write("repo/xdg/git/config", "[core]\n\tfsmonitor = "+pwn+"\n")
	l.write("evil.config", "[core]\n\tfsmonitor = "+pwn+"\n[diff]\n\texternal = "+pwn+"\n")
	for _, v := range []string{
		"GIT_EXTERNAL_DIFF=" + pwn, "GIT_SSH=" + pwn, "GIT_SSH_COMMAND=" + pwn, "GIT_PROXY_COMMAND=" + pwn, "GIT_ASKPASS=" + pwn,
		"SSH_ASKPASS=" + pwn, "GIT_EDITOR=" + pwn, "GIT_SEQUENCE_EDITOR=" + pwn, "EDITOR=" + pwn, "VISUAL=" + pwn, "GIT_PAGER=" + pwn, "PAGER=" + pwn,
		"GIT_CONFIG_COUNT=1\x00GIT_CONFIG_KEY_0=core.fsmonitor\x00GIT_CONFIG_VALUE_0=" + pwn,
		"GIT_CONFIG_PARAMETERS='core.fsmonitor=" + pwn + "'", "GIT_CONFIG_GLOBAL=" + l.dir + "/evil.config", "GIT_CONFIG_SYSTEM=" + l.dir + "/evil.config",
		"GIT_CONFIG=" + l.dir + "/evil.config", "XDG_CONFIG_HOME=" + l.repo + "/xdg",
		"GIT_DIR=" + l.outside, "GIT_WORK_TREE=" + l.outside, "GIT_INDEX_FILE=" + l.outside + "/index", "GIT_OBJECT_DIRECTORY=" + l.outside,
		"GIT_COMMON_DIR=" + l.outside, "GIT_NAMESPACE=x", "GIT_TEMPLATE_DIR=" + l.dir, "GIT_ATTR_SOURCE=HEAD", "GIT_TRACE=" + l.outside + "/trace",
		"GIT_TRACE2_EVENT=" + l.outside + "/trace2", "GIT_EXEC_PATH=" + l.repo + "/node_modules/.bin", "LESSOPEN=|" + pwn,
		"PATH=" + l.repo + "/node_modules/.bin:node_modules/.bin:.:" + os.Getenv("PATH"), "BASH_ENV=" + pwn, "ENV=" + pwn,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + l.outside, "GIT_ALLOW_PROTOCOL=ext", "GIT_PROTOCOL_FROM_USER=1", "GIT_CEILING_DIRECTORIES=/",
	} {
		name, _, _ := strings.Cut(v, "=")
		old := l.env
		l.env = append(append([]string{}, old...), strings.Split(v, "\x00")...)
		before := tree(l, l.outside)
		for _, args := range []string{"status", "diff", "log -1", "add -A", "commit --allow-empty -m x"} {
			l.ok(strings.Fields(args)...)
		}
		for _, args := range []string{"fetch ssh://git@127.0.0.1:1/x", "commit --amend", "rebase HEAD~1"} {
			_, _ = l.run(strings.Fields(args)...)
		}
		l.unharmed(name)
		if tree(l, l.outside) != before {
			t.Errorf("%s: a file outside changed", name)
		}
		l.env = old
	}
	if _, err := os.Stat(evil); err != nil {
		t.Error("the planted git is gone")
	}
}

// TestSettingsFromWorkspace: a file of the person's scope that the agent can
// write has no say about programs.
func TestSettingsFromWorkspace(t *testing.T) {
	l := newLab(t)
	l.write("repo/dotfiles/gitconfig", "[core]\n\tfsmonitor = \""+l.pwned()+"; false\"\n[user]\n\tname = Dot Files\n")
	l.userSet("include.path", l.repo+"/dotfiles/gitconfig")
	l.ok("status")
	l.unharmed("include from the home folder")
	l.ok("commit", "-a", "-m", "x")
	if got := l.git("log", "-1", "--format=%an"); got != "Dot Files" {
		t.Errorf("the harmless part is lost: %q", got)
	}
	l.append("repo/dotfiles/gitconfig", "[url \"x:\"]\n\tinsteadOf = https://\n")
	l.opts.Root = l.repo
	l.refused("could lead the connection elsewhere", "clone", "https://127.0.0.1:1/x")
	l.must(os.Rename(l.home+"/.gitconfig", l.repo+"/dotfiles/home"))
	l.append("repo/dotfiles/home", "[filter \"x\"]\n\tclean = \""+l.pwned()+"; cat\"\n")
	l.must(os.Symlink(l.repo+"/dotfiles/home", l.home+"/.gitconfig"))
	l.attributes("* filter=x")
	l.ok("add", "-A")
	l.unharmed("linked configuration")
}

// TestOldGit: a git that ignores settings from the environment is refused.
func TestOldGit(t *testing.T) {
	l := newLab(t)
	real := l.env[1]
	old := l.script("old/git", `for i in 0 1 2 3 4 5 6 7 8 9; do unset GIT_CONFIG_KEY_$i; done
unset GIT_CONFIG_COUNT; `+strings.Replace(real, "PATH=", "PATH=", 1)+` exec git "$@"`)
	l.opts.Git = old
	l.refused("does not read settings", "status")
	l.opts.Git = ""
	l.env[1] = "PATH=" + l.repo
	if _, err := New(Options{Env: l.env, Runner: Plain{}, Root: l.repo}); err == nil {
		t.Error("no git is found, and no error")
	}
}

// TestNoHome: git works without a home folder and without a configuration.
func TestNoHome(t *testing.T) {
	l := newLab(t)
	l.home = ""
	l.env = []string{l.env[1], "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@x"}
	l.set("core.excludesFile", l.outside+"/victim.txt")
	l.ok("status")
	l.ok("commit", "-a", "-m", "x")
}

// TestTooManySettings: what does not fit into an environment is refused.
func TestTooManySettings(t *testing.T) {
	l := newLab(t)
	var b strings.Builder
	for i := range maxSettings + 1 {
		fmt.Fprintf(&b, "[zz \"%d\"]\n\tcommand = x\n", i)
	}
	l.append("repo/.git/config", b.String())
	l.refused("keys that would have to be overridden", "status")
}

func TestNeutralise(t *testing.T) {
	records, err := parseRecords([]byte(strings.Join([]string{
		"global\x00file:/home/u/.gitconfig\x00user.name\nReal\x00",
		"global\x00file:/home/u/.gitconfig\x00gpg.program\n/usr/bin/mygpg\x00",
		"global\x00file:/home/u/.gitconfig\x00http.extraheader\nmine\x00",
		"local\x00file:.git/config\x00gpg.program\n./evil\x00",
		"local\x00file:.git/config\x00gpg.ssh.program\n./evil\x00",
		"local\x00file:.git/config\x00user.name\nRepo\x00",
		"local\x00file:.git/config\x00zz.A.b.zz\nx\x00",
		"local\x00file:.git/config\x00core.newthing\x00",
		"local\x00file:.git/config\x00http.extraheader\ntheirs\x00",
		"worktree\x00file:.git/config.worktree\x00filter.A=b.Clean.required\n1\x00",
		"local\x00file:.git/config\x00remote.o.fetch\n+refs/heads/*:refs/remotes/o/*\x00",
		"local\x00file:.git/config\x00remote.p.fetch\n+refs/heads/*:refs/heads/*\x00",
		"local\x00file:.git/config\x00url.x.insteadof\ny\x00",
		"unknown\x00file:z\x00core.fsmonitor\nx\x00",
	}, "")))
	if err != nil {
		t.Fatal(err)
	}
	j := judge{trusted: func(r record) bool { return r.scope == "global" }}
	v := j.neutralise(records)
	got := map[string]string{}
	for _, s := range v.settings {
		got[s.key] += s.value + ";"
	}
	want := map[string]string{
		"gpg.program": "/usr/bin/mygpg;", "gpg.ssh.program": "ssh-keygen;", "zz.A.b.zz": ";", "core.newthing": ";",
		"http.extraheader": ";mine;", "filter.A=b.Clean.required": "false;", "core.fsmonitor": "false;",
	}
	for k, w := range want {
		if got[k] != w {
			t.Errorf("%s is set to %q, want %q", k, got[k], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("settings: %v", got)
	}
	if strings.Join(v.noNet, " ") != "remote.p.fetch url.x.insteadof" {
		t.Errorf("no network for %v", v.noNet)
	}
	if len(v.kept) != 2 {
		t.Errorf("kept: %+v", v.kept)
	}
}

func FuzzParseRecords(f *testing.F) {
	f.Add([]byte("local\x00file:x\x00a.b\nc\x00"))
	f.Add([]byte("local\x00file:x\x00a.b.c.d\x00global\x00file:y\x00e.f\n\n\x00"))
	f.Add([]byte("local\x00file:x"))
	f.Fuzz(func(t *testing.T, out []byte) {
		records, err := parseRecords(out)
		if err != nil {
			if records != nil {
				t.Error("records come back with an error")
			}
			return
		}
		var back strings.Builder
		for _, r := range records {
			back.WriteString(r.scope + "\x00" + r.origin + "\x00" + r.key)
			if !r.bare {
				back.WriteString("\n" + r.value)
			}
			back.WriteString("\x00")
		}
		if back.String() != string(out) {
			t.Errorf("%q was read as %q", out, back.String())
		}
		// Whatever the records: what is not harmless is not kept.
		v := judge{trusted: func(record) bool { return false }}.neutralise(records)
		for _, r := range v.kept {
			if !harmless(r.key, r.value) {
				t.Errorf("%q is kept", r.key)
			}
		}
	})
}

// TestSanitised: git reads back exactly what was written.
func TestSanitised(t *testing.T) {
	l := newLab(t)
	in := []record{
		{key: "core.bare", value: "false"}, {key: "core.filemode", bare: true},
		{key: `branch.a"b\c.merge`, value: `x "y" \z`}, {key: "remote.o.url", value: "a # b ; c\td\ne"},
		{key: "branch.x.y.z.remote", value: "  padded  "}, {key: "user.name", value: ""}, {key: "color.ui", value: "ü\b"},
		{key: "branch..remote", value: "empty subsection"},
	}
	l.write("sane", string(sanitised(in)))
	out := l.git("config", "--file", l.dir+"/sane", "--list", "-z")
	var want strings.Builder
	for _, r := range in {
		want.WriteString(r.key)
		if !r.bare {
			want.WriteString("\n" + r.value)
		}
		want.WriteString("\x00")
	}
	if out != want.String() {
		t.Errorf("git reads %q, want %q", out, want.String())
	}
}
