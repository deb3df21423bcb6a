package ossandbox

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestOnThisMac is the self test for somebody who has a Mac. Nobody of us ran
// it: a failure here is news.
func TestOnThisMac(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/.env", "KEY=the-secret")
	b.write(b.home+"/notes", "the-secret")
	for _, c := range []struct{ script, has, lacks string }{
		{"echo $((6*7)); pwd", "42", ""},
		{"cat .env; cat ~/notes; cat ~/.ssh/id_ed25519; cat " + b.home + "/.ssh/id_ed25519", "", "the-s"},
		{"echo x > .git/hooks/pre-commit; echo x > .GIT/hooks/pre-commit; mv .git x; echo x >> .git/config; ls .git/hooks", "", "pre-commit\n"},
		{"mkdir .claude; echo x > .vscode; echo x > " + b.home + "/new; ls -A . " + b.home, "", "new"},
		{"echo x > f && cat f; echo y > $TMPDIR/t && cat $TMPDIR/t", "x\ny", ""},
		{"git add -A && git -c user.name=T -c user.email=t@e.invalid commit -qm inside && git log --format=%s -1", "inside", ""},
		{"nc -z -G 2 1.1.1.1 53 && echo reached", "", "reached"},
	} {
		out, _ := b.sh(c.script)
		if !strings.Contains(out, c.has) || (c.lacks != "" && strings.Contains(out, c.lacks)) {
			t.Errorf("%s:\n%s", c.script, out)
		}
	}
	if hooks, _ := filepath.Glob(b.work + "/.git/hooks/pre-commit"); len(hooks) > 0 || exists(b.home+"/new") || exists(b.work+"/.claude") {
		t.Error("something was written that must not be")
	}
}
