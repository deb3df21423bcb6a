package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// mcpAskCommands are what a person asks of an approved server besides its tools.
func (a *app) mcpAskCommands() []*cobra.Command {
	ask := func(use, short, example string, args cobra.PositionalArgs) *cobra.Command {
		c := &cobra.Command{Use: use, Short: short, Example: "  " + example, Args: args}
		c.RunE = func(cmd *cobra.Command, args []string) error {
			return a.askServer(cmd.Context(), append([]string{c.Name()}, args...))
		}
		return c
	}
	return []*cobra.Command{
		ask("resources NAME", "List the resources of an approved server", "tera-pilot mcp resources notes", cobra.ExactArgs(1)),
		ask("read NAME URI", "Read a resource of an approved server", "tera-pilot mcp read notes note:///7", cobra.ExactArgs(2)),
		ask("prompts NAME", "List the prompts of an approved server; in a session they are /mcp__NAME__PROMPT", "tera-pilot mcp prompts notes", cobra.ExactArgs(1)),
		ask("prompt NAME PROMPT [ARG=VALUE]...", "Print a prompt of an approved server", "tera-pilot mcp prompt notes review page=7", cobra.MinimumNArgs(2)),
	}
}

// askServer asks in a session of its own, by the road that /mcp takes, and prints
// the answer. It was typed: only the floor is asked.
func (a *app) askServer(ctx context.Context, words []string) error {
	line := ""
	for _, w := range words {
		if strings.ContainsRune(w, '"') {
			return usage("%q holds a quotation mark, which cannot be passed on", w)
		}
		line += `"` + w + `" `
	}
	o, err := a.open(ctx, launch{front: audit.FrontCLI, mind: byHand(&model.Relay{})})
	if err != nil {
		return err
	}
	res, note, err := follow(ctx, o, event.Servers{Words: strings.TrimSpace(line)})
	status := audit.CloseOK
	if err != nil || res.Status != "ok" {
		status = audit.CloseError
	}
	if err := errors.Join(err, o.Close(status)); err != nil {
		return err
	}
	switch {
	case res.Call == "": // nothing was asked
		return usage("%s", note.Text)
	case res.Decision == string(audit.Blocked), res.Decision == string(audit.Denied):
		return &exitError{exitDenied, errors.New(visible.Prose(res.Body))}
	case res.Status != "ok":
		return errors.New(visible.Prose(res.Body))
	case res.Body == "":
		fmt.Fprintln(a.stderr, "tera-pilot: "+visible.Once(note.Text))
		return nil
	}
	fmt.Fprintln(a.stdout, visible.OnceProse(res.Body))
	return nil
}

// follow sends a command about servers and waits for what came of it.
func follow(ctx context.Context, o *opened, c event.Servers) (res event.CallResult, note event.Notice, err error) {
	err = o.await(ctx, c, func(b event.Body) (over bool, err error) {
		switch b := b.(type) {
		case event.CallResult:
			res = b
		case event.Notice:
			note = b
			over = b.Key == "mcp"
		}
		return over, nil
	})
	return res, note, err
}
