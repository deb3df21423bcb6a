package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/fakemodel"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// An errand is a real task on code that nobody here wrote, and the scripted
// model's way through it. Its last words are "that is all".
type errand struct {
	plant   func(*patient)      // the bug, if it is one
	script  string              // steps
	holds   map[string][]string // by file: what it holds in the end; no words: it is gone
	changed int                 // paths, folders included
	asked   int                 // questions at always_ask
}

// runs is a call of execute_command as a step.
func runs(say, command, when string) string {
	return step(say, when, call("execute_command", map[string]any{"command": command}))
}

func call(tool string, args map[string]any) map[string]any {
	return map[string]any{"tool": tool, "args": args}
}

// step is one step of a script, in pieces of seven bytes.
func step(say, when string, calls ...map[string]any) string {
	s := map[string]any{"say": say, "think": "about " + say, "chunk": 7}
	if len(calls) > 0 {
		s["calls"] = calls
	}
	if when != "" {
		s["when"] = json.RawMessage(when)
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err.Error() // no script: the parser says so
	}
	return string(b)
}

func steps(list ...string) string {
	return `{"steps": [` + strings.Join(append(list, step("that is all", `{"tool": "execute_command", "exit": 0}`)), ",") + `]}`
}

const failed = `{"tool": "execute_command", "exit": 1}`

// replaceIn changes a file of the repository; the old text must be there.
func (p *patient) replaceIn(name, old, now string) {
	p.t.Helper()
	file := filepath.Join(p.repo, name)
	b, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	if strings.Count(string(b), old) != 1 {
		p.t.Fatalf("%q stands %d times in %s", old, strings.Count(string(b), old), name)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(b), old, now, 1)), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func edit(path, old, now string) map[string]any {
	return call("str_replace", map[string]any{"path": path, "old_str": old, "new_str": now})
}

func write(path, content string) map[string]any {
	return call("write_file", map[string]any{"path": path, "content": content})
}

func read(path string) map[string]any { return call("read_file", map[string]any{"path": path}) }

// nodeErrands are those on @fastify/error; its tests take part of a second.
func nodeErrands() map[string]errand {
	const tests = "node --test"
	const helper = "'use strict'\n\nconst { test } = require('node:test')\nconst assert = require('node:assert')\nconst createError = require('../..')\n\ntest('describe', () => assert.strictEqual(createError.describe(createError('a', 'b')()), 'A: b'))\n"
	return map[string]errand{
		"bug": {
			plant: func(p *patient) { p.replaceIn("index.js", "code.toUpperCase()", "code.toLowerCase()") },
			script: steps(runs("the tests", tests, ""),
				step("where", failed, call("grep", map[string]any{"pattern": "toLowerCase", "path": "."}), read("index.js")),
				step("mended", "", edit("index.js", "code.toLowerCase()", "code.toUpperCase()")), runs("again", tests, "")),
			holds: map[string][]string{"index.js": {"code.toUpperCase()"}}, changed: 1, asked: 3,
		},
		"feature": {
			script: steps(step("look", "", read("index.js"), call("list_files", map[string]any{"path": "test"})),
				step("new", "", edit("index.js", "createError.captureStackTrace = true\n", "createError.captureStackTrace = true\ncreateError.describe = (error) => `${error.code}: ${error.message}`\n"),
					write("test/describe/describe.test.js", helper)),
				runs("tests", tests, "")),
			holds: map[string][]string{"index.js": {"createError.describe"}, "test/describe/describe.test.js": {"'A: b'"}}, changed: 3, asked: 3,
		},
		"refactoring": {
			script: steps(step("uses", "", call("grep", map[string]any{"pattern": "toProblemDetails", "path": "."}), read("README.md")),
				runs("renamed", "sed -i s/toProblemDetails/toProblem/g index.js types/index.d.ts types/index.tst.ts test/rfc9457.test.js && chmod 755 index.js", ""),
				step("in words", "", call("multi_edit", map[string]any{"path": "README.md", "edits": []any{map[string]any{"old_str": "toProblemDetails", "new_str": "toProblem", "replace_all": true}}}),
					call("delete_file", map[string]any{"path": "eslint.config.js"}), call("rename_file", map[string]any{"old_path": "LICENSE", "new_path": "LICENSE.txt"})),
				runs("tests", tests, "")),
			holds: map[string][]string{"index.js": {"toProblem ="}, "README.md": {"toProblem("}, "eslint.config.js": nil, "LICENSE": nil, "LICENSE.txt": {"MIT"}}, changed: 8, asked: 5,
		},
	}
}

