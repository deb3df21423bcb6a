package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestCommandsInThePages: every command line of ours that a document names is
// one: its subcommands are there, and so are its flags.
func TestCommandsInThePages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(docsDir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(docsDir, "..", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("(?m)^(?:    |\\$ |    \\$ )tera-pilot(?: (.*))?$|`tera-pilot ([^`]+)`")
	root := (&app{}).rootCommand()
	n := 0
	for _, page := range append(pages, more...) {
		if filepath.Base(page) == "CHANGELOG.md" {
			continue // tells of what was
		}
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllStringSubmatch(string(b), -1) {
			n++
			if what := wrongCall(root, m[1]+m[2]); what != "" {
				t.Errorf("%s names `tera-pilot %s`: %s", filepath.Base(page), m[1]+m[2], what)
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d commands were found", n)
	}
}

var (
	quotedWords = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	lowerWord   = regexp.MustCompile(`^[a-z]+$`)
	behindCall  = regexp.MustCompile(`  #| -- | [|<>] `)
	longFlag    = regexp.MustCompile(`^\[?--([a-z-]+)`)
)

// wrongCall says what of a command line is not there, "" for nothing.
func wrongCall(root *cobra.Command, text string) string {
	text = behindCall.Split(quotedWords.ReplaceAllString(text, "WORDS"), 2)[0]
	target, operands, value := root, false, false
	var flags []string
	for _, word := range strings.Fields(text) {
		word = strings.TrimRight(word, ";,.")
		if m := longFlag.FindStringSubmatch(word); m != nil {
			flags = append(flags, m[1])
			f := target.Flag(m[1])
			value = f != nil && f.Value.Type() != "bool" && !strings.Contains(word, "=")
			continue
		}
		if operands || value {
			value = false
			continue
		}
		if sub := subcommand(target, word); sub != nil {
			target = sub
			continue
		}
		if target.HasSubCommands() && lowerWord.MatchString(word) {
			return "there is no command " + word
		}
		operands = true
	}
	for _, name := range flags {
		if !target.DisableFlagParsing && target.Flag(name) == nil && name != "help" && name != "version" {
			return "there is no flag --" + name
		}
	}
	return ""
}

func subcommand(c *cobra.Command, name string) *cobra.Command {
	name, _, _ = strings.Cut(name, "|") // list|test
	for _, sub := range c.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}
