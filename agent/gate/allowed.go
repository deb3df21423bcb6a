package gate

import (
	"slices"

	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// allowed is step 3 for one claim: what makes the table's ask an allow, and its
// liftable deny one.
func (in Input) allowed(l link, a *act, c claim, f finding) finding {
	switch f.answer {
	case Allow:
		return f
	case Deny:
		if f.lift {
			return in.lifted(l, c, f)
		}
		return f
	case Ask:
		return in.granted(l, a, c, f)
	}
	return finding{by: ByTable}
}

// lifted looks for the one thing that lifts a deny: a rule in the user's own
// policy.toml about just this kind of effect. For a protected name it counts
// only while no untrusted text is in the context.
func (in Input) lifted(l link, c claim, f finding) finding {
	if c.target == nil {
		return f
	}
	if c.row == rowProtected && len(l.Taint) > 0 {
		f.reason += ", and only while no untrusted text is in the context"
		return f
	}
	switch t := c.target.(type) {
	case commandTarget:
		return f
	case hostTarget:
		if !t.callAllowed(l.Rules.user, l.when) {
			return f
		}
	}
	if hit := c.target.speak(l.Rules.user, l.when).Allow; hit != nil {
		return finding{answer: Allow, by: ByRule, hit: hit, reason: because(hit, "allowed by")}
	}
	return f
}

// granted looks for an allow source, in the order in which they are told.
func (in Input) granted(l link, a *act, c claim, f finding) finding {
	if hit := in.rule(l, c); hit != nil {
		return finding{answer: Allow, by: layerBy(hit), hit: hit, reason: because(hit, "allowed by")}
	}
	if t, ok := c.target.(hostTarget); ok && in.hostGranted(l, t) {
		return finding{answer: Allow, by: ByRemembered, reason: "the host was allowed for this session"}
	}
	if c.row == rowCommand && a.e.Exec.ReadOnly && a.e.Exec.Profile == ProfileObserve && !in.ConfirmReads {
		return finding{answer: Allow, by: ByBuiltIn, reason: "proven to read only, and run in the profile observe"}
	}
	if in.inWindow(l, c) {
		return finding{answer: Allow, by: ByWindow, reason: "inside the window that was opened for the everyday"}
	}
	if hit := c.said.Pending; hit != nil {
		f.reason += "; the project's rule " + hit.String() + " waits for your approval"
	}
	return f
}

// rule finds an allow rule about the claim: of the user, of the project where
// the user approved it, or remembered. A compound command may need rules of
// several of them. A remembered rule covers no protected name.
func (in Input) rule(l link, c claim) *commandpolicy.Hit {
	if c.target == nil {
		return nil
	}
	switch t := c.target.(type) {
	case commandTarget:
		if t.stdin && slices.ContainsFunc(t.a.Parts, readsProgram) {
			return nil // what it would run stands in no rule
		}
		return in.standing(c.said)
	case hostTarget:
		if !t.callAllowed(l.Rules.all, l.when) {
			return nil
		}
	}
	for _, p := range []*commandpolicy.Policy{l.Rules.user, l.Rules.project, l.Rules.kept} {
		if p == l.Rules.kept && c.row == rowProtected {
			continue
		}
		if hit := in.standing(c.target.speak(p, l.when)); hit != nil {
			return hit
		}
	}
	return nil
}

// standing is the allow rule of s if each rule that it needs still stands: one
// that was granted at a better sandbox than today's does not.
func (in Input) standing(s commandpolicy.Spoken) *commandpolicy.Hit {
	stands := func(h *commandpolicy.Hit) bool { return h.Grade == "" || in.Grade >= ParseGrade(h.Grade) }
	if s.Allow == nil || !stands(s.Allow) || slices.ContainsFunc(s.Covers, func(h *commandpolicy.Hit) bool { return !stands(h) }) {
		return nil
	}
	return s.Allow
}

// hostGranted says that exactly this host was granted for the session, for
// fetching.
func (in Input) hostGranted(l link, t hostTarget) bool {
	return t.host != "" && t.port == "" && t.method == methodGet && t.push == nil && slices.Contains(l.HostGrants, t.host)
}

// inWindow says that an open window covers the claim.
func (in Input) inWindow(l link, c claim) bool {
	w := l.Window
	if !in.terminal() || w.Left < minWindow || in.Grade < w.Grade || (w.Kind != TrustWindow && w.Kind != UnsafeWindow) {
		return false
	}
	switch c.row {
	case rowCommand:
		return in.Sandbox.Accepts(in.Grade)
	case rowCreate, rowChange, rowGitWrite:
		return true
	case rowMCP:
		return w.Kind == UnsafeWindow
	case rowNetwork:
		return w.Kind == UnsafeWindow && c.said.Allow != nil
	case rowUnknown, rowFree, rowRead, rowGuarded, rowOutside, rowBoxed, rowProtected, rowGitRead, rowStart, rowSpawn, rowCount:
		return false
	}
	return false
}
