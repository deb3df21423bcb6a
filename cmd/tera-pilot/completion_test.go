package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestCompletionsKnowEveryFlag: no flag that wants a word is left to the shell,
// which would propose files.
func TestCompletionsKnowEveryFlag(t *testing.T) {
	everyCommand((&app{}).rootCommand(), func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, ok := c.GetFlagCompletionFunc(f.Name); !ok && f.Value.Type() != "bool" {
				t.Errorf("%s --%s", c.CommandPath(), f.Name)
			}
		})
		if c.ValidArgsFunction == nil {
			t.Errorf("%s: its arguments", c.CommandPath())
		}
	})
}

// TestCompletionInBash, where the package bash-completion is not installed.
func TestCompletionInBash(t *testing.T) {
	bin, home := built(t), t.TempDir()
	const tab = `compopt() { :; } # there is none outside of a real completion
source <("$1" completion bash)
shift
tera-pilot() { "$BIN" "$@"; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9
__start_tera-pilot
echo "${COMPREPLY[*]}"`
	for _, c := range []struct{ words, want string }{
		{"tera-pilot au", "audit"},
		{"tera-pilot run --au", "--autonomy"},
		{"tera-pilot run --autonomy ", "always_ask new_files_only never_ask"},
		{"tera-pilot run --autonomy = ne", "new_files_only never_ask"}, // as bash parts it
		{"tera-pilot --provider openai-", "openai-chat"},
		{"tera-pilot sessions show ", ""}, // there is none, and a file is none
	} {
		cmd := exec.Command("bash", append([]string{"--norc", "-c", tab, "bash", bin}, strings.Split(c.words, " ")...)...)
		cmd.Env = append(os.Environ(), "HOME="+home, "TERA_PILOT_HOME=", "BIN="+bin)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != c.want {
			t.Errorf("%q: %v, %q, want %q", c.words, err, out, c.want)
		}
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("a tab made %v, %v", left, err)
	}
}
