package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/mcp"
)

func (a *app) mcpProbeCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "probe NAME", Short: "Start a server as the agent would, list its tools against what was approved, and end it",
		Example: "  tera-pilot mcp probe files --json", Args: cobra.ExactArgs(1),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		_, r, err := a.probe(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if asJSON {
			err = json.NewEncoder(a.stdout).Encode(probed(r))
		} else {
			err = describeServer(a.stdout, r)
		}
		if err == nil && (r.State != mcp.Approved || len(r.Problems) > 0 && r.Hash == "") {
			err = &exitError{code: exitFailed}
		}
		return err
	}
	return c
}

// probe starts a server once, which is stated in the log first.
func (a *app) probe(ctx context.Context, name string) (p place, r mcp.Report, err error) {
	p, servers, entries, err := a.servers()
	if err != nil {
		return p, r, err
	}
	if !slices.ContainsFunc(entries, func(e mcp.Entry) bool { return e.Name == name && !e.Disabled }) {
		return p, r, usage("%w %s, or it is disabled: `tera-pilot mcp list` shows them", mcp.ErrNoServer, name)
	}
	if err := statedir.Ensure(p.state); err != nil {
		return p, r, usage("%w", err)
	}
	err = a.recorded(ctx, p.state, audit.PinChange("looked at", name, "", "", "", audit.ByCLI), func() error {
		r, err = servers.Probe(ctx, name)
		return err
	})
	return p, r, err
}

// probed is a report as JSON (docs/mcp.md). All text in it is made visible.
func probed(r mcp.Report) map[string]any {
	tools := []map[string]any{}
	for _, t := range r.Tools {
		changed := []string{}
		for _, c := range t.Changes {
			changed = append(changed, visible.Strict(c.Field))
		}
		tools = append(tools, map[string]any{"name": visible.Strict(t.Name), "state": t.State, "changed": changed, "why": visible.Strict(t.Why)})
	}
	problems := []string{}
	for _, p := range r.Problems {
		problems = append(problems, visible.Strict(p))
	}
	return map[string]any{
		"server": map[string]any{"name": r.Entry.Name, "identity": visible.Strict(r.Identity.String()), "state": r.State},
		"hash":   r.Hash, "tools": tools, "problems": problems,
	}
}

// describeServer shows everything that would be approved, whole.
func describeServer(w io.Writer, r mcp.Report) error {
	b := bufio.NewWriter(w)
	say := func(name, value string) { fmt.Fprintf(b, "%-11s %s\n", name, visible.Strict(value)) }
	say("server", r.Entry.Name+"  "+string(r.State))
	say("runs", r.Identity.String())
	switch r.Identity.Sandbox {
	case mcp.Off:
		say("SANDBOX", "OFF: it can do whatever you can")
	case mcp.Net:
		say("NETWORK", "it may reach "+strings.Join(r.Identity.Hosts, ", "))
	}
	if r.Identity.Origin != "" {
		say("NETWORK", "what it is told leaves this machine, to "+r.Identity.Origin)
	}
	for _, name := range r.Identity.EnvNames {
		if r.Entry.Project { // a stranger's values, as they are written
			name += "=" + r.Entry.Env[name]
		}
		say("environment", name)
	}
	if why := r.Entry.Unpinned(); why != "" {
		say("warning", why)
	}
	for _, p := range r.Problems {
		for i, line := range strings.Split(p, "\n") {
			if i == 0 {
				say("problem", line)
			} else {
				say("", line)
			}
		}
	}
	for _, t := range r.Tools {
		fmt.Fprintln(b)
		say("tool", t.Name+"  "+string(t.State))
		if t.Why != "" {
			say("why", t.Why)
			continue
		}
		for _, c := range t.Changes {
			say("was", c.Field+" "+c.Before)
			say("is", c.Field+" "+c.After)
		}
		for _, line := range strings.Split(t.Description(), "\n") {
			fmt.Fprintf(b, "  | %s\n", visible.Strict(line))
		}
		fmt.Fprintf(b, "  definition %s\n", visible.Strict(t.JSON))
	}
	if r.Hash != "" {
		fmt.Fprintf(b, "\nhash %s\n", r.Hash)
	}
	return b.Flush()
}

func (a *app) mcpApproveCommand() *cobra.Command {
	var hash string
	c := &cobra.Command{
		Use:   "approve NAME [--hash H]",
		Short: "Look at a server and all its tools as they are now, and approve exactly that",
		Example: `  tera-pilot mcp approve files
  tera-pilot mcp approve files --hash 3f0c…    # without a terminal: only if a fresh start gives this hash`,
		Args: cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&hash, "hash", "", "approve only if server and tools have this hash")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if hash == "" && (!isTerminal(a.stdin) || !isTerminal(a.stdout)) {
			return usage("there is no terminal to ask at: look with `tera-pilot mcp probe %s`, then give its --hash", args[0])
		}
		return a.approveServer(cmd.Context(), args[0], hash)
	}
	return c
}

func (a *app) approveServer(ctx context.Context, name, hash string) error {
	p, r, err := a.probe(ctx, name)
	if err != nil {
		return err
	}
	if err := describeServer(a.stdout, r); err != nil {
		return err
	}
	switch {
	case r.Hash == "":
		return fmt.Errorf("%w: the server could not be listed", errNotApproved)
	case hash != "" && hash != r.Hash:
		return fmt.Errorf("%w: server and tools have the hash %s now", errNotApproved, r.Hash)
	case hash == "" && !a.saysYes("\napprove this server with these tools? Type yes: "):
		return errNotApproved
	}
	old := ""
	if was, err := mcp.OpenPins(p.state).Get(mcp.Key(r.Entry, p.root)); err == nil && was.Tools != nil {
		old = was.Hash()
	}
	e := audit.PinChange("approved", name, "", old, r.Hash, audit.ByCLI)
	if err := a.recorded(ctx, p.state, e, func() error { return mcp.OpenPins(p.state).Set(mcp.Key(r.Entry, p.root), r.Pin) }); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "server %s: %s approved; each call is asked about unless an [[mcp]] rule allows it\n", name, counted(len(r.Pin.Tools), "tool"))
	return nil
}

// saysYes asks at the terminal; only the whole word counts.
func (a *app) saysYes(question string) bool {
	line, err := a.answered(question)
	return err == nil && strings.TrimSpace(line) == "yes"
}
