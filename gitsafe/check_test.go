package gitsafe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		args  string // words; ~ is a space inside a word
		argv  string // canonical, without the forced options; empty means refused
		class Class
		loses bool
	}{
		{"status", "status", Read, false},
		{"status -sb", "status -s -b", Read, false},
		{"status -uno", "status -uno", Read, false},
		{"--no-pager -P -C sub status", "status", Read, false},
		{"-c color.ui=never log -3", "log -3", Read, false},
		{"-c core.pager=cat log", "log", Read, false},
		{"diff HEAD~1 -- a b", "diff HEAD~1 -- a b", Read, false},
		{"diff -U 5 --stat=80", "diff -U5 --stat=80", Read, false},
		{"log --format %h~%s -n 2 main --not feature", "log --format=%h~%s -n2 main --not feature", Read, false},
		{"log --grep --output=x", "log --grep=--output=x", Read, false},
		{"log -S --ext-diff", "log -S--ext-diff", Read, false},
		{"grep -n -e -O", "grep -n -e-O", Read, false},
		{"shortlog -sn", "shortlog -s -n HEAD", Read, false},
		{"branch", "branch --list", Read, false},
		{"branch -a -vv", "branch --list -a -v -v", Read, false},
		{"branch --contains HEAD", "branch --list --contains HEAD", Read, false},
		{"branch topic main", "branch topic main", Write, false},
		{"branch -D a b", "branch -D a b", Write, true},
		{"branch -d a", "branch -d a", Write, false},
		{"branch -f a HEAD~1", "branch -f a HEAD~1", Write, true},
		{"tag", "tag --list", Read, false},
		{"tag -l v1*", "tag --list v1*", Read, false},
		{"tag v1", "tag v1", Write, false},
		{"tag -d v1", "tag -d v1", Write, true},
		{"stash", "stash push", Write, false},
		{"stash -u", "stash push -u", Write, false},
		{"stash list", "stash list", Read, false},
		{"stash show", "stash show --stat", Read, false},
		{"stash drop", "stash drop", Write, true},
		{"stash clear", "stash clear", Write, true},
		{"reflog", "reflog show", Read, false},
		{"reflog expire --all", "reflog show expire --all", Read, false}, // a revision by that name, not a command
		{"remote", "remote", Read, false},
		{"remote -v", "remote -v", Read, false},
		{"config user.name", "config --get user.name", Read, false},
		{"config get user.name", "config --get user.name", Read, false},
		{"config --local --list", "config --local --list", Read, false},
		{"config list --local", "config --local --list", Read, false},
		{"add a b", "add -- a b", Write, false},
		{"add -A", "add -A", Write, false},
		{"add -- -weird", "add -- -weird", Write, false},
		{"commit -am message", "commit -a --message=message", Write, false},
		{"commit -m -x", "commit --message=-x", Write, false},
		{"commit --amend", "commit --amend", Write, false},
		{"commit -m x -- a", "commit --message=x -- a", Write, false},
		{"reset", "reset", Write, false},
		{"reset --hard HEAD~1", "reset --hard HEAD~1", Write, true},
		{"reset --soft HEAD~1", "reset --soft HEAD~1", Write, false},
		{"checkout main", "checkout main", Write, false},
		{"checkout -b n", "checkout -bn", Write, false},
		{"checkout -- a", "checkout -- a", Write, true},
		{"checkout HEAD a", "checkout HEAD a", Write, true},
		{"checkout -f", "checkout -f", Write, true},
		{"switch -C main HEAD~1", "switch --force-create=main HEAD~1", Write, true},
		{"restore a", "restore -- a", Write, true},
		{"restore --staged a", "restore --staged -- a", Write, false},
		{"restore -SW a", "restore -S -W -- a", Write, true},
		{"rm -f a", "rm -f -- a", Write, true},
		{"rm --cached a", "rm --cached -- a", Write, false},
		{"clean -fdx", "clean -f -d -x", Write, true},
		{"clean -nd", "clean -n -d", Read, false},
		{"merge feature", "merge --no-edit feature", Write, false},
		{"merge --abort", "merge --abort", Write, true},
		{"rebase -X ours main", "rebase -Xours main", Write, false},
		{"push -f", "push -f", Net, true},
		{"push origin :main", "push origin :main", Net, true},
		{"push origin +main", "push origin +main", Net, true},
		{"push origin main", "push origin main", Net, false},
		{"fetch origin +a:b", "fetch origin +a:b", Net, true},
		{"clone https://example.org/x.git y", "clone https://example.org/x.git y", Net, false},
		{"--version", "version", Read, false},

		// Not on the list, or not in this form.
		{"", "", 0, false},
		{"lg", "", 0, false},
		{"submodule update", "", 0, false},
		{"gc", "", 0, false},
		{"bisect run make", "", 0, false},
		{"update-ref refs/heads/x HEAD", "", 0, false},
		{"upload-pack .", "", 0, false},
		{"-c core.fsmonitor=x status", "", 0, false},
		{"-c alias.x=!y x", "", 0, false},
		{"-c core.pager=less status", "", 0, false},
		{"--config-env=core.fsmonitor=HOME status", "", 0, false},
		{"--exec-path=/tmp status", "", 0, false},
		{"--git-dir=/tmp status", "", 0, false},
		{"--git-dir /tmp status", "", 0, false},
		{"--work-tree=/ checkout .", "", 0, false},
		{"--namespace=x status", "", 0, false},
		{"--attr-source=x status", "", 0, false},
		{"--super-prefix=x status", "", 0, false},
		{"--bare status", "", 0, false},
		{"-p log", "", 0, false},
		{"--paginate log", "", 0, false},
		{"status -v", "", 0, false},
		{"diff --output=x", "", 0, false},
		{"diff --outp=x", "", 0, false},
		{"diff --ext-diff", "", 0, false},
		{"diff --textconv", "", 0, false},
		{"diff --no-index a b", "", 0, false},
		{"diff -Oorder", "", 0, false},
		{"diff --submodule=log", "", 0, false},
		{"diff --ignore-submodules=none", "", 0, false},
		{"log -o x", "", 0, false},
		{"log --show-signature", "", 0, false},
		{"log --remerge-diff", "", 0, false},
		{"log --diff-merges=remerge", "", 0, false},
		{"log --stdin", "", 0, false},
		{"show --textconv", "", 0, false},
		{"blame --contents /etc/passwd a", "", 0, false},
		{"blame --textconv a", "", 0, false},
		{"blame --ignore-revs-file /etc/passwd a", "", 0, false},
		{"blame -S /etc/passwd a", "", 0, false},
		{"grep -O x", "", 0, false},
		{"grep --open-files-in-pager=sh x", "", 0, false},
		{"grep --textconv x", "", 0, false},
		{"grep -f /etc/passwd", "", 0, false},
		{"grep --no-index x /etc", "", 0, false},
		{"grep --recurse-submodules x", "", 0, false},
		{"grep", "", 0, false},
		{"cat-file --textconv HEAD:a", "", 0, false},
		{"cat-file --filters HEAD:a", "", 0, false},
		{"cat-file --batch", "", 0, false},
		{"ls-files -X /etc/passwd", "", 0, false},
		{"rev-parse --parseopt", "", 0, false},
		{"rev-parse --resolve-git-dir /x", "", 0, false},
		{"symbolic-ref HEAD refs/heads/x", "", 0, false},
		{"config user.name x", "", 0, false},
		{"config --global user.name", "", 0, false},
		{"config --list", "", 0, false},
		{"config --get credential.helper", "", 0, false},
		{"config --get HTTP.https://x.extraHeader", "", 0, false},
		{"config --file x --list", "", 0, false},
		{"config --unset user.name", "", 0, false},
		{"config --edit", "", 0, false},
		{"config set user.name x", "", 0, false},
		{"add -p", "", 0, false},
		{"add -i", "", 0, false},
		{"add -e", "", 0, false},
		{"add --pathspec-from-file=/etc/passwd", "", 0, false},
		{"commit -p", "", 0, false},
		{"commit -v", "", 0, false},
		{"commit -t /etc/passwd", "", 0, false},
		{"commit --trailer x", "", 0, false},
		{"commit -Skey -m x", "", 0, false},
		{"checkout -p", "", 0, false},
		{"checkout --recurse-submodules x", "", 0, false},
		{"checkout --pathspec-from-file=x", "", 0, false},
		{"merge -s evil x", "", 0, false},
		{"merge -F /etc/passwd x", "", 0, false},
		{"rebase -i HEAD~1", "", 0, false},
		{"rebase -x make HEAD~1", "", 0, false},
		{"rebase --exec=make HEAD~1", "", 0, false},
		{"rebase --exe=make HEAD~1", "", 0, false},
		{"rebase --strategy=evil", "", 0, false},
		{"rebase --edit-todo", "", 0, false},
		{"cherry-pick --strategy=evil x", "", 0, false},
		{"clean -d", "", 0, false},
		{"clean -i", "", 0, false},
		{"reset -p", "", 0, false},
		{"apply --unsafe-paths x", "", 0, false},
		{"worktree remove --force x", "", 0, false},
		{"worktree add -B main x", "", 0, false},
		{"stash -p", "", 0, false},
		{"stash create", "", 0, false},
		{"reflog delete --rewrite x", "", 0, false},
		{"remote add x ext::sh", "", 0, false},
		{"remote add -f x https://e.org", "", 0, false},
		{"remote update", "", 0, false},
		{"remote prune origin", "", 0, false},
		{"fetch --upload-pack=x", "", 0, false},
		{"fetch --all", "", 0, false},
		{"fetch --recurse-submodules", "", 0, false},
		{"fetch --multiple a b", "", 0, false},
		{"pull --rebase=interactive", "", 0, false},
		{"push --receive-pack=x", "", 0, false},
		{"push --exec=x", "", 0, false},
		{"push --mirror", "", 0, false},
		{"push --all", "", 0, false},
		{"ls-remote --upload-pack=x", "", 0, false},
		{"clone --config=core.fsmonitor=x https://e.org/x", "", 0, false},
		{"clone -c core.fsmonitor=x https://e.org/x", "", 0, false},
		{"clone --template=x https://e.org/x", "", 0, false},
		{"clone --recurse-submodules https://e.org/x", "", 0, false},
		{"clone -u x https://e.org/x", "", 0, false},
		{"clone git://e.org/x", "", 0, false},
		{"init --template=x", "", 0, false},
		{"init --separate-git-dir=x", "", 0, false},
		{"archive HEAD", "", 0, false},
		{"range-diff a b c", "", 0, false},
		{"help", "", 0, false},
		{"status --help", "", 0, false},
	} {
		var args []string
		for _, a := range strings.Fields(c.args) {
			args = append(args, strings.ReplaceAll(a, "~s", " s"))
		}
		call, err := Check(args)
		if c.argv == "" {
			if err == nil {
				t.Errorf("git %s is accepted as %q", c.args, call.Argv())
			}
			continue
		}
		if err != nil {
			t.Errorf("git %s: %v", c.args, err)
			continue
		}
		want := "git " + strings.ReplaceAll(c.argv, "~s", " s")
		if got := strings.Replace(call.String(), "git -C sub", "git", 1); got != want || call.Class != c.class || call.Loses != c.loses {
			t.Errorf("git %s:\n got %s, %s, %v\nwant %s, %s, %v", c.args, got, call.Class, call.Loses, want, c.class, c.loses)
		}
	}
}

