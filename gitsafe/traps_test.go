package gitsafe

import (
	"os/exec"
	"strings"
)

// plain is git as a person would run it, without any care.
func (l *lab) plain(args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = l.repo, append(append([]string{}, l.env...), "GIT_CONFIG_NOSYSTEM=1", "TERM=dumb")
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// layMerge makes main and feature differ in a.txt, with a merge driver.
func layMerge(trap func(*lab), driver string) func(*lab) {
	return func(l *lab) {
		l.git("checkout", "-q", "-f", "feature")
		l.write("repo/a.txt", "FFF\n")
		l.commit("fa")
		l.git("checkout", "-q", "main")
		l.write("repo/a.txt", "MMM\n")
		l.commit("ma")
		l.write("repo/g.txt", "g\n")
		l.commit("more")
		if driver != "" {
			l.attributes("a.txt merge=" + driver)
		}
		trap(l)
	}
}

// layRemote makes a friendly bare repository with one new commit, as origin.
func layRemote(trap func(*lab)) func(*lab) {
	return func(l *lab) {
		l.git("checkout", "-q", "--", "a.txt")
		l.git("clone", "-q", "--bare", l.repo, l.dir+"/remote.git")
		l.git("clone", "-q", l.dir+"/remote.git", l.dir+"/peer")
		l.write("peer/up.txt", "up\n")
		l.git("-C", l.dir+"/peer", "add", "-A")
		l.git("-C", l.dir+"/peer", "commit", "-q", "-m", "remote change")
		l.git("-C", l.dir+"/peer", "push", "-q", "origin", "main")
		l.set("remote.origin.url", l.dir+"/remote.git")
		l.set("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
		l.set("branch.main.remote", "origin")
		l.set("branch.main.merge", "refs/heads/main")
		trap(l)
	}
}

// laySubmodule checks a submodule out at vendor/lib, modified, and hands its
// git directory to the trap.
func laySubmodule(trap func(l *lab, gitDir string)) func(*lab) {
	return func(l *lab) {
		l.git("init", "-q", l.dir+"/lib")
		l.write("lib/lib.txt", "lib\n")
		l.git("-C", l.dir+"/lib", "add", "-A")
		l.git("-C", l.dir+"/lib", "commit", "-q", "-m", "lib")
		l.git("submodule", "--quiet", "add", l.dir+"/lib", "vendor/lib")
		l.git("commit", "-q", "-m", "submodule", "--", ".gitmodules", "vendor/lib")
		l.write("repo/vendor/lib/lib.txt", "lix\n")
		trap(l, l.repo+"/.git/modules/vendor/lib")
	}
}

// layRebase leaves a rebase that waits, with this in its list.
func layRebase(l *lab, todo string) {
	head := l.git("rev-parse", "HEAD")
	l.git("checkout", "-q", "--detach")
	for name, content := range map[string]string{
		"git-rebase-todo": todo, "head-name": "refs/heads/main\n", "onto": head + "\n", "orig-head": head + "\n",
		"interactive": "", "done": "", "end": "1\n", "msgnum": "0\n", "quiet": "",
	} {
		l.write("repo/.git/rebase-merge/"+name, content)
	}
}

// signed makes HEAD a commit with a signature.
func signed(l *lab) {
	tree, parent := l.git("rev-parse", "HEAD^{tree}"), l.git("rev-parse", "HEAD")
	l.write("object", "tree "+tree+"\nparent "+parent+"\nauthor R <r@x> 1700000000 +0000\ncommitter R <r@x> 1700000000 +0000\n"+
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----\n\nsigned one\n")
	l.git("update-ref", "HEAD", strings.TrimSpace(l.git("hash-object", "-t", "commit", "-w", l.path("object"))))
}
