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

// ends are the signals that end the program in good order. A terminal that is
// closed is one of them, unless whoever started it (nohup) wants it to go on.
func ends() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

func main() {
	keepToOurselves()
	ctx, stop := signal.NotifyContext(context.Background(), ends()...)
	code := run(ctx, process{args: os.Args[1:], env: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr})
	stop()
	os.Exit(code)
}
