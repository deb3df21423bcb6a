package gitsafe

import (
	"os"
	"strings"
	"testing"
)

// An attack lays a trap; none of its calls may set it off. Calls that start
// with "!" may also be refused or fail; the others must succeed.
type attack struct {
	name  string
	lay   func(*lab)
	calls []string
}

func (a attack) run(t *testing.T) {
	t.Parallel()
	for _, line := range a.calls {
		l := newLab(t)
		a.lay(l)
		os.Remove(l.canary)
		text, mayFail := strings.CutPrefix(line, "!")
		r, err := l.run(strings.Fields(text)...)
		if !mayFail && (err != nil || r.Code != 0) {
			t.Errorf("git %s: exit %d, %v\n%s%s", text, r.Code, err, r.Stdout, r.Stderr)
		}
		l.unharmed("git " + text)
	}
}

// proven runs each call under plain git, and wants the canary: an attack that
// plain git survives proves nothing.
func (a attack) proven(t *testing.T) {
	t.Parallel()
	for _, line := range a.calls {
		l := newLab(t)
		a.lay(l)
		os.Remove(l.canary)
		l.plain(strings.Fields(strings.TrimPrefix(line, "!"))...)
		if _, err := os.Stat(l.canary); err == nil {
			return
		}
	}
	t.Errorf("no call of %q under plain git runs anything: the trap is none", a.name)
}

var everyday = []string{"status", "diff", "log -p -2", "add -A", "commit -a -m x", "checkout -b n", "stash"}

