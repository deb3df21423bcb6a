package guardian

import "fmt"

// Tier is how risky an effect looks. The zero value is High: what nobody
// scored is not known, and the unknown is high.
type Tier uint8

// The tiers, riskiest first.
const (
	High Tier = iota
	Medium
	Low
)

// String is the tier's word in questions and logs.
func (t Tier) String() string {
	switch t {
	case Low:
		return "low"
	case Medium:
		return "medium"
	case High:
		return "high"
	}
	return "high"
}

// Level says which effects the reviewing model is asked about: the setting
// `guardian_level`. The zero value asks about most.
type Level uint8

// The levels.
const (
	All           Level = iota // medium and high
	DangerousOnly              // high; the default of the settings
	Off                        // none
)

// ParseLevel reads the setting's word.
func ParseLevel(word string) (Level, error) {
	switch word {
	case "all":
		return All, nil
	case "dangerous_only":
		return DangerousOnly, nil
	case "off":
		return Off, nil
	}
	return All, fmt.Errorf("guardian level %q is none of off, dangerous_only, all", word)
}

// String is the setting's word.
func (l Level) String() string {
	switch l {
	case Off:
		return "off"
	case DangerousOnly:
		return "dangerous_only"
	case All:
		return "all"
	}
	return "all"
}

// Reviews says whether a model is asked about an effect of tier t.
func (l Level) Reviews(t Tier) bool {
	switch l {
	case Off:
		return false
	case DangerousOnly:
		return t == High
	case All:
		return t != Low
	}
	return true
}

// Risk is a tier with its reasons, for the question.
type Risk struct {
	Tier    Tier
	Reasons []string // for people, one line each
}

// Worse returns the riskier of the two, with the reasons of both where they
// are of the same tier.
func (r Risk) Worse(other Risk) Risk {
	switch {
	case r.Tier < other.Tier:
		return r
	case other.Tier < r.Tier:
		return other
	}
	out := Risk{Tier: r.Tier, Reasons: append([]string(nil), r.Reasons...)}
	for _, reason := range other.Reasons {
		out = out.add(reason)
	}
	return out
}

func (r Risk) add(reason string) Risk {
	for _, had := range r.Reasons {
		if had == reason {
			return r
		}
	}
	r.Reasons = append(r.Reasons, reason)
	return r
}
