package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand writes the manual pages. They are the help texts, in the form that
// man reads (groff_man(7)); the library's own generator would bring a Markdown
// parser along.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages into a folder",
		Long:    "Write one manual page a command into DIR, which is made where it is not there.",
		Example: "  tera-pilot man ~/.local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return usage("the folder cannot be made: %w", err)
			}
			return manPages(cmd.Root(), args[0])
		},
	}
}

func manPages(c *cobra.Command, dir string) error {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(manPage(c, name)), 0o644); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if sub.Name() == "help" {
			continue // the library's own
		}
		if err := manPages(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// manPage is one page. Every line of text goes through roff.
func manPage(c *cobra.Command, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n", strings.ToUpper(name), "tera-pilot "+version(), roff(name), roff(c.Short), roff(c.UseLine()))
	paragraphs := strings.Split(cmp.Or(c.Long, c.Short), "\n\n")
	for i := range paragraphs {
		paragraphs[i] = roff(paragraphs[i])
	}
	b.WriteString(strings.Join(paragraphs, "\n.PP\n") + "\n")
	manFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manFlags(&b, "COMMON OPTIONS", c.InheritedFlags())
	fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	fmt.Fprintf(&b, ".SH EXIT STATUS\n0 done, 1 a negative verdict, 2 a mistake in the call; docs/exit\\-codes.md has them all.\n")
	if c.HasSubCommands() || c.HasParent() {
		b.WriteString(".SH SEE ALSO\n")
		if c.HasParent() {
			fmt.Fprintf(&b, ".BR %s (1)\n", roff(strings.ReplaceAll(c.Parent().CommandPath(), " ", "-")))
		}
		for _, sub := range c.Commands() {
			if sub.Name() != "help" {
				fmt.Fprintf(&b, ".BR %s (1)\n", roff(strings.ReplaceAll(sub.CommandPath(), " ", "-")))
			}
		}
	}
	return b.String()
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		word := "--" + f.Name
		if f.Shorthand != "" {
			word = "-" + f.Shorthand + ", " + word
		}
		if f.Value.Type() != "bool" {
			word += " " + strings.ToUpper(f.Value.Type())
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(word), roff(f.Usage))
	})
}

// roff is text that the formatter prints as it is.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
