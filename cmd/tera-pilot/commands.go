package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// rootCommand builds the command tree. Without a subcommand it is the
// interactive session.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "tera-pilot [DIR]",
		Short:         "A coding agent whose every act you can see, bound and prove",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          folderOnly,
		Version:       version(),
	}
	root.SuggestionsMinimumDistance = 2
	a.interactive(root)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usage("%w: see `%s --help`", err, c.CommandPath()) })
	f := root.PersistentFlags()
	f.StringVar(&a.flags.autonomy, "autonomy", "", "always_ask, new_files_only or never_ask")
	f.StringVar(&a.flags.provider, "provider", "", "model provider")
	f.StringVar(&a.flags.model, "model", "", "model name")
	f.StringVar(&a.flags.config, "config", "", "settings file (default: config.json in the state folder)")
	f.StringVar(&a.flags.home, "home", "", "state folder (default ~/.tera_pilot, or TERA_PILOT_HOME)")
	f.StringVar(&a.flags.root, "root", "", "root folder of the session")
	f.StringVar(&a.flags.script, "script", "", "scenario file for the provider scripted")
	f.StringVar(&a.flags.log, "log", "", "file to write what happens when, for finding faults; no content, no evidence")
	f.BoolVar(&a.flags.ignoreProjectConfig, "ignore-project-config", false, "load nothing of the project's own configuration")
	for _, sub := range []*cobra.Command{
		a.demoCommand(), a.runCommand(), a.sessionsCommand(), a.auditCommand(), a.policyCommand(), a.trustCommand(), a.sandboxCommand(),
		a.gitCommand(), a.modelsCommand(), a.keysCommand(), a.doctorCommand(), a.acpCommand(), a.purgeCommand(), a.webCommand(), a.mcpCommand(),
		a.hooksCommand(), a.undoCommand(), a.manCommand(), a.promptCommand(),
	} {
		root.AddCommand(sub)
	}
	a.addCompletion(root)
	a.completions(root)
	mistakesAreUsage(root)
	giveExamples(root, examples())
	return root
}

// addCompletion makes the command that the library would add when it runs, so
// that it has what all others have: examples, pages, and mistakes with a hint.
func (a *app) addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, sub := range root.Commands() {
		if sub.Name() == "completion" {
			sub.Short = "Write the completions of a shell to stdout"
			sub.Long, sub.Args = "", noSubcommand
			sub.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			a.bareBash(sub)
		}
	}
}

// mistakesAreUsage gives a wrong number of words, flags that are missing and
// flags that exclude each other the exit code of a mistake in the call.
func mistakesAreUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err == nil {
				err = wrongFlags(c)
			}
			if err != nil && strings.Contains(err.Error(), "`tera-pilot ") {
				return err // it says already what to do
			}
			if err != nil {
				return usage("%s: see `%s --help`", wrongWords(c, args, err), c.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		mistakesAreUsage(sub)
	}
}

// wrongWords says in place of the library how many words are missing or too
// many, and how the command is written.
func wrongWords(c *cobra.Command, args []string, err error) string {
	said := err.Error()
	switch {
	case strings.HasPrefix(said, "unknown command "):
		return fmt.Sprintf("%s takes no words, and got %q", c.CommandPath(), args[0])
	case !strings.Contains(said, " arg(s), "):
		return said
	case len(args) == 0:
		return "words are missing, the form is `" + c.UseLine() + "`"
	case strings.HasPrefix(said, "requires at least"):
		return "a word is missing, the form is `" + c.UseLine() + "`"
	}
	var most, got int
	if n, _ := fmt.Sscanf(said, "accepts %d arg(s), received %d", &most, &got); n == 2 && got < most {
		return "a word is missing, the form is `" + c.UseLine() + "`"
	}
	return "too many words, the form is `" + c.UseLine() + "`"
}

// wrongFlags says in fewer words than the library which flags are missing, or
// exclude each other.
func wrongFlags(c *cobra.Command) error {
	if err := c.ValidateRequiredFlags(); err != nil {
		return errors.New("--" + missing(err.Error()) + " is missing")
	}
	err := c.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	_, list, found := strings.Cut(err.Error(), "; [")
	list, _, whole := strings.Cut(list, "] were all set")
	if !found || !whole {
		return err
	}
	return errors.New("--" + strings.ReplaceAll(list, " ", " and --") + " exclude each other")
}

// missing are the names that stand in quotes.
func missing(text string) string {
	var names []string
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			names = append(names, part)
		}
	}
	return strings.Join(names, ", --")
}

// folderOnly takes one folder, and tells a misspelt command from it.
func folderOnly(root *cobra.Command, args []string) error {
	if len(args) > 0 {
		info, err := os.Stat(args[0])
		isFolder := err == nil && info.IsDir()
		if near := root.SuggestionsFor(args[0]); len(near) > 0 && !isFolder {
			return usage("there is no command and no folder %q: did you mean `tera-pilot %s`?", args[0], near[0])
		}
		if errors.Is(err, fs.ErrNotExist) {
			return usage("there is no command and no folder %q: `tera-pilot --help` lists the commands", args[0])
		}
	}
	return cobra.MaximumNArgs(1)(root, args)
}
