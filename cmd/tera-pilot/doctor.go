package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/doctor"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON, sandbox, terminal bool
	var project string
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Say what works here, what does not, and how to mend it",
		Long:    "Say what works here, what does not, and how to mend it. Nothing is changed, and nothing of the project is executed. Exit 0 when nothing fails.\n\nWith --sandbox, each promise of the sandbox is tried on this machine, in a folder of its own.\n\nWith --terminal, the terminal itself is asked: colours, widths of characters, keys, pastes, the clipboard; with --json without the part in which you press keys. Its modes are as before afterwards.",
		Example: "  tera-pilot doctor\n  tera-pilot doctor --sandbox\n  tera-pilot doctor --terminal",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if terminal {
				return a.doctorTerminal(cmd.Context(), asJSON)
			}
			return a.doctor(cmd.Context(), project, asJSON, sandbox)
		},
	}
	cmd.Flags().BoolVar(&terminal, "terminal", false, "ask the terminal what it can do")
	cmd.Flags().BoolVar(&sandbox, "sandbox", false, "try what the sandbox promises, one by one")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringVar(&project, "project", "", "the project's folder (default: here)")
	cmd.MarkFlagsMutuallyExclusive("sandbox", "terminal")
	return cmd
}

func (a *app) doctor(ctx context.Context, project string, asJSON, sandbox bool) error {
	where, err := a.patient(ctx, project)
	if err != nil {
		return err
	}
	look := doctor.Look
	if sandbox {
		look = doctor.Sandbox
	}
	report := look(ctx, where, time.Now())
	if asJSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetIndent("", "  ")
		err = enc.Encode(report)
	} else {
		err = report.Write(a.stdout)
	}
	if err == nil && !report.Ready {
		return &exitError{code: exitFailed}
	}
	return err
}

// patient gathers what doctor looks at. What is wrong is a finding, and no
// error.
func (a *app) patient(ctx context.Context, project string) (doctor.Place, error) {
	state, err := a.stateHome()
	if err != nil {
		return doctor.Place{}, err
	}
	home, err := a.userHome()
	if err != nil {
		return doctor.Place{}, err
	}
	if project == "" {
		if project, err = os.Getwd(); err != nil {
			return doctor.Place{}, usage("the current folder is gone: %w", err)
		}
	} else if info, err := os.Stat(project); err != nil || !info.IsDir() {
		return doctor.Place{}, usage("--project: there is no folder %s; `tera-pilot doctor` alone looks at this one", project)
	}
	d := doctor.Place{Version: version(), State: state, Home: home, Env: a.env, Terminal: isTerminal(a.stdout)}
	d.Root, d.RootErr = world.Root(project, a.flags.root, home, state)
	if d.RootErr != nil {
		d.Root = ""
	}
	s, err := a.settings(state)
	if d.Settings = err; err != nil {
		s = config.Defaults()
	}
	d.Sandbox, d.Unused = s.Sandbox, s.Unused
	_, d.Policy = a.rules(state)
	mind, err := a.mind(ctx, place{home: home, state: state, root: d.Root, settings: s}, secret.New())
	if d.ProviderErr = err; err == nil && mind.Provider != nil {
		d.Provider, d.Model = mind.Provider.ID(), mind.Model
	}
	d.Web, d.WebErr = a.webWords(s, state)
	d.Level, d.Budgets, d.Remembered = s.Autonomy, budgets(s), a.remembered(state)
	if d.Root != "" {
		a.lookAtProject(&d)
		d.MCP, d.MCPErr = a.mcpStandings(place{home: home, state: state, root: d.Root, settings: s})
	}
	return d, nil
}

// mcpStandings are the servers of a place, looked at without a start.
func (a *app) mcpStandings(p place) ([]doctor.Server, error) {
	servers, _, err := a.serversOf(p, func(string) {})
	if err != nil {
		return nil, err
	}
	var out []doctor.Server
	for _, s := range servers.Standings() {
		out = append(out, doctor.Server{Name: s.Entry.Name, Tools: s.Tools, Why: s.Why})
	}
	return out, nil
}

// lookAtProject finds out what of the project is loaded. Nothing is started.
func (a *app) lookAtProject(d *doctor.Place) {
	project, standing, err := a.standing(d.State, d.Root, ".")
	if d.TrustErr = err; err != nil {
		return
	}
	hooks, err := a.hooks(d.State, project, standing.Grant)
	d.HooksErr = err
	for _, h := range hooks {
		d.Hooks = append(d.Hooks, fmt.Sprintf("%s (%s, sha256 %.12s)", h.Name, eventWords(h), h.Hash()))
	}
	for _, i := range standing.New {
		d.Waiting = append(d.Waiting, i.Path+" "+i.What)
	}
	if project != nil {
		d.TrustErr = project.Close()
	}
}

// budgets are the limits that are set, in words.
func budgets(s config.Settings) []string {
	var out []string
	if s.BudgetMicros > 0 {
		out = append(out, fmt.Sprintf("%.2f dollars a session", float64(s.BudgetMicros)/1e6))
	}
	if s.DayMicros > 0 {
		out = append(out, fmt.Sprintf("%.2f dollars a day", float64(s.DayMicros)/1e6))
	}
	if s.DayTokens > 0 {
		out = append(out, fmt.Sprintf("%d tokens a day", s.DayTokens))
	}
	return append(out, fmt.Sprintf("%d model calls a turn", s.MaxSteps))
}

// remembered are the rules that were kept at a question. A file with a fault is
// a finding about the policy.
func (a *app) remembered(state string) []string {
	rules, err := (rulebook.Book{State: state}).Rules()
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range rules.Files() {
		for i := range f.Rules {
			if f.Layer.String() == "remembered" {
				out = append(out, f.Rules[i].ID)
			}
		}
	}
	return out
}
