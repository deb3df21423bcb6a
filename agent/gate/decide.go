package gate

import (
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/guardian"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// minWindow is how much of a window must be left for it to count: the clock of
// a decision is rounded to a second.
const minWindow = time.Second

// A finding is what is known of one claim so far.
type finding struct {
	answer Answer
	by     By
	hit    *commandpolicy.Hit
	reason string
	lift   bool // a deny of the table that the user's own rule lifts
	raised bool
	danger bool
}

// Decide answers for a planned set. It is pure, and never panics.
func Decide(in Input) Decision {
	in.Now = onTheSecond(in.Now)
	acts, chain := in.acts(), in.chain()
	d := Decision{By: ByFloor, Set: in.Set, Level: chain[0].level, Risk: guardian.ScoreSet(in.Set)}
	if len(acts) == 0 {
		d.Reason = "the call names no effect, and is not declared to have none: it is never done"
		return d
	}
	beside(acts)
	d.Set.Effects = nil
	total := finding{answer: Allow, by: in.tableBy()}
	for i, a := range acts {
		e, f := in.effect(chain, a)
		d.Effects = append(d.Effects, e)
		if len(in.Set.Effects) > 0 {
			d.Set.Effects = append(d.Set.Effects, a.e)
		}
		total = stricter(total, f, i == 0)
	}
	d.Risk = guardian.ScoreSet(d.Set)
	if f, ok := in.floorAgain(chain, acts); ok {
		total = f
	}
	d.Answer, d.By, d.Reason, d.Rule = total.answer, total.by, tell(total.reason), ruleOf(total.hit)
	d.Raised, d.Danger = total.raised, total.danger
	return in.heard(d)
}

// effect decides one act: the strictest of its claims.
func (in Input) effect(chain []link, a *act) (EffectDecision, finding) {
	total := finding{answer: Allow, by: in.tableBy()}
	var e EffectDecision
	for i, c := range a.claims {
		f := in.decideClaim(chain, a, c)
		total = stricter(total, f, i == 0)
		e.Claims = append(e.Claims, ClaimDecision{
			Row: c.row.String(), What: tell(c.what), Answer: f.answer, By: f.by, Rule: ruleOf(f.hit), Reason: tell(f.reason),
		})
	}
	if len(a.claims) == 0 {
		total = finding{by: ByFloor, reason: in.floor(chain[0], a, false)}
	}
	e.Answer, e.By, e.Rule, e.Reason = total.answer, total.by, ruleOf(total.hit), tell(total.reason)
	return e, total
}

// decideClaim walks steps 1 to 4 for one claim, for the agent that acts and
// for each one above it, and takes the strictest.
func (in Input) decideClaim(chain []link, a *act, c claim) finding {
	if in.Typed {
		return in.typed(chain[0], a)
	}
	total := in.steps(chain[0], a, c)
	for _, l := range chain[1:] {
		f := in.steps(l, a, c)
		if f.answer < total.answer {
			total, f = f, total
			if l.Limits != chain[0].Limits {
				total.by = ByParent
			}
		}
		total.also(f)
	}
	return total
}

// also takes over from another ask how this one has to be put.
func (f *finding) also(other finding) {
	if f.answer == Ask && other.answer == Ask {
		f.raised, f.danger = f.raised || other.raised, f.danger || other.danger
	}
}

// steps are the steps 1 to 4.
func (in Input) steps(l link, a *act, c claim) finding {
	if c.target != nil {
		c.said = c.target.speak(l.Rules.all, l.when)
	}
	if f, ok := in.denied(l, a, c); ok {
		return f
	}
	f := in.fromTable(l, c)
	f = in.allowed(l, a, c, f)
	return in.raised(l, a, c, f)
}

// fromTable is step 2.
func (in Input) fromTable(l link, c claim) finding {
	cell := c.row.at(l.level)
	return finding{answer: cell.answer, lift: cell.lift, by: in.tableBy(), reason: cell.reason(l.level, c.row)}
}

// tableBy names the table, or the opt-out that chose its column.
func (in Input) tableBy() By {
	if in.OptOut && (in.Front == FrontRun || in.Front == FrontACP) {
		return ByNoConfirm
	}
	return ByTable
}

// typed is for what a person typed as a command: its own yes, so that only the
// floor is asked, without its plan clause.
func (in Input) typed(l link, a *act) finding {
	if why := in.floor(l, a, false); why != "" {
		return finding{by: ByFloor, reason: why}
	}
	by, reason := ByUserCLI, "you typed it"
	switch in.Front {
	case FrontTUI:
		by = ByUserTUI
	case FrontDemo:
		by, reason = ByDemo, "typed in the demo, or a step of it"
	case FrontACP:
		by = ByUserACP
	case FrontRun, FrontMCP, FrontCLI:
	}
	return finding{answer: Allow, by: by, reason: reason}
}

// stricter joins two findings. Between two that ask, one that was raised is
// told; between two that allow, one that is not the table.
func stricter(a, b finding, first bool) finding {
	out, other := a, b
	switch {
	case first, b.answer < a.answer:
		out, other = b, a
	case a.answer == b.answer && a.answer == Ask && b.raised && !a.raised:
		out, other = b, a
	case a.answer == b.answer && a.answer == Allow && (a.by == ByTable || a.by == ByNoConfirm):
		out, other = b, a
	}
	out.also(other)
	return out
}

// floorAgain asks the floor for the last time, on the completed effects: what
// hooks, reviews and rules said changes nothing about it.
func (in Input) floorAgain(chain []link, acts []*act) (finding, bool) {
	for _, l := range chain {
		for _, a := range acts {
			why := in.floor(l, a, l.Plan && !in.Typed)
			if why == "" {
				why = in.incomplete(a)
			}
			if why != "" {
				return finding{by: ByFloor, reason: why}, true
			}
		}
		if in.Typed {
			break
		}
	}
	return finding{}, false
}

// incomplete says that a command lacks what the gate had to fill in.
func (in Input) incomplete(a *act) string {
	x := a.e.Exec
	switch {
	case x == nil:
		return ""
	case x.Profile != ProfileObserve && x.Profile != ProfileWork && x.Profile != ProfileNet && x.Profile != ProfileOff,
		x.Profile != ProfileNet && x.Profile != ProfileOff && len(x.Hosts) > 0,
		x.Profile == ProfileOff && in.Sandbox != SandboxOff && !a.mark.Leaves,
		x.Grade != in.Grade.String(), x.Timeout < MinTimeout, x.Timeout > MaxTimeout:
		return "the command was not completed with a sandbox profile and limits that fit it"
	}
	return ""
}

// heard is step 5: with nobody to ask, ask is deny.
func (in Input) heard(d Decision) Decision {
	if d.Answer == Ask && !in.canAsk() {
		d.Answer, d.By = Deny, ByHeadless
		d.Raised, d.Danger = false, false
		d.Reason = "nobody can be asked here: " + d.Reason
	}
	if d.Answer != Ask {
		d.Raised, d.Danger = false, false
	}
	return d
}

// beside marks the acts of a set in which a secret-like file is read and the
// network is used.
func beside(acts []*act) {
	reads, network := false, false
	for _, a := range acts {
		reads = reads || a.readsSecret()
		network = network || a.sends()
	}
	for _, a := range acts {
		a.beside = reads && network
	}
}

// longestTold is how much of a reason is told, in bytes.
const longestTold = 600

// tell makes text with names and words of others in it fit for one line.
func tell(s string) string {
	if len(s) > longestTold {
		s = strings.ToValidUTF8(s[:longestTold], "") + " …"
	}
	return visible.Once(s)
}

func ruleOf(h *commandpolicy.Hit) Rule {
	if h == nil {
		return Rule{}
	}
	return Rule{ID: h.ID, File: h.File, Line: h.Line}
}
