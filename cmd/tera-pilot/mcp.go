package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/trust"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/mcp"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// projectMCP is where a repository names its servers.
const projectMCP = ".mcp.json"

func (a *app) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "MCP servers: add, look at, approve, call",
		Long: `MCP servers give the agent further tools. A server runs in the sandbox and is
started only when a tool of it is called. Its tools are offered after you
approved them, as they are: what changes is withdrawn until you approve again.
Approving does not allow a tool to run unasked; [[mcp]] rules in policy.toml do.`,
		Args: noSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.mcpListCommand(), a.mcpAddCommand(), a.mcpRemoveCommand(), a.mcpProbeCommand(), a.mcpApproveCommand(), a.mcpCallCommand(), a.mcpLoginCommand(), a.mcpLogoutCommand(), a.mcpServeCommand())
	cmd.AddCommand(a.mcpAskCommands()...)
	return cmd
}

// mcpEntries reads the user's servers, and those of the project that the grant
// lets in. A name of the user's hides the project's.
func mcpEntries(state string, project *trust.Project, grant trust.Grant) (entries []mcp.Entry, warnings []string, err error) {
	file := filepath.Join(state, "mcp.json")
	data, err := statedir.Read(file, false)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	entries, warnings, err = mcp.Parse(data, false)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	if project == nil {
		return entries, warnings, nil
	}
	data, err = grant.Read(project, trust.MCP, projectMCP)
	if err != nil { // not there, or not let in
		return entries, warnings, nil
	}
	more, warns, err := mcp.Parse(data, true)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", projectMCP, err)
	}
	own := map[string]bool{}
	for _, e := range entries {
		own[strings.ToLower(e.Name)] = true
	}
	for _, e := range more {
		if own[strings.ToLower(e.Name)] {
			warns = append(warns, fmt.Sprintf("server %s of the project is hidden by your own of that name", e.Name))
			continue
		}
		entries = append(entries, e)
	}
	return entries, append(warnings, warns...), nil
}

// mcpItems lists a repository's servers for the question of trust. It is a
// trust.Lister.
func mcpItems(p *trust.Project) ([]trust.Item, error) {
	data, err := p.Read(projectMCP)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, _, err := mcp.Parse(data, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", projectMCP, err)
	}
	var out []trust.Item
	for _, e := range entries {
		what := "connects to " + e.URL
		if len(e.Command) > 0 {
			what = "starts " + strings.Join(e.Command, " ")
		}
		if names := e.Variables(); len(names) > 0 {
			what += ", told the value of " + strings.Join(names, ", ")
		}
		item := p.Item(trust.MCP, projectMCP, data, "MCP server "+e.Name+" "+what)
		item.Runs = true
		out = append(out, item)
	}
	return out, nil
}

// An attendance is what servers need of the session that they belong to.
type attendance struct {
	limit time.Duration           // of a call; 0: the default
	learn func(secrets ...string) // masks tokens; nil where nothing is shown or stored
	forms bool                    // a person may fill in their forms
}

// mcpServers makes the servers of a place.
func (a *app) mcpServers(p place, entries []mcp.Entry, env []string, with attendance) (*mcp.Servers, error) {
	setting, err := ossandbox.ParseSetting(p.settings.Sandbox)
	if err != nil {
		return nil, usage("%w", err)
	}
	look := lookIn(env)
	path, _ := look("PATH")
	return mcp.NewServers(mcp.Setup{
		Entries: entries, Workspace: p.root, Pins: mcp.OpenPins(p.state), Env: look, Path: path, Version: version(), Timeout: with.limit,
		Net: a.egress, Logins: a.logins(p.state), Learn: with.learn, Forms: with.forms, Roots: true,
		Box: func(id mcp.Identity) (mcp.Box, error) {
			cfg := ossandbox.Config{Root: p.root, Home: p.home, State: p.state, Env: env, Setting: setting, Untested: true, ReadOnly: id.Reads(p.home)}
			if id.Sandbox == mcp.Off {
				cfg.Setting = ossandbox.Off
			}
			return ossandbox.New(context.Background(), cfg) // Untested: it probes nothing, so there is nothing to end
		},
	}), nil
}

func lookIn(env []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := len(env) - 1; i >= 0; i-- {
			if n, v, ok := strings.Cut(env[i], "="); ok && n == name {
				return v, true
			}
		}
		return "", false
	}
}

// mcpTools are the approved tools, as the agent offers them. problems say what
// the person would miss: servers that changed since, names that meet.
func mcpTools(s *mcp.Servers) (tools []tool.MCPTool, problems []string) {
	offers, errs := s.Offers()
	for _, err := range errs {
		problems = append(problems, visible.Strict(err.Error()))
	}
	off := map[string]bool{}
	for _, x := range s.Standings() {
		if x.Why != "" && x.Tools > 0 {
			off[x.Entry.Name] = true
			problems = append(problems, visible.Strict("MCP server "+x.Entry.Name+" is withdrawn: "+x.Why+"; look at it with `tera-pilot mcp approve "+x.Entry.Name+"`"))
		}
	}
	for _, o := range offers {
		if !off[o.Server] {
			tools = append(tools, tool.MCPTool{Name: o.Name, Server: o.Server, Tool: o.Tool, Description: o.Description, Schema: o.Schema})
		}
	}
	return tools, problems
}

// servers is a place by hand: the current folder, with what of the project was
// let in before. Nothing is asked about trust.
func (a *app) servers() (place, *mcp.Servers, []mcp.Entry, error) {
	p, err := a.place("")
	if err != nil {
		return p, nil, nil, err
	}
	servers, entries, err := a.serversOf(p, func(w string) { fmt.Fprintln(a.stderr, "tera-pilot: "+visible.Strict(w)) })
	return p, servers, entries, err
}

// serversOf are the servers of a place; warn hears what was read past.
func (a *app) serversOf(p place, warn func(string)) (*mcp.Servers, []mcp.Entry, error) {
	project, s, err := a.standing(p.state, p.root, p.start)
	if err != nil {
		return nil, nil, err
	}
	if project != nil {
		defer func() { _ = project.Close() }() // a folder that was read
	}
	entries, warnings, err := mcpEntries(p.state, project, s.Grant)
	if err != nil {
		return nil, nil, usage("%w", err)
	}
	for _, w := range warnings {
		warn(w)
	}
	servers, err := a.mcpServers(p, entries, a.env, attendance{})
	return servers, entries, err
}

// openMCP finds the servers of a session. Nothing is started.
func (a *app) openMCP(o *opened, l launch) error {
	entries, warnings, err := mcpEntries(o.state, o.project, o.grant)
	if err != nil {
		return usage("%w", err)
	}
	for _, w := range warnings {
		o.missed = append(o.missed, visible.Strict(w))
	}
	env := a.env
	if l.env != nil {
		env = l.env
	}
	o.mcp, err = a.mcpServers(o.place, entries, env, attendance{l.mcpTimeout, func(secrets ...string) { o.redactor.Add(secrets...) }, l.canAsk})
	return err
}
