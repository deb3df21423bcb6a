package main

import "github.com/spf13/cobra"

func (a *app) policyCommand() *cobra.Command { return nil }
