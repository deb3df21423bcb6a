package snap

import (
	"strconv"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Command is what a slash command tells the session, with what stands behind the
// word; false for one that a front end carries out in its own way.
func Command(word, rest string) (event.Command, bool) {
	switch word {
	case "/plan":
		return event.SetLevel{Level: "always_ask", Plan: true}, true
	case "/think":
		return event.SetThought{Level: rest}, true
	case "/compact":
		return event.Compact{Back: rest == "back"}, true
	case "/rename":
		return event.Rename{Title: rest}, true
	case "/model":
		return Named(rest), rest != ""
	case "/mcp":
		return event.Servers{Words: rest}, true
	case "/forget":
		return event.Forget{Rule: rest}, true
	case "/reload":
		return event.Reload{}, true
	case "/cancel":
		return event.Cancel{}, true
	default:
		return nil, false
	}
}

// Named is the model of a text: [PROVIDER] NAME.
func Named(text string) event.SetModel {
	if provider, name, two := strings.Cut(text, " "); two {
		return event.SetModel{Provider: provider, Model: strings.TrimSpace(name)}
	}
	return event.SetModel{Model: text}
}

// ParseWindow is the command of a word (/trust, /unsafe, /strict) and its time:
// 10m, 90s, or minutes without a unit; without a time the session takes its usual
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
