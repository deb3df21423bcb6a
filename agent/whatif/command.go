package whatif

import (
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
)

// A Scene is where a command would run that nobody runs.
type Scene struct {
	Workspace, Home, State string // as in gate.Input
	Rules                  gate.Rules
	Now                    time.Time
}

// Command is what the gate would say in the terminal to a command that nobody
// runs, by the effect that the session's world planned for it: that of a command
// or, where the text is one git call, that of git. It stands in a sandbox of
// grade A, with nothing untrusted read, without hooks and hosts. The text is the
// smallest addition to policy.toml with which it would be allowed, "" where none
// could or none is needed.
func (s Scene) Command(e effect.Effect, level gate.Level) (gate.Decision, string) {
	in := gate.Input{
		Set:   effect.Set{Tool: "execute_command", Effects: []effect.Effect{e}},
		Marks: []gate.Mark{{Undo: true}},
		Front: gate.FrontTUI, CanAsk: true, Interactive: true, Origin: gate.OriginNative,
		Sandbox: gate.SandboxAuto, Grade: gate.GradeA,
		Workspace: s.Workspace, Roots: []string{s.Workspace}, Home: s.Home, State: s.State,
		Now: s.Now.UTC().Truncate(time.Second), Limits: gate.Limits{Level: level, Rules: s.Rules},
	}
	d := gate.Decide(in)
	return d, gate.WouldAllow(in, d)
}
