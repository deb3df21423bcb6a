package main

import "github.com/spf13/cobra"

func (a *app) auditCommand() *cobra.Command { return nil }
