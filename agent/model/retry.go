package model

import (
	"math/rand/v2"
	"time"
)

// Retry rules. A request is sent again only if the error may pass, and only
// before anything was shown, or if the stream was cut with no complete call.
const (
	backoffBase = 500 * time.Millisecond
	backoffMost = 30 * time.Second
	obeyAtMost  = 120 * time.Second // a longer retry-after is for the user to wait
	loadingWait = 2 * time.Second   // between looks at a server that loads its model
)

// tries counts the attempts of one request.
type tries struct {
	most    int
	made    int
	loading time.Duration // what may still be waited for a model to load
}

func newTries(most int, loading time.Duration) *tries {
	return &tries{most: most, loading: loading}
}

// progress is how far a failed reply had come.
type progress struct {
	shown bool // something of it was shown
	call  bool // it held a call whose arguments were complete
}

// next says whether to try again after an error, and after what wait.
func (t *tries) next(e *Error, got progress) (bool, time.Duration) {
	t.made++
	if !e.Retryable || got.shown && (e.Class != ClassStreamTruncated || got.call) {
		return false, 0
	}
	if e.Class == ClassModelLoading && t.most > 1 && t.loading > 0 {
		t.loading -= loadingWait
		return true, loadingWait
	}
	if t.made >= t.most {
		return false, 0
	}
	if e.RetryAfter != nil {
		return *e.RetryAfter <= obeyAtMost, *e.RetryAfter
	}
	return true, backoff(t.made)
}

// backoff waits at random up to a bound that doubles (full jitter).
func backoff(made int) time.Duration {
	most := backoffMost
	if made < 7 {
		most = min(most, backoffBase<<(made-1))
	}
	return time.Duration(rand.Int64N(int64(most) + 1))
}
