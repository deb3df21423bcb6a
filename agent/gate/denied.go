package gate

import (
	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/guardian"
)

// denied is step 1 for one claim of an act: the floor, deny rules, vetoes.
func (in Input) denied(l link, a *act, c claim) (finding, bool) {
	if why := in.floor(l, a, l.Plan); why != "" {
		return finding{by: ByFloor, reason: why}, true
	}
	if hit := c.said.Deny; hit != nil {
		return finding{by: layerBy(hit), hit: hit, reason: because(hit, "denied by")}, true
	}
	for _, h := range in.Hooks {
		if h.Word != HookRaise && h.Word != HookPass {
			return finding{by: ByHook, reason: "the hook " + h.Name + " vetoes it" + colon(h.Reason)}, true
		}
	}
	if in.Review != nil && in.Review.Pull() == guardian.Denies {
		return finding{by: ByGuardian, reason: "the guardian's review rejects it" + colon(in.Review.Rationale)}, true
	}
	return finding{}, false
}

// floor says why nothing whatever can permit the act, or "". It is asked in
// step 1, and once more on the completed set. plan is false for what a person
// typed.
func (in Input) floor(l link, a *act, plan bool) string {
	switch {
	case a.fault != "":
		return a.fault + ": what is not wholly described is never done"
	case len(a.claims) == 0:
		return "nothing that the agent does may change its own settings, rules, keys or log: the person does that by hand"
	case a.cmd != nil && a.cmd.Catastrophe != nil:
		return because(a.cmd.Catastrophe, "on the list of what no rule can allow,")
	case in.touchesOwn(a):
		return "it touches the agent's own keys, log, policy or settings, which nobody's call may"
	case in.writesOutside(a):
		return "file tools write inside the workspace only: use a path beneath it"
	case a.e.Kind == effect.MCP && !a.e.MCP.Pinned:
		return "the tool's definition is not the approved one: look at it with `tera-pilot mcp approve " + a.e.MCP.Server + "`"
	case a.e.Kind == effect.Start && !a.mark.Approved:
		return "nobody approved the start of exactly this program"
	}
	for _, host := range a.hosts() {
		if why := forbiddenHost(host); why != "" && a.e.Kind != effect.Search {
			return why + ": the agent reaches public hosts only"
		}
	}
	if why := in.unboxed(l, a); why != "" {
		return why
	}
	if plan && !a.readsOnly() {
		return "plan mode: only reads, and commands proven to read only; leave plan mode to do it"
	}
	return ""
}

// touchesOwn says that the act names a path of our own state folder.
func (in Input) touchesOwn(a *act) bool {
	for _, c := range a.claims {
		if t, ok := c.target.(pathTarget); ok && in.own(t.path) {
			return true
		}
	}
	for _, p := range []*effect.Path{a.e.Path, a.e.To} {
		if p == nil || p.Virtual {
			continue
		}
		above := a.e.Kind.ChangesFiles() || a.e.Kind == effect.Walk // and so what lies below
		if in.own(p.Abs) || in.own(p.Target) || above && beneath(in.State, p.Abs) {
			return true
		}
	}
	return false
}

// writesOutside says that a file tool would change something beyond the roots.
func (in Input) writesOutside(a *act) bool {
	if !a.e.Kind.ChangesFiles() {
		return false
	}
	for _, p := range []*effect.Path{a.e.Path, a.e.To} {
		if p != nil && (p.Virtual || in.outside(*p)) {
			return true
		}
	}
	return false
}

// unboxed says why a process may not run for want of a sandbox, or "".
func (in Input) unboxed(l link, a *act) string {
	process := a.e.Exec != nil || a.e.Kind == effect.Git
	switch {
	case !process:
		return ""
	case in.Sandbox == SandboxOff || a.e.Kind == effect.Start && a.mark.Leaves:
		if !in.terminal() || l.level == NeverAsk {
			return "the sandbox is off, and then commands run in the interactive terminal only, where each is asked about: set agent_os_sandbox to auto"
		}
		return ""
	case !in.Sandbox.Accepts(in.Grade):
		return "no sandbox that agent_os_sandbox=" + in.Sandbox.String() + " accepts works here (grade " + in.Grade.String() + "): `tera-pilot doctor --sandbox` says how to mend it"
	}
	return ""
}

// readsOnly says that the act fits plan mode.
func (a *act) readsOnly() bool {
	switch a.e.Kind {
	case effect.Read, effect.Walk:
		return true
	case effect.Git:
		return a.e.Git.Class == effect.GitReads
	case effect.Exec:
		return a.e.Exec.ReadOnly && a.e.Exec.Profile == ProfileObserve
	case effect.Unknown: // a set that is declared to have no effects
		return len(a.claims) == 1 && a.claims[0].row == rowFree
	case effect.Create, effect.Write, effect.Delete, effect.Rename, effect.Mkdir, effect.Chmod, effect.Fetch,
		effect.Search, effect.MCP, effect.Memory, effect.Config, effect.Spawn, effect.Start:
		return false
	}
	return false
}

func layerBy(hit *commandpolicy.Hit) By {
	switch hit.Layer {
	case commandpolicy.LayerBuiltin:
		return ByFloor
	case commandpolicy.LayerRemembered, commandpolicy.LayerSession:
		return ByRemembered
	case commandpolicy.LayerUser, commandpolicy.LayerProject:
		return ByRule
	}
	return ByRule
}

func because(hit *commandpolicy.Hit, verb string) string {
	return verb + " " + hit.String() + colon(hit.Because)
}

func colon(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}
