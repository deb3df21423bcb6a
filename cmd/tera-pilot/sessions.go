package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

func (a *app) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "sessions", Short: "Stored sessions", Args: noSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var find string
	var asJSON, all bool
	list := &cobra.Command{
		Use: "list", Short: "List sessions, the last used first", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listSessions(find, asJSON, all) },
	}
	list.Flags().StringVar(&find, "find", "", "only those whose title, folder or text holds this")
	list.Flags().BoolVar(&all, "all", false, "archived ones too, sub-agents', and single calls such as those of mcp call")
	list.Flags().BoolVar(&asJSON, "json", false, "one object a line")
	show := &cobra.Command{
		Use: "show ID", Short: "Print a session", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.showSession(args[0], asJSON) },
	}
	show.Flags().BoolVar(&asJSON, "json", false, "one event a line")
	cmd.AddCommand(list, show, a.sessionsDeleteCommand(), a.encryptCommand())
	cmd.AddCommand(a.sessionsTree()...)
	return cmd
}

func (a *app) sessionStore() (*session.Store, error) {
	state, err := a.stateHome()
	if err != nil {
		return nil, err
	}
	return a.sessions(state)
}

func (a *app) listSessions(find string, asJSON, everything bool) error {
	store, err := a.sessionStore()
	if err != nil {
		return err
	}
	all, err := store.List()
	if err != nil {
		return err
	}
	w, left := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0), 0
	for _, s := range all {
		if !matches(store, s, find) {
			continue
		}
		if (s.Archive || s.Aside()) && !everything {
			left++
			continue
		}
		if asJSON {
			if err := json.NewEncoder(a.stdout).Encode(s); err != nil {
				return err
			}
			continue
		}
		title, when := visible.Strict(s.Title), "-"
		if !s.Updated.IsZero() {
			when = s.Updated.Local().Format("2006-01-02 15:04")
		}
		if s.Problem != "" {
			title = visible.Strict(s.Problem)
		}
		if s.Forked != "" {
			title += fmt.Sprintf("  (fork of %s at turn %d)", visible.Strict(s.Forked), s.Turn)
		}
		if s.Sealed && s.Problem == "" {
			title += "  (encrypted)"
		}
		if s.Archive {
			title += "  (archived)"
		}
		switch {
		case s.Parent != "":
			title += "  (a sub-agent)"
		case s.Hand:
			title += "  (by hand)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, when, counted(s.Turns, "turn"), counted(s.Files, "file"), visible.Strict(s.Root), title)
	}
	if left > 0 && !asJSON {
		defer fmt.Fprintf(a.stderr, "%d more with --all: archived, sub-agents', and single calls\n", left)
	}
	return w.Flush()
}

// matches looks for a text in a session's list line and in its events.
func matches(store *session.Store, s session.Summary, find string) bool {
	if find == "" || strings.Contains(s.Title, find) || strings.Contains(s.Root, find) {
		return true
	}
	hits, err := store.Search(s.ID, find)
	return err == nil && len(hits) > 0
}

func (a *app) showSession(id string, asJSON bool) error {
	store, err := a.sessionStore()
	if err != nil {
		return err
	}
	events, err := store.Read(id)
	if err != nil {
		return usage("%w", err)
	}
	for _, e := range events {
		if asJSON {
			if err := json.NewEncoder(a.stdout).Encode(e); err != nil {
				return err
			}
			continue
		}
		a.showEvent(e)
	}
	return nil
}

// showEvent prints what a person wants to read again.
func (a *app) showEvent(e event.Event) {
	switch b := e.Body.(type) {
	case event.TurnStarted:
		fmt.Fprintf(a.stdout, "\n%s  you\n%s\n", e.Time.Local().Format("2006-01-02 15:04:05"), visible.Prose(b.Text))
	case event.Reply:
		if b.Text != "" {
			fmt.Fprintf(a.stdout, "\npilot\n%s\n", visible.Prose(b.Text))
		}
	case event.CallResult:
		line := fmt.Sprintf("%-9s %s  %s", b.Status, b.Tool, visible.Strict(b.Title))
		if b.Exit != nil {
			line += fmt.Sprintf("  exit %d", *b.Exit)
		}
		fmt.Fprintf(a.stdout, "%s  %s %s\n", line, b.Decision, b.Diff)
	case event.TurnEnded:
		fmt.Fprintf(a.stdout, "-- %s  %s\n", b.Status, visible.Prose(b.Message))
	}
}

// counted is a number of things for people: 1 file, 2 files.
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
