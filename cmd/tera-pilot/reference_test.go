package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tera-pilot/tera-pilot/internal/config"
)

var writeReference = flag.Bool("reference", false, "write docs/reference.md anew")

// TestTheReference: docs/reference.md is what the code says, word for word.
func TestTheReference(t *testing.T) {
	want := reference()
	if *writeReference {
		if err := os.WriteFile(filepath.Join(docsDir, "reference.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if document(t, "reference.md") != want {
		t.Error("docs/reference.md says something else than the code; write it anew with: go test ./cmd/tera-pilot -run TestTheReference -reference")
	}
	root := (&app{}).rootCommand()
	for _, k := range config.Reference() {
		if k.Flag != "" && root.PersistentFlags().Lookup(strings.TrimPrefix(k.Flag, "--")) == nil {
			t.Errorf("%s: there is no flag %s", k.Name, k.Flag)
		}
	}
}

// reference is the page: settings, then commands.
func reference() string {
	var b strings.Builder
	b.WriteString(`# Reference

Made from the code, and held to it by a test. After a change of a flag or a key:

    go test ./cmd/tera-pilot -run TestTheReference -reference

What the settings mean is told in [configuration.md](configuration.md), the exit
codes in [exit-codes.md](exit-codes.md). ` + "`tera-pilot man DIR`" + ` writes the commands
as manual pages, ` + "`tera-pilot completion SHELL`" + ` completions.

## Settings

Keys of ` + "`config.json`" + `. A flag goes before the variable, and that before the file.

| key | type | default | variable | flag |
| --- | --- | --- | --- | --- |
`)
	for _, k := range config.Reference() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Name, k.Kind, ticked(k.Default), ticked(k.Env), ticked(k.Flag))
	}
	root := (&app{}).rootCommand()
	b.WriteString("\n## Flags of every command\n\n")
	flagTable(&b, root.PersistentFlags())
	b.WriteString("\n## Commands\n")
	everyCommand(root, func(c *cobra.Command) {
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n    %s\n", c.CommandPath(), strings.TrimSuffix(c.Short, "."), c.UseLine())
		if own := c.LocalNonPersistentFlags(); own.HasAvailableFlags() {
			b.WriteString("\n")
			flagTable(&b, own)
		}
	})
	return b.String()
}

func ticked(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func flagTable(b *strings.Builder, flags *pflag.FlagSet) {
	b.WriteString("| flag | value | default | |\n| --- | --- | --- | --- |\n")
	flags.VisitAll(func(f *pflag.Flag) {
		kind, usage := pflag.UnquoteUsage(f)
		value := f.DefValue
		if value == "[]" || value == "false" {
			value = ""
		}
		fmt.Fprintf(b, "| `--%s` | %s | %s | %s |\n", f.Name, cmp.Or(kind, "–"), ticked(value), strings.ReplaceAll(usage, "|", `\|`))
	})
}