// pythonErrands are those on gyp; the three modules' tests take no time.
func pythonErrands() map[string]errand {
	const tests = "cd pylib && python3 -m unittest gyp.common_test gyp.easy_xml_test"
	const more = "import unittest\n\nimport gyp.common\n\n\nclass TestUnique(unittest.TestCase):\n    def test_order(self):\n        self.assertEqual(gyp.common.%s([3, 1, 3, 2, 1]), [3, 1, 2])\n"
	return map[string]errand{
		"bug": {
			plant: func(p *patient) {
				p.replaceIn("pylib/gyp/common.py", "ordered_nodes.insert(0, node)", "ordered_nodes.append(node)")
			},
			script: steps(runs("the tests", tests, ""),
				step("where", failed, call("grep", map[string]any{"pattern": "ordered_nodes", "path": "pylib/gyp/common.py"})),
				step("mended", "", edit("pylib/gyp/common.py", "ordered_nodes.append(node)", "ordered_nodes.insert(0, node)")), runs("again", tests, "")),
			holds: map[string][]string{"pylib/gyp/common.py": {"ordered_nodes.insert(0, node)"}}, changed: 1, asked: 3,
		},
		"feature": {
			script: steps(step("look", "", read("pylib/gyp/common.py")),
				step("new", "", edit("pylib/gyp/common.py", "# Based on http", "def last(seq):\n    return uniquer(seq)[-1]\n\n\n# Based on http"),
					write("pylib/gyp/unique_test.py", fmt.Sprintf(more, "uniquer"))),
				runs("tests", tests+" gyp.unique_test", "")),
			holds: map[string][]string{"pylib/gyp/common.py": {"def last(seq)"}, "pylib/gyp/unique_test.py": {"[3, 1, 2]"}}, changed: 2, asked: 3,
		},
		"refactoring": {
			script: steps(step("uses", "", call("grep", map[string]any{"pattern": "uniquer", "path": "pylib"})),
				runs("renamed", "grep -rl uniquer pylib | xargs sed -i s/uniquer/unique/g", ""),
				step("more", "", write("pylib/gyp/unique_test.py", fmt.Sprintf(more, "unique")), call("delete_file", map[string]any{"path": "gyp.bat"})),
				runs("tests", tests+" gyp.unique_test", "")),
			holds: map[string][]string{"pylib/gyp/common.py": {"def unique("}, "pylib/gyp/generator/cmake.py": {"common.unique("}, "gyp.bat": nil}, changed: 7, asked: 4,
		},
	}
}

