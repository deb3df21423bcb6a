package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// sessionsTree are the subcommands of `sessions` that change what is stored,
// and those that look through it.
func (a *app) sessionsTree() []*cobra.Command {
	var turn int
	fork := &cobra.Command{
		Use: "fork ID", Short: "Start a session with what another one holds up to the end of a turn", Args: cobra.ExactArgs(1),
		Example: "  tera-pilot sessions fork 20261129-0a1b2c3d4e5f --turn 5",
		RunE: func(_ *cobra.Command, args []string) error {
			return a.onStore(func(s *session.Store) error {
				id, err := s.Fork(args[0], turn, time.Now())
				if err != nil {
					return usage("%w", err)
				}
				_, err = fmt.Fprintf(a.stdout, "%s\ngo on with it: tera-pilot --session %s\n", id, id)
				return err
			})
		},
	}
	fork.Flags().IntVar(&turn, "turn", 0, "the last turn that it takes over (default: the last one that has ended)")
	var back bool
	archive := &cobra.Command{
		Use: "archive ID", Short: "Take a session out of the everyday list, or put it back", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.note(args[0], event.Archived{Archived: !back})
		},
	}
	archive.Flags().BoolVar(&back, "undo", false, "put it back into the list")
	return []*cobra.Command{
		fork, archive, a.exportCommand(),
		{
			Use: "name ID TEXT", Aliases: []string{"rename"}, Short: "Give a session a title", Args: cobra.MinimumNArgs(2),
			RunE: func(_ *cobra.Command, args []string) error {
				return a.note(args[0], event.Renamed{Title: strings.Join(args[1:], " ")})
			},
		},
		{
			Use: "search TEXT", Short: "Find a text in all sessions", Args: cobra.MinimumNArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				text := strings.TrimSpace(strings.Join(args, " "))
				if text == "" {
					return usage("there is no text to find: `tera-pilot sessions search TEXT`; `tera-pilot sessions list` shows all sessions")
				}
				return a.onStore(func(s *session.Store) error { return a.searchSessions(s, text) })
			},
		},
	}
}

func (a *app) onStore(f func(*session.Store) error) error {
	store, err := a.sessionStore()
	if err != nil {
		return err
	}
	return f(store)
}

func (a *app) note(id string, body event.Body) error {
	return a.onStore(func(s *session.Store) error {
		if err := s.Note(id, time.Now(), body); err != nil {
			return usage("%w", err)
		}
		return nil
	})
}

// searchSessions prints each place with the text, the last changed session
// first. Nothing found is exit 1.
func (a *app) searchSessions(store *session.Store, text string) error {
	all, err := store.List()
	if err != nil {
		return err
	}
	found := false
	for _, s := range all {
		hits, err := store.Search(s.ID, text)
		if err != nil {
			fmt.Fprintf(a.stderr, "session %s: %s\n", s.ID, visible.Strict(err.Error()))
			continue
		}
		for _, h := range hits {
			found = true
			fmt.Fprintf(a.stdout, "%s  turn %d  %-6s %s\n", s.ID, h.Turn, h.Who, visible.Strict(h.Line))
		}
	}
	if !found {
		return &exitError{code: exitFailed}
	}
	return nil
}
