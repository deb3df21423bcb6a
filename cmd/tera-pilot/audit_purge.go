package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/gitsafe"
)

// purgeCommand is retention: what is older than a date goes.
func (a *app) purgeCommand() *cobra.Command {
	var before string
	var withAudit bool
	cmd := &cobra.Command{
		Use:   "purge --before DATE",
		Short: "Delete what is older than a date; the chain of the log stays verifiable",
		Long: `Delete the stored sessions that were last changed before DATE, and state it in
the audit log. In a repository, what was saved there before git could lose it
(refs/tera-pilot/before) goes too. With --include-audit the oldest part of that log goes too, as far
as whole files of it are older: one is begun each month, and at 64 MiB. A signed
stub takes their place, so that the rest verifies as before.`,
		Example: "  tera-pilot purge --before 2026-01-31\n  tera-pilot purge --before 8760h --include-audit",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, err := pointInTime(before, time.Now())
			if err != nil {
				return usage("--before: %w", err)
			}
			if err := errors.Join(a.purgeSessions(cmd.Context(), t), a.purgeSnapshots(cmd.Context(), t)); err != nil || !withAudit {
				return err
			}
			return a.purgeAudit(cmd.Context(), t)
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "a date such as 2026-01-31, a time, or how long ago: 8760h")
	cmd.Flags().BoolVar(&withAudit, "include-audit", false, "also the oldest part of the audit log")
	return cmd
}

// purgeSessions deletes stored sessions. The audit log states which, before
// they go.
func (a *app) purgeSessions(ctx context.Context, before time.Time) error {
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	store, err := a.sessionStore()
	if err != nil {
		return err
	}
	all, err := store.List()
	if err != nil {
		return err
	}
	var old []string
	for _, s := range all {
		if !s.Updated.IsZero() && s.Updated.Before(before) { // what cannot be read is not judged
			old = append(old, s.ID)
		}
	}
	if len(old) == 0 {
		_, err := fmt.Fprintln(a.stdout, "sessions: none is older than that")
		return err
	}
	return a.recorded(ctx, state, audit.SessionsDeleted(old...), func() error { return a.deleteSessions(store, old) })
}

// purgeSnapshots deletes what was saved in the repository around the current
// folder before git could lose it.
func (a *app) purgeSnapshots(ctx context.Context, before time.Time) error {
	dir, err := os.Getwd()
	if err != nil {
		return usage("the current folder is gone: %w", err)
	}
	b, err := a.gitBroker(ctx, dir, "")
	if err != nil {
		return nil // no git here, so no snapshot of ours
	}
	defer b.close()
	n, err := b.git.Prune(ctx, dir, before)
	if _, none := errors.AsType[*gitsafe.NotRepositoryError](err); none {
		return nil
	}
	if err == nil && n > 0 {
		_, err = fmt.Fprintf(a.stdout, "snapshots of this repository: %d removed\n", n)
	}
	return err
}

// deleteSessions leaves out those that are open somewhere.
func (a *app) deleteSessions(store *session.Store, ids []string) error {
	deleted := 0
	var errs []error
	for _, id := range ids {
		err := store.Delete(id)
		if _, busy := errors.AsType[*session.BusyError](err); busy {
			fmt.Fprintf(a.stderr, "session %s is open, and kept\n", id)
			continue
		}
		if _, gone := errors.AsType[*session.NotFoundError](err); gone { // another process deleted it
			continue
		}
		if err == nil {
			deleted++
		}
		errs = append(errs, err)
	}
	_, err := fmt.Fprintf(a.stdout, "sessions: %d deleted\n", deleted)
	return errors.Join(append(errs, err)...)
}

// purgeAudit deletes the oldest part of the log.
func (a *app) purgeAudit(ctx context.Context, before time.Time) error {
	return a.auditWriter(ctx, func(l *audit.Log, info audit.SessionInfo) error {
		p, err := l.Purge(ctx, info, before)
		if err != nil {
			return err
		}
		if p.Records == 0 {
			_, err = fmt.Fprintln(a.stdout, "audit: no whole file of the log is older than that")
			return err
		}
		_, err = fmt.Fprintf(a.stdout, "audit: %d records purged; the log begins with record %d of %s, behind a signed stub\n", p.Records, p.First, p.Since)
		return err
	})
}
