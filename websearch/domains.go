package websearch

import (
	"fmt"
	"slices"
	"strings"
)

// Mode is how the list of trusted hosts is used. The zero value is the
// strictest.
type Mode uint8

// Modes.
const (
	TrustedOnly      Mode = iota // other hosts are refused
	TrustedPreferred             // search results of trusted hosts come first
	Open                         // the list means nothing
)

var modeNames = [...]string{TrustedOnly: "trusted_only", TrustedPreferred: "trusted_preferred", Open: "open"}

// String is the mode's word in the settings.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return modeNames[TrustedOnly]
}

// ParseMode reads the word of the settings; "" is open.
func ParseMode(word string) (Mode, error) {
	if word == "" {
		return Open, nil
	}
	if i := slices.Index(modeNames[:], word); i >= 0 {
		return Mode(i), nil
	}
	return TrustedOnly, fmt.Errorf("web.mode is %q: it must be one of open, trusted_preferred, trusted_only", word)
}

// Domains is the user's own word on hosts, beside the rules of policy.toml
// (`[[host]]`), which the gate knows. It can only refuse.
type Domains struct {
	Mode    Mode
	Trusted []string // exact names, or ".example.org" for a domain and all below it
}

// A PolicyError says that the user's settings refuse a host.
type PolicyError struct{ Host string }

func (e *PolicyError) Error() string {
	return e.Host + " is not a trusted host, and web.mode is trusted_only: add it to web.trusted in config.json to reach it"
}

func (d Domains) refuses(host string) error {
	if d.Mode == Open || d.Mode == TrustedPreferred || d.trusts(host) {
		return nil
	}
	return &PolicyError{host}
}

func (d Domains) trusts(host string) bool {
	return slices.ContainsFunc(d.Trusted, func(name string) bool {
		name = strings.ToLower(name)
		if below, ok := strings.CutPrefix(name, "."); ok {
			return host == below || strings.HasSuffix(host, name)
		}
		return host == name
	})
}
