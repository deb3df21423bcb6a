package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/tui/tty"
	"golang.org/x/term"
)

// terminalReport is what the self test of the terminal found.
type terminalReport struct {
	SchemaVersion int           `json:"schema_version"`
	Ready         bool          `json:"ready"`             // nothing fails
	Skipped       string        `json:"skipped,omitempty"` // why there was no test
	Checks        []tty.Finding `json:"checks"`
}

// doctorTerminal is the self test of the terminal. Without one it is left out,
// and says so.
func (a *app) doctorTerminal(ctx context.Context, asJSON bool) error {
	r := terminalReport{SchemaVersion: 1, Ready: true, Checks: []tty.Finding{}}
	switch {
	case !isTerminal(a.stdin) || !isTerminal(a.stdout):
		r.Skipped = "stdin or stdout is no terminal"
	case a.getenv("TERM") == "" || a.getenv("TERM") == "dumb":
		r.Skipped = "TERM says that it is none that can be asked: " + fmt.Sprintf("%q", a.getenv("TERM"))
	default:
		var err error
		if r.Checks, err = a.askTerminal(ctx, !asJSON); err != nil {
			return err
		}
	}
	for _, c := range r.Checks {
		r.Ready = r.Ready && c.Status != "fail"
	}
	if err := a.printTerminal(r, asJSON); err != nil || r.Ready {
		return err
	}
	return &exitError{code: exitFailed}
}

// askTerminal asks the terminal in raw mode, and takes that back whatever happens.
func (a *app) askTerminal(ctx context.Context, ask bool) (found []tty.Finding, err error) {
	before, err := term.MakeRaw(int(a.stdin.Fd()))
	if err != nil {
		return nil, fmt.Errorf("the terminal cannot be put into raw mode: %w", err)
	}
	defer func() { err = errors.Join(err, term.Restore(int(a.stdin.Fd()), before)) }()
	p := tty.Probe{In: a.stdin, Out: a.stdout, Env: a.getenv, Ask: ask}
	return p.Run(ctx)
}

func (a *app) printTerminal(r terminalReport, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	if r.Skipped != "" {
		_, err := fmt.Fprintln(a.stdout, "skip  terminal  "+r.Skipped)
		return err
	}
	for _, c := range r.Checks {
		if _, err := fmt.Fprintf(a.stdout, "%-5s %-24s %s\n", c.Status, c.Name, c.Detail); err != nil {
			return err
		}
		if c.Hint != "" {
			if _, err := fmt.Fprintf(a.stdout, "%31s%s\n", "", c.Hint); err != nil {
				return err
			}
		}
	}
	return nil
}
