package gate

import (
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// The last look of the floor refuses a command whose completion does not fit,
// wherever that came from.
func TestTheLastLookOfTheFloor(t *testing.T) {
	fit := effect.Command{Script: "make", Dir: "/w", Profile: ProfileWork, Grade: "A", Timeout: time.Minute}
	in := Input{Sandbox: SandboxAuto, Grade: GradeA, Workspace: "/w"}
	last := func(x effect.Command) string {
		a := &act{e: effect.Effect{Kind: effect.Exec, Exec: &x}, claims: []claim{{row: rowCommand}}}
		f, _ := in.floorAgain(in.chain(), []*act{a})
		return f.reason
	}
	if why := last(fit); why != "" {
		t.Fatal(why)
	}
	for name, spoil := range map[string]func(*effect.Command){
		"no profile":          func(x *effect.Command) { x.Profile = "" },
		"unknown profile":     func(x *effect.Command) { x.Profile = "debug" },
		"hosts without net":   func(x *effect.Command) { x.Hosts = []string{"go.dev"} },
		"off though it is on": func(x *effect.Command) { x.Profile = ProfileOff },
		"another grade":       func(x *effect.Command) { x.Grade = "B" },
		"no limit":            func(x *effect.Command) { x.Timeout = 0 },
		"too long":            func(x *effect.Command) { x.Timeout = 2 * MaxTimeout },
	} {
		x := fit
		if spoil(&x); last(x) == "" {
			t.Errorf("%s: it would have run", name)
		}
	}
	in.Plan = true
	if last(fit) == "" {
		t.Error("plan mode is forgotten at the last look")
	}
}
