// Package reexec switches a re-executed binary to the sandbox inner stage.
package reexec
