package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var writeShown = flag.Bool("shown", false, "write what the commands of the documents print into them")

// shownPages are those whose `console` blocks are played.
var shownPages = []string{"first-hour.md", "sandbox.md", "policy-cookbook.md", "evidence.md", "troubleshooting.md"}

// TestWhatThePagesShow plays the `console` blocks of the documents: each line
// that begins with `$ ` is run by sh in a repository, and prints what stands
// below it. … in an expected line is any text, and alone on a line any lines. A
// block of another kind with a file name behind it (```toml policy.toml), and a
// comment `<!-- file NAME`, is that file of the state folder; names that begin
// with ~/ are below the home. Each `## ` section begins anew.
func TestWhatThePagesShow(t *testing.T) {
	for _, name := range shownPages {
		t.Run(name, func(t *testing.T) {
			page := document(t, name)
			made, played := playPage(t, page)
			if played == 0 {
				t.Error("nothing was played")
			}
			if *writeShown && made != page {
				if err := os.WriteFile(filepath.Join(docsDir, name), []byte(made), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// blocks are the fences and comments of a page that mean something here.
var blocks = regexp.MustCompile("(?ms)^```(\\w+)(?: ([^\\n]+))?\\n(.*?)^```$|^<!-- file ([^\\n]+)\\n(.*?)^-->$|^(## )")

// playPage plays a page, and returns it with what was really printed in the
// place of what differs.
func playPage(t *testing.T, page string) (string, int) {
	t.Helper()
	var out strings.Builder
	at, played := 0, 0
	s := newStage(t)
	for _, m := range blocks.FindAllStringSubmatchIndex(page, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return page[m[2*i]:m[2*i+1]]
		}
		switch {
		case part(6) != "":
			s = newStage(t)
		case part(4) != "":
			s.put(part(4), part(5))
		case part(1) == "console":
			out.WriteString(page[at:m[6]])
			out.WriteString(s.play(part(3)))
			at = m[7]
			played++
		case part(2) != "":
			s.put(part(2), part(3))
		}
	}
	return out.String() + page[at:], played
}

// A stage is a home and a repository of its own.
type stage struct {
	*hurt
	base string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	h := newHurt(t)
	s := &stage{h, filepath.Dir(h.home)}
	for name, words := range map[string]string{
		"go.mod": "module example.org/calc\n\ngo 1.24\n", "calc.go": "package calc\n\n// Sum adds.\nfunc Sum(a, b int) int { return a + b }\n",
		"package.json": `{"scripts": {"build": "vite build", "test": "vitest run"}}` + "\n", "test": "#!/bin/sh\nexec go test ./...\n",
		".env": "TOKEN=x\n", "migrations/001.sql": "create table a (b int);\n", "src/parser.go": "package src\n",
	} {
		h.put(h.repo, name, words)
	}
	if out, err := exec.Command("git", "init", "-q", h.repo).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// A model that is scripted takes the place of the real one, where a page
	// holds its script.
	bin := h.put(filepath.Join(s.base, "bin"), "tera-pilot", `#!/bin/sh
case $1 in run) test -f "$HOME/.tera_pilot/model.json" && { shift; exec `+built(t)+` run --script "$HOME/.tera_pilot/model.json" "$@"; };; esac
exec `+built(t)+` "$@"
`)
	if err := os.Chmod(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "PATH="+filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"), "TZ=UTC", "LC_ALL=C.UTF-8")
	return s
}

// put writes a file that a page shows.
func (s *stage) put(name, words string) {
	dir := s.state
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		dir, name = s.home, below
	}
	s.hurt.put(dir, name, words)
}

// play runs the commands of a block, and returns the block as it should be.
func (s *stage) play(block string) string {
	s.t.Helper()
	var out strings.Builder
	for _, one := range strings.Split("\n"+strings.TrimSuffix(block, "\n"), "\n$ ")[1:] {
		command, want, _ := strings.Cut(one, "\n")
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = s.repo, s.env
		printed, err := cmd.CombinedOutput()
		if _, exit := err.(*exec.ExitError); err != nil && !exit {
			s.t.Fatal(err)
		}
		got := strings.TrimSuffix(string(bytes.ReplaceAll(printed, []byte(s.home), []byte("/home/you"))), "\n")
		switch {
		case shows(want, got):
			got = want
		case *writeShown:
			got = volatile.ReplaceAllString(got, "${1}…")
		default:
			s.t.Errorf("$ %s\nprints\n%s\nand the page shows\n%s", command, got, want)
		}
		out.WriteString("$ " + command + "\n")
		if got != "" {
			out.WriteString(got + "\n")
		}
	}
	return out.String()
}

// volatile is what differs each time: times, sessions, heads and ids of the log.
var volatile = regexp.MustCompile(`20\d\d-\d\d-\d\dT[\d:.]+Z|20\d\d-\d\d-\d\d \d\d:\d\d:\d\d|undo-[0-9a-f]{12}|20\d{6}-[0-9a-f]{12}(?:  audit \d+ [0-9a-f]{8})?|(\d:)[0-9a-f]{64}|[0-9a-f]{32}`)

// shows says whether what is printed is what is shown.
func shows(shown, printed string) bool {
	if shown == "" {
		return printed == ""
	}
	var pattern strings.Builder
	for line := range strings.SplitSeq(shown, "\n") {
		if line == "…" {
			pattern.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `[^\n]*`) + `\n`)
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(printed + "\n")
}

func TestShows(t *testing.T) {
	for _, c := range []struct {
		shown, printed string
		want           bool
	}{
		{"a\nb", "a\nb", true}, {"a", "a\nb", false}, {"a\n…", "a\nb\nc", true}, {"a…c", "abc", true}, {"a…c", "a\nc", false},
		{"", "", true}, {"", "a", false}, {"a.c", "abc", false}, {"…\nz", "a\nz", true}, {"…\nz", "a", false},
	} {
		if shows(c.shown, c.printed) != c.want {
			t.Errorf("%q, %q", c.shown, c.printed)
		}
	}
}
