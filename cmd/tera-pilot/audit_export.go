package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
)

type exportFlags struct {
	out, session, since, format string
	disclose                    []string
}

func (a *app) auditExportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write evidence that stands alone",
		Long: `Write the log, or some sessions of it, with a signed checkpoint, so that another
machine can check it with the public key file alone. What is committed to and not
written (arguments, output, …) stays closed, unless --disclose names it.

Without --out the file is audit_export_TIME.json in the state folder; --out -
writes to stdout.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.auditExport(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "file to write, or -")
	fl.StringVar(&f.session, "session", "", "only this session and its sub-agents")
	fl.StringVar(&f.since, "since", "", "only sessions with something since then: a date, a time, or a duration such as 48h")
	fl.StringSliceVar(&f.disclose, "disclose", nil, "open these members: args, out, effect, inputs, asked, pre, want, post, cut, or all")
	fl.StringVar(&f.format, "format", "json", "json, or jsonl: one value a line")
	return cmd
}

func (a *app) auditExport(ctx context.Context, f exportFlags) error {
	if f.format != "json" && f.format != "jsonl" {
		return usage("--format is json or jsonl, not %q", f.format)
	}
	o := audit.ExportOptions{Session: f.session, Disclose: f.disclose, Lines: f.format == "jsonl"}
	if f.since != "" {
		var err error
		if o.Since, err = pointInTime(f.since, time.Now()); err != nil {
			return usage("--since: %w", err)
		}
	}
	for _, name := range f.disclose {
		if err := oneOf("--disclose", name, audit.Disclosable()); err != nil {
			return err
		}
	}
	if err := a.mayExportTo("--out", f.out); err != nil {
		return err
	}
	return a.auditWriter(ctx, func(l *audit.Log, info audit.SessionInfo) error {
		if f.out == "-" {
			_, err := l.Export(ctx, info, a.stdout, o)
			return err
		}
		out := f.out
		if out == "" {
			state, err := a.stateHome()
			if err != nil {
				return err
			}
			out = exportName(state, f.format, time.Now())
		}
		var head audit.Head
		err := writeWhole(out, func(w io.Writer) (err error) {
			head, err = l.Export(ctx, info, w, o)
			return err
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.stdout, "%s\nhead %s\n", out, head)
		return err
	})
}

// mayExportTo refuses a file that would take the place of a key, a setting or a
// part of the log itself, by whatever path.
func (a *app) mayExportTo(flag, out string) error {
	if out == "" || out == "-" {
		return nil
	}
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	dir := filepath.Dir(out)
	if !beneath(dir, state) || beneath(state, dir) && strings.HasPrefix(filepath.Base(out), "audit_export") {
		return nil
	}
	return usage("%s %s lies among the files of tera-pilot itself: name a file elsewhere, or leave %s away", flag, out, flag)
}

// pointInTime reads a date, a time, or how long ago.
func pointInTime(s string, now time.Time) (time.Time, error) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, s, time.Local); err == nil {
			return t, nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("%q is no date such as 2026-01-31, no time such as 2026-01-31T12:00:00Z, and no duration such as 48h", s)
}

// writeWhole makes a file that is there whole or not at all, readable by its
// owner only.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".tera-pilot-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
