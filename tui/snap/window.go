package snap

import (
	"strconv"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// ParseWindow is the command of a word (/trust, /unsafe, /strict) and its time: 10m,
// 90s, or minutes without a unit; without a time the session takes its usual
// one. ok is false when the time is none.
func ParseWindow(word, rest string) (c event.Window, ok bool) {
	c.Mode = word[1:]
	if rest == "" {
		return c, true
	}
	if n, err := strconv.Atoi(rest); err == nil && n > 0 && n < 1000 {
		c.For = time.Duration(n) * time.Minute
		return c, c.Mode != "strict"
	}
	d, err := time.ParseDuration(rest)
	c.For = d
	return c, err == nil && d > 0 && c.Mode != "strict"
}
