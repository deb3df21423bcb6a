package main

import "github.com/spf13/cobra"

func (a *app) sandboxCommand() *cobra.Command { return nil }
