package agent

import (
	"cmp"
	"os/exec"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Code of each language runs in the sandbox, and is asked about whole.
func TestRunCode(t *testing.T) {
	for lang, c := range map[string]struct{ code, want string }{
		"python": {"import sys\nprint('sum', 2 + 3)\nopen('made.txt', 'w').write('by code')\n", "sum 5"},
		"node":   {"const n = 2 + 3\nconsole.log('sum', n)\nrequire('fs').writeFileSync('made.txt', 'by code')\n", "sum 5"},
		"bash":   {"echo sum $((2 + 3))\nprintf 'by code' > made.txt\n", "sum 5"},
	} {
		t.Run(lang, func(t *testing.T) {
			if program := map[string]string{"python": "python3"}[lang]; !installed(cmp.Or(program, lang)) {
				t.Skipf("%s is not installed: ./test installs it", lang)
			}
			r := newRig(t, []step{{Calls: []call{{"run_code", map[string]any{"language": lang, "code": c.code}}}}, {Say: "done"}}, nil)
			var asked event.Question
			r.person = func(q event.Question) event.Answer { asked = q; return yes(q) }
			r.start("")
			r.turn("go")
			r.stop()
			res := r.results()[0]
			if res.Status != "ok" || !strings.Contains(res.Body, c.want) || r.read("made.txt") != "by code" {
				t.Errorf("%+v; made.txt: %q", res, r.read("made.txt"))
			}
			var shown []string
			for _, l := range asked.Lines {
				shown = append(shown, l.Text)
			}
			for line := range strings.SplitSeq(strings.TrimSpace(c.code), "\n") {
				if !strings.Contains(strings.Join(shown, "\n"), line) {
					t.Errorf("the question does not show %q:\n%s", line, strings.Join(shown, "\n"))
				}
			}
			r.verify()
		})
	}
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
