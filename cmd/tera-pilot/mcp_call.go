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
	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/mcpserver"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/mcp"
	"github.com/tera-pilot/tera-pilot/tui/lines"
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
		limit := time.Duration(seconds)*time.Second + 10*time.Second
		if isTerminal(a.stdin) && isTerminal(a.stdout) {
			limit += time.Hour // what a person needs for questions and forms is not the call's time
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), limit)
		defer cancel()
		return a.callTool(ctx, args[0], args[1], json.RawMessage(args[2]), time.Duration(seconds)*time.Second)
	}
	return c
}

// callTool makes one call in a session of its own, on the road of all calls.
func (a *app) callTool(ctx context.Context, server, tool string, args json.RawMessage, limit time.Duration) error {
	asks := isTerminal(a.stdin) && isTerminal(a.stdout)
	relay := &model.Relay{}
	o, err := a.open(ctx, launch{front: audit.FrontCLI, canAsk: asks, mcpTimeout: limit, mind: byHand(relay)})
	if err != nil {
		return err
	}
	if _, err := o.tools.Lookup(mcp.Offered(server, tool)); err != nil {
		refused := notOffered(o.mcp, server, tool)
		var exit *exitError
		if errors.As(refused, &exit) && exit.code == exitDenied { // what is refused is evidence too
			err = o.Note(ctx, audit.PinChange("call refused", server, tool, "", "", audit.ByFloor))
		}
		return errors.Join(refused, err, o.Close(audit.CloseError))
	}
	caller := mcpserver.Caller{Session: o, Hand: relay.Hand, Answer: func(q event.Question) event.Answer { return a.answerByHand(q, asks) }}
	out, err := caller.Call(ctx, mcp.Offered(server, tool), args)
	status := audit.CloseOK
	if err != nil || out.Result.Status != "ok" {
		status = audit.CloseError
	}
	if err := errors.Join(err, o.Close(status)); err != nil {
		return err
	}
	return a.called(out.Result, out.Decided)
}

// notOffered says why a tool is not there to be called.
func notOffered(servers *mcp.Servers, server, tool string) error {
	plan, err := servers.Plan(server, tool)
	switch {
	case errors.Is(err, mcp.ErrNoServer):
		return usage("%w", err)
	case err == nil:
		why := plan.Why
		if plan.Pinned {
			why = "another tool comes to its name"
		}
		err = &mcp.WithdrawnError{Server: server, Tool: tool, Why: why}
	}
	return &exitError{exitDenied, err}
}

// byHand is the provider of a session whose calls are handed in.
func byHand(r *model.Relay) *agent.Mind {
	return &agent.Mind{Provider: r, Model: model.RelayID, Price: func(model.Usage) *int64 { return new(int64) }}
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
	fmt.Fprintln(a.stdout, visible.OnceProse(res.Body))
	return nil
}

// answerByHand shows a question whole and takes the word yes, or the code where
// one is wanted. Everything else is no. A form is filled in field by field.
func (a *app) answerByHand(q event.Question, asks bool) event.Answer {
	out := event.Answer{Question: q.ID, Digest: q.Digest, LinesHash: q.LinesHash, By: "user:cli"}
	if !asks {
		return out
	}
	fmt.Fprintln(a.stdout, q.Title)
	for _, l := range q.Lines {
		fmt.Fprintln(a.stdout, "  "+l.Text)
	}
	if len(q.Form) > 0 {
		lines.Flush(a.stdin)
		out.Form = a.fillIn(q.Form, bufio.NewReader(a.stdin))
		if out.Cancelled = out.Form == nil; out.Cancelled {
			return out
		}
	}
	want := "yes"
	if q.Code != "" {
		want = q.Code
	}
	ask := "allow this once? Type " + want + ": "
	if len(q.Form) > 0 {
		ask = "send this? Type yes: "
	}
	line, err := a.answered(ask)
	switch {
	case err != nil || strings.TrimSpace(line) != want:
		out.Form = nil
	case len(q.Form) > 0:
		out.Choice = event.Say
	default:
		out.Choice, out.Code = event.Once, q.Code
	}
	return out
}

// fillIn asks for the values of a form; nil when the input ends.
func (a *app) fillIn(form []event.Field, in *bufio.Reader) map[string]string {
	out := map[string]string{}
	for _, f := range form {
		about := visible.Once(f.Title)
		if f.About != "" {
			about += " (" + visible.Once(f.About) + ")"
		}
		for i, o := range f.Options {
			label := visible.Strict(o)
			if i < len(f.Labels) {
				label += " " + visible.Once(f.Labels[i])
			}
			about += "\n    " + label
		}
		if f.Default != "" {
			about += "  [" + visible.Strict(f.Default) + "]"
		}
		for {
			fmt.Fprintf(a.stdout, "  %s: ", about)
			line, err := in.ReadString('\n')
			if err != nil {
				return nil
			}
			value := strings.TrimRight(line, "\r\n")
			if value == "" {
				value = f.Default
			}
			if f.Kind == event.FieldChoices && value != "" && event.Chosen(value) == nil {
				value = mustJSON(strings.Fields(value))
			}
			if err := f.Check(value); err != nil {
				fmt.Fprintln(a.stdout, "  "+err.Error())
				continue
			}
			if value != "" {
				out[f.Name] = value
			}
			break
		}
	}
	return out
}

// mustJSON writes words as JSON.
func mustJSON(words []string) string {
	b, err := json.Marshal(words)
	if err != nil {
		panic("words do not encode: " + err.Error())
	}
	return string(b)
}
