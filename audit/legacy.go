package audit

// LegacyReport is what the verification of an export of the Python original
// adds, in the words of that program, and what its format does not protect.
type LegacyReport struct {
	Entries      int64    `json:"entries_checked"`
	Valid        int64    `json:"signatures_valid"`
	Invalid      int64    `json:"signatures_invalid"`
	Breaks       int64    `json:"chain_breaks"`
	FirstFailure string   `json:"first_failure,omitempty"`
	Unprotected  []string `json:"unprotected"`
}
