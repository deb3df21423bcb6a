package gate

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/guardian"
)

// raised is step 4 for one claim: an ask source turns allow into ask, and marks
// an ask as raised. A deny stays one. An approved start is never raised.
func (in Input) raised(l link, a *act, c claim, f finding) finding {
	if f.answer == Deny || a.e.Kind == effect.Start {
		return f
	}
	for _, source := range [...]func(link, *act, claim) (finding, bool){in.askRule, in.askedByGuards, in.tainted, in.builtIn} {
		if got, ok := source(l, a, c); ok {
			got.answer, got.raised, got.danger = Ask, true, in.danger(a) != ""
			return got
		}
	}
	f.raised = f.answer == Ask && c.row == rowProtected
	return f
}

// askRule: ask rules of the user and of the project.
func (in Input) askRule(_ link, _ *act, c claim) (finding, bool) {
	hit := c.said.Ask
	if hit == nil {
		return finding{}, false
	}
	return finding{by: layerBy(hit), hit: hit, reason: because(hit, "asked about by")}, true
}

// askedByGuards: a hook, or the guardian's model review, that raises.
func (in Input) askedByGuards(link, *act, claim) (finding, bool) {
	for _, h := range in.Hooks {
		if h.Word == HookRaise {
			return finding{by: ByHook, reason: "the hook " + h.Name + " wants a person to look" + colon(h.Reason)}, true
		}
	}
	if in.Review != nil && in.Review.Pull() == guardian.Raises {
		return finding{by: ByGuardian, reason: "the guardian's review (" + in.Review.Word.String() + ") leaves it to a person" + colon(in.Review.Rationale)}, true
	}
	return finding{}, false
}

// tainted: once untrusted text is in the context, data leaves only to where the
// user's own list, or one exact yes, lets it go; and what steers later sessions
// is always asked about.
func (in Input) tainted(l link, a *act, c claim) (finding, bool) {
	if len(l.Taint) == 0 {
		return finding{}, false
	}
	source := "untrusted text is in the context (" + strings.Join(l.Taint, ", ") + ")"
	switch {
	case c.row == rowProtected:
		return finding{by: ByTaint, reason: source + ", and this steers what runs or is read later"}, true
	case c.row == rowNetwork && !in.listed(l, c), c.row == rowMCP && a.e.MCP.Remote && !in.listed(l, c):
		return finding{by: ByTaint, reason: source + ", and no rule of yours names where this goes"}, true
	}
	return finding{}, false
}

// listed says that the user's list covers an egress: a rule about the host or
// the tool in policy.toml, a remembered one that names exactly one host (GET)
// or one tool, or a host grant of this session.
func (in Input) listed(l link, c claim) bool {
	w := l.when
	switch t := c.target.(type) {
	case hostTarget:
		if t.speak(l.Rules.user, w).Allow != nil || in.hostGranted(l, t) {
			return true
		}
		kept := in.standing(t.speak(l.Rules.kept, w))
		return kept != nil && kept.OneHost && t.method == methodGet && t.push == nil
	case toolTarget:
		if t.speak(l.Rules.user, w).Allow != nil {
			return true
		}
		kept := in.standing(t.speak(l.Rules.kept, w))
		return kept != nil && kept.OneHost
	}
	return false
}

// builtIn: the ask sources that need no rule.
func (in Input) builtIn(l link, a *act, c claim) (finding, bool) {
	why := ""
	switch {
	case a.e.Kind == effect.Exec && !a.e.Exec.Parsed:
		why = "the command does not parse, or holds characters that hide what it does" + unparsed(a)
	case in.danger(a) != "":
		why = in.danger(a)
	case in.leaks(a):
		why = "what would leave the machine looks like a secret"
	case a.e.Kind == effect.Fetch && a.mark.Redirect && !in.redirectCovered(l, c):
		why = "another host's redirect leads here, and no rule or grant names this host"
	case losesWork(a) != "":
		why = "it can lose work: " + losesWork(a)
	case in.Origin != OriginNative && !in.TextAsNative && reachesOut(a.e):
		why = "the model wrote this call as text, not as a tool call"
	case a.e.Kind == effect.Exec && in.Sandbox == SandboxOff:
		why = "the sandbox is off: the command could do whatever you can"
	default:
		return finding{}, false
	}
	return finding{by: ByBuiltIn, reason: why}, true
}

func unparsed(a *act) string {
	if len(a.cmd.BadBytes) > 0 {
		return ": " + a.cmd.BadBytes[0].What
	}
	if len(a.cmd.Problems) > 0 {
		return ": " + a.cmd.Problems[0]
	}
	return ""
}

// danger says what makes an act one that wants a typed code, or "".
func (in Input) danger(a *act) string {
	switch {
	case a.e.Kind == effect.Start:
		return ""
	case a.mark.Leaves:
		return "it leaves the sandbox"
	case a.e.Kind == effect.Delete && !a.mark.Undo:
		return "it deletes what cannot be put back"
	case a.e.Kind == effect.Rename && a.e.To.Exists && !a.mark.Undo:
		return "it replaces " + a.e.To.Name + ", which cannot be put back"
	case a.beside && (a.readsSecret() || a.sends()):
		return "it reads a secret-like file beside an open network"
	}
	return ""
}

// leaks says that the secret scan found something in what would leave.
func (in Input) leaks(a *act) bool {
	return a.sends() && (a.mark.SecretHit || a.e.Net != nil && a.e.Net.SecretHit)
}

// redirectCovered says that a rule or a grant names the host of a redirect.
func (in Input) redirectCovered(l link, c claim) bool {
	t, ok := c.target.(hostTarget)
	return !ok || in.rule(l, c) != nil || in.hostGranted(l, t)
}

func losesWork(a *act) string {
	switch {
	case a.e.Kind == effect.Git && len(a.e.Git.Loses) > 0:
		return a.e.Git.Loses[0]
	case a.cmd != nil:
		return a.cmd.LosesWork
	}
	return ""
}

// reachesOut says that an effect writes, runs or uses the network.
func reachesOut(e effect.Effect) bool {
	switch e.Kind {
	case effect.Read, effect.Walk:
		return false
	case effect.Git:
		return e.Git.Class != effect.GitReads
	case effect.Unknown: // a set that is declared to have no effects
		return false
	case effect.Create, effect.Write, effect.Delete, effect.Rename, effect.Mkdir, effect.Chmod, effect.Exec, effect.Fetch,
		effect.Search, effect.MCP, effect.Memory, effect.Config, effect.Spawn, effect.Start:
		return true
	}
	return true
}
