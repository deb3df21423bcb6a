package main

import "github.com/spf13/cobra"

func (a *app) gitCommand() *cobra.Command { return nil }
