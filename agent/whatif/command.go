package whatif

import (
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// Command is what the gate would say in the terminal to a command that nobody
// runs: in a sandbox of grade A, with nothing untrusted read, without hooks and
// hosts, at a time and a level. The text is the smallest addition to policy.toml
// with which it would allow it, "" where none could or none is needed.
func Command(text string, c commandpolicy.Context, rules gate.Rules, level gate.Level, now time.Time) (gate.Decision, string) {
	_, facts := gate.Analyse(text, c)
	x := &effect.Command{
		Script: text, Argv: []string{"bash", "-c", text}, Program: effect.Program{Path: "/bin/bash"},
		Dir: c.Workspace, Parsed: true, Facts: facts,
	}
	in := gate.Input{
		Set:   effect.Set{Tool: "execute_command", Effects: []effect.Effect{{Kind: effect.Exec, Exec: x}}},
		Marks: []gate.Mark{{Undo: true}},
		Front: gate.FrontTUI, CanAsk: true, Interactive: true, Origin: gate.OriginNative,
		Sandbox: gate.SandboxAuto, Grade: gate.GradeA,
		Workspace: c.Workspace, Roots: []string{c.Workspace}, Home: c.Home, State: c.State,
		Now: now.UTC().Truncate(time.Second), Limits: gate.Limits{Level: level, Rules: rules},
	}
	d := gate.Decide(in)
	return d, gate.WouldAllow(in, d)
}
