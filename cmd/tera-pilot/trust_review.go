package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/trust"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/lines"
)

// trustFlags are the flags of `trust`.
type trustFlags struct {
	accept      string // the digest that was seen
	textOnly    bool
	forget, all bool
}

func (a *app) trustCommand() *cobra.Command {
	var f trustFlags
	c := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Look at what a project's own configuration would run, connect or loosen, and let it in or not",
		Long: `List what the project in DIR (default: here) would run, connect to, loosen or say
to the model, and ask. Nothing of it is loaded before you say so, and one changed
byte asks again. Without a terminal the list ends with its digest; --accept takes
that digest, and counts only if a fresh look gives the very same.
Exit 0: nothing is left to be looked at; 4: something is.`,
		Example: `  tera-pilot trust
  tera-pilot trust --accept 5f0c… --without-executables
  tera-pilot trust --forget`,
		Args: policyArgs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return a.trust(cmd.Context(), f, dir)
		},
	}
	c.Flags().StringVar(&f.accept, "accept", "", "let in what has this digest")
	c.Flags().BoolVar(&f.textOnly, "without-executables", false, "with --accept: leave out what runs or connects")
	c.Flags().BoolVar(&f.forget, "forget", false, "take your word on this project back")
	c.Flags().BoolVar(&f.all, "list", false, "list the projects that you spoke about")
	c.MarkFlagsMutuallyExclusive("accept", "forget", "list")
	return c
}

func (a *app) trust(ctx context.Context, f trustFlags, dir string) error {
	if f.textOnly && f.accept == "" {
		return usage("--without-executables goes with --accept DIGEST")
	}
	p, err := a.place(dir)
	if err != nil {
		return err
	}
	store := trust.NewStore(p.state)
	if f.all {
		known, err := store.Known()
		for _, root := range known {
			fmt.Fprintln(a.stdout, visible.Strict(root))
		}
		return err
	}
	if f.forget {
		return a.forgetTrust(ctx, p, store)
	}
	project, s, err := a.standing(p.state, p.root, p.start)
	if err != nil {
		return err
	}
	if project == nil {
		return usage("trust looks at the project's configuration: leave --ignore-project-config out")
	}
	err = a.reviewTrust(ctx, f, p, project, s)
	return errors.Join(err, project.Close())
}

// reviewTrust shows a standing and takes the person's word on it.
func (a *app) reviewTrust(ctx context.Context, f trustFlags, p place, project *trust.Project, s trust.Standing) error {
	if s.Nothing() {
		fmt.Fprintf(a.stdout, "%s holds nothing that would run, connect, loosen a rule or speak to the model\n", visible.Strict(s.Root))
		return nil
	}
	choice := trust.No
	switch {
	case f.accept != "" && f.accept != s.Digest():
		showStanding(a.stdout, s)
		return &exitError{exitFailed, fmt.Errorf("this is not what has the digest %s; it has %s: nothing was let in", visible.Strict(f.accept), s.Digest())}
	case f.accept != "":
		choice = trust.All
		if f.textOnly {
			choice = trust.WithoutExecutable
		}
	case isTerminal(a.stdin) && isTerminal(a.stdout):
		var err error
		if choice, err = a.reviewProject(s); err != nil {
			return err
		}
	default:
		showStanding(a.stdout, s)
		fmt.Fprintf(a.stdout, "digest %s\n", s.Digest())
		if s.Asks() {
			return &exitError{code: exitUntrusted}
		}
		return nil
	}
	if _, err := a.decideTrust(ctx, p.state, project, s, choice); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, map[trust.Choice]string{
		trust.All: "let in: all of it, until a byte changes", trust.WithoutExecutable: "let in: what neither runs nor connects", trust.No: "let in: nothing",
	}[choice])
	if choice == trust.No {
		return &exitError{code: exitUntrusted}
	}
	return nil
}

