package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/mcp"
)

func (a *app) mcpListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the servers and their approved tools; starts nothing", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, servers, entries, err := a.servers()
			if err != nil {
				return err
			}
			if len(entries) == 0 {
				fmt.Fprintln(a.stdout, "no servers: add one with `tera-pilot mcp add NAME -- COMMAND`")
				return nil
			}
			why := map[string]string{}
			for _, s := range servers.Standings() {
				if why[s.Entry.Name] = s.Why; s.Why == "" {
					why[s.Entry.Name] = counted(s.Tools, "tool") + " approved"
				}
				if k, err := servers.Keeper(s.Entry.Name); err == nil {
					if _, in, err := k.Grant(); err == nil && in {
						why[s.Entry.Name] += ", logged in"
					}
				}
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, e := range entries {
				what := e.URL
				if len(e.Command) > 0 {
					what = strings.Join(e.Command, " ")
				}
				state := why[e.Name]
				if e.Disabled {
					state = "disabled"
				}
				from := "yours"
				if e.Project {
					from = "of the project"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Name, visible.Strict(state), from, visible.Strict(what))
			}
			return w.Flush()
		},
	}
}

func (a *app) mcpAddCommand() *cobra.Command {
	var env []string
	var address, sandbox string
	var hosts []string
	c := &cobra.Command{
		Use:   "add NAME [--env K=V]... (-- COMMAND [ARGUMENT...] | --url URL)",
		Short: "Add a server to your mcp.json; nothing of it is approved yet",
		Example: `  tera-pilot mcp add files -- mcp-server-filesystem .
  tera-pilot mcp add issues --url https://mcp.example.org/mcp
  tera-pilot mcp add db --env DSN='${DATABASE_URL}' --sandbox net --allow-host db.example.org -- db-mcp`,
		Args: cobra.MinimumNArgs(1),
	}
	c.Flags().StringArrayVar(&env, "env", nil, "K=V for the server's environment; V may be ${NAME} (repeatable)")
	c.Flags().StringVar(&address, "url", "", "address of a server that is reached by streamable HTTP")
	c.Flags().StringVar(&sandbox, "sandbox", "", "observe, work (default), net or off")
	c.Flags().StringArrayVar(&hosts, "allow-host", nil, "host that a server in the sandbox net may reach (repeatable)")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		entry := map[string]any{}
		if len(args) > 1 {
			entry["command"], entry["args"] = args[1], args[2:]
		}
		for key, value := range map[string]string{"url": address, "sandbox": sandbox} {
			if value != "" {
				entry[key] = value
			}
		}
		if len(hosts) > 0 {
			entry["hosts"] = hosts
		}
		vars := map[string]string{}
		for _, kv := range env {
			name, value, ok := strings.Cut(kv, "=")
			if !ok || name == "" {
				return usage("--env %q is not of the form K=V", kv)
			}
			vars[name] = value
		}
		if len(vars) > 0 {
			entry["env"] = vars
		}
		return a.addServer(cmd, args[0], entry)
	}
	return c
}

func (a *app) addServer(cmd *cobra.Command, name string, entry map[string]any) error {
	added, err := mcp.Parse1(name, entry)
	if err != nil {
		return usage("server %s: %w", name, err)
	}
	if why := added.Unpinned(); why != "" {
		fmt.Fprintln(a.stderr, "tera-pilot: warning: "+visible.Strict(why))
	}
	err = a.changeServers(cmd, "added", name, func(all map[string]json.RawMessage) error {
		if _, twice := all[name]; twice {
			return usage("there is a server %s already: remove it first", name)
		}
		raw, err := json.Marshal(entry)
		all[name] = raw
		return err
	})
	if err == nil {
		fmt.Fprintf(a.stdout, "server %s: added; its tools are offered after `tera-pilot mcp approve %s`\n", name, name)
	}
	return err
}

func (a *app) mcpRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a server from your mcp.json, with what was approved of it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			state, err := a.stateHome()
			if err != nil {
				return err
			}
			err = a.changeServers(cmd, "removed", args[0], func(all map[string]json.RawMessage) error {
				if _, there := all[args[0]]; !there {
					return usage("there is no server %s in your mcp.json", args[0])
				}
				delete(all, args[0])
				return mcp.OpenPins(state).Remove(args[0])
			})
			if err == nil {
				fmt.Fprintf(a.stdout, "server %s: removed\n", args[0])
			}
			return err
		},
	}
}

// changeServers changes the servers of the user's mcp.json, in whichever form
// it is, and states it in the log first.
func (a *app) changeServers(cmd *cobra.Command, what, name string, change func(map[string]json.RawMessage) error) error {
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	if err := statedir.Ensure(state); err != nil {
		return usage("%w", err)
	}
	return a.recorded(cmd.Context(), state, audit.SettingsChange("MCP server "+name+" "+what, "", "", "mcp.json "+name), func() error {
		return statedir.Update(filepath.Join(state, "mcp.json"), func(old []byte) ([]byte, error) {
			file := map[string]json.RawMessage{}
			if len(old) > 0 {
				if err := json.Unmarshal(old, &file); err != nil {
					return nil, usage("mcp.json is not JSON: %w", err)
				}
			}
			key := "mcpServers"
			if file["mcpServers"] == nil && file["servers"] != nil {
				key = "servers"
			}
			all := map[string]json.RawMessage{}
			if file[key] != nil {
				if err := json.Unmarshal(file[key], &all); err != nil {
					return nil, usage("mcp.json: %s: %w", key, err)
				}
			}
			if err := change(all); err != nil {
				return nil, err
			}
			raw, err := json.Marshal(all)
			if err != nil {
				return nil, err
			}
			file[key] = raw
			out, err := json.MarshalIndent(file, "", "  ")
			if err != nil {
				return nil, err
			}
			if _, _, err := mcp.Parse(out, false); err != nil {
				return nil, usage("mcp.json would be wrong: %w", err)
			}
			return append(out, '\n'), nil
		})
	})
}

var errNotApproved = errors.New("nothing was approved")