// goErrands are those on uniseg, which has the bug of TestForeignCode.
func goErrands() map[string]errand {
	return map[string]errand{
		"bug": {
			script: steps(runs("the tests", "go test .", ""),
				step("where", failed, call("grep", map[string]any{"pattern": "case 0x2e3", "path": "."}), read(patientFile)),
				step("mended", "", edit(patientFile, "\t\treturn 5", "\t\treturn 4")), runs("again", "go test .", "")),
			holds: map[string][]string{patientFile: {patientGood}}, changed: 1, asked: 3,
		},
		"feature": {
			script: steps(step("look", "", call("glob", map[string]any{"pattern": "*_test.go"}), read("width.go")),
				step("new", "", write("fits.go", "package uniseg\n\n// Fits says whether a text is at most so many cells wide.\nfunc Fits(text string, cells int) bool { return StringWidth(text) <= cells }\n"),
					write("fits_test.go", "package uniseg\n\nimport \"testing\"\n\nfunc TestFits(t *testing.T) {\n\tif !Fits(\"ab\", 2) || Fits(\"ab\", 1) {\n\t\tt.Error(\"ab\")\n\t}\n}\n")),
				runs("tests", "go test -run TestFits .", "")),
			holds: map[string][]string{"fits.go": {"func Fits"}, "fits_test.go": {"TestFits"}}, changed: 2, asked: 3,
		},
		"refactoring": {
			script: steps(step("uses", "", call("grep", map[string]any{"pattern": "runeWidth", "path": "."})),
				runs("renamed", "grep -lw runeWidth *.go | xargs sed -i s/runeWidth/cellsOfRune/g", ""),
				step("moved", "", call("rename_file", map[string]any{"old_path": "step.go", "new_path": "steps.go"})),
				runs("tests", "go vet . && go test -run Step -skip Width .", "")),
			holds: map[string][]string{"grapheme.go": {"cellsOfRune("}, "width.go": {"func cellsOfRune("}, "steps.go": {"cellsOfRune("}, "step.go": nil}, changed: 4, asked: 3,
		},
	}
}

// TestUses: the three uses, on code of others in three languages, over the
// protocols of five vendors. What was done is proven elsewhere and taken back.
// Not every use is walked with every errand, language and protocol; the soak
// walks all of them. Go is in TestForeignCode, where a build is waited for once.
func TestUses(t *testing.T) {
	type row struct {
		language, errand, protocol, use string
	}
	rows := []row{
		{"node", "bug", "anthropic", "run"},
		{"node", "refactoring", "openai", "acp"},
		{"node", "feature", "gemini", "tmux"},
		{"python", "refactoring", "ollama", "run"},
		{"python", "bug", "gemini", "acp --no-confirm"},
		{"python", "feature", "openai-chat", "tmux"},
	}
	if os.Getenv("TERA_PILOT_SOAK") != "" {
		rows = nil
		for _, language := range []string{"node", "python"} {
			everyUse(func(errand, protocol, use string) { rows = append(rows, row{language, errand, protocol, use}) })
		}
	}
	for _, r := range rows {
		t.Run(strings.Join([]string{r.language, r.errand, r.protocol, r.use}, "/"), func(t *testing.T) {
			p, errands := fromNPM, nodeErrands()
			name, sum, from := nodePackage, nodeSum, "package"
			if r.language == "python" {
				name, sum, from, errands = pythonPackage, pythonSum, "package/gyp", pythonErrands()
			}
			walked(t, p(t, name, sum, from), errands[r.errand], r.protocol, r.use)
		})
	}
}

// everyUse is each errand, over each protocol, in each way.
func everyUse(walk func(errand, protocol, use string)) {
	for _, errand := range []string{"bug", "feature", "refactoring"} {
		for _, protocol := range slices.Sorted(maps.Keys(vendors())) {
			for _, use := range slices.Sorted(maps.Keys(uses())) {
				walk(errand, protocol, use)
			}
		}
	}
}

// uses are the ways to have an errand done. Each says how many questions came.
func uses() map[string]func(*patient, errand) int {
	return map[string]func(*patient, errand) int{
		"run":              headlessly,
		"tmux":             atATerminal,
		"acp":              func(p *patient, e errand) int { return inAnEditor(p, e, "allow_once") },
		"acp --no-confirm": func(p *patient, e errand) int { return inAnEditor(p, e, "reject_once", "--no-confirm") },
	}
}

