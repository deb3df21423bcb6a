package main

import "github.com/spf13/cobra"

func (a *app) modelsCommand() *cobra.Command { return nil }
