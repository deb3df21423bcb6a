package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/mcpserver"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/audit"
)

// Tools that `mcp serve` offers. Nothing that asks a person, reaches the web or
// other servers, or starts agents is among them.
var (
	servedReads  = []string{"read_file", "list_files", "glob", "grep", "file_info", "git_status", "git_diff", "git_log"}
	servedWrites = []string{
		"write_file", "str_replace", "multi_edit", "apply_diff", "delete_file", "rename_file", "mkdir",
		"execute_command", "run_code", "self_verify", "git_stage", "git_commit",
	}
)

func (a *app) mcpServeCommand() *cobra.Command {
	var writes bool
	c := &cobra.Command{
		Use:   "serve [--allow-writes]",
		Short: "Be an MCP server on stdio: this folder's files and git, to read; more only by your rules",
		Long: `Be an MCP server on stdin and stdout, for this folder. It offers the tools that
read. With --allow-writes it also offers those that write and run commands, on
the same road as everywhere: nobody can be asked, so what would be asked about is
denied, and only what your rules allow is done. Everything is in the audit log.`,
		Example: `  tera-pilot mcp serve
  tera-pilot mcp serve --allow-writes --autonomy new_files_only`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serveMCP(cmd.Context(), writes) },
	}
	c.Flags().BoolVar(&writes, "allow-writes", false, "offer the tools that write and run commands too; they still need your rules")
	return c
}

func (a *app) serveMCP(ctx context.Context, writes bool) error {
	names := servedReads
	if writes {
		names = slices.Concat(servedReads, servedWrites)
	}
	dir, err := os.Getwd()
	if err != nil {
		return usage("the current folder is gone: %w", err)
	}
	relay := &model.Relay{}
	o, err := a.open(ctx, launch{front: audit.FrontMCP, dir: dir, mind: byHand(relay), tools: names})
	if err != nil {
		return err
	}
	a.warnLevel(o, false)
	var tools []mcpserver.Tool
	for _, t := range o.tools.All() {
		s := t.Spec()
		tools = append(tools, mcpserver.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema, ReadOnly: slices.Contains(servedReads, s.Name)})
	}
	fmt.Fprintf(a.stderr, "tera-pilot: MCP server over %s, %d tools; nobody can be asked\n", o.root, len(tools))
	err = mcpserver.Run(ctx, mcpserver.Options{
		In: a.stdin, Out: a.stdout, Version: version(), Tools: tools,
		Caller: mcpserver.Caller{Session: o, Hand: relay.Hand},
	})
	status := audit.CloseOK
	if err != nil {
		status = audit.CloseError
	}
	return errors.Join(err, o.Close(status))
}
