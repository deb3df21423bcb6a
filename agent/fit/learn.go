package fit

import "math"

// A Known is what was learnt of one model. The zero Known is nothing.
type Known struct {
	Factor float64 `json:"factor,omitempty"` // reported tokens over estimated ones; 0 is 1
	Window int64   `json:"window,omitempty"` // in tokens, as the server's refusals told
}

// Bounds of what is believed.
const (
	minFactor = 0.5
	maxFactor = 2
	newWeight = 0.3  // of the newest report
	oddFactor = 4    // a report that is further off is no whole count
	minWindow = 256  // tokens: less is no window
	maxWindow = 1e9  // tokens: more is a broken server
	fewTokens = 200  // too few to learn from
	spare     = 0.10 // of a window, for the estimate's error
)

// Windows of models of which nothing is known. A smaller one says so in its
// first refusal, which is learnt.
const (
	DefaultWindow = 128 << 10
	SmallWindow   = 16 << 10 // below it a model gets the short prompt and few tools
)

// Tokens is an estimate in this model's tokens.
func (k Known) Tokens(estimate int64) int64 {
	f := k.Factor
	if !(f >= minFactor && f <= maxFactor) {
		f = 1
	}
	return int64(math.Ceil(float64(estimate) * f))
}

// Saw learns from a request that was estimated (without factor) and reported.
// Some servers report what was new to their cache only: such a count is far
// off, and passed over.
func (k Known) Saw(estimate, reported int64) Known {
	if estimate < fewTokens || reported <= 0 {
		return k
	}
	ratio := float64(reported) / float64(estimate)
	if ratio > oddFactor || ratio < 1.0/oddFactor {
		return k
	}
	ratio = min(max(ratio, minFactor), maxFactor)
	if k.Factor == 0 {
		k.Factor = 1
	}
	k.Factor = min(max(k.Factor+newWeight*(ratio-k.Factor), minFactor), maxFactor)
	if k.Window > 0 && reported > k.Window {
		k.Window = reported // it took more than it had said
	}
	return k
}

// Refused learns from a refusal for length: limit and used are the server's
// numbers, 0 where it said none, and sent is our estimate with the factor.
func (k Known) Refused(limit, used, sent int64) Known {
	switch {
	case limit >= minWindow && limit <= maxWindow:
		k.Window = limit
	case sent > minWindow && (k.Window == 0 || sent < k.Window):
		k.Window = sent * 9 / 10
	}
	if used > 0 && used < maxWindow && sent > 0 {
		if f := k.Factor * float64(used) / float64(sent); k.Factor > 0 && used > sent {
			k.Factor = min(f, maxFactor)
		} else if k.Factor == 0 && used > sent {
			k.Factor = min(float64(used)/float64(sent), maxFactor)
		}
	}
	return k
}

// In is the window to reckon with: the smaller of what the catalogue or the
// settings say and of what was learnt, else the default.
func (k Known) In(stated int64) int64 {
	switch {
	case k.Window > 0 && (stated <= 0 || k.Window < stated):
		return k.Window
	case stated > 0:
		return stated
	default:
		return DefaultWindow
	}
}
