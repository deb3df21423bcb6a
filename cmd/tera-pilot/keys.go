package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/keystore"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

func (a *app) keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Keys of model providers: kept by reference or in a 0600 file, never printed",
		Long: `Keys of model providers: kept by reference, or, from stdin, in a file of mode
0600, which is encrypted when TERA_PILOT_KEYS_PASSPHRASE is set (XChaCha20-Poly1305,
Argon2id). A key in the environment, such as OPENAI_API_KEY, goes before a stored
one. No key is ever printed, nor taken from an argument. Two names are our own:
sessions, the key that stored sessions are encrypted with (TERA_PILOT_SESSION_KEY),
and prompt (TERA_PILOT_PROMPT_KEY).`,
		Args: noSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var from string
	set := &cobra.Command{
		Use:   "set NAME --from env:VAR|file:/PATH|stdin",
		Short: "Store where the key of a provider is, or, from stdin, the key itself",
		Example: `  tera-pilot keys set openai --from env:WORK_OPENAI_KEY
  tera-pilot keys set anthropic --from stdin < key.txt
  tera-pilot keys set sessions --from file:/home/me/session.key`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := keystore.Check(args[0], from); err != nil {
				return usage("%w", err)
			}
			return a.changeKeys(cmd.Context(), "set", args[0], func(s *keystore.Store) error { return s.Set(args[0], from, a.stdin) })
		},
	}
	set.Flags().StringVar(&from, "from", "", "env:VAR, file:/PATH or stdin")
	if err := set.MarkFlagRequired("from"); err != nil {
		panic(err) // the flag stands in the line above
	}
	remove := &cobra.Command{
		Use: "remove NAME", Short: "Forget a key", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeKeys(cmd.Context(), "removed", args[0], func(s *keystore.Store) error { return s.Remove(args[0]) })
		},
	}
	list := &cobra.Command{
		Use: "list", Short: "Say which keys there are and where they come from", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listKeys() },
	}
	cmd.AddCommand(set, list, remove)
	return cmd
}

// keys is the key store, opened with the passphrase of the environment.
func (a *app) keys(state string) *keystore.Store {
	a.opened.mu.Lock()
	defer a.opened.mu.Unlock()
	if a.opened.keys[state] == nil {
		a.opened.keys[state] = keystore.Open(state).With(a.getenv(keystore.Passphrase))
	}
	return a.opened.keys[state]
}

// logins is the store of what logins gave, with the same passphrase.
func (a *app) logins(state string) *keystore.Store {
	a.opened.mu.Lock()
	defer a.opened.mu.Unlock()
	if a.opened.logins[state] == nil {
		a.opened.logins[state] = keystore.OpenLogins(state).With(a.getenv(keystore.Passphrase))
	}
	return a.opened.logins[state]
}

// changeKeys changes the key store and states it in the audit log: the intent
// first, so that no change is without evidence.
func (a *app) changeKeys(ctx context.Context, what, name string, change func(*keystore.Store) error) error {
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	if err := statedir.Ensure(state); err != nil {
		return usage("%w", err)
	}
	err = a.recorded(ctx, state, audit.SettingsChange("key "+name+" "+what, "", "", "key "+name), func() error {
		if err := change(a.keys(state)); err != nil || name != sessionKeyName || what != "set" {
			return err
		}
		return a.keySessions(state)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "key %s: %s\n", name, what)
	return nil
}

// recorded states an act of the person in the audit log and then does it. An
// act that fails is stated too.
func (a *app) recorded(ctx context.Context, state string, e audit.Event, act func() error) (err error) {
	return a.noting(ctx, state, func(note func(audit.Event) error) error {
		if err := note(e); err != nil {
			return err
		}
		if err := act(); err != nil {
			e.Title += ": failed"
			return errors.Join(err, note(e))
		}
		return nil
	})
}

// noting hands an act of the person the means to state what it does, each time
// before it is done.
func (a *app) noting(ctx context.Context, state string, act func(note func(audit.Event) error) error) (err error) {
	log, err := audit.Open(ctx, audit.Options{Dir: state})
	if err != nil {
		return &exitError{exitNoEvidence, err}
	}
	s, err := log.Session(ctx, audit.SessionInfo{Version: version(), Binary: binaryHash(), Front: audit.FrontCLI})
	if err != nil {
		return errors.Join(&exitError{exitNoEvidence, err}, log.Close())
	}
	status := audit.CloseError
	defer func() { err = errors.Join(err, s.Close(status), log.Close()) }()
	err = act(func(e audit.Event) error {
		// A person who has had enough does not end this: what is done is stated.
		if err := s.Event(context.WithoutCancel(ctx), e); err != nil {
			return &exitError{exitNoEvidence, err}
		}
		return nil
	})
	if err == nil {
		status = audit.CloseOK
	}
	return err
}

func (a *app) listKeys() error {
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	all, err := a.keys(state).List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(a.stdout, "no key is stored: `tera-pilot keys set NAME --from env:VAR`")
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, k := range all {
		fmt.Fprintf(w, "%s\t%s\n", k.Name, k.Source)
	}
	return w.Flush()
}

// noSubcommand refuses a word that is no subcommand.
func noSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usage("unknown command %q: did you mean `%s %s`?", args[0], cmd.CommandPath(), near[0])
	}
	return usage("unknown command %q: see `%s --help`", args[0], cmd.CommandPath())
}