func TestReads(t *testing.T) {
	for _, c := range []struct {
		args  string
		reads []string
		inner []string
	}{
		{"show HEAD:.env", nil, []string{"HEAD:.env"}},
		{"show :.env", nil, []string{":.env"}},
		{"show :0:.env", nil, []string{":.env"}},
		{"show HEAD@{12:00}:.env", nil, []string{"HEAD@{12:00}:.env"}},
		{"show HEAD^{/fix:it}:.env", nil, []string{"HEAD^{/fix:it}:.env"}},
		{"show :/fix", nil, nil},
		{"diff HEAD:a..HEAD~1:b", nil, []string{"HEAD:a..HEAD~1:b", "HEAD:a", "HEAD~1:b"}},
		{"diff -- .env", []string{".env"}, nil},
		{"log -p -- .env", []string{".env"}, nil},
		{"log -L1,2:.env", []string{".env"}, nil},
		{"cat-file -p @:sub/.env", nil, []string{"@:sub/.env"}},
		{"cat-file blob @:.env", nil, []string{"@:.env"}},
		{"grep x HEAD -- .env", []string{".env"}, nil},
		{"grep HEAD:x", nil, nil},
		{"commit -F notes.txt", []string{"notes.txt"}, nil},
		{"tag -F notes.txt v1", []string{"notes.txt"}, nil},
		{"apply x.patch", []string{"x.patch"}, nil},
		{"add .env", []string{".env"}, nil},
		{"diff :(top).env", nil, []string{":.env"}},
	} {
		call, err := Check(strings.Fields(c.args))
		if err != nil {
			t.Errorf("git %s: %v", c.args, err)
			continue
		}
		if d := cmp.Diff(c.reads, call.Reads); d != "" {
			t.Errorf("git %s reads (-want +got):\n%s", c.args, d)
		}
		if d := cmp.Diff(c.inner, call.Inner); d != "" {
			t.Errorf("git %s names inside revisions (-want +got):\n%s", c.args, d)
		}
	}
}

