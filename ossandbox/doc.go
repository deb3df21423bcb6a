// Package ossandbox runs one command so that it can use the workspace and
// nothing else of the machine, and still build, test and commit.
//
// # Use
//
//	box, err := ossandbox.New(ctx, ossandbox.Config{Root: root, Home: home, State: state, Env: os.Environ(), Setting: ossandbox.Auto})
//	if err != nil { … }               // *SetupError: cause and mend
//	defer box.Close()
//	res, err := box.Run(ctx, ossandbox.Command{Script: "go test ./...", Profile: ossandbox.Work(), Stdout: w, Stderr: w, Timeout: time.Minute})
//
// A program that imports this package imports ossandbox/reexec first of all:
// inside the sandbox its own binary, executed again, is the last stage before
// the command.
//
// # Promised, to the person whose machine it is
//
// Of a command in grade A, whatever it tries:
//
//   - it reads system folders, the workspace and named tool folders; not HOME,
//     not other projects, not the host's /tmp, /run, /sys or processes;
//   - it writes the workspace, a private temporary folder and a private cache;
//     not the repository's hooks and configuration, nor the protected names;
//   - it sees an environment built from an allow-list, and no descriptor but
//     its three streams;
//   - it reaches no network but its own loopback, or, in the profile net, the
//     named hosts through a proxy that checks them;
//   - it keeps within limits of memory, processes, time, the size of a file, and what
//     the workspace grows by, in bytes and files;
//   - nothing of it is alive when Run has returned, nor after the program that
//     called Run has died, in whatever way;
//   - nothing that the sandbox itself needed is left in the workspace, and what
//     a crash left behind is swept by the next New.
//
// A set-up that fails is an error and the command has not run. Nothing weaker
// is ever chosen silently: the grade reached is in Report and in each Result,
// and a setting that does not accept it refuses.
//
// # Not promised
//
// That the kernel has no bugs; that a secret which lies in the workspace under
// an ordinary name stays unread; that a host which was allowed is not used to
// carry data away; that files written into the workspace (a Makefile, a test)
// are harmless when the person runs them outside later. Lower grades hold
// less: see Grade. The macOS backend was generated and tested as text, and has
// not been run. The page docs/sandbox.md has the long form.
package ossandbox
