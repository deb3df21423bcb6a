package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
)

func (a *app) auditKeyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Show the public key, replace the root key, or adopt the new one",
		Args:  noSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := a.publicKey("", false)
			if err != nil {
				return err
			}
			state, err := a.stateHome()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "log   %s\nkey   %x\nfile  %s\n", key.LogID(), key[:], filepath.Join(state, "audit_key.pub"))
			return err
		},
	}
	cmd.AddCommand(a.auditRotateCommand(), a.auditAdoptCommand())
	return cmd
}

func (a *app) auditRotateCommand() *cobra.Command {
	var newRoot bool
	cmd := &cobra.Command{
		Use:   "rotate --new-root",
		Short: "Give the log a new root key, after a theft or a loss",
		Long: `Give the log a new root key. The keys that sign records change by themselves
with every session; this is for a root that is no longer to be trusted, or gone.

Where the log can be continued, a record signed by the old and the new key leads
from one to the other, and the public key file stays the old one until
audit key adopt. Where it cannot, since a key is gone or the log is damaged, the
log is kept in a folder beside the new one, whose first event names it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !newRoot {
				return usage("say --new-root: the other keys rotate by themselves")
			}
			state, err := a.stateHome()
			if err != nil {
				return err
			}
			log, err := audit.Open(cmd.Context(), audit.Options{Dir: state})
			if err != nil {
				return &exitError{exitNoEvidence, err}
			}
			r, err := log.RotateRoot(cmd.Context(), a.typedBy())
			if err = errors.Join(err, log.Close()); err != nil {
				if errors.Is(err, audit.ErrNoLog) {
					return &exitError{exitUsage, err}
				}
				return err
			}
			return a.printRotated(r)
		},
	}
	cmd.Flags().BoolVar(&newRoot, "new-root", false, "make a new root key")
	return cmd
}

// typedBy is what the log states of a command that a person typed.
func (a *app) typedBy() audit.SessionInfo {
	info := audit.SessionInfo{Version: version(), Binary: binaryHash(), Front: audit.FrontCLI}
	info.Host, _ = os.Hostname() // an unnamed machine is stated without a name
	if u, err := user.Current(); err == nil {
		info.User = u.Username
	}
	return info
}

func (a *app) printRotated(r audit.Rotated) error {
	out := io.Writer(a.stdout)
	if r.Old != (audit.PublicKey{}) {
		fmt.Fprintf(out, "old  log %s  key %x\n", r.Old.LogID(), r.Old[:])
	}
	_, err := fmt.Fprintf(out, "new  log %s  key %x\n", r.New.LogID(), r.New[:])
	if r.Aside != "" {
		fmt.Fprintf(a.stderr, "the old log could not be continued: it is kept in %s, and a new one has begun\n", r.Aside)
	} else {
		fmt.Fprintln(a.stderr, "audit_key.pub is still the old key, which verifies the whole log; `tera-pilot audit key adopt` puts the new one in its place")
	}
	return err
}

func (a *app) auditAdoptCommand() *cobra.Command {
	return &cobra.Command{
		Use: "adopt", Short: "Make the new root key the local public key", Args: cobra.NoArgs,
		Long: `Make the root key that the last audit key rotate named the one in audit_key.pub.
From then on the local check begins at the record of that change.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.auditWriter(cmd.Context(), func(l *audit.Log, info audit.SessionInfo) error {
				key, err := l.AdoptRoot(cmd.Context(), info)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.stdout, "log   %s\nkey   %x\n", key.LogID(), key[:])
				return err
			})
		},
	}
}
