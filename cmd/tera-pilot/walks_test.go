package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A stroll is a small package with one planted bug, and how it is mended: what
// a stranger would try first with code of the own.
type stroll struct {
	*patient
	needs     string            // the program without which there is nothing to try
	files     map[string]string // the package
	file      string            // the one with the bug
	bad, good string            // the bug, and what it ought to be; once each in the file
}

// strolls are packages of two languages, with the test runner that each brings
// along. A third is in TestForeignCode, where the first build is waited for
// anyway.
func strolls() map[string]stroll {
	return map[string]stroll{
		"node": {
			needs: "node", file: "slug.js", bad: `'_'`, good: `'-'`,
			files: map[string]string{
				"package.json":      "{\"name\": \"slug\", \"version\": \"1.0.0\", \"main\": \"slug.js\", \"scripts\": {\"test\": \"node --test\"}}\n",
				"slug.js":           "'use strict';\nexports.slug = (text) => text.toLowerCase().trim().split(/\\s+/).join('_');\n",
				"test/slug.test.js": "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { slug } = require('../slug.js');\n\ntest('words', () => assert.strictEqual(slug('Hello  World'), 'hello-world'));\n",
			},
		},
		"python": {
			needs: "python3", file: "slug.py", bad: `"_"`, good: `"-"`,
			files: map[string]string{
				"pyproject.toml":     "[project]\nname = \"slug\"\nversion = \"1.0.0\"\n",
				"slug.py":            "def slug(text):\n    return \"_\".join(text.lower().split())\n",
				"tests/__init__.py":  "",
				"tests/test_slug.py": "import unittest\n\nfrom slug import slug\n\n\nclass SlugTest(unittest.TestCase):\n    def test_words(self):\n        self.assertEqual(slug(\"Hello  World\"), \"hello-world\")\n",
			},
		},
	}
}

// TestWalks: a planted bug is found by the tests, mended, tested and committed;
// first nothing is allowed, then what the ledger named, then everything the
// sandbox bounds. What happened is proven elsewhere, with the public key alone,
// and after undo the tree is what it was, byte for byte.
func TestWalks(t *testing.T) {
	for name, s := range strolls() {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(s.needs); err != nil {
				t.Fatalf("%s is not installed: ./test installs it", s.needs)
			}
			if name == "node" {
				if _, err := exec.LookPath("npm"); err != nil {
					t.Fatal("npm is not installed: ./test installs it")
				}
			}
			s.patient = withBug(t, s.files)
			s.wanted = strings.Replace(s.files[s.file], s.bad, s.good, 1)
			start := s.tree()
			rules := s.nothingAllowed(start)
			s.work("with the rules of the ledger", rules, start)
			s.work("with --no-confirm", "", start, "--no-confirm")
			s.provenElsewhere("slug: words are parted by dashes", "slug: words are parted by dishes")
		})
	}
}

// foreignAndBack is the same walk on code that nobody here wrote.
func foreignAndBack(t *testing.T, p *patient) {
	s := stroll{patient: p, file: patientFile, bad: "\t\treturn 5", good: "\t\treturn 4"}
	s.work("with --no-confirm", "", s.tree(), "--no-confirm")
	s.provenElsewhere("slug: words are parted by dashes", "slug: words are parted by dishes")
}

// foreignEditor is a new feature, by way of an editor and another vendor; the
// soak walks every errand in every way.
func foreignEditor(t *testing.T, p *patient) {
	env := p.env
	walk := func(errand, protocol, use string) {
		t.Run(strings.Join([]string{errand, protocol, use}, "/"), func(t *testing.T) {
			head := p.git("rev-parse", "HEAD")
			defer func() { // also when the walk failed: others follow
				p.git("reset", "-q", "--hard", strings.TrimSpace(head))
				p.git("clean", "-dfq", "-e", ".gitignore")
				p.env = env
			}()
			walked(t, p, goErrands()[errand], protocol, use)
		})
	}
	if os.Getenv("TERA_PILOT_SOAK") != "" {
		everyUse(walk)
	} else {
		walk("feature", "anthropic", "acp")
	}
	p.t = t
}

