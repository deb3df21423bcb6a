package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// everyCommand goes through the tree of commands.
func everyCommand(c *cobra.Command, see func(*cobra.Command)) {
	see(c)
	for _, sub := range c.Commands() {
		everyCommand(sub, see)
	}
}

// TestEveryHelpShowsAnExample, and every flag says what it does. An example
// begins with the command that it is of, and its flags are there.
func TestEveryHelpShowsAnExample(t *testing.T) {
	root := (&app{}).rootCommand()
	seen := 0
	everyCommand(root, func(c *cobra.Command) {
		seen++
		if c.Short == "" {
			t.Errorf("%s: says nothing", c.CommandPath())
		}
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s: shows no example of itself: %q", c.CommandPath(), c.Example)
		}
		for line := range strings.SplitSeq(c.Example, "\n") {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "tera-pilot" {
				continue
			}
			target, _, err := root.Find(words[1:])
			if err != nil || target.DisableFlagParsing {
				continue
			}
			for _, w := range words[1:] {
				name, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), "=")
				if w == "--" || w == "|" {
					break
				}
				if strings.HasPrefix(w, "--") && target.Flag(name) == nil {
					t.Errorf("%s: the example has the flag --%s, which is not there", c.CommandPath(), name)
				}
			}
		}
	})
	if seen < 40 {
		t.Errorf("only %d commands", seen)
	}
}

// TestMistakesNameTheNextStep: whatever is wrong in a call is exit 2 and one
// line that says what to do; nothing is printed on stdout.
func TestMistakesNameTheNextStep(t *testing.T) {
	h := newHurt(t)
	bin := built(t)
	try := func(args ...string) {
		cmd := exec.Command(bin, args...)
		cmd.Dir, cmd.Env = h.repo, h.env
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run() // its exit code is looked at
		if code := cmd.ProcessState.ExitCode(); code != exitUsage {
			t.Errorf("%v: exit %d\n%s", args, code, errs.String())
		}
		if out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 || !strings.HasPrefix(errs.String(), "tera-pilot: ") || !strings.Contains(errs.String(), "`tera-pilot") {
			t.Errorf("%v: %q %q", args, out.String(), errs.String())
		}
	}
	everyCommand((&app{}).rootCommand(), func(c *cobra.Command) {
		words := strings.Fields(c.CommandPath())[1:]
		if c.DisableFlagParsing {
			return // all of its words are another program's
		}
		try(append(words, "--no-such-flag")...)
		if c.HasSubCommands() && len(words) > 0 {
			try(append(words, "no-such-word")...)
		}
	})
	for _, call := range []string{
		"keys set openai", "undo --list --dry-run", "run --continue --session x y", "--inline --lines", "sesions list", "polcy", "policy explin ls",
		"doctor --project not-there", "audit show --status denied", "audit show --category files",
	} {
		try(strings.Fields(call)...)
	}
}

// TestCompletionsAndManPages are made by the program itself, whole.
func TestCompletionsAndManPages(t *testing.T) {
	h := newHurt(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := h.must("completion", shell); !strings.Contains(out, "tera-pilot") || len(out) < 1000 {
			t.Errorf("%s: %.200s", shell, out)
		}
	}
	dir := filepath.Join(h.home, "man")
	h.must("man", dir)
	pages := 0
	everyCommand((&app{}).rootCommand(), func(c *cobra.Command) {
		pages++
		page, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		if err != nil || !strings.HasPrefix(string(page), ".TH ") || !strings.Contains(string(page), ".SH EXAMPLES") {
			t.Errorf("%s: %v", c.CommandPath(), err)
		}
		for _, line := range strings.Split(string(page), "\n") {
			if strings.HasPrefix(line, "'") {
				t.Errorf("%s: %q would be a request of the formatter", c.CommandPath(), line)
			}
		}
	})
	if made, err := os.ReadDir(dir); err != nil || len(made) != pages {
		t.Errorf("%d files of %d commands, %v", len(made), pages, err)
	}
}
