package commandpolicy

import "testing"

// TestGitIsNoWayAroundARuleAboutPaths: what git moves, deletes and overwrites is
// held to the rules about paths as what mv and rm do is.
func TestGitIsNoWayAroundARuleAboutPaths(t *testing.T) {
	p := New(mustLoad(t, LayerUser, `
[[path]]
glob     = ["kept/**"]
effect   = ["create", "write", "delete", "rename"]
decision = "deny"
`))
	for text, want := range map[string]Decision{
		"git mv src/a kept/a":                   Deny,
		"git mv src/a src/b kept":               Deny,
		"git mv kept/a src/a":                   Deny,
		"git mv -f src/a kept/sub/":             Deny,
		"git -C src mv a ../kept/a":             Deny,
		"git -C kept -C sub mv a ../b":          Deny,
		"git -C kept rm a":                      Deny,
		"git rm -r kept":                        Deny,
		"git clean -fd kept":                    Deny,
		"git restore kept/a":                    Deny,
		"git checkout HEAD~1 -- kept/a":         Deny,
		"git restore --staged --worktree kept/": Deny,
		"git checkout -- .":                     Deny,
		"git restore .":                         Deny,
		"git -C src restore ..":                 Deny,
		"mv src .":                              Deny,
		"git mv src .":                          Deny,
		"sh -c 'git mv src/a kept/a' && ls":     Deny,
		"git mv src/a src/b":                    Ask,
		"git rm --cached kept/a":                Ask,
		"git restore --staged kept/a":           Ask,
		"git checkout topic":                    Ask,
		"git log -- kept/a":                     Allow,
		"git diff kept":                         Allow,
	} {
		if got, hit := p.Decide(analysed(text), at()); got != want {
			t.Errorf("%s: %v by %v, want %v", text, got, hit, want)
		}
	}
}

// TestGitShowsNothingThatARuleHides: what git prints of a path is read, also from
// a commit or the index, and where no path is named all of them are.
func TestGitShowsNothingThatARuleHides(t *testing.T) {
	p := New(mustLoad(t, LayerUser, `
[[path]]
glob     = ["vault/**"]
effect   = ["read"]
decision = "deny"
`))
	c := Context{Workspace: "/workspace", Home: "/home/u", Env: map[string]string{"HOME": "/home/u"}}
	c.Look = Overlay{Base: nothing{}, Files: map[string]bool{"/workspace/vault/x": true, "/workspace/src/a.go": true}}
	for text, want := range map[string]Decision{
		"git show HEAD:vault/x": Deny, "git show HEAD:vault/x | cat": Deny, "git show :0:vault/x": Deny, "git show :vault/x": Deny,
		"git show 'HEAD^{tree}:vault/x'": Deny, "git cat-file -p HEAD:./vault/x": Deny, "cd src; git show HEAD:vault/x": Deny,
		"git diff HEAD~1..HEAD:vault/x": Deny, "git blame vault/x": Deny, "git log -p -- vault/x": Deny, "git log -L1,1:vault/x": Deny,
		"git -C vault diff -- x": Deny, "git grep T -- vault/x": Deny, "git show ':(top)vault/x'": Deny,
		"git grep T": Ask, "git show HEAD": Ask, "git diff": Ask, "git log -p": Ask, "git diff HEAD -- 'vaul[t]'": Ask, "git diff -- ':!src'": Ask,
		"git diff -- ':(exclude)src'": Ask, "git diff -- :/": Ask, "git stash show -p": Ask,
		"git diff -- src": Allow, "git show HEAD:src/a.go": Allow, "git blame src/a.go": Allow, "git log -- vault": Allow, "git log --oneline": Allow,
		"git status": Allow, "git grep T -- src": Allow,
	} {
		if got, hit := p.Decide(Parse(text, c), at()); got != want {
			t.Errorf("%s: %v by %v, want %v", text, got, hit, want)
		}
		if got, _ := New().Decide(Parse(text, c), at()); got != Allow {
			t.Errorf("%s: %v without a rule", text, got)
		}
	}
}
