package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/mcp"
)

func (a *app) mcpCallCommand() *cobra.Command {
	var seconds int
	c := &cobra.Command{
		Use:     "call [--timeout S] NAME TOOL JSON",
		Short:   "Send one call through the gate: asked about in a terminal, else only what your rules allow",
		Example: `  tera-pilot mcp call files list_directory '{"path": "."}'`,
		Args:    cobra.ExactArgs(3),
	}
	c.Flags().IntVar(&seconds, "timeout", 60, "seconds until the call fails")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(args[2]), &object); err != nil || object == nil {
			return usage("the arguments must be one JSON object, like {\"path\": \".\"}")
		}
		if seconds < 1 || seconds > 600 {
			return usage("--timeout takes 1 to 600 seconds")
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), time.Duration(seconds)*time.Second+10*time.Second)
		defer cancel()
		return a.callTool(ctx, args[0], args[1], json.RawMessage(args[2]), time.Duration(seconds)*time.Second)
	}
	return c
}

// callTool plays one call, as a model would make it, in a session of its own.
func (a *app) callTool(ctx context.Context, server, tool string, args json.RawMessage, limit time.Duration) error {
	asks := isTerminal(a.stdin) && isTerminal(a.stdout)
	p, err := a.place("")
	if err != nil {
		return err
	}
	s := &scenario.Scenario{Steps: []scenario.Step{
		{Calls: []scenario.Call{{Tool: mcp.Offered(server, tool), Args: args}}}, {Say: "done"},
	}}
	free := func(model.Usage) *int64 { return new(int64) }
	o, err := a.open(ctx, launch{
		front: audit.FrontCLI, canAsk: asks, mcpTimeout: limit,
		provider: &provider{Provider: model.NewScripted(s, p.root), model: "by hand", price: free},
	})
	if err != nil {
		return err
	}
	res, why, err := a.oneCall(ctx, o, asks)
	status := audit.CloseOK
	if err != nil || res.Status != "ok" {
		status = audit.CloseError
	}
	if err := errors.Join(err, o.Close(status)); err != nil {
		return err
	}
	return a.called(res, why)
}

// called prints what came of the call, and turns it into an exit code.
func (a *app) called(res event.CallResult, why event.CallDecided) error {
	switch {
	case res.Decision == "denied" || res.Decision == "blocked" && why.Call != "":
		text := "the call was not made: " + visible.Strict(why.Reason)
		if why.Allow != "" {
			text += "\nthis rule in policy.toml would allow it:\n" + why.Allow
		}
		return &exitError{exitDenied, errors.New(text)}
	case res.Decision == "blocked": // it could not even be planned
		return &exitError{exitDenied, errors.New(visible.Prose(res.Body))}
	case res.Status != "ok":
		return errors.New(visible.Prose(res.Body))
	}
	fmt.Fprintln(a.stdout, visible.Prose(res.Body))
	return nil
}

// oneCall submits the turn and waits for its end.
func (a *app) oneCall(ctx context.Context, o *opened, asks bool) (res event.CallResult, why event.CallDecided, err error) {
	state, err := o.State()
	if err != nil {
		return res, why, err
	}
	_, live, stop, err := o.Subscribe(state.Seq)
	if err != nil {
		return res, why, err
	}
	defer stop()
	if err := o.Send(event.Submit{Text: "a call by hand"}); err != nil {
		return res, why, err
	}
	for {
		select {
		case <-ctx.Done():
			return res, why, ctx.Err()
		case e, ok := <-live:
			if !ok {
				return res, why, errors.New("the session ended before the call did")
			}
			switch b := e.Body.(type) {
			case event.CallDecided:
				why = b
			case event.CallResult:
				res = b
			case event.QuestionOpened:
				if err := o.Send(a.answerByHand(b.Question, asks)); err != nil {
					return res, why, err
				}
			case event.TurnEnded:
				return res, why, nil
			}
		}
	}
}

// answerByHand shows a question whole and takes the word yes, or the code where
// one is wanted. Everything else is no.
func (a *app) answerByHand(q event.Question, asks bool) event.Answer {
	out := event.Answer{Question: q.ID, Digest: q.Digest, LinesHash: q.LinesHash, By: "user:cli"}
	if !asks {
		return out
	}
	fmt.Fprintln(a.stdout, q.Title)
	for _, l := range q.Lines {
		fmt.Fprintln(a.stdout, "  "+l.Text)
	}
	want := "yes"
	if q.Code != "" {
		want = q.Code
	}
	fmt.Fprintf(a.stdout, "allow this once? Type %s: ", want)
	line, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err == nil && strings.TrimSpace(line) == want {
		out.Choice, out.Code = event.Once, q.Code
	}
	return out
}