func (a *app) forgetTrust(ctx context.Context, p place, store *trust.Store) error {
	found := false
	err := a.recorded(ctx, p.state, audit.TrustDecision(p.root, "", "withdrawn", audit.ByCLI), func() (err error) {
		found, err = store.Forget(p.root)
		return err
	})
	switch {
	case err != nil:
		return err
	case !found:
		return &exitError{exitFailed, fmt.Errorf("you said nothing about %s: tera-pilot trust --list names the projects", visible.Strict(p.root))}
	}
	fmt.Fprintf(a.stdout, "forgot %s: the next session asks again\n", visible.Strict(p.root))
	return nil
}

// reviewProject is the dialog in the terminal. A whole word is needed for a yes,
// typed after all of it was shown: what was typed before counts for nothing.
func (a *app) reviewProject(s trust.Standing) (trust.Choice, error) {
	showStanding(a.stdout, s)
	fmt.Fprint(a.stdout, `
  all    load all of it
  text   load what neither runs nor connects
  enter  load none of it (default); ask again next time

`)
	for range 3 {
		word, err := a.answered("your word: ")
		if err != nil {
			return trust.No, usage("your word could not be read: %w", err)
		}
		switch strings.TrimSpace(word) {
		case "all":
			return trust.All, nil
		case "text":
			return trust.WithoutExecutable, nil
		case "", "no", "none", "n":
			return trust.No, nil
		}
		fmt.Fprintln(a.stdout, "all, text, or just enter")
	}
	return trust.No, nil
}

// answered asks at the terminal. What was typed or pasted before the question
// stood there answers nothing.
func (a *app) answered(question string) (string, error) {
	fmt.Fprint(a.stdout, question)
	lines.Flush(a.stdin)
	return typedLine(a.stdin)
}

// typedLine reads one line and nothing behind it, which is the session's.
func typedLine(in *os.File) (string, error) {
	var out []byte
	for b := make([]byte, 1); len(out) < 1000; {
		n, err := in.Read(b)
		switch {
		case n == 1 && (b[0] == '\n' || b[0] == '\r'):
			return string(out), nil
		case n == 1:
			out = append(out, b[0])
		case errors.Is(err, io.EOF):
			return "", nil // nobody is there: none of it
		case err != nil:
			return "", err
		}
	}
	return "", nil
}

// showStanding lists what a project holds: what is new, and of what changed the
// lines that did. All of it is the project's own text, made visible.
func showStanding(w io.Writer, s trust.Standing) {
	fmt.Fprintf(w, "%s holds settings of its own. Nothing of them is loaded yet:\n", visible.Strict(s.Root))
	fresh := map[trust.Item]bool{}
	for _, i := range s.New {
		fresh[i] = true
	}
	shown := map[string]bool{}
	for _, i := range s.Items {
		state := "as you know it"
		switch {
		case fresh[i] && s.Was[i.Path] != "":
			state = "CHANGED"
		case fresh[i]:
			state = "new"
		}
		does := "text for the model"
		if i.Runs {
			does = "RUNS OR CONNECTS"
		} else if i.Loosens {
			does = "LOOSENS RULES"
		}
		fmt.Fprintf(w, "\n  %s  (%s, %s)  %s  sha256 %.12s\n", visible.Strict(i.Path), i.Kind, state, does, i.Hash)
		for _, line := range visible.StrictLines(i.What) {
			fmt.Fprintf(w, "      %s\n", line)
		}
		if state == "CHANGED" && !shown[i.Path] {
			shown[i.Path] = true
			showChange(w, s.Was[i.Path], s.Now[i.Path])
		}
	}
}

// showChange prints the lines that differ.
func showChange(w io.Writer, before, after string) {
	d := diffmatchpatch.New()
	a, b, table := d.DiffLinesToRunes(before, after)
	for _, c := range d.DiffCharsToLines(d.DiffMainRunes(a, b, false), table) {
		mark := map[diffmatchpatch.Operation]string{diffmatchpatch.DiffDelete: "-", diffmatchpatch.DiffInsert: "+"}[c.Type]
		if mark == "" {
			continue
		}
		for _, line := range visible.StrictLines(strings.TrimSuffix(c.Text, "\n")) {
			fmt.Fprintf(w, "      %s %s\n", mark, line)
		}
	}
}