// FuzzCheck: no argument makes it panic, and what it accepts holds no option
// outside of the table, in no place where git would look for one.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"log\n-p\n--format=x", "commit\n-am\nx", "-C\nx\nstatus", "stash\nshow\n-p", "checkout\n--\na",
		"config\nget\nx.y", "push\n-f\no\na:b", "diff\n-U\n3", "grep\n-e\n--x", "log\n-S\n--output=x", "show\n-\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		call, err := Check(strings.Split(text, "\n"))
		if err != nil {
			if call.spec != nil {
				t.Errorf("a refused call comes back: %q", text)
			}
			return
		}
		argv := call.Argv()
		fixed := len(strings.Fields(call.Sub + " " + call.spec.forced))
		for _, a := range argv[fixed:] {
			if a == "--" {
				break
			}
			if !listed(call.spec.opts, a) {
				t.Errorf("%q: git would read %q as an option", argv, a)
			}
		}
	})
}

// listed says that a word is no option, or one that the table names or that a
// refinement adds.
func listed(g grammar, word string) bool {
	if word == "-" || !strings.HasPrefix(word, "-") {
		return true
	}
	if strings.HasPrefix(word, "--") {
		name, _, joined := strings.Cut(word, "=")
		f, ok := g.lookup(name)
		return ok && (!joined || f.value)
	}
	if g.numbers() && strings.Trim(word[1:], "0123456789") == "" {
		return true
	}
	f, ok := g.lookup(word[:2])
	return ok && (len(word) == 2 || f.value)
}