var attacks = []attack{
	{"fsmonitor by an include in capitals", func(l *lab) {
		l.write("repo/.git/x", "[CORE]\n\tFSMonitor = \""+l.pwned()+"; false\"\n")
		l.append("repo/.git/config", "[Include]\n\tPath = x\n")
	}, everyday},
	{"fsmonitor in config.worktree", func(l *lab) {
		l.set("extensions.worktreeConfig", "true")
		l.write("repo/.git/config.worktree", "[core]\n\tfsmonitor = \""+l.pwned()+"; false\"\n")
	}, everyday},
	{"include on the name of the branch", func(l *lab) {
		l.write("repo/tracked.inc", "[core]\n\tfsmonitor = \""+l.pwned()+"; false\"\n")
		l.append("repo/.git/config", "[includeIf \"onbranch:main\"]\n\tpath = ../tracked.inc\n")
	}, everyday},
	{"include by the address of a remote", func(l *lab) {
		l.set("remote.origin.url", "https://example.invalid/x")
		l.write("repo/.git/y", "[core]\n\tfsmonitor = \""+l.pwned()+"; false\"\n")
		l.append("repo/.git/config", "[includeIf \"hasconfig:remote.*.url:https://example.invalid/**\"]\n\tpath = y\n")
	}, everyday},
	{"hook of every index", func(l *lab) { l.script("repo/.git/hooks/post-index-change", l.pwned()) }, everyday},
	{"hooks of rebase and merge", func(l *lab) {
		for _, h := range []string{"pre-rebase", "post-rewrite", "post-merge", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-checkout"} {
			l.script("repo/.git/hooks/"+h, l.pwned())
		}
		l.git("checkout", "-q", "--", "a.txt")
	}, []string{"rebase feature", "merge feature", "cherry-pick feature", "revert --no-edit HEAD", "switch feature", "worktree add ../wt", "commit --amend -m x"}},
	{"hooks folder of the checkout, by its absolute path", func(l *lab) {
		l.script("repo/tools/reference-transaction", l.pwned())
		l.set("core.hooksPath", l.repo+"/tools")
	}, []string{"branch t", "tag t", "add -A", "commit -a -m x", "!update-ref refs/heads/q HEAD"}},
	{"hooks folder that is a link", func(l *lab) {
		l.script("repo/tools/pre-commit", l.pwned())
		l.must(os.RemoveAll(l.repo + "/.git/hooks"))
		l.must(os.Symlink("../tools", l.repo+"/.git/hooks"))
	}, []string{"commit -a -m x"}},
	{"text conversion wherever there is one", func(l *lab) {
		l.set("diff.Ev il.textconv", l.pwned()+"; cat")
		l.attributes("*.txt diff=Ev\\ il")
		l.set("diff.evil.textconv", l.pwned()+"; cat")
		l.attributes("*.txt diff=evil")
	}, []string{"blame a.txt", "grep -n one", "show HEAD:a.txt", "log -L1,1:a.txt", "!stash show -p", "diff --stat", "log -S one", "diff --word-diff HEAD", "cherry feature",
		"log --cherry-pick main...feature", "!rebase feature", "!rebase --apply feature", "commit -a -m x", "!merge feature"}},
	{"external diff by driver", func(l *lab) {
		l.set("diff.evil.command", l.pwned()+"; :")
		l.attributes("* diff=evil")
	}, []string{"diff", "diff-files -p", "diff-index -p HEAD", "show --stat", "diff --cached HEAD~1", "!log -p --ext-diff -1"}},
	{"external diff for all", func(l *lab) { l.set("DIFF.External", l.pwned()+"; :") }, []string{"diff", "diff-files -p", "show HEAD", "commit -a -m x", "!merge feature", "!rebase --apply feature", "reset --hard HEAD~1"}},
	{"filters with odd names", func(l *lab) {
		for _, name := range []string{"a.b", `q"uo`, `back\slash`, "ünï", "x=y=z", "UP"} {
			l.set("filter."+name+".clean", l.pwned()+"; cat")
			l.set("filter."+name+".smudge", l.pwned()+"; cat")
		}
		l.attributes("a.txt filter=a.b\nnew.txt filter=x=y=z\nb.txt filter=UP\nd.txt filter=ünï")
		l.must(os.Remove(l.repo + "/b.txt"))
	}, append(everyday, "checkout -- b.txt", "reset --hard", "restore b.txt", "switch -f feature")},
	{"required process filter", func(l *lab) {
		l.set("filter.p.process", l.pwned()+"; exit 1")
		l.set("filter.p.required", "true")
		l.attributes("* filter=p")
	}, append(everyday, "reset --hard HEAD~1", "worktree add ../wt", "!merge feature", "!rebase feature")},
	{"merge driver", layMerge(func(l *lab) { l.set("merge.evil.driver", l.pwned()+"; exit 0") }, "evil"),
		[]string{"!merge feature", "!rebase feature", "!cherry-pick feature", "!revert HEAD~1"}},
	{"merge driver for everything", layMerge(func(l *lab) {
		l.set("merge.default", "evil")
		l.set("merge.evil.driver", l.pwned()+"; exit 0")
	}, ""), []string{"!merge feature", "!cherry-pick feature"}},
	{"strategy that is an alias", func(l *lab) {
		l.git("checkout", "-q", "--", "a.txt")
		l.set("pull.twohead", "evil")
		l.set("alias.merge-evil", "!"+l.pwned())
	}, []string{"!rebase feature", "!cherry-pick feature", "!merge feature", "!revert --no-edit HEAD", "!pull . feature"}},
	{"merge options of the branch", func(l *lab) {
		l.git("checkout", "-q", "--", "a.txt")
		l.set("branch.main.mergeOptions", "--no-ff --edit")
		l.set("core.editor", l.pwned()+"; :")
	}, []string{"merge feature"}},
	{"signing by the repository", func(l *lab) {
		sign := l.script("repo/.git/sign", l.pwned()+"; exit 1")
		for _, k := range []string{"gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand"} {
			l.set(k, sign)
		}
		l.set("gpg.format", "ssh")
		l.set("commit.gpgSign", "true")
		l.set("tag.gpgSign", "true")
	}, []string{"commit -a -m x", "tag -m x v1", "merge --no-ff -m x feature", "cherry-pick feature", "commit --amend -m y"}},
	{"verification by the repository", func(l *lab) {
		verify := l.script("repo/.git/verify", l.pwned())
		l.set("gpg.program", verify)
		l.set("log.showSignature", "true")
		l.set("merge.verifySignatures", "true")
		l.set("format.pretty", "%G? %h")
		l.set("pretty.p", "%GS %h")
		signed(l)
	}, []string{"log -3", "show -s", "log --pretty=p -1", "!merge feature", "reflog"}},
	{"pagers", func(l *lab) {
		l.set("core.pager", l.pwned()+"; cat")
		for _, c := range []string{"status", "branch", "tag", "stash.list", "config"} {
			l.set("pager."+c, l.pwned()+"; cat")
		}
	}, []string{"status", "branch", "tag", "stash list", "log -1"}},
	{"editors", func(l *lab) {
		l.set("core.editor", l.pwned()+"; :")
		l.set("sequence.editor", l.pwned()+"; :")
	}, []string{"!commit -a", "commit --amend", "!tag -a v1", "revert HEAD", "merge --no-ff --edit feature", "!rebase -i HEAD~1"}},
	{"aliases", func(l *lab) {
		l.set("alias.st", "!"+l.pwned())
		l.set("alias.lg", "!"+l.pwned())
		l.set("help.autoCorrect", "immediate")
	}, []string{"!st", "!lg", "!statuss", "!lgg"}},
	{"commit-message programs", func(l *lab) {
		l.set("trailer.sign.command", l.pwned())
		l.set("trailer.sign.key", "Signed")
	}, []string{"!commit -a -m x --trailer sign=me"}},
	{"archive programs", func(l *lab) { l.set("tar.tgz.command", l.pwned()+"; cat") }, []string{"!archive --format=tgz HEAD"}},
	{"tools", func(l *lab) {
		for _, k := range []string{"difftool.x.cmd", "mergetool.x.cmd", "guitool.x.cmd", "man.x.cmd", "browser.x.cmd"} {
			l.set(k, l.pwned())
		}
		l.set("diff.tool", "x")
		l.set("merge.tool", "x")
	}, []string{"!difftool -y", "!mergetool", "!help -w status", "!status --help"}},
	{"program for other repositories' refs", layRemote(func(l *lab) {
		l.set("core.alternateRefsCommand", l.pwned()+"; :")
		l.git("clone", "-q", "--bare", l.repo, l.dir+"/alt.git")
		l.write("repo/.git/objects/info/alternates", l.dir+"/alt.git/objects\n")
	}), []string{"fetch origin", "pull", "!push origin main:refs/heads/q"}},
	{"programs on the far side", layRemote(func(l *lab) {
		l.set("remote.origin.uploadpack", l.pwned()+"; git-upload-pack")
		l.set("remote.origin.receivepack", l.pwned()+"; git-receive-pack")
	}), []string{"fetch", "fetch origin", "pull", "ls-remote origin", "push origin main:refs/heads/q", "remote show origin"}},
	{"hooks on the far side", layRemote(func(l *lab) {
		for _, h := range []string{"pre-receive", "update", "post-receive", "post-update", "reference-transaction", "proc-receive"} {
			l.script("remote.git/hooks/"+h, l.pwned())
		}
		l.git("--git-dir", l.dir+"/remote.git", "config", "core.hooksPath", l.dir+"/remote.git/hooks")
		l.git("--git-dir", l.dir+"/remote.git", "config", "core.alternateRefsCommand", l.pwned()+"; :")
		l.git("--git-dir", l.dir+"/remote.git", "config", "core.fsmonitor", l.pwned()+"; :")
	}), []string{"push origin main:refs/heads/q", "push -u origin main:refs/heads/q", "fetch origin"}},
	{"transport programs", func(l *lab) {
		ext := "ext::sh -c " + strings.ReplaceAll(l.pwned(), " ", "% ")
		l.set("protocol.ext.allow", "always")
		l.set("protocol.allow", "always")
		l.set("remote.origin.url", ext)
		l.set("remote.o2.url", "https://example.invalid/x")
		l.set("remote.o2.pushurl", ext)
		l.set("remote.o3.vcs", "ext")
		l.set("remote.o3.url", "sh -c "+strings.ReplaceAll(l.pwned(), " ", "% "))
		l.set("branch.main.remote", "origin")
		l.set("branch.main.merge", "refs/heads/main")
	}, []string{"!fetch", "!pull", "!push", "!ls-remote", "!push o2 main", "!fetch o3", "!clone ext::sh clo", "!ls-remote ext::sh"}},
	{"rewritten addresses", layRemote(func(l *lab) {
		l.set("url.ext::sh -c "+strings.ReplaceAll(l.pwned(), " ", "% ")+"% #.insteadOf", l.dir)
		l.set("protocol.ext.allow", "always")
	}), []string{"!fetch origin", "!ls-remote", "!push origin main:x"}},
	{"a remote whose name is an option", layRemote(func(l *lab) {
		l.set("branch.main.pushRemote", "--receive-pack="+l.pwned()+"; :")
		l.set("remote.pushDefault", "--receive-pack="+l.pwned()+"; :")
		l.set("remote.--receive-pack="+l.pwned()+"; :.url", l.dir+"/remote.git")
		l.set("branch.main.remote", "--upload-pack="+l.pwned()+"; :")
	}), []string{"!push", "!fetch", "!pull", "!ls-remote"}},
	{"addresses in the old files", func(l *lab) {
		l.set("protocol.ext.allow", "always")
		l.write("repo/.git/remotes/old", "URL: ext::sh -c "+strings.ReplaceAll(l.pwned(), " ", "% ")+"\nPull: main:x\n")
		l.write("repo/.git/branches/older", "ext::sh -c "+strings.ReplaceAll(l.pwned(), " ", "% ")+"\n")
	}, []string{"!fetch old", "!fetch older", "!ls-remote older", "!pull old"}},
	{"objects fetched on demand", func(l *lab) {
		l.set("remote.origin.url", "ext::sh -c "+strings.ReplaceAll(l.pwned(), " ", "% "))
		l.set("remote.origin.promisor", "true")
		l.set("extensions.partialClone", "origin")
		l.set("core.repositoryformatversion", "1")
		l.set("protocol.ext.allow", "always")
		id := l.git("rev-parse", "HEAD:b.txt")
		l.must(os.Remove(l.repo + "/.git/objects/" + id[:2] + "/" + id[2:]))
	}, []string{"!show HEAD:b.txt", "!diff HEAD~1 HEAD", "!log -p", "!grep bee HEAD", "!checkout -f HEAD", "!stash"}},
	{"a submodule's filter", laySubmodule(func(l *lab, sm string) {
		l.git("config", "--file", sm+"/config", "filter.deep.clean", l.pwned()+"; cat")
		l.write(sm+"/info/attributes", "* filter=deep\n")
	}), append(everyday, "add -u", "describe --always --dirty", "reset --hard", "diff-index HEAD", "rm -f a.txt", "!rm vendor/lib", "clean -n")},
	{"a submodule's monitor and hooks", laySubmodule(func(l *lab, sm string) {
		l.git("config", "--file", sm+"/config", "core.fsmonitor", l.pwned()+"; false")
		l.script(sm+"/hooks/post-index-change", l.pwned())
		l.set("submodule.recurse", "true")
		l.set("diff.submodule", "diff")
		l.set("status.submoduleSummary", "true")
	}), append(everyday, "add -u", "checkout feature", "!submodule update", "!submodule foreach ls")},
	{"a submodule with its own .git folder", func(l *lab) {
		l.git("init", "-q", "emb")
		l.write("repo/emb/e.txt", "e\n")
		l.git("-C", "emb", "add", "-A")
		l.git("-C", "emb", "commit", "-q", "-m", "e")
		l.git("-c", "advice.addEmbeddedRepo=false", "add", "emb")
		l.git("commit", "-q", "-m", "embedded")
		l.git("config", "--file", l.repo+"/emb/.git/config", "filter.deep.clean", l.pwned()+"; cat")
		l.write("repo/emb/.git/info/attributes", "* filter=deep\n")
		l.write("repo/emb/e.txt", "f\n")
	}, append(everyday, "add -u", "commit -a -m y")},
	{"nested submodules", laySubmodule(func(l *lab, sm string) {
		deep := l.repo + "/vendor/lib/deep"
		l.git("init", "-q", deep)
		l.write(deep+"/x.txt", "x\n")
		l.git("-C", deep, "add", "-A")
		l.git("-C", deep, "commit", "-q", "-m", "x")
		l.git("-C", l.repo+"/vendor/lib", "-c", "advice.addEmbeddedRepo=false", "add", "deep")
		l.git("-C", l.repo+"/vendor/lib", "commit", "-q", "-m", "deep")
		l.git("config", "--file", deep+"/.git/config", "filter.deeper.clean", l.pwned()+"; cat")
		l.write(deep+"/.git/info/attributes", "* filter=deeper\n")
		l.write(deep+"/x.txt", "y\n")
	}), []string{"status", "add -u", "commit -a -m x", "add -A"}},
	{"a todo list", func(l *lab) {
		l.git("checkout", "-q", "--", "a.txt")
		layRebase(l, "exec "+l.pwned()+"\n")
	}, []string{"!rebase --continue", "!rebase --skip"}},
	{"a todo list with a short verb", func(l *lab) {
		l.git("checkout", "-q", "--", "a.txt")
		layRebase(l, "noop\n\t x\t"+l.pwned()+"\n")
	}, []string{"!rebase --continue", "!rebase --skip"}},
	{"todo lines out of a format", func(l *lab) {
		l.git("checkout", "-q", "feature", "-f")
		l.set("rebase.instructionFormat", "%n%nx "+l.pwned())
	}, []string{"rebase main", "rebase --autosquash main", "rebase --rebase-merges main"}},
	{"configured hooks", func(l *lab) {
		l.set("hook.evil.command", l.pwned())
		for _, e := range []string{"pre-commit", "post-checkout", "reference-transaction", "post-index-change"} {
			l.set("hook.evil.event", e)
		}
	}, everyday},
	{"configured hook with the name of an event", func(l *lab) {
		l.set("hook.pre-commit.command", l.pwned())
		l.set("hook.pre-commit.event", "pre-commit")
		l.set("hook.pre-commit.enabled", "true")
	}, []string{"!commit -a -m x", "!status"}},
	{"the collector", func(l *lab) {
		l.set("gc.auto", "1")
		l.set("gc.autoDetach", "false")
		l.set("gc.recentObjectsHook", l.pwned())
		l.set("maintenance.auto", "true")
		l.git("repack", "-adq")
		l.script("repo/.git/hooks/pre-auto-gc", l.pwned())
	}, []string{"commit -a -m x", "!gc", "!maintenance run", "!prune", "merge --no-ff -m x feature"}},
	{"keys that nobody knows", func(l *lab) {
		l.append("repo/.git/config", "[core]\n\tzzProgram = \""+l.pwned()+"\"\n[zz \"Sub.Section\"]\n\tcommand = \""+l.pwned()+"\"\n\tempty\n")
	}, everyday},
}

// unproven are traps that plain git does not fall into here, and why.
var unproven = map[string]string{
	"configured hooks":                          "needs git 2.54",
	"configured hook with the name of an event": "git refuses it itself, or is older than 2.54",
	"keys that nobody knows":                    "no git knows them",
	"pagers":                                    "needs a terminal; the suite has one",
	"a remote whose name is an option":          "git looks the name up and does not parse it",
	"the collector":                             "needs git 2.42 and many objects",
}

func TestAttacks(t *testing.T) {
	for _, a := range attacks {
		t.Run(a.name, a.run)
	}
}

// TestAttacksAreReal checks the traps themselves, under plain git.
func TestAttacksAreReal(t *testing.T) {
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			if why := unproven[a.name]; why != "" {
				t.Skip(why)
			}
			a.proven(t)
		})
	}
}
