package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/overlay"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// promptCommand is about what the person adds to the system prompt.
func (a *app) promptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "prompt", Short: "What you add to the system prompt, stored encrypted", Args: noSubcommand,
		Long: `What you add to the system prompt. It is stored encrypted (XChaCha20-Poly1305,
Argon2id) under TERA_PILOT_PROMPT_KEY, else under the key that is stored with
tera-pilot keys set prompt. It stands before the part about safety, is in no log,
and permits nothing. While it is there and cannot be opened, no session starts.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "set", Short: "Store the text that comes on stdin", Args: cobra.NoArgs,
		Example: "  tera-pilot prompt set < house-style.md",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.changePrompt(cmd, "set", func(state string) error {
				key, err := a.ownKey(state, promptKeyEnv, promptKeyName)
				if err != nil {
					return err
				}
				return overlay.Set(state, key, a.stdin)
			})
		},
	}, &cobra.Command{
		Use: "show", Short: "Print the text", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			state, err := a.stateHome()
			if err != nil {
				return err
			}
			text, err := a.addition(state)
			if err == nil && text == "" {
				err = usage("%w", overlay.ErrNone)
			}
			if err == nil {
				_, err = io.WriteString(a.stdout, text)
			}
			return err
		},
	}, &cobra.Command{
		Use: "remove", Short: "Take the text away; it takes no key", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.changePrompt(cmd, "removed", overlay.Remove)
		},
	})
	return cmd
}

// changePrompt states a change in the audit log, and makes it.
func (a *app) changePrompt(cmd *cobra.Command, what string, change func(state string) error) error {
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	if err := statedir.Ensure(state); err != nil {
		return usage("%w", err)
	}
	err = a.recorded(cmd.Context(), state, audit.SettingsChange("system prompt "+what, "", "", "prompt"), func() error { return change(state) })
	if err != nil {
		return usage("%w", err)
	}
	_, err = fmt.Fprintf(a.stdout, "prompt: %s\n", what)
	return err
}

// addition is what the person adds to the system prompt; "" for nothing.
func (a *app) addition(state string) (string, error) {
	text, err := overlay.Load(state, func() (string, error) { return a.ownKey(state, promptKeyEnv, promptKeyName) })
	if errors.Is(err, overlay.ErrNone) {
		return "", nil
	}
	if err != nil {
		return "", usage("%w", err)
	}
	return text, nil
}
