// Package reexec is the last stage of the sandbox before the command.
//
// The sandbox starts the program's own binary again, inside the new namespaces,
// with Trigger in its environment. The init function of this package sees that,
// confines the process for good (descriptors, limits, capabilities, Landlock,
// seccomp) and becomes the command. It never returns to the program.
//
// It imports syscall alone. Go initialises packages in the order of their
// import paths as soon as their own imports are ready, so this one runs before
// anything heavy: the stage costs what a bare Go program costs. A program that
// uses ossandbox as a library imports this package too; it need do no more.
//
// # Promised
//
// The command starts with every restriction of the Spec in force, or not at
// all: each step that fails ends the stage with ExitSetup and a reason on the
// status pipe. Landlock rules whose path does not exist are left out, which
// only tightens.
//
// # Not promised
//
// Anything to a program that is started with Trigger by somebody else: without
// the descriptors of the sandbox it ends at once.
package reexec

import "syscall"

func init() {
	if mode, ok := syscall.Getenv(Trigger); ok {
		stage(mode)
		syscall.Exit(ExitSetup)
	}
}