// withBug is a repository with the files, in a home of its own.
func withBug(t *testing.T, files map[string]string) *patient {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &patient{t: t, bin: built(t), home: filepath.Join(base, "home")}
	p.state, p.repo = filepath.Join(p.home, ".tera_pilot"), filepath.Join(p.home, "slug")
	for name, content := range files {
		file := filepath.Join(p.repo, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.env = append(os.Environ(), "HOME="+p.home, "TERA_PILOT_HOME=", "OPENAI_API_KEY=sk-test-000000000000000000000000", "TERM=xterm-256color")
	p.git("init", "-q", "-b", "main")
	p.git("config", "user.name", "T")
	p.git("config", "user.email", "t@example.org")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "with a bug")
	return p
}

// script is the scripted model's work: when is what it goes on after, a result
// of the tool or a no.
func (s stroll) script(denied bool) string {
	edit := fmt.Sprintf(`{"tool": "str_replace", "args": {"path": %q, "old_str": %q, "new_str": %q}}`, s.file, s.bad, s.good)
	const verify = `{"tool": "self_verify", "args": {}}`
	commit := fmt.Sprintf(`{"tool": "git_commit", "args": {"message": "slug: words are parted by dashes", "paths": [%q]}}`, s.file)
	if denied {
		return fmt.Sprintf(`{"steps": [
			{"say": "The tests.", "calls": [%s]},
			{"when": {"decision": "denied"}, "say": "Then the edit.", "calls": [%s]},
			{"when": {"decision": "denied"}, "say": "Then a commit.", "calls": [%s]},
			{"when": {"decision": "denied"}, "say": "I may do nothing here."}]}`, verify, edit, commit)
	}
	return fmt.Sprintf(`{"steps": [
		{"say": "The tests.", "calls": [%s]},
		{"when": {"tool": "self_verify", "exit": 1}, "say": "A dash is wanted.", "calls": [%s]},
		{"when": {"tool": "str_replace", "contains": %q}, "say": "Once more.", "calls": [%s]},
		{"when": {"tool": "self_verify", "exit": 0}, "say": "They pass.", "calls": [%s]},
		{"when": {"tool": "git_commit", "exit": 0}, "say": "Mended and committed."}]}`, verify, edit, s.file, verify, commit)
}

// nothingAllowed: where nobody can be asked, nothing happens, and the ledger
// says what would have allowed it.
func (s stroll) nothingAllowed(start map[string]string) (rules string) {
	s.t.Helper()
	s.serve(s.script(true))
	code, out, errs := s.run("run", "the tests fail, mend them")
	if code != exitDenied || !strings.Contains(out, "I may do nothing here.") {
		s.t.Fatalf("exit %d\n%s\n%s", code, out, errs)
	}
	s.same(start, "a run without any yes")
	for line := range strings.SplitSeq(errs, "\n") {
		if strings.HasPrefix(line, "[[") || strings.Contains(line, " = ") {
			rules += strings.TrimSpace(line) + "\n"
		}
	}
	return rules
}

// work is one run that mends and commits, and its way back.
func (s stroll) work(how, rules string, start map[string]string, flags ...string) {
	s.t.Helper()
	policy := filepath.Join(s.state, "policy.toml")
	if err := os.WriteFile(policy, []byte(rules), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.serve(s.script(false))
	code, out, errs := s.run(append(append([]string{"run"}, flags...), "the tests fail, mend them")...)
	if code != exitOK || !strings.Contains(out, "Mended and committed.") || !strings.Contains(errs, "tests verified") {
		s.t.Fatalf("%s: exit %d\n%s\n%s", how, code, out, errs)
	}
	if got, err := os.ReadFile(filepath.Join(s.repo, s.file)); err != nil || string(got) != s.wanted {
		s.t.Errorf("%s: %s is not mended: %v\n%s", how, s.file, err, got)
	}
	if log := s.git("log", "--format=%s", "-1"); log != "slug: words are parted by dashes\n" || s.git("status", "--porcelain") != "" {
		s.t.Errorf("%s: the commit is %q, and git status %q", how, log, s.git("status", "--porcelain"))
	}
	if code, out, errs := s.run("undo", "--all"); code != exitOK {
		s.t.Errorf("%s: undo: exit %d\n%s%s", how, code, out, errs)
	}
	s.same(start, how+", and undo")
	s.git("reset", "-q", "HEAD~1") // git's own records are git's to put back
	if st := s.git("status", "--porcelain"); st != "" {
		s.t.Errorf("%s: after undo and git reset: %s", how, st)
	}
}

// provenElsewhere takes the export and the public key to another home, that
// nothing else of this program has ever seen. A word of the evidence, spelt
// otherwise, is found.
func (p *patient) provenElsewhere(word, forgery string) {
	p.t.Helper()
	there := p.t.TempDir()
	export := filepath.Join(there, "run.json")
	if code, out, errs := p.run("audit", "export", "--out", export); code != exitOK {
		p.t.Fatalf("export: exit %d\n%s%s", code, out, errs)
	}
	key, err := os.ReadFile(filepath.Join(p.state, "audit_key.pub"))
	if err != nil {
		p.t.Fatal(err)
	}
	pub := filepath.Join(there, "audit_key.pub")
	if err := os.WriteFile(pub, key, 0o600); err != nil {
		p.t.Fatal(err)
	}
	verify := func() int {
		cmd := exec.Command(p.bin, "audit", "verify", "run.json", "--pubkey", "audit_key.pub")
		cmd.Dir, cmd.Env = there, []string{"HOME=" + there, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			p.t.Fatal(err)
		}
		p.t.Logf("elsewhere: %s", out)
		return cmd.ProcessState.ExitCode()
	}
	if code := verify(); code != exitOK {
		p.t.Errorf("elsewhere: exit %d", code)
	}
	if _, err := os.Lstat(filepath.Join(there, ".tera_pilot")); err == nil {
		p.t.Error("a look at somebody's evidence left a state folder")
	}
	b, err := os.ReadFile(export)
	if err != nil {
		p.t.Fatal(err)
	}
	forged := strings.Replace(string(b), word, forgery, 1)
	if forged == string(b) {
		p.t.Fatalf("%q is not in the evidence", word)
	}
	if err := os.WriteFile(export, []byte(forged), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if code := verify(); code != exitFailed {
		p.t.Errorf("with one letter changed: exit %d", code)
	}
}

// tree is all that lies in the repository but git's own: mode and content, or
// where a link leads.
func (p *patient) tree() map[string]string {
	p.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(p.repo, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(p.repo, path)
		if err != nil {
			return err
		}
		if name == ".git" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[name] = info.Mode().String()
		switch {
		case d.Type().IsRegular():
			b, err := os.ReadFile(path)
			out[name] += " " + string(b)
			return err
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			out[name] += " " + to
			return err
		default:
			return nil
		}
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// same says what of the tree is not as it was.
func (p *patient) same(was map[string]string, after string) {
	p.t.Helper()
	now := p.tree()
	for name, want := range was {
		if now[name] != want {
			p.t.Errorf("after %s %s is %q, and was %q", after, name, now[name], want)
		}
	}
	for name := range now {
		if _, ok := was[name]; !ok {
			p.t.Errorf("after %s there is %s", after, name)
		}
	}
}