// vendors are the protocols, and how the program is led to a server that
// speaks one.
func vendors() map[string]func(url string) (env []string, settings string) {
	const key = "sk-test-000000000000000000000000"
	return map[string]func(string) ([]string, string){
		"openai-chat": func(url string) ([]string, string) {
			return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=" + key}, ""
		},
		"openai": func(url string) ([]string, string) {
			return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=" + key}, ""
		},
		"anthropic": func(url string) ([]string, string) {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + key}, ""
		},
		"gemini": func(url string) ([]string, string) {
			return []string{"GEMINI_API_KEY=" + key}, `{"providers": {"gemini": {"base_url": "` + url + `/v1beta"}}}`
		},
		"ollama": func(url string) ([]string, string) { return []string{"OLLAMA_HOST=" + url}, "" },
	}
}

// walked is one use from the plant to the way back.
func walked(t *testing.T, p *patient, e errand, protocol, use string) {
	t.Helper()
	p.t = t
	p.oddities()
	if e.plant != nil {
		e.plant(p)
	}
	if _, err := os.Stat(filepath.Join(p.repo, ".git")); err != nil {
		p.git("init", "-q", "-b", "main")
		p.git("config", "user.name", "T")
		p.git("config", "user.email", "t@example.org")
	}
	p.git("add", "-A", ":!untracked.txt")
	p.git("commit", "-q", "-m", "theirs")
	start, refs := p.tree(), p.refs()
	served := p.serveAs(protocol, e.script)
	asked := uses()[use](p, e)
	if want := e.asked; use == "run" || use == "acp --no-confirm" {
		if asked != 0 {
			t.Errorf("%d questions, with nobody to ask", asked)
		}
	} else if asked != want {
		t.Errorf("%d questions, want %d", asked, want)
	}
	if left := served.Left(); left != 0 {
		t.Errorf("%d steps were not played", left)
	}
	p.done(e, start)
	p.provenElsewhere("execute_command", "execute_commend")
	if code, out, errs := p.run("undo", "--all"); code != exitOK {
		t.Errorf("undo: exit %d\n%s%s", code, out, errs)
	}
	p.same(start, "undo")
	if now := p.refs(); now != refs {
		t.Errorf("git's records were\n%s\nand are\n%s", refs, now)
	}
}

// oddities are what real workspaces hold besides code: what git does not know,
// modes, links, other line ends, names that are no UTF-8, an empty folder.
func (p *patient) oddities() {
	p.t.Helper()
	files := map[string]string{"untracked.txt": "mine\n", "crlf.txt": "a\r\nb\r\n", "caf\xe9.txt": "latin\n"}
	if _, err := os.Stat(filepath.Join(p.repo, "package.json")); err == nil {
		delete(files, "caf\xe9.txt") // node's test runner fails on such a name, of any file
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.repo, name), []byte(text), 0o640); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(p.repo, "empty"), 0o750); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Symlink("crlf.txt", filepath.Join(p.repo, "link")); err != nil {
		p.t.Fatal(err)
	}
}

// refs are git's records that no undo may touch.
func (p *patient) refs() string {
	p.t.Helper()
	return p.git("for-each-ref") + p.git("symbolic-ref", "HEAD") + p.git("stash", "list") + p.git("status", "--porcelain") + p.git("config", "--local", "--list")
}

// serveAs puts the scripted model behind a vendor's protocol.
func (p *patient) serveAs(protocol, script string) *fakemodel.Server {
	p.t.Helper()
	s, err := scenario.Parse([]byte(script))
	if err != nil {
		p.t.Fatalf("%v\n%s", err, script)
	}
	server, err := fakemodel.Start(s, fakemodel.Options{Cwd: p.repo})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(server.Close)
	env, settings := vendors()[protocol](server.URL)
	p.env = append(append(p.env, env...), "TERA_PILOT_PROVIDER="+protocol, "TERA_PILOT_MODEL="+fakemodel.Name)
	if settings != "" {
		p.settings(settings)
	}
	return server
}

