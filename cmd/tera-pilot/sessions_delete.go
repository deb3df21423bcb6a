package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
)

func (a *app) sessionsDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete ID", Short: "Delete a stored session; the audit log keeps its evidence", Args: cobra.ExactArgs(1),
		Long: `Delete a stored session with all that was said, answered and put out in it. The
audit log states that it was deleted, and keeps what it states of the session.`,
		Example: "  tera-pilot sessions delete 20260131-120000-1a2b",
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := a.sessionStore()
			if err != nil {
				return err
			}
			if err := (witnessedStore{store, a, cmd.Context()}).Delete(args[0]); err != nil {
				return usage("%w", err)
			}
			_, err = fmt.Fprintf(a.stdout, "session %s deleted\n", args[0])
			return err
		},
	}
}

// A witnessedStore states in the audit log what it deletes, before it does.
type witnessedStore struct {
	*session.Store
	a   *app
	ctx context.Context // of the command that it serves
}

// Delete implements acp.Store.
func (s witnessedStore) Delete(id string) error {
	state, err := s.a.stateHome()
	if err != nil {
		return err
	}
	return s.DeleteAfter(id, func() error {
		return s.a.recorded(s.ctx, state, audit.SessionsDeleted(id), func() error { return nil })
	})
}
