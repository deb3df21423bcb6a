package gate

// Canonical is everything that Decide looks at, in a canonical form: what the
// log's `inputs` commits to. Rules stand in it as their digest.
func (in Input) Canonical() []byte { return nil }

// ParseInput reads what Canonical wrote, so that a decision can be replayed.
// rules finds the rules by their digest; where they are gone, the error is
// ErrNotReplayable.
func ParseInput(b []byte, rules func(digest string) (Rules, bool)) (Input, error) {
	return Input{}, ErrNotReplayable
}