// settings are the person's own.
func (p *patient) settings(text string) {
	p.t.Helper()
	if err := os.MkdirAll(p.state, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.state, "config.json"), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// done says what of the errand is not.
func (p *patient) done(e errand, start map[string]string) {
	p.t.Helper()
	for name, words := range e.holds {
		b, err := os.ReadFile(filepath.Join(p.repo, name))
		if len(words) == 0 && err == nil {
			p.t.Errorf("%s is still there", name)
		}
		for _, w := range words {
			if !strings.Contains(string(b), w) {
				p.t.Errorf("%s does not hold %q: %v", name, w, err)
			}
		}
	}
	now, changed := p.tree(), 0
	for name := range now {
		if now[name] != start[name] {
			changed++
		}
	}
	for name := range start {
		if _, ok := now[name]; !ok {
			changed++
		}
	}
	if changed != e.changed {
		p.t.Errorf("%d paths changed, want %d", changed, e.changed)
	}
}

// headlessly is a script's way. No question can come, so that one is an event
// too many.
func headlessly(p *patient, _ errand) (asked int) {
	p.t.Helper()
	code, out, errs := p.run("run", "--no-confirm", "--json", "do it")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var end struct {
		Type, Status, Message string
		Denied                []any
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil || code != exitOK {
		p.t.Fatalf("exit %d, %v\n%s%s", code, err, out, errs)
	}
	if end.Type != "result" || end.Status != "done" || end.Message != "that is all" || len(end.Denied) > 0 {
		p.t.Errorf("the result is %+v", end)
	}
	for _, line := range lines {
		if strings.Contains(line, `"type":"question.opened"`) {
			asked++
		}
	}
	return asked
}

// atATerminal is a person at tmux, who reads and allows once.
func atATerminal(p *patient, _ errand) (asked int) {
	p.t.Helper()
	m := termtest.NewTmux(p.t, 100, 40, p.env, "sh", "-c", "cd "+p.repo+" && "+p.bin+"; echo EXIT $?; sleep 60")
	who := &person{t: p.t, at: tmuxTerminal{m}, says: "a"}
	who.until("enter send")
	m.Type("do it")
	m.Keys("Enter")
	who.until("that is all")
	who.until("enter send")
	m.Keys("C-d")
	m.WaitFor("EXIT 0")
	return len(who.seen)
}

// inAnEditor is an errand by way of the official client SDK.
func inAnEditor(p *patient, _ errand, kind string, flags ...string) (asked int) {
	p.t.Helper()
	seen := inAnEditorOf(p, "do it", kind, flags...)
	if seen.Stop != "end_turn" || !strings.HasSuffix(seen.Text, "that is all") {
		p.t.Errorf("stopped with %s, and %q", seen.Stop, seen.Text)
	}
	for _, q := range seen.Questions {
		if q.Options[0] != "allow_once" || q.Options[len(q.Options)-1] != "reject_once" {
			p.t.Errorf("%s offers %v", q.Title, q.Options)
		}
	}
	return len(seen.Questions)
}

// seenByAnEditor is what testdata/walks/walk.mjs tells of one prompt.
type seenByAnEditor struct {
	Questions []struct {
		Title   string
		Options []string
	}
	Text string
	Stop string
	Exit int
}

// inAnEditorOf is one prompt; questions are answered with the first option of
// a kind.
func inAnEditorOf(p *patient, prompt, kind string, flags ...string) (seen seenByAnEditor) {
	p.t.Helper()
	dir := clientSDK(p.t)
	cmd := exec.Command("node", append([]string{"walk.mjs", p.repo, prompt, kind, p.bin, "acp"}, flags...)...)
	var errs strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = dir, p.env, &errs
	out, err := cmd.Output()
	if err != nil || json.Unmarshal(out, &seen) != nil || seen.Exit != exitOK {
		p.t.Fatalf("%v, exit %d\n%s%s", err, seen.Exit, out, errs.String())
	}
	return seen
}
