package guardian

import "github.com/tera-pilot/tera-pilot/agent/effect"

// Score says how risky the effect looks. Pure.
func Score(e effect.Effect) Risk { return Risk{Tier: High, Reasons: []string{"not scored"}} }

// ScoreSet is the riskiest of the set's scores. A set without effects that is
// declared to have none is low.
func ScoreSet(s effect.Set) Risk { return Risk{Tier: High, Reasons: []string{"not scored"}} }
