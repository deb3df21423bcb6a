// Command tera-pilot is a local-first coding agent in the terminal. What you
// approve is what runs, and what ran can be proven.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	// First of all imports: inside a sandbox this very binary is the inner
	// stage, and must not pay for initialising anything else.
	_ "github.com/tera-pilot/tera-pilot/ossandbox/reexec"
)

func main() {
	keepToOurselves()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, process{args: os.Args[1:], env: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr})
	stop()
	os.Exit(code)
}
