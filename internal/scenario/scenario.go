package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// A Scenario is a script that was read and checked.
type Scenario struct {
	Steps []Step
}

// A Step is one turn of the model.
type Step struct {
	When  *When // nil: always
	Say   string
	Think string
	Calls []Call // none: the turn ends
	Shape Shape
	Line  int // in the file, for messages
}

// A Call is a tool call of a step.
type Call struct {
	ID   string // empty: made up
	Tool string
	Args json.RawMessage // an object
}

// A When is the condition of a step: all of its fields that are set must hold
// for one result.
type When struct {
	Tool     string
	Exit     *int
	Decision string
	Contains string
}

// Fault names what goes wrong in a step's stream.
type Fault string

// The faults. An empty one is none.
const (
	FaultCut     Fault = "cut"      // the connection ends
	FaultStall   Fault = "stall"    // nothing more comes, and nothing ends
	Fault429     Fault = "429"      // too many requests
	Fault500     Fault = "500"      // internal server error
	FaultBadUTF8 Fault = "bad_utf8" // bytes that are no text
)

// A Shape is how the stream of a step arrives.
type Shape struct {
	Delay      time.Duration // before each delta
	Chunk      int           // bytes a delta, 0: all at once
	Fault      Fault
	At         int           // bytes of the stream before the fault
	Times      int           // attempts that the fault spoils, at least 1
	RetryAfter time.Duration // sent with 429, 0: not sent
}

// A Result is what a call came to, as far as a script can ask.
type Result struct {
	Tool     string
	Decision string
	Exit     *int
	Text     string // the whole text, first line included
}

// Load reads the script in file. Errors name the file and the line.
func Load(file string) (*Scenario, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	s, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", file, err)
	}
	return s, nil
}

// ParseResult reads what a model is given as the result of a call: its first
// line, such as [result tool=execute_command status=ok decision=approved
// exit=1], and the text. A text without such a line is a result that only
// Contains can match.
func ParseResult(text string) Result {
	r := Result{Text: text}
	line, _, _ := strings.Cut(text, "\n")
	inner, begins := strings.CutPrefix(strings.TrimSpace(line), "[result ")
	inner, ends := strings.CutSuffix(inner, "]")
	if !begins || !ends {
		return r
	}
	for _, field := range strings.Fields(inner) {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "tool":
			r.Tool = value
		case "decision":
			r.Decision = value
		case "exit":
			var n int
			if _, err := fmt.Sscanf(value, "%d", &n); err == nil {
				r.Exit = &n
			}
		}
	}
	return r
}

// holds says whether one of the results fits w.
func (w *When) holds(results []Result) bool {
	if w == nil {
		return true
	}
	for _, r := range results {
		if w.fits(r) {
			return true
		}
	}
	return false
}

func (w *When) fits(r Result) bool {
	switch {
	case w.Tool != "" && w.Tool != r.Tool,
		w.Decision != "" && w.Decision != r.Decision,
		w.Exit != nil && (r.Exit == nil || *w.Exit != *r.Exit),
		w.Contains != "" && !strings.Contains(r.Text, w.Contains):
		return false
	}
	return true
}
