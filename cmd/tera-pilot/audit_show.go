package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

func (a *app) auditShowCommand() *cobra.Command {
	var category, status, find string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show [SEQ]",
		Short: "List what the log states, or show one record",
		Long: `List what the log states, one action a line: an intent stands where its outcome
is. With SEQ, show that record and those of its values that were not deleted.
Showing checks nothing: audit verify does.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--category", category, audit.Categories()); err != nil {
				return err
			}
			if err := oneOf("--status", status, audit.Statuses()); err != nil {
				return err
			}
			r, err := a.auditReader(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return a.showRecord(cmd.Context(), r, args, asJSON)
			}
			return a.showEntries(cmd.Context(), r, audit.Filter{Category: audit.Category(category), Status: audit.Status(status), Text: find}, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&category, "category", "", "only this category: shell, code, file, git, mcp, web, subagent, verify, skill, thought, plan, error, info, other")
	f.StringVar(&status, "status", "", "only this status: ok, error, rejected, blocked, cancelled, timeout, not_run, unknown, open")
	f.StringVar(&find, "find", "", "only what holds this text, without regard to case")
	f.BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// oneOf refuses a filter that no record could fit: an empty list would read as
// if nothing of the kind had happened. No value is no filter.
func oneOf[T ~string](flag, value string, all []T) error {
	if value == "" || slices.Contains(all, T(value)) {
		return nil
	}
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = string(one)
	}
	return usage("%s: there is no %q, but %s: see `tera-pilot audit --help`", flag, value, strings.Join(names, ", "))
}

func (a *app) showEntries(ctx context.Context, r *audit.Reader, f audit.Filter, asJSON bool) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for e, err := range r.Entries(ctx, f) {
		if err != nil {
			return err
		}
		if asJSON {
			if err := a.printJSON(e); err != nil {
				return err
			}
			continue
		}
		what := e.Tool
		if what == "" {
			what = e.Kind
		}
		if what == "" {
			what = e.Type
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Seq, e.Time, dash(string(e.Category)), dash(what), dash(decided(e)), dash(ended(e)), title(e))
	}
	return w.Flush()
}

// decided is who decided what: "approved user:tui".
func decided(e audit.Entry) string {
	return strings.TrimSpace(string(e.Decision) + " " + string(e.By))
}

// ended is how it ended: "ok", "error 1".
func ended(e audit.Entry) string {
	if e.Code != nil && *e.Code != 0 {
		return fmt.Sprintf("%s %d", e.Status, *e.Code)
	}
	return string(e.Status)
}

func title(e audit.Entry) string {
	s := e.Title
	if e.Diff != "" && !strings.Contains(e.Title, e.Diff) {
		s += " (" + e.Diff + ")"
	}
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	return visible.Strict(s)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return visible.Strict(s)
}

func (a *app) showRecord(ctx context.Context, r *audit.Reader, args []string, asJSON bool) error {
	seqs, err := recordNumbers(args)
	if err != nil {
		return err
	}
	line, values, err := r.Record(ctx, seqs[0])
	if err != nil {
		return err
	}
	if asJSON {
		_, err = fmt.Fprintf(a.stdout, "%s\n", line)
		return err
	}
	for text := range strings.Lines(audit.Indent(line)) {
		fmt.Fprintln(a.stdout, visible.Strict(strings.TrimSuffix(text, "\n")))
	}
	for _, v := range values {
		fmt.Fprintf(a.stdout, "disclosed %s: %s\n", visible.Strict(v.Name), visible.Strict(string(v.Value)))
	}
	return nil
}
