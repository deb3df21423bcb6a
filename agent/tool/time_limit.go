package tool

import (
	"fmt"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// Bounds of the time limit that a call can ask for, in seconds.
const (
	leastSeconds = 1
	mostSeconds  = 3600
)

// within is the time limit that a call asks for, in seconds, or usual where it
// asks for none. One that is not allowed becomes the nearest that is, and note
// is the line of the result that says so.
func within(asked *int, usual int) (seconds int, note string) {
	if asked == nil {
		return usual, ""
	}
	seconds = min(max(*asked, leastSeconds), mostSeconds)
	if seconds != *asked {
		note = fmt.Sprintf("[a time limit of %d to %d s is allowed: %d s held]\n", leastSeconds, mostSeconds, seconds)
	}
	return seconds, note
}

// timedOut says that a command was ended by its limit, which git calls have of
// their own.
func timedOut(e effect.Effect) string {
	if e.Exec == nil || e.Exec.Timeout == 0 {
		return "[timed out and was ended]\n"
	}
	more := fmt.Sprintf("give a longer timeout (up to %d), or do less at once", mostSeconds)
	if e.Exec.Timeout >= mostSeconds*time.Second {
		more = "no limit is longer: do less at once"
	}
	return fmt.Sprintf("[timed out after %d s and was ended; %s]\n", int(e.Exec.Timeout.Seconds()), more)
}
