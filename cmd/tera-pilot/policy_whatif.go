package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/agent/whatif"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

func (a *app) whatIfCommand() *cobra.Command {
	var file, since string
	c := &cobra.Command{
		Use:   "what-if --rule FILE [--since TIME]",
		Short: "Replay the decisions of the log, and say which a rule would have changed",
		Long: `Replay the decisions that stand in the log from their inputs, with the rules in
FILE added as rules of yours, and list those whose answer would be another one.
A decision whose inputs were redacted, or whose rules are gone, is counted as not
replayable. Nothing is run, and nothing is changed.`,
		Example: `  tera-pilot policy what-if --rule draft.toml --since 2026-11-01`,
		Args:    policyArgs(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.policyWhatIf(cmd.Context(), file, since) },
	}
	c.Flags().StringVar(&file, "rule", "", "file with the rules to try")
	c.Flags().StringVar(&since, "since", "", "leave out what is older: a date, a time, or a duration such as 48h")
	return c
}

func (a *app) policyWhatIf(ctx context.Context, file, since string) error {
	if file == "" {
		return usage("policy what-if: name the rules to try with --rule FILE")
	}
	from, err := sinceTime(since)
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return usage("policy what-if: %w", err)
	}
	defer f.Close()
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	rep, err := replay(ctx, state, f, file, from)
	if err != nil {
		return usage("policy what-if: %w", err)
	}
	if _, err := io.WriteString(a.stdout, reportText(rep)); err != nil {
		return err
	}
	if len(rep.Differs) > 0 {
		return &exitError{exitFailed, fmt.Errorf("%d records state another answer than their inputs give (the first is %d): `tera-pilot audit verify` says whether the log is whole", len(rep.Differs), rep.Differs[0])}
	}
	return nil
}

// replay replays the log of a state folder with the rules that r reads.
func replay(ctx context.Context, state string, r io.Reader, name, since string) (whatif.Report, error) {
	rule, err := commandpolicy.Load(r, name, commandpolicy.LayerUser)
	if err != nil {
		return whatif.Report{}, err
	}
	log, err := audit.OpenReader(ctx, audit.Options{Dir: state})
	if err != nil {
		return whatif.Report{}, err
	}
	return whatif.Replay(ctx, log, rulebook.Book{State: state}, rule, since)
}

// reportText is a report in words, a changed decision a line.
func reportText(rep whatif.Report) string {
	var b strings.Builder
	for _, c := range rep.Changes {
		fmt.Fprintf(&b, "%6d  %s  %s becomes %s  %s\n", c.Entry.Seq, c.Entry.Time, c.Was, c.Now, visible.Strict(c.Entry.Title))
	}
	fmt.Fprintf(&b, "%d decisions, %d replayed, %d would change, %d not replayable\n", rep.Decisions, rep.Replayed, len(rep.Changes), rep.NotReplayable)
	return b.String()
}

// tryRule says what the rule that a person wrote in the terminal would have done.
func tryRule(ctx context.Context, state, rule string) (string, error) {
	rep, err := replay(ctx, state, strings.NewReader(rule), "the rule", "")
	if err != nil {
		return "", err
	}
	return reportText(rep), nil
}

// sinceTime is a point in time as the log writes times; "" for none.
func sinceTime(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	t, err := pointInTime(s, time.Now())
	if err != nil {
		return "", usage("--since: %w", err)
	}
	return t.UTC().Format("2006-01-02T15:04:05"), nil
}
