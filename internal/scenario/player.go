package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// A Player plays a scenario once, from the first step to the last. It can be
// used by many goroutines; the steps come in the order of the calls.
type Player struct {
	mu     sync.Mutex
	steps  []Step
	cwd    string
	next   int // first step that was not played or passed over
	spoilt int // attempts at steps[next] that its fault has spoilt
}

// An EndError says that no step is left that fits.
type EndError struct {
	Steps   int // in the script
	Next    int // steps that were left
	Results []Result
}

func (e *EndError) Error() string {
	if e.Next == 0 {
		return fmt.Sprintf("scenario: all %d steps are played and the session asks for one more: let the last step make no calls, or add a step", e.Steps)
	}
	var got []string
	for _, r := range e.Results {
		got = append(got, describe(r))
	}
	if got == nil {
		got = []string{"no result"}
	}
	return fmt.Sprintf("scenario: %d steps are left and none has a when that fits (%s): add a step without when", e.Next, strings.Join(got, "; "))
}

func describe(r Result) string {
	s := fmt.Sprintf("tool=%s decision=%s", r.Tool, r.Decision)
	if r.Exit != nil {
		s += fmt.Sprintf(" exit=%d", *r.Exit)
	}
	return s
}

// Player starts the scenario. {cwd} in arguments becomes cwd.
func (s *Scenario) Player(cwd string) *Player {
	return &Player{steps: s.Steps, cwd: cwd}
}

// Next gives the step that follows on results, with {cwd} replaced. While the
// step's fault strikes, the step is given with that fault and stays the next
// one; after that it is given without. None left, or none that fits, is an
// *EndError.
func (p *Player) Next(results []Result) (Step, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := p.next; i < len(p.steps); i++ {
		if !p.steps[i].When.holds(results) {
			continue
		}
		if i != p.next {
			p.next, p.spoilt = i, 0
		}
		return p.take()
	}
	return Step{}, &EndError{Steps: len(p.steps), Next: len(p.steps) - p.next, Results: results}
}

func (p *Player) take() (Step, error) {
	step := p.steps[p.next]
	if step.Shape.Fault != "" && p.spoilt < max(step.Shape.Times, 1) {
		p.spoilt++
	} else {
		step.Shape.Fault = ""
		p.next, p.spoilt = p.next+1, 0
	}
	calls := make([]Call, len(step.Calls))
	for i, c := range step.Calls {
		args, err := replaceCwd(c.Args, p.cwd)
		if err != nil {
			return Step{}, fmt.Errorf("scenario: line %d: arguments of %s: %w", step.Line, c.Tool, err)
		}
		calls[i] = Call{ID: c.ID, Tool: c.Tool, Args: args}
	}
	step.Calls = calls
	return step, nil
}

// Left counts the steps that were neither played nor passed over.
func (p *Player) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.steps) - p.next
}

// replaceCwd puts cwd, escaped as JSON text, for {cwd} in strings of args.
func replaceCwd(args json.RawMessage, cwd string) (json.RawMessage, error) {
	if !strings.Contains(string(args), "{cwd}") {
		return args, nil
	}
	quoted, err := json.Marshal(cwd)
	if err != nil {
		return nil, err
	}
	// {cwd} holds a word and no quote or colon, so that it can only stand
	// inside a string of a valid JSON text.
	return json.RawMessage(strings.ReplaceAll(string(args), "{cwd}", string(quoted[1:len(quoted)-1]))), nil
}
