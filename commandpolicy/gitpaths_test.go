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
