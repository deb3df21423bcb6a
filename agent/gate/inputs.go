package gate

import (
	"bytes"
	"errors"
	"fmt"
	"time"
)

// ErrNotReplayable says that something a decision depended on is gone, so that
// nobody can say what the answer was.
var ErrNotReplayable = errors.New("not replayable: the rules that were in force are gone")

// Canonical is everything that Decide looks at, in a canonical form: what the
// log's `inputs` commits to (docs/contracts.md, section 2). Rules stand in it
// as a digest of their files; content that a hash in the effect stands for is
// left out; the clock is rounded to a second.
func (in Input) Canonical() []byte {
	in.Now = onTheSecond(in.Now)
	return encode(in)
}

// onTheSecond is the clock as decisions see it.
func onTheSecond(t time.Time) time.Time { return t.Round(0).UTC().Truncate(time.Second) }

// ParseInput reads what Canonical wrote, so that a decision can be replayed.
// rules finds the rules by their digest; where they are gone, the error is
// ErrNotReplayable.
func ParseInput(b []byte, rules func(digest string) (Rules, bool)) (Input, error) {
	var in Input
	if err := decode(b, &in); err != nil {
		return Input{}, fmt.Errorf("inputs of a decision: %w", err)
	}
	for l := &in.Limits; l != nil; l = l.Parent {
		known, ok := rules(l.Rules.digest)
		if !ok || known.digest != l.Rules.digest {
			return Input{}, ErrNotReplayable
		}
		l.Rules = known
	}
	if !bytes.Equal(in.Canonical(), b) {
		return Input{}, errors.New("inputs of a decision: they are not in the canonical form")
	}
	return in, nil
}
