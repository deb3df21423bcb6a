package gate

import (
	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/guardian"
)

// A Decision is the gate's word on a set of effects. The zero Decision denies.
type Decision struct {
	Answer Answer
	By     By
	Rule   Rule       // the rule that decided, if one did
	Reason string     // one line for people, already visible: why, and the next step
	Set    effect.Set // completed: from here on nobody changes it

	Effects []EffectDecision // by index of Set.Effects; one for a set that is declared to have none
	Level   Level            // in force
	Raised  bool             // an Ask that offers once only, and no rule to remember
	Danger  bool             // an Ask that wants a typed code
	Risk    guardian.Risk
}

// An EffectDecision is the word on one effect after step 4: whether anybody can
// be asked is told of the set alone.
type EffectDecision struct {
	Answer Answer
	By     By
	Rule   Rule
	Reason string
	Claims []ClaimDecision
}

// A ClaimDecision is the word on one row of the table that the effect comes
// under.
type ClaimDecision struct {
	Row    string // "command in the sandbox", "read of a secret or outside file" …
	What   string // of what: a path, a host, a command
	Answer Answer
	By     By
	Rule   Rule
	Reason string
}

// Rule names a rule by where it stands. The zero Rule is none.
type Rule struct {
	ID   string
	File string
	Line int
}

// Word is the decision in the log's words: allowed, blocked (a rule, the floor
// or a guard said no) or denied (nobody could be asked). An Ask has no word
// until it is answered; it reads denied, as it stays when nobody answers.
func (d Decision) Word() string {
	switch {
	case d.Answer == Allow:
		return "allowed"
	case d.Answer == Deny && d.By != ByHeadless:
		return "blocked"
	}
	return "denied"
}
